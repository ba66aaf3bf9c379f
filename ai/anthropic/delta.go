package anthropic

import (
	"tau/ai/internal/answer"
	"tau/ai/internal/lookalike"
)

// deltas recognizes the commonest event, one more piece of the same block.
type deltas struct {
	form lookalike.Form
	add  func(*answer.Builder, string)
}

// take adds the text of an event that looks like the last one learned.
func (d *deltas) take(b *answer.Builder, data []byte) bool {
	quoted, ok := d.form.Match(data)
	if !ok {
		return false
	}
	text, ok := lookalike.Unquote(quoted)
	if ok {
		d.add(b, text)
	}
	return ok
}

// learn remembers the decoded event data, a piece of text in the member key.
func (d *deltas) learn(data []byte, key, text string, add func(*answer.Builder, string)) {
	if d.form.Learn(data, key, text) {
		d.add = add
	}
}
