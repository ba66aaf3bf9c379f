package openai

import "tau/ai/internal/lookalike"

// repeated recognizes chunks that differ from the one before only in their
// text.
type repeated struct {
	form     lookalike.Form
	thinking bool
}

// match returns the text of a chunk of the known form.
func (r *repeated) match(data []byte) (string, bool) {
	quoted, ok := r.form.Match(data)
	if !ok || endsInHalf(quoted) {
		return "", false
	}
	return lookalike.Unquote(quoted)
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
	key, text, thinking := "content", contentText(d.Content), false
	if d.ReasoningContent != nil {
		if text != "" {
			return
		}
		key, text, thinking = "reasoning_content", *d.ReasoningContent, true
	}
	if text != "" && r.form.Learn(data, key, text) {
		r.thinking = thinking
	}
}
