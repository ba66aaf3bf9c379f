package google

import (
	"encoding/json"
	"strings"

	"tau/ai"
	"tau/ai/internal/sides"
)

// unsigned stands for the signature of a call that another model made, by
// Google's documentation of thought signatures.
const unsigned = "skip_thought_signature_validator"

// madeID begins the ids that this package makes up for calls that came without
// one. They are not sent: the API pairs such calls by their order.
const madeID = "gcall_"

// contents converts a prepared conversation.
func contents(model *ai.Model, p *ai.Prepared) (*sides.List, error) {
	c := converter{model: model, p: p, out: &sides.List{Opening: `{"text":"(the conversation goes on)"}`}}
	for _, m := range p.Messages {
		if err := c.message(m); err != nil {
			return nil, err
		}
	}
	return c.out, c.flush()
}

type converter struct {
	model    *ai.Model
	p        *ai.Prepared
	out      *sides.List
	own      bool        // the calls that the next results answer came from this API
	pictures []*ai.Image // of results, for models that take them beside only
}

func (c *converter) message(m ai.Message) error {
	if _, ok := m.(*ai.ToolResultMessage); !ok {
		if err := c.flush(); err != nil {
			return err
		}
	}
	switch m := m.(type) {
	case *ai.UserMessage:
		return c.add("user", m, 0, func() []part { return userParts(m.Content) })
	case *ai.AssistantMessage:
		c.own = m.API == c.model.API
		return c.add("model", m, 0, func() []part { return modelParts(c.model, m, m.API == c.model.API) })
	case *ai.ToolResultMessage:
		if !signs(c.model) {
			for _, b := range m.Content {
				if image, ok := b.(*ai.Image); ok {
					c.pictures = append(c.pictures, image)
				}
			}
		}
		state, own := 0, c.own
		if own {
			state = 1
		}
		return c.add("user", m, state, func() []part { return []part{resultPart(c.model, m, own)} })
	}
	return nil
}

// add encodes a message, or takes what it was encoded as before.
func (c *converter) add(role string, m ai.Message, state int, parts func() []part) error {
	wire, err := c.p.Encoded(m, state, func() ([]byte, error) { return sides.Encode(parts()) })
	c.out.Add(role, wire)
	return err
}

// flush writes the pictures of the batch of results before.
func (c *converter) flush() error {
	if len(c.pictures) == 0 {
		return nil
	}
	c.out.Add("user", []byte(`{"text":"The images of the tool results above:"}`))
	for _, image := range c.pictures {
		wire, err := c.p.Encoded(image, 0, func() ([]byte, error) { return sides.Encode([]part{imagePart(image)}) })
		if err != nil {
			return err
		}
		c.out.Add("user", wire)
	}
	c.pictures = nil
	return nil
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

// resultPart is the response to a call, with its pictures if they can be in it.
func resultPart(model *ai.Model, m *ai.ToolResultMessage, own bool) part {
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
		r.Parts = pictures
	}
	return part{FunctionResponse: r}
}
