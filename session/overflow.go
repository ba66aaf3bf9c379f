package session

import (
	"context"

	"tau/agent"
	"tau/ai"
	"tau/session/store"
)

// overflow is what an answer says about the room it had.
type overflow uint8

const (
	fits     overflow = iota
	tooLong           // it failed or is useless: leave it out, compact, ask again
	cutShort          // it ended before the model's limit: the same, if there is something to compact
	overfull          // it is whole, but more than the window was used
)

// overflowed judges the last answer of a run.
func (s *Session) overflowed() overflow {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, model := s.last, s.model
	if m == nil || s.aborted || s.opts.Compaction.Disabled || m.Provider != model.Provider || m.Model != model.ID {
		return fits
	}
	in := m.Usage.Input + m.Usage.CacheRead + m.Usage.CacheWrite
	w := model.ContextWindow
	switch {
	case m.StopReason == ai.StopError && failClass(m) == ai.FailOverflow:
		return tooLong
	case w <= 0:
	case m.StopReason == ai.StopLength && m.Usage.Output == 0 && in*100 >= w*99:
		return tooLong // some servers cut the prompt without a word
	case m.StopReason == ai.StopLength && len(m.ToolCalls()) == 0 && m.Usage.Output < model.MaxTokens:
		if in+model.MaxTokens > w {
			return tooLong // the answer was cut by the window, not by the model's limit
		}
		return cutShort // the server's window may be smaller than we think
	case m.StopReason == ai.StopEnd && in > w:
		return overfull
	}
	return fits
}

// willRecover reports whether recover would ask again.
func (s *Session) willRecover() bool {
	s.mu.Lock()
	tried := s.recovered
	s.mu.Unlock()
	if tried {
		return false
	}
	what := s.overflowed()
	if what == cutShort {
		_, err := s.plan(false)
		return err == nil
	}
	return what == tooLong
}

// recover compacts after a request that did not fit, once for each message of
// the user, and returns true if the request is to be made again.
func (s *Session) recover(ctx context.Context) bool {
	what := s.overflowed()
	if what == fits || ctx.Err() != nil {
		return false
	}
	s.mu.Lock()
	last, lastID, tried := s.last, s.lastID, s.recovered
	s.mu.Unlock()
	if what == cutShort && !tried {
		// A short conversation is not given up for it.
		if _, err := s.plan(false); err != nil {
			return false
		}
		what = tooLong
	}
	s.mu.Lock()
	s.recovered = true
	s.mu.Unlock()
	if tried {
		if what != overfull {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.stuck = last
			s.emitLocked(stuckEvent())
		}
		return false
	}
	if what == tooLong {
		s.omit(last, lastID)
	}
	plan, err := s.plan(true)
	if err != nil {
		s.emit(Event{Type: CompactionEnd, Compaction: Compaction{Reason: CompactOverflow, Error: err.Error()}})
		return false
	}
	end, err := s.compact(ctx, CompactOverflow, plan, "", what == tooLong)
	s.emit(Event{Type: CompactionEnd, Compaction: end})
	return err == nil && what == tooLong && ctx.Err() == nil
}

// stuckEvent says that compacting was of no use. The next prompt says it again,
// for whoever missed it.
func stuckEvent() Event {
	return Event{Type: CompactionEnd, Compaction: Compaction{
		Reason: CompactOverflow, Error: "the conversation still does not fit after it was compacted and sent once more; go back with /tree, or choose a model with a larger window",
	}}
}

// omit leaves the last answer out of what models see. It stays in the file and
// on the screen.
func (s *Session) omit(last *ai.AssistantMessage, id string) {
	s.appendEntry(&store.ContextEditEntry{TargetID: id, Replacement: []byte("null")})
	s.agent.Configure(func(_ *agent.Config, c *agent.Context) {
		if n := len(c.Messages); n > 0 && c.Messages[n-1] == ai.Message(last) {
			c.Messages = c.Messages[:n-1]
		}
	})
}
