package ai

import (
	"bytes"
	"encoding/json"
	"fmt"

	"tau/ai/openjson"
)

// Block is one piece of a message's content: [*Text], [*Thinking], [*Image],
// [*ToolCall] or, for kinds this version does not know, [*RawBlock].
//
// Blocks are immutable once they are part of a message that was handed out.
type Block interface{ BlockType() string }

// Text is plain or Markdown text.
type Text struct {
	Text      string          `json:"text"`
	Signature string          `json:"textSignature,omitempty"` // opaque, valid only for the model that wrote it
	Rest      openjson.Fields `json:"-"`
}

// Thinking is what the model thought before it answered.
type Thinking struct {
	Thinking  string          `json:"thinking"`
	Signature string          `json:"thinkingSignature,omitempty"` // opaque; for redacted blocks the whole content
	Redacted  bool            `json:"redacted,omitempty"`
	Rest      openjson.Fields `json:"-"`
}

// Image is a picture inside a message.
type Image struct {
	Data     string          `json:"data"` // base64
	MimeType string          `json:"mimeType"`
	Rest     openjson.Fields `json:"-"`
}

// ToolCall asks for one execution of a tool.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments is a JSON object. It is empty while the call streams; see
	// ArgumentsText.
	Arguments        json.RawMessage `json:"arguments"`
	ThoughtSignature string          `json:"thoughtSignature,omitempty"`
	Namespace        string          `json:"namespace,omitempty"`
	// ArgumentsError says why the model's text could not be read as an object.
	// Such a call is never run; Arguments is then {}.
	ArgumentsError string          `json:"argumentsError,omitempty"`
	Rest           openjson.Fields `json:"-"`

	// ArgumentsText is the raw text so far while the call streams, and what
	// could not be parsed when ArgumentsError is set.
	ArgumentsText string `json:"-"`
}

// RawBlock is a block of a kind this version does not know.
type RawBlock struct {
	Type string
	JSON json.RawMessage
}

func (*Text) BlockType() string       { return "text" }
func (*Thinking) BlockType() string   { return "thinking" }
func (*Image) BlockType() string      { return "image" }
func (*ToolCall) BlockType() string   { return "toolCall" }
func (b *RawBlock) BlockType() string { return b.Type }

// TextBlocks returns content of a single text block, the commonest content.
func TextBlocks(text string) []Block { return []Block{&Text{Text: text}} }

// UnmarshalBlock decodes one content block.
func UnmarshalBlock(data []byte) (Block, error) {
	var head struct {
		Type string `json:"type"`
	}
	// Texts are the bulk of a session, and all writers put the type first.
	if bytes.HasPrefix(data, []byte(`{"type":"text",`)) {
		head.Type = "text"
	} else if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("decode content block: %w", err)
	}
	var err error
	switch head.Type {
	case "text":
		b := &Text{}
		type plain Text
		b.Rest, err = openjson.Unmarshal(data, &struct {
			Type string `json:"type"`
			*plain
		}{plain: (*plain)(b)})
		return b, err
	case "thinking":
		b := &Thinking{}
		type plain Thinking
		b.Rest, err = openjson.Unmarshal(data, &struct {
			Type string `json:"type"`
			*plain
		}{plain: (*plain)(b)})
		return b, err
	case "image":
		b := &Image{}
		type plain Image
		b.Rest, err = openjson.Unmarshal(data, &struct {
			Type string `json:"type"`
			*plain
		}{plain: (*plain)(b)})
		return b, err
	case "toolCall":
		b := &ToolCall{}
		type plain ToolCall
		b.Rest, err = openjson.Unmarshal(data, &struct {
			Type string `json:"type"`
			*plain
		}{plain: (*plain)(b)})
		return b, err
	}
	return &RawBlock{Type: head.Type, JSON: append(json.RawMessage(nil), data...)}, nil
}

// MarshalJSON writes the block with its type.
func (b *Text) MarshalJSON() ([]byte, error) {
	type plain Text
	return openjson.Marshal(struct {
		Type string `json:"type"`
		*plain
	}{"text", (*plain)(b)}, b.Rest)
}

// MarshalJSON writes the block with its type.
func (b *Thinking) MarshalJSON() ([]byte, error) {
	type plain Thinking
	return openjson.Marshal(struct {
		Type string `json:"type"`
		*plain
	}{"thinking", (*plain)(b)}, b.Rest)
}

// MarshalJSON writes the block with its type.
func (b *Image) MarshalJSON() ([]byte, error) {
	type plain Image
	return openjson.Marshal(struct {
		Type string `json:"type"`
		*plain
	}{"image", (*plain)(b)}, b.Rest)
}

// MarshalJSON writes the block with its type. Missing arguments become {}.
func (b *ToolCall) MarshalJSON() ([]byte, error) {
	type plain ToolCall
	c := *b
	if len(c.Arguments) == 0 {
		c.Arguments = json.RawMessage("{}")
	}
	return openjson.Marshal(struct {
		Type string `json:"type"`
		*plain
	}{"toolCall", (*plain)(&c)}, b.Rest)
}

// MarshalJSON writes the block as it was read.
func (b *RawBlock) MarshalJSON() ([]byte, error) { return b.JSON, nil }

// content decodes message content, which is a string, a list of blocks or
// null. plain reports the string form, so that it is written back as such.
func decodeContent(data json.RawMessage) (blocks []Block, plain bool, err error) {
	if len(data) == 0 || string(data) == "null" {
		return nil, false, nil
	}
	if data[0] == '"' {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, false, err
		}
		return TextBlocks(s), true, nil
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, false, fmt.Errorf("decode content: %w", err)
	}
	blocks = make([]Block, 0, len(raw))
	for _, r := range raw {
		if string(r) == "null" {
			continue
		}
		b, err := UnmarshalBlock(r)
		if err != nil {
			return nil, false, err
		}
		blocks = append(blocks, b)
	}
	return blocks, false, nil
}

func encodeContent(blocks []Block, plain bool) (json.RawMessage, error) {
	if plain && len(blocks) == 1 {
		if t, ok := blocks[0].(*Text); ok {
			return openjson.Encode(t.Text)
		}
	}
	if blocks == nil {
		blocks = []Block{}
	}
	return openjson.Encode(blocks)
}
