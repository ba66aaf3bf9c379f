package session

import (
	"tau/ai"
	"tau/session/compaction"
	"tau/session/store"
)

// usage follows what the conversation has cost and how full the window is.
type usage struct {
	total    ai.Usage
	counted  int64 // tokens of the context at the last answer that said so
	trailing int64 // estimate of what came after it
	unknown  bool  // compacted since: counted is an estimate too
}

func (u *usage) add(m ai.Message) {
	switch m := m.(type) {
	case *ai.AssistantMessage:
		u.total = u.total.Add(m.Usage)
		if m.Usage.TotalTokens > 0 && m.StopReason != ai.StopError && m.StopReason != ai.StopAborted {
			u.counted, u.trailing, u.unknown = m.Usage.TotalTokens, 0, false
			return
		}
	case *ai.ToolResultMessage:
		if m.Usage != nil {
			u.total = u.total.Add(*m.Usage)
		}
	}
	u.trailing += compaction.EstimateTokens(m)
}

// restoreMost is how far back the last count is looked for. A conversation
// whose answers have no counts at all should open as quickly as any other.
const restoreMost = 500

// restore computes the state of a conversation that was opened: the totals of
// the last answers on the path back to the last count of tokens.
func (u *usage) restore(st *store.Store) {
	var since []ai.Message
	for n := range st.Back() {
		if len(since) >= restoreMost {
			break
		}
		if n.Type == "compaction" {
			// Counts from before it are of a context that is gone.
			u.unknown = true
			break
		}
		if n.Type != "message" {
			continue
		}
		e, err := st.Entry(n.ID)
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
	unknown := u.unknown
	for i := len(since) - 1; i >= 0; i-- {
		u.add(since[i])
	}
	u.total, u.unknown = ai.Usage{}, unknown
}

// Usage returns what the conversation has cost since the session was opened
// and, once CountTotals is through, before.
func (s *Session) Usage() ai.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usage.total
}

// ContextTokens returns how many tokens the next request will hold: the count
// of the last answer plus an estimate of what came after. See ContextUsage.
func (s *Session) ContextTokens() int64 {
	n, _ := s.ContextUsage()
	return n
}

// ContextUsage returns the number that decides when the conversation is
// compacted: the tokens that the provider counted for the last answer plus an
// estimate of what came after. After a compaction it is an estimate, and known
// is false, until there is an answer again.
func (s *Session) ContextUsage() (tokens int64, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usage.counted + s.usage.trailing, !s.usage.unknown
}

// CountTotals adds what was spent before the session was opened. It reads the
// whole file the first time, so call it in the background.
func (s *Session) CountTotals() error {
	s.countMu.Lock()
	defer s.countMu.Unlock()
	if s.counted {
		return nil
	}
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
	s.counted = true
	return nil
}
