package session

import (
	"tau/ai"
)

// Messages returns the conversation as models are asked with it: after a
// compaction that is its summary and what it kept. It must not be changed.
func (s *Session) Messages() []ai.Message {
	s.load()
	return s.agent.State().Context.Messages
}

// MessageCount returns the length of Messages, at once.
func (s *Session) MessageCount() int {
	s.load()
	return s.agent.MessageCount()
}

// Stats are the numbers of a session.
type Stats struct {
	// Of the messages that the model is asked with.
	UserMessages, AssistantMessages, ToolCalls, ToolResults, TotalMessages int
	// Usage is what the whole file has cost, its branches included.
	Usage ai.Usage
	// ContextTokens are in use of the model's window; they are not Known between a
	// compaction and the next answer.
	ContextTokens int64
	ContextKnown  bool
}

// Stats counts. It reads the whole file once for sessions that were opened.
func (s *Session) Stats() (Stats, error) {
	var st Stats
	if err := s.CountTotals(); err != nil {
		return st, err
	}
	msgs := s.Messages()
	st.TotalMessages = len(msgs)
	for _, m := range msgs {
		switch m := m.(type) {
		case *ai.UserMessage:
			st.UserMessages++
		case *ai.AssistantMessage:
			st.AssistantMessages++
			st.ToolCalls += len(m.ToolCalls())
		case *ai.ToolResultMessage:
			st.ToolResults++
		}
	}
	st.Usage = s.Usage()
	st.ContextTokens, st.ContextKnown = s.ContextUsage()
	return st, nil
}

// LastText returns the text of the last answer in the conversation that has
// any.
func (s *Session) LastText() (text string, ok bool) {
	msgs := s.Messages()
	for i := len(msgs) - 1; i >= 0; i-- {
		m, isAnswer := msgs[i].(*ai.AssistantMessage)
		if !isAnswer || m.StopReason == ai.StopAborted && len(m.Content) == 0 {
			continue
		}
		if text := ai.ContentText(m.Content); text != "" {
			return text, true
		}
	}
	return "", false
}
