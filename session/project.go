package session

import (
	"fmt"

	"tau/agent"
	"tau/session/compaction"
	"tau/session/store"
)

// What a model is sent is at most a few million bytes, but for images. A
// context of more than mostBytes in the file cannot be sent, and would take the
// machine's memory only to find that out.
const (
	mostBytes = 256 << 20
	keepBytes = 64 << 20
)

// context is the projection of the store. One that is far too long is cut
// first, without a model.
func (s *Session) context() (store.Context, error) {
	first, skipped, err := s.store.TooLong(mostBytes, keepBytes)
	if err != nil {
		return store.Context{}, err
	}
	if first != "" {
		why := fmt.Sprintf("%d entries of the conversation are more than any model takes", skipped)
		e := &store.CompactionEntry{
			Summary:          "The beginning of this conversation was left out: " + why + ". It is in the session file " + s.store.Path() + ", one entry a line, before the entry " + first + ".",
			FirstKeptEntryID: first, TokensBefore: mostBytes / 4,
		}
		s.appendEntry(e)
		s.emit(Event{Type: CompactionEnd, Compaction: Compaction{
			Reason: CompactThreshold, Mechanical: why,
			Result: &CompactionResult{Summary: e.Summary, FirstKeptEntryID: first, TokensBefore: e.TokensBefore, EstimatedTokensAfter: keepBytes / 4},
		}})
	}
	return s.store.Context()
}

// reload makes the agent's transcript the projection of the store, after the
// leaf moved or the conversation was compacted.
func (s *Session) reload() error {
	c, err := s.context()
	if err != nil {
		return fmt.Errorf("read the conversation: %w", err)
	}
	s.agent.Configure(func(_ *agent.Config, ac *agent.Context) { ac.Messages = c.Messages })
	fixed := s.fixedTokens(c.Messages)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loaded, s.reloaded = true, true
	s.asked = lastRequest{} // changed on purpose: there is no cache to lose
	total := s.usage.total
	s.usage = usage{total: total}
	s.usage.restore(s.store)
	s.usage.total = total
	if s.usage.unknown {
		s.usage.counted, s.usage.trailing = fixed+compaction.EstimateAll(c.Messages), 0
	}
	return nil
}
