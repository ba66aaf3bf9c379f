package ai

import "unicode/utf8"

// EstimateTokens is a rough upper estimate of the input that req is for a
// model, at 3.5 characters a token. It costs one pass over the text.
func EstimateTokens(req *Request) int64 {
	const imageChars = 4800 // about what a picture of the largest accepted size costs
	chars := utf8.RuneCountInString(req.System)
	count := func(blocks []Block) {
		for _, b := range blocks {
			switch b := b.(type) {
			case *Text:
				chars += utf8.RuneCountInString(b.Text)
			case *Thinking:
				chars += utf8.RuneCountInString(b.Thinking)
			case *Image:
				chars += imageChars
			case *ToolCall:
				chars += len(b.Name) + utf8.RuneCount(b.Arguments)
			}
		}
	}
	for _, m := range req.Messages {
		switch m := m.(type) {
		case *UserMessage:
			count(m.Content)
		case *AssistantMessage:
			count(m.Content)
		case *ToolResultMessage:
			count(m.Content)
		}
	}
	for _, t := range req.Tools {
		chars += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return int64(float64(chars)/3.5) + 1
}

// FitMaxTokens is the output limit to send with req: the model's own, as far
// as the window has room beside the estimated input and a margin for the
// error of the estimate.
func (m *Model) FitMaxTokens(req *Request) int64 {
	const (
		least = 4096  // kept free in any case
		ample = 32768 // output that is enough; below it the margin is cut first
		floor = 1024  // a request with less would only look like a broken model
	)
	limit := m.MaxTokens
	if m.ContextWindow <= 0 {
		return limit
	}
	in := EstimateTokens(req)
	room := m.ContextWindow - in - max(least, in*15/100)
	if room < ample {
		room = min(m.ContextWindow-in-least, ample)
	}
	if limit <= 0 {
		return max(room, floor)
	}
	return min(limit, max(room, floor))
}
