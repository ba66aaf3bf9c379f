package session

import (
	"tau/ai"
	"tau/session/message"
	"tau/session/store"
)

// usage follows what the conversation has cost and how full the window is.
type usage struct {
	total    ai.Usage
	counted  int64 // tokens of the context at the last answer that said so
	trailing int64 // estimate of what came after it
}

// charsPerToken is the usual rough measure for English text and code.
const charsPerToken = 4

// imageTokens is what an image is reckoned at.
const imageTokens = 1200

func (u *usage) add(m ai.Message) {
	switch m := m.(type) {
	case *ai.AssistantMessage:
		u.total = u.total.Add(m.Usage)
		if m.Usage.TotalTokens > 0 && m.StopReason != ai.StopError && m.StopReason != ai.StopAborted {
			u.counted, u.trailing = m.Usage.TotalTokens, 0
			return
		}
	case *ai.ToolResultMessage:
		if m.Usage != nil {
			u.total = u.total.Add(*m.Usage)
		}
	}
	u.trailing += EstimateTokens(m)
}

// restoreMost is how far back the last count is looked for. A conversation
// whose answers have no counts at all should open as quickly as any other.
const restoreMost = 500

// restore computes the state of a conversation that was opened: the totals of
// the last answers on the path back to the last count of tokens.
func (u *usage) restore(st *store.Store) {
	path := st.PathTo("")
	var since []ai.Message
	for i := len(path) - 1; i >= 0 && len(since) < restoreMost; i-- {
		if path[i].Type != "message" {
			continue
		}
		e, err := st.Entry(path[i].ID)
		if err != nil {
			continue
		}
		me, ok := e.(*store.MessageEntry)
		if !ok {
			continue
		}
		since = append(since, me.Message)
		if a, ok := me.Message.(*ai.AssistantMessage); ok && a.Usage.TotalTokens > 0 && a.StopReason != ai.StopError && a.StopReason != ai.StopAborted {
			break
		}
	}
	for i := len(since) - 1; i >= 0; i-- {
		u.add(since[i])
	}
	u.total = ai.Usage{}
}

// EstimateTokens reckons the size of a message.
func EstimateTokens(m ai.Message) int64 {
	var chars, images int
	count := func(blocks []ai.Block) {
		for _, b := range blocks {
			switch b := b.(type) {
			case *ai.Text:
				chars += len(b.Text)
			case *ai.Thinking:
				chars += len(b.Thinking)
			case *ai.ToolCall:
				chars += len(b.Name) + len(b.Arguments)
			case *ai.Image:
				images++
			}
		}
	}
	switch m := m.(type) {
	case *ai.UserMessage:
		count(m.Content)
	case *ai.AssistantMessage:
		count(m.Content)
	case *ai.ToolResultMessage:
		count(m.Content)
	case *message.Bash:
		chars = len(m.Command) + len(m.Output)
	case *message.BranchSummary:
		chars = len(m.Summary)
	case *message.CompactionSummary:
		chars = len(m.Summary)
	}
	return int64((chars+charsPerToken-1)/charsPerToken + images*imageTokens)
}

// Usage returns what the conversation has cost since the session was opened
// and, once CountTotals is through, before.
func (s *Session) Usage() ai.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usage.total
}

// ContextTokens returns how many tokens the next request will hold: the count
// of the last answer plus an estimate of what came after.
func (s *Session) ContextTokens() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usage.counted + s.usage.trailing
}

// CountTotals adds what was spent before the session was opened. It reads the
// whole file, so call it once and in the background.
func (s *Session) CountTotals() error {
	var before ai.Usage
	for _, n := range s.store.Nodes()[:s.opened] {
		u, err := s.store.UsageOf(n.ID)
		if err != nil {
			return err
		}
		before = before.Add(u)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usage.total = s.usage.total.Add(before)
	return nil
}
