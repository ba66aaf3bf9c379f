package compaction

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"tau/ai"
	"tau/session/message"
)

// excerpt is how many characters of a tool's result or argument a summary
// request holds.
const excerpt = 2000

// serialize returns the message as text for a summary request, or "" if it
// says nothing there. The conversation is written down as a record, so that
// the model does not take it for one it should go on with.
func serialize(m ai.Message) string {
	var b strings.Builder
	for _, m := range message.ToLLM([]ai.Message{m}) {
		switch m := m.(type) {
		case *ai.UserMessage:
			if text := withImages(m.Content); text != "" {
				b.WriteString("[User]: " + text)
			}
		case *ai.AssistantMessage:
			if text := strings.TrimSpace(ai.ContentText(m.Content)); text != "" {
				b.WriteString("[Assistant]: " + text)
			}
			if calls := m.ToolCalls(); len(calls) > 0 {
				if b.Len() > 0 {
					b.WriteString("\n\n")
				}
				b.WriteString("[Assistant tool calls]: ")
				for i, c := range calls {
					if i > 0 {
						b.WriteString("; ")
					}
					b.WriteString(c.Name + "(" + arguments(c.Arguments) + ")")
				}
			}
			if m.ErrorMessage != "" {
				b.WriteString("\n\n[Error]: " + shorten(m.ErrorMessage, excerpt))
			}
		case *ai.ToolResultMessage:
			if text := withImages(m.Content); text != "" {
				b.WriteString("[Tool result]: " + shorten(text, excerpt))
			}
		}
	}
	return strings.TrimSpace(b.String())
}

func withImages(blocks []ai.Block) string {
	text := strings.TrimSpace(ai.ContentText(blocks))
	for _, b := range blocks {
		if _, ok := b.(*ai.Image); ok {
			text = strings.TrimSpace(text + "\n(an image)")
		}
	}
	return text
}

// arguments writes an object as k=json, … in its own order.
func arguments(args json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(args))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return shorten(string(args), excerpt)
	}
	var out []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			break
		}
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			break
		}
		out = append(out, fmt.Sprintf("%v=%s", key, shorten(string(v), excerpt)))
	}
	return strings.Join(out, ", ")
}

// shorten cuts text to n bytes at a character and says how much is gone.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return fmt.Sprintf("%s\n\n[... %d more characters left out]", cutAt(text, n), len(text)-n)
}

// cutAt returns at most n bytes of text, whole characters.
func cutAt(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
