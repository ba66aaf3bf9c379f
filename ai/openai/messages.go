package openai

import (
	"encoding/json"
	"strings"

	"tau/ai"
	"tau/ai/internal/toolargs"
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
	Tools            []tool            `json:"tools,omitempty"` // that are there from here on
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
	ID       string        `json:"id"`
	Type     string        `json:"type"`
	Function *callFunction `json:"function,omitempty"`
	Custom   *callCustom   `json:"custom,omitempty"`
}

type callCustom struct {
	Name  string `json:"name"`
	Input string `json:"input"`
}

type callFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// line is one message of the request. It is encoded at once; what it was
// encoded from is made again only where a cache marker has to go.
type line struct {
	role  string
	wire  []byte
	build func() message // nil if it takes no marker
}

// converter writes a prepared conversation.
type converter struct {
	model    *ai.Model
	p        *ai.Prepared
	flags    compat
	plain    toolargs.Plain
	out      []line
	pictures []*ai.Image // of results, which cannot be in a tool message; they follow the batch
}

func lines(model *ai.Model, p *ai.Prepared, flags compat, plain toolargs.Plain) ([]line, error) {
	c := converter{model: model, p: p, flags: flags, plain: plain, out: make([]line, 0, len(p.Messages)+1)}
	if p.System != "" {
		if err := c.add(c.systemRole(), nil, func() message { return message{Role: c.systemRole(), Content: &content{text: p.System}} }); err != nil {
			return nil, err
		}
	}
	for _, m := range p.Messages {
		if err := c.message(m); err != nil {
			return nil, err
		}
	}
	return c.out, c.flush()
}

func (c *converter) systemRole() string {
	if c.model.Reasoning && on(c.flags.DeveloperRole, c.flags.openAI) {
		return "developer"
	}
	return "system"
}

func (c *converter) message(m ai.Message) error {
	if _, ok := m.(*ai.ToolResultMessage); !ok {
		if err := c.flush(); err != nil {
			return err
		}
	}
	switch m := m.(type) {
	case *ai.UserMessage:
		if n := len(c.out); c.flags.AssistantAfterToolResult && n > 0 && c.out[n-1].role == "tool" {
			c.out = append(c.out, line{role: "assistant", wire: []byte(`{"role":"assistant","content":"I have the results of the tools."}`)})
		}
		return c.add("user", m, func() message { return message{Role: "user", Content: userContent(m.Content)} })
	case *ai.AssistantMessage:
		return c.add("assistant", m, func() message { return assistant(m, c.flags, c.plain) })
	case *ai.ToolResultMessage:
		for _, b := range m.Content {
			if image, ok := b.(*ai.Image); ok {
				c.pictures = append(c.pictures, image)
			}
		}
		return c.add("tool", m, func() message { return result(m, c.flags) })
	case *ai.Change:
		if len(m.Add) > 0 {
			if err := c.add("system", nil, func() message { return message{Role: "system", Tools: tools(m.Add, c.flags)} }); err != nil {
				return err
			}
		}
		if m.Text != "" {
			return c.add(c.systemRole(), nil, func() message { return message{Role: c.systemRole(), Content: &content{text: m.Text}} })
		}
	}
	return nil
}

// add encodes a message, or takes what key was encoded as before. An assistant
// that says nothing is left out.
func (c *converter) add(role string, key ai.Message, build func() message) error {
	encode := func() ([]byte, error) {
		m := build()
		if role == "assistant" && m.Content == nil {
			return []byte{}, nil
		}
		return openjson.Encode(m)
	}
	var wire []byte
	var err error
	if key == nil {
		wire, err = encode()
	} else {
		wire, err = c.p.Encoded(key, c.plain.State(), encode)
	}
	if err != nil || len(wire) == 0 {
		return err
	}
	c.out = append(c.out, line{role, wire, build})
	return nil
}

// flush writes the pictures of the batch of results before.
func (c *converter) flush() error {
	if len(c.pictures) == 0 {
		return nil
	}
	const intro = "Attached image(s) from tool result:"
	wire := []byte(`{"role":"user","content":[{"type":"text","text":"` + intro + `"}`)
	for _, image := range c.pictures {
		part, err := c.p.Encoded(image, 0, func() ([]byte, error) { return openjson.Encode(imagePart(image)) })
		if err != nil {
			return err
		}
		wire = append(append(wire, ','), part...)
	}
	pictures := c.pictures
	c.pictures = nil
	c.out = append(c.out, line{role: "user", wire: append(wire, "]}"...), build: func() message {
		parts := []part{{Type: "text", Text: intro}}
		for _, image := range pictures {
			parts = append(parts, imagePart(image))
		}
		return message{Role: "user", Content: &content{parts: parts}}
	}})
	return nil
}

func result(m *ai.ToolResultMessage, flags compat) message {
	text := ai.ContentText(m.Content)
	if text == "" {
		text = "(see the attached image)"
	}
	msg := message{Role: "tool", ToolCallID: m.ToolCallID, Content: &content{text: text}}
	if flags.ToolResultName {
		msg.Name = m.ToolName
	}
	return msg
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

// assistant converts an answer. It has no content at all if nothing is said.
func assistant(m *ai.AssistantMessage, flags compat, plain toolargs.Plain) message {
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
			if text, ok := plain.Text(b.Name, b.Arguments); ok {
				msg.ToolCalls = append(msg.ToolCalls, call{ID: b.ID, Type: "custom", Custom: &callCustom{b.Name, text}})
			} else {
				msg.ToolCalls = append(msg.ToolCalls, call{ID: b.ID, Type: "function", Function: &callFunction{b.Name, args}})
			}
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
		return msg
	}
	msg.Content = &content{text: text, null: text == "" && !flags.NonNullAssistantContent}
	return msg
}

// markLines puts cache markers on the system prompt and the last message that
// has text.
func markLines(lines []line, c *cacheControl) error {
	mark := func(l *line) (bool, error) {
		if l.build == nil {
			return false, nil
		}
		m := l.build()
		if m.Content == nil || m.Content.null || m.Content.parts == nil && m.Content.text == "" {
			return false, nil
		}
		if m.Content.parts == nil {
			m.Content.parts = []part{{Type: "text", Text: m.Content.text}}
		}
		m.Content.parts[len(m.Content.parts)-1].CacheControl = c
		var err error
		l.wire, err = openjson.Encode(m)
		return true, err
	}
	if len(lines) > 0 && (lines[0].role == "system" || lines[0].role == "developer") {
		if _, err := mark(&lines[0]); err != nil {
			return err
		}
	}
	for i := len(lines) - 1; i > 0; i-- {
		if lines[i].role == "tool" || lines[i].role == "system" || lines[i].role == "developer" {
			continue
		}
		if done, err := mark(&lines[i]); done || err != nil {
			return err
		}
	}
	return nil
}
