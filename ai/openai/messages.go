package openai

import (
	"encoding/json"
	"strings"

	"tau/ai"
	"tau/ai/openjson"
)

type message struct {
	Role             string            `json:"role"`
	Content          *content          `json:"content,omitempty"`
	Name             string            `json:"name,omitempty"`
	ToolCalls        []call            `json:"tool_calls,omitempty"`
	ToolCallID       string            `json:"tool_call_id,omitempty"`
	ReasoningContent *string           `json:"reasoning_content,omitempty"`
	Reasoning        string            `json:"reasoning,omitempty"`
	ReasoningText    string            `json:"reasoning_text,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
}

// content is written as null, as a string, or as a list of parts.
type content struct {
	null  bool
	text  string
	parts []part
}

func (c *content) MarshalJSON() ([]byte, error) {
	switch {
	case c.null:
		return []byte("null"), nil
	case c.parts != nil:
		return openjson.Encode(c.parts)
	}
	return openjson.Encode(c.text)
}

type part struct {
	Type         string        `json:"type"`
	Text         string        `json:"text,omitempty"`
	ImageURL     *imageURL     `json:"image_url,omitempty"`
	CacheControl *cacheControl `json:"cache_control,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

type call struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function callFunction `json:"function"`
}

type callFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// messages converts the system prompt and a replayed conversation.
func messages(model *ai.Model, req *ai.Request, flags compat) []message {
	out := make([]message, 0, len(req.Messages)+1)
	if req.System != "" {
		role := "system"
		if model.Reasoning && on(flags.DeveloperRole, flags.openAI) {
			role = "developer"
		}
		out = append(out, message{Role: role, Content: &content{text: req.System}})
	}
	// Pictures of results cannot be in a tool message. They follow the batch.
	var pictures []part
	flush := func() {
		if len(pictures) > 0 {
			intro := part{Type: "text", Text: "Attached image(s) from tool result:"}
			out = append(out, message{Role: "user", Content: &content{parts: append([]part{intro}, pictures...)}})
			pictures = nil
		}
	}
	for _, m := range req.Messages {
		if _, ok := m.(*ai.ToolResultMessage); !ok {
			flush()
		}
		switch m := m.(type) {
		case *ai.UserMessage:
			if n := len(out); flags.AssistantAfterToolResult && n > 0 && out[n-1].Role == "tool" {
				out = append(out, message{Role: "assistant", Content: &content{text: "I have the results of the tools."}})
			}
			out = append(out, message{Role: "user", Content: userContent(m.Content)})
		case *ai.AssistantMessage:
			if msg, ok := assistant(m, flags); ok {
				out = append(out, msg)
			}
		case *ai.ToolResultMessage:
			text := ai.ContentText(m.Content)
			for _, b := range m.Content {
				if image, ok := b.(*ai.Image); ok {
					pictures = append(pictures, imagePart(image))
				}
			}
			if text == "" {
				text = "(see the attached image)"
			}
			msg := message{Role: "tool", ToolCallID: m.ToolCallID, Content: &content{text: text}}
			if flags.ToolResultName {
				msg.Name = m.ToolName
			}
			out = append(out, msg)
		}
	}
	flush()
	return out
}

func userContent(blocks []ai.Block) *content {
	if len(blocks) == 1 {
		if t, ok := blocks[0].(*ai.Text); ok {
			return &content{text: t.Text}
		}
	}
	c := &content{}
	for _, b := range blocks {
		switch b := b.(type) {
		case *ai.Text:
			c.parts = append(c.parts, part{Type: "text", Text: b.Text})
		case *ai.Image:
			c.parts = append(c.parts, imagePart(b))
		}
	}
	return c
}

func imagePart(b *ai.Image) part {
	return part{Type: "image_url", ImageURL: &imageURL{"data:" + b.MimeType + ";base64," + b.Data}}
}

func assistant(m *ai.AssistantMessage, flags compat) (message, bool) {
	msg := message{Role: "assistant"}
	var texts, thoughts []string
	field := ""
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			texts = append(texts, b.Text)
		case *ai.Thinking:
			if b.Thinking != "" {
				thoughts = append(thoughts, b.Thinking)
				field = b.Signature
			}
		case *ai.ToolCall:
			args := string(b.Arguments)
			if args == "" {
				args = "{}"
			}
			msg.ToolCalls = append(msg.ToolCalls, call{ID: b.ID, Type: "function", Function: callFunction{b.Name, args}})
			if detail := json.RawMessage(b.ThoughtSignature); len(detail) > 0 && detail[0] == '{' && json.Valid(detail) {
				msg.ReasoningDetails = append(msg.ReasoningDetails, detail)
			}
		}
	}
	thought := strings.Join(thoughts, "\n")
	switch {
	case flags.ThinkingAsText && thought != "":
		texts = append([]string{thought + "\n"}, texts...)
	case flags.ReasoningContentOnAssistants:
		msg.ReasoningContent = &thought
	case thought == "":
	case field == "reasoning":
		msg.Reasoning = thought
	case field == "reasoning_text":
		msg.ReasoningText = thought
	case field == "reasoning_content":
		msg.ReasoningContent = &thought
	}
	text := strings.Join(texts, "")
	if text == "" && len(msg.ToolCalls) == 0 {
		return msg, false
	}
	msg.Content = &content{text: text, null: text == "" && !flags.NonNullAssistantContent}
	return msg, true
}

// markMessages puts cache markers on the system prompt and the last message
// that has text.
func markMessages(msgs []message, c *cacheControl) {
	mark := func(m *message) bool {
		if m.Content == nil || m.Content.null {
			return false
		}
		if m.Content.parts == nil {
			if m.Content.text == "" {
				return false
			}
			m.Content.parts = []part{{Type: "text", Text: m.Content.text}}
		}
		m.Content.parts[len(m.Content.parts)-1].CacheControl = c
		return true
	}
	if len(msgs) > 0 && (msgs[0].Role == "system" || msgs[0].Role == "developer") {
		mark(&msgs[0])
	}
	for i := len(msgs) - 1; i > 0; i-- {
		if msgs[i].Role != "tool" && mark(&msgs[i]) {
			return
		}
	}
}
