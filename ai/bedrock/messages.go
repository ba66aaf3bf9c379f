package bedrock

import (
	"encoding/json"
	"strings"

	"tau/ai"
	"tau/ai/internal/sides"
)

// messages converts a prepared conversation.
func messages(model *ai.Model, p *ai.Prepared) (*sides.List, error) {
	out := &sides.List{Opening: `{"text":"(the conversation goes on)"}`}
	add := func(role string, m ai.Message, content func() []block) error {
		wire, err := p.Encoded(m, 0, func() ([]byte, error) { return sides.Encode(content()) })
		out.Add(role, wire)
		return err
	}
	for _, m := range p.Messages {
		var err error
		switch m := m.(type) {
		case *ai.UserMessage:
			err = add("user", m, func() []block {
				content := blocks(m.Content)
				if len(content) > 0 && ai.ContentText(m.Content) == "" {
					content = append(content, block{Text: "(see the image)"}) // images alone are refused
				}
				return content
			})
		case *ai.AssistantMessage:
			err = add("assistant", m, func() []block { return assistantBlocks(model, m.Content) })
		case *ai.ToolResultMessage:
			err = add("user", m, func() []block {
				r := &toolResult{ID: m.ToolCallID, Content: blocks(m.Content), Status: "success"}
				if m.IsError {
					r.Status = "error"
				}
				return []block{{ToolResult: r}}
			})
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
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
