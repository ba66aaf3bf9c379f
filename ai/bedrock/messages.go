package bedrock

import (
	"encoding/json"
	"strings"

	"tau/ai"
)

// messages converts a replayed conversation. Neighbours of the same side are
// merged, since the API wants the sides to alternate and all results of a
// batch in one message.
func messages(model *ai.Model, msgs []ai.Message) []message {
	out := make([]message, 0, len(msgs)+1)
	add := func(role string, content []block) {
		if len(content) == 0 {
			return
		}
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Content = append(out[n-1].Content, content...)
			return
		}
		if len(out) == 0 && role != "user" {
			// The first message must be the user's.
			out = append(out, message{Role: "user", Content: []block{{Text: "(the conversation goes on)"}}})
		}
		out = append(out, message{Role: role, Content: content})
	}
	for _, m := range msgs {
		switch m := m.(type) {
		case *ai.UserMessage:
			content := blocks(m.Content)
			if len(content) > 0 && ai.ContentText(m.Content) == "" {
				content = append(content, block{Text: "(see the image)"}) // images alone are refused
			}
			add("user", content)
		case *ai.AssistantMessage:
			add("assistant", assistantBlocks(model, m.Content))
		case *ai.ToolResultMessage:
			r := &toolResult{ID: m.ToolCallID, Content: blocks(m.Content), Status: "success"}
			if m.IsError {
				r.Status = "error"
			}
			add("user", []block{{ToolResult: r}})
		}
	}
	return out
}

func blocks(content []ai.Block) []block {
	out := make([]block, 0, len(content))
	for _, b := range content {
		switch b := b.(type) {
		case *ai.Text:
			out = append(out, block{Text: b.Text})
		case *ai.Image:
			if format := imageFormat(b.MimeType); format == "" {
				out = append(out, block{Text: "(image left out: " + b.MimeType + " is not a format that the provider takes)"})
			} else {
				i := &image{Format: format}
				i.Source.Bytes = b.Data
				out = append(out, block{Image: i})
			}
		}
	}
	return out
}

// imageFormat is the API's name of a kind of image, "" if it takes none such.
func imageFormat(mime string) string {
	switch format := strings.TrimPrefix(mime, "image/"); format {
	case "png", "jpeg", "gif", "webp":
		return format
	case "jpg":
		return "jpeg"
	}
	return ""
}

func assistantBlocks(model *ai.Model, content []ai.Block) []block {
	out := make([]block, 0, len(content))
	for _, b := range content {
		switch b := b.(type) {
		case *ai.Text:
			out = append(out, block{Text: b.Text})
		case *ai.Thinking:
			switch {
			case b.Redacted:
				out = append(out, block{Reasoning: &reasoning{Redacted: b.Signature}})
			case isClaude(model) && b.Signature == "":
				// An answer that was cut short; Claude takes no unsigned thoughts.
			case b.Thinking != "" || b.Signature != "":
				out = append(out, block{Reasoning: &reasoning{Text: &reasoningText{Text: b.Thinking, Signature: b.Signature}}})
			}
		case *ai.ToolCall:
			input := b.Arguments
			if len(input) == 0 {
				input = json.RawMessage("{}")
			}
			out = append(out, block{ToolUse: &toolUse{ID: b.ID, Name: b.Name, Input: input}})
		}
	}
	return out
}
