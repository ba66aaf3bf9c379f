package anthropic

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"tau/ai"
	"tau/ai/openjson"
)

// run is one message of the request: neighbours of the same side, merged,
// since the API wants the sides to alternate and all results of a batch in one
// message. Its blocks are encoded.
type run struct {
	role   string
	blocks [][]byte // each one or more blocks with commas between them
	change *outputConfig
}

// messages converts a prepared conversation.
func messages(p *ai.Prepared, flags compat) ([]run, error) {
	c := converter{p: p, flags: flags, out: make([]run, 0, len(p.Messages)+1)}
	for _, m := range p.Messages {
		var err error
		switch m := m.(type) {
		case *ai.UserMessage:
			err = c.add("user", m, func() []block { return userBlocks(m.Content) })
		case *ai.AssistantMessage:
			err = c.add("assistant", m, func() []block { return assistantBlocks(m.Content, flags) })
		case *ai.ToolResultMessage:
			err = c.add("user", m, func() []block {
				return []block{{Type: "tool_result", ToolUseID: m.ToolCallID, Content: userBlocks(m.Content), IsError: m.IsError}}
			})
		case *ai.Change:
			c.pending = append(c.pending, m)
		}
		if err != nil {
			return nil, err
		}
	}
	return c.out, c.flush()
}

type converter struct {
	p       *ai.Prepared
	flags   compat
	out     []run
	pending []*ai.Change
}

func (c *converter) add(role string, m ai.Message, blocks func() []block) error {
	encoded, err := c.p.Encoded(m, 0, func() ([]byte, error) { return encodeBlocks(blocks()) })
	if err != nil || len(encoded) == 0 {
		return err
	}
	if role == "assistant" {
		if err := c.flush(); err != nil {
			return err
		}
	}
	if n := len(c.out); n > 0 && c.out[n-1].role == role {
		c.out[n-1].blocks = append(c.out[n-1].blocks, encoded)
		return nil
	}
	if len(c.out) == 0 && role != "user" {
		// The first message must be the user's.
		c.out = append(c.out, run{role: "user", blocks: [][]byte{[]byte(`{"type":"text","text":"(the conversation goes on)"}`)}})
	}
	c.out = append(c.out, run{role: role, blocks: [][]byte{encoded}})
	return nil
}

// flush writes the changes so far as one system message. The API takes it
// after a user's turn only, directly before an answer or at the end: results
// have to follow their calls.
func (c *converter) flush() error {
	if len(c.pending) == 0 {
		return nil
	}
	if n := len(c.out); n == 0 || c.out[n-1].role != "user" {
		return nil // later, after the next user's turn
	}
	r := run{role: "system"}
	var blocks []block
	for _, change := range c.pending {
		if change.Text != "" {
			blocks = append(blocks, block{Type: "text", Text: change.Text})
		}
	}
	for _, change := range c.pending {
		for _, name := range change.Remove {
			blocks = append(blocks, block{Type: "tool_removal", Tool: &toolChange{Type: "tool_reference", Name: name}})
		}
		for i := range change.Add {
			t := toolOf(&change.Add[i], c.flags)
			blocks = append(blocks, block{Type: "tool_addition", Tool: &toolChange{Type: "tool_definition", Definition: &t}})
		}
		if change.Effort != "" {
			r.change = &outputConfig{Effort: string(change.Effort)}
		}
	}
	c.pending = nil
	encoded, err := encodeBlocks(blocks)
	if err != nil {
		return err
	}
	if len(encoded) > 0 {
		r.blocks = [][]byte{encoded}
	}
	c.out = append(c.out, r)
	return nil
}

// encodeBlocks writes blocks one after the other with commas between them.
func encodeBlocks(blocks []block) ([]byte, error) {
	out := []byte{}
	for i := range blocks {
		wire := []byte(blocks[i].raw)
		if wire == nil {
			var err error
			if wire, err = openjson.Encode(&blocks[i]); err != nil {
				return nil, err
			}
		}
		if len(blocks) == 1 {
			return wire, nil
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, wire...)
	}
	return out, nil
}

// appendMessages writes the messages as a JSON list. The last block of the
// last user's turn gets the cache marker, if there is one.
func appendMessages(out *bytes.Buffer, runs []run, model *ai.Model, marker []byte) error {
	marked := -1
	for i := len(runs) - 1; i >= 0 && len(marker) > 0; i-- {
		if runs[i].role != "system" {
			if runs[i].role == "user" {
				marked = i
			}
			break
		}
	}
	out.WriteByte('[')
	for i, r := range runs {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(`{"role":` + strconv.Quote(r.role) + `,"content":[`)
		for j, b := range r.blocks {
			if j > 0 {
				out.WriteByte(',')
			}
			out.Write(b)
		}
		if i == marked {
			out.Truncate(out.Len() - 1) // the marker is a block's last member
			out.WriteString(`,"cache_control":`)
			out.Write(marker)
			out.WriteByte('}')
		}
		out.WriteByte(']')
		if r.change != nil {
			config, err := openjson.Encode(outputConfig{Effort: effort(model, ai.ThinkingLevel(r.change.Effort))})
			if err != nil {
				return err
			}
			out.WriteString(`,"output_config":`)
			out.Write(config)
		}
		out.WriteByte('}')
	}
	out.WriteByte(']')
	return nil
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
		case *ai.RawBlock:
			if b.Type == "fallback" && len(flags.AllowedFallbackModels) > 0 {
				out = append(out, block{raw: b.JSON})
			}
		}
	}
	return out
}
