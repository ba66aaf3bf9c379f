package google

import (
	"encoding/json"
	"strings"

	"tau/ai"
)

// unsigned stands for the signature of a call that another model made, by
// Google's documentation of thought signatures.
const unsigned = "skip_thought_signature_validator"

// madeID begins the ids that this package makes up for calls that came without
// one. They are not sent: the API pairs such calls by their order.
const madeID = "gcall_"

// contents converts a replayed conversation. Neighbours of the same side are
// merged: the API wants all responses to a batch of calls in one content.
func contents(model *ai.Model, msgs []ai.Message) []content {
	out := make([]content, 0, len(msgs))
	add := func(role string, parts []part) {
		if len(parts) == 0 {
			return
		}
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Parts = append(out[n-1].Parts, parts...)
			return
		}
		if len(out) == 0 && role != "user" {
			// The first content must be the user's.
			out = append(out, content{Role: "user", Parts: []part{textPart("(the conversation goes on)")}})
		}
		out = append(out, content{Role: role, Parts: parts})
	}
	var pictures []part // of results, for models that take them beside only
	flush := func() {
		if len(pictures) > 0 {
			add("user", append([]part{textPart("The images of the tool results above:")}, pictures...))
			pictures = nil
		}
	}
	own := false // the calls that the next results answer came from this API
	for _, m := range msgs {
		if _, ok := m.(*ai.ToolResultMessage); !ok {
			flush()
		}
		switch m := m.(type) {
		case *ai.UserMessage:
			add("user", userParts(m.Content))
		case *ai.AssistantMessage:
			own = m.API == model.API
			add("model", modelParts(model, m, own))
		case *ai.ToolResultMessage:
			p, beside := resultPart(model, m, own)
			add("user", []part{p})
			pictures = append(pictures, beside...)
		}
	}
	flush()
	return out
}

func textPart(s string) part { return part{Text: &s} }

func imagePart(b *ai.Image) part {
	return part{InlineData: &blob{MimeType: b.MimeType, Data: b.Data}}
}

func userParts(blocks []ai.Block) []part {
	out := make([]part, 0, len(blocks))
	for _, b := range blocks {
		switch b := b.(type) {
		case *ai.Text:
			out = append(out, textPart(b.Text))
		case *ai.Image:
			out = append(out, imagePart(b))
		}
	}
	return out
}

func modelParts(model *ai.Model, m *ai.AssistantMessage, own bool) []part {
	out := make([]part, 0, len(m.Content))
	calls := 0
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Thinking:
			if b.Thinking != "" {
				out = append(out, part{Text: &b.Thinking, Thought: true, ThoughtSignature: b.Signature})
			}
		case *ai.Text:
			out = append(out, part{Text: &b.Text, ThoughtSignature: b.Signature})
		case *ai.ToolCall:
			args := b.Arguments
			if len(args) == 0 {
				args = json.RawMessage("{}")
			}
			p := part{FunctionCall: &functionCall{ID: callID(b.ID, own), Name: b.Name, Args: args}, ThoughtSignature: b.ThoughtSignature}
			// Of a batch only the first call has a signature.
			if calls++; calls == 1 && p.ThoughtSignature == "" && signs(model) {
				p.ThoughtSignature = unsigned
			}
			out = append(out, p)
		}
	}
	return out
}

// callID is the id to send: the provider's own.
func callID(id string, own bool) string {
	if !own || strings.HasPrefix(id, madeID) {
		return ""
	}
	return id
}

// resultPart is the response to a call, and the pictures that cannot be in it.
func resultPart(model *ai.Model, m *ai.ToolResultMessage, own bool) (p part, beside []part) {
	text := ai.ContentText(m.Content)
	var pictures []part
	for _, b := range m.Content {
		if image, ok := b.(*ai.Image); ok {
			pictures = append(pictures, imagePart(image))
		}
	}
	if text == "" {
		text = "(see the attached image)"
	}
	key := "output"
	if m.IsError {
		key = "error"
	}
	r := &functionResponse{ID: callID(m.ToolCallID, own), Name: m.ToolName, Response: map[string]string{key: text}}
	if signs(model) { // since Gemini 3
		r.Parts, pictures = pictures, nil
	}
	return part{FunctionResponse: r}, pictures
}
