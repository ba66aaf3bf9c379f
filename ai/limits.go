package ai

import "unicode/utf8"

// EstimateTokens is a rough upper estimate of the input that req is for a
// model, at 3.5 characters a token. It costs one pass over the text.
func EstimateTokens(req *Request) int64 {
	chars := estimateHead(req.System, req.Tools)
	for _, m := range req.Messages {
		chars += messageChars(m)
	}
	return tokensOf(chars)
}

func estimateHead(system string, tools []ToolDef) int {
	chars := utf8.RuneCountInString(system)
	for i := range tools {
		chars += toolChars(&tools[i])
	}
	return chars
}

func toolChars(t *ToolDef) int { return len(t.Name) + len(t.Description) + len(t.Parameters) }

func tokensOf(chars int) int64 { return int64(float64(chars)/3.5) + 1 }

func messageChars(m Message) (chars int) {
	switch m := m.(type) {
	case *UserMessage:
		return blockChars(m.Content)
	case *AssistantMessage:
		return blockChars(m.Content)
	case *ToolResultMessage:
		return blockChars(m.Content)
	case *Change:
		chars = utf8.RuneCountInString(m.Text)
		for i := range m.Add {
			chars += toolChars(&m.Add[i])
		}
	}
	return chars
}

func blockChars(blocks []Block) (chars int) {
	const imageChars = 4800 // about what a picture of the largest accepted size costs
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
	return chars
}

// FitMaxTokens is the output limit to send with req: the model's own, as far
// as the window has room beside the estimated input and a margin for the
// error of the estimate.
func (m *Model) FitMaxTokens(req *Request) int64 {
	if m.ContextWindow <= 0 {
		return m.MaxTokens // without a look at the request
	}
	return m.fit(EstimateTokens(req))
}

// fit is FitMaxTokens for an estimated input.
func (m *Model) fit(in int64) int64 {
	const (
		least = 4096  // kept free in any case
		ample = 32768 // output that is enough; below it the margin is cut first
		floor = 1024  // a request with less would only look like a broken model
	)
	limit := m.MaxTokens
	if m.ContextWindow <= 0 {
		return limit
	}
	room := m.ContextWindow - in - max(least, in*15/100)
	if room < ample {
		room = min(m.ContextWindow-in-least, ample)
	}
	if limit <= 0 {
		return max(room, floor)
	}
	return min(limit, max(room, floor))
}
