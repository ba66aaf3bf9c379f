package anthropic

import (
	"encoding/json"
	"strings"

	"tau/ai"
)

// messages converts a replayed conversation. Neighbours of the same side are
// merged, since the API wants the sides to alternate and all results of a
// batch in one message.
func messages(msgs []ai.Message, flags compat) []message {
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
			out = append(out, message{Role: "user", Content: []block{{Type: "text", Text: "(the conversation goes on)"}}})
		}
		out = append(out, message{Role: role, Content: content})
	}
	for _, m := range msgs {
		switch m := m.(type) {
		case *ai.UserMessage:
			add("user", userBlocks(m.Content))
		case *ai.AssistantMessage:
			add("assistant", assistantBlocks(m.Content, flags))
		case *ai.ToolResultMessage:
			add("user", []block{{Type: "tool_result", ToolUseID: m.ToolCallID, Content: userBlocks(m.Content), IsError: m.IsError}})
		}
	}
	return out
}

func userBlocks(content []ai.Block) []block {
	out := make([]block, 0, len(content))
	for _, b := range content {
		switch b := b.(type) {
		case *ai.Text:
			out = append(out, block{Type: "text", Text: b.Text})
		case *ai.Image:
			out = append(out, block{Type: "image", Source: &source{Type: "base64", MediaType: b.MimeType, Data: b.Data}})
		}
	}
	return out
}

func assistantBlocks(content []ai.Block, flags compat) []block {
	out := make([]block, 0, len(content))
	for _, b := range content {
		switch b := b.(type) {
		case *ai.Text:
			out = append(out, block{Type: "text", Text: b.Text})
		case *ai.Thinking:
			switch {
			case b.Redacted:
				out = append(out, block{Type: "redacted_thinking", Data: b.Signature})
			case b.Signature != "" || flags.AllowEmptySignature:
				out = append(out, block{Type: "thinking", Thinking: &b.Thinking, Signature: &b.Signature})
			case strings.TrimSpace(b.Thinking) != "":
				// The API takes no thoughts that it has not signed, as of a proxy for
				// another model.
				out = append(out, block{Type: "text", Text: b.Thinking})
			}
		case *ai.ToolCall:
			input := b.Arguments
			if len(input) == 0 {
				input = json.RawMessage("{}")
			}
			out = append(out, block{Type: "tool_use", ID: b.ID, Name: b.Name, Input: input})
		}
	}
	return out
}
