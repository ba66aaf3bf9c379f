package openai

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// repeated recognizes chunks that differ from the one before only in their
// text. That is nearly all of them, and decoding by reflection is most of the
// cost of an answer. A chunk with the same bytes before and after one string
// means the same with another text.
type repeated struct {
	head, tail []byte
	thinking   bool
}

// match returns the text of a chunk of the known form.
func (r *repeated) match(data []byte) (string, bool) {
	if r.head == nil || len(data) < len(r.head)+len(r.tail)+2 {
		return "", false
	}
	if !bytes.HasPrefix(data, r.head) || !bytes.HasSuffix(data, r.tail) {
		return "", false
	}
	quoted := data[len(r.head) : len(data)-len(r.tail)]
	n := len(quoted)
	if quoted[0] != '"' || quoted[n-1] != '"' || endsInHalf(quoted) {
		return "", false
	}
	inner := quoted[1 : n-1]
	for _, c := range inner {
		if c < ' ' || c == '"' || c == '\\' {
			var s string
			err := json.Unmarshal(quoted, &s) // refuses what is more than one string
			return s, err == nil
		}
	}
	return string(inner), utf8.Valid(inner)
}

// learn remembers the form of a decoded chunk if it has nothing but one text.
func (r *repeated) learn(data []byte, c *chunk) {
	if c.Usage != nil || len(c.Choices) != 1 || c.Choices[0].FinishReason != "" || c.Choices[0].Usage != nil {
		return
	}
	d := c.Choices[0].Delta
	if len(d.ToolCalls) > 0 || len(d.ReasoningDetails) > 0 || d.Refusal != "" || d.Reasoning != nil || d.ReasoningText != nil {
		return
	}
	key, text := []byte(`"content":`), contentText(d.Content)
	thinking := false
	if d.ReasoningContent != nil {
		if text != "" {
			return
		}
		key, text, thinking = []byte(`"reasoning_content":`), *d.ReasoningContent, true
	}
	at := bytes.Index(data, key)
	if text == "" || at < 0 || bytes.Contains(data[at+1:], key) {
		return
	}
	start := at + len(key)
	dec := json.NewDecoder(bytes.NewReader(data[start:]))
	var got string
	if data[start] != '"' || dec.Decode(&got) != nil || got != text {
		return
	}
	end := start + int(dec.InputOffset())
	r.head = append(r.head[:0], data[:start]...)
	r.tail = append(r.tail[:0], data[end:]...)
	r.thinking = thinking
}
