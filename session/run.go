package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/session/prompt"
	"tau/session/store"
)

// beginLocked makes the session busy with a run.
func (s *Session) beginLocked() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.running = cancel, ctx
	if s.idle == nil {
		s.idle = make(chan struct{})
	}
	s.aborted, s.attempt, s.last = false, 0, nil
	s.recovered, s.compactionOff, s.reloaded = false, false, false
	return ctx
}

// ErrBusy is returned by what cannot be done during a run or a compaction.
var ErrBusy = errors.New("the session is busy; wait, or stop it first")

// claim makes the session busy with something that is no run; release ends it.
// If abort is set, a run under way is aborted first, else it is ErrBusy.
func (s *Session) claim(parent context.Context, abort bool) (context.Context, error) {
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return nil, ErrClosed
		}
		if s.cancel == nil {
			ctx, cancel := context.WithCancel(parent)
			s.cancel, s.aborted = cancel, false
			if s.idle == nil {
				s.idle = make(chan struct{})
			}
			s.mu.Unlock()
			return ctx, nil
		}
		s.mu.Unlock()
		if !abort {
			return nil, ErrBusy
		}
		s.Abort()
		if err := s.Wait(parent); err != nil {
			return nil, err
		}
	}
}

// release ends what claim began, and tells subscribers so with the events: when
// they hear of it, the session is idle, or busy with what comes next. Messages
// that were sent meanwhile start a run, unless the user stopped it: then they
// stay in the queue.
func (s *Session) release(events ...Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel()
	s.keepShellLocked()
	for _, ev := range events {
		s.emitLocked(ev)
	}
	if !s.aborted && !s.closed {
		if msgs := s.agent.TakeQueued(); len(msgs) > 0 {
			go s.run(s.beginLocked(), msgs)
			return
		}
	}
	close(s.idle)
	s.cancel, s.idle = nil, nil
}

// run is one prompt with all that follows from it by itself.
func (s *Session) run(ctx context.Context, msgs []ai.Message) {
	if s.opts.Ready != nil {
		s.opts.Ready(ctx)
	}
	msgs = s.beforeStart(ctx, msgs)
	if sys := s.prepare(); sys != nil {
		msgs = append([]ai.Message{sys}, msgs...)
	}
	// Prompt and Continue fail only if the agent is used behind the session's
	// back, and then there is nothing to go on with.
	err := s.agent.Prompt(ctx, msgs...)
	for err == nil {
		if s.retry(ctx) || s.recover(ctx) {
			err = s.agent.Continue(ctx)
			continue
		}
		if s.answered() {
			s.autoCompact(ctx)
		}
		if s.beforeSettle(ctx) {
			err = s.agent.Continue(ctx)
			continue
		}
		next := s.finish(ctx)
		if next == nil {
			s.settled()
			return
		}
		err = s.agent.Prompt(ctx, next...)
	}
	s.emit(Event{Type: SaveFailed, Err: fmt.Errorf("run the agent: %w", err)})
	s.Abort()
	s.finish(ctx)
	s.settled()
}

func (s *Session) answered() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last != nil && s.last.StopReason != ai.StopError && s.last.StopReason != ai.StopAborted
}

// prepare loads the conversation, and returns the system message that brings the stored prompt up to date, or nil.
func (s *Session) prepare() ai.Message {
	s.load()
	s.keepState()
	return s.declare()
}

// sections are those of the prompt as it should be now.
func (s *Session) sections(tools []*agent.Tool) ai.Sections {
	s.mu.Lock()
	over := s.override
	s.mu.Unlock()
	if over != nil {
		return over
	}
	return s.opts.Prompt(tools)
}

// declare returns the system message that brings the prompt and the tools of
// the conversation up to date, or nil.
func (s *Session) declare() ai.Message {
	tools := s.Tools()
	have := prompt.Replay(s.agent.State().Context.Messages)
	want := s.sections(tools)
	var defs []ai.ToolDef
	for _, t := range tools {
		defs = append(defs, t.Def())
	}
	change := prompt.Diff(have, want, defs)
	text := have.Prompt()
	if change != nil {
		change.Timestamp = time.Now().UnixMilli()
		text = prompt.Replay([]ai.Message{&ai.SystemMessage{Sections: have.Sections}, change}).Prompt()
	}
	s.agent.Configure(func(_ *agent.Config, ac *agent.Context) { ac.System, ac.Tools = text, tools })
	if change == nil {
		return nil
	}
	return change
}

// keepState writes down the model and thinking level if the path says
// something else, as it does after a navigation: who opens the file must find
// what was in use.
func (s *Session) keepState() {
	st, err := s.store.State()
	if err != nil {
		return
	}
	m, l := s.Model(), s.Thinking()
	if st.Provider != m.Provider || st.ModelID != m.ID {
		s.append(&store.ModelEntry{Provider: m.Provider, ModelID: m.ID})
	}
	if st.Thinking != l {
		s.append(&store.ThinkingEntry{ThinkingLevel: l})
	}
}

// load gives the agent the conversation if that has not been done.
func (s *Session) load() {
	s.loadMu.Lock()
	defer s.loadMu.Unlock()
	for {
		s.mu.Lock()
		loaded := s.loaded
		s.mu.Unlock()
		if loaded {
			return
		}
		n := s.store.Len()
		c, err := s.context()
		if err != nil {
			s.emit(Event{Type: SaveFailed, Err: fmt.Errorf("read the conversation: %w", err)})
		}
		s.mu.Lock()
		// A command of the user's own may have ended meanwhile.
		if s.loaded = s.store.Len() == n; s.loaded {
			s.agent.Configure(func(_ *agent.Config, ac *agent.Context) { ac.Messages = c.Messages })
		}
		s.mu.Unlock()
	}
}

// finish ends the run unless a message was queued after the agent had looked
// for the last time: then it returns what is to be sent. The check and the end
// are one step, so that no message is queued for a run that is over.
func (s *Session) finish(ctx context.Context) []ai.Message {
	answered := s.answered()
	s.mu.Lock()
	s.keepShellLocked()
	s.mu.Unlock()
	s.sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keepShellLocked()
	if answered && ctx.Err() == nil {
		if msgs := s.agent.TakeQueued(); len(msgs) > 0 {
			return msgs
		}
	}
	s.cancel()
	s.cancel, s.override = nil, nil
	if s.settledTold = s.hooked("agent_settled") == nil; s.settledTold {
		s.emitLocked(Event{Type: Settled, Aborted: s.aborted})
		close(s.idle)
		s.idle = nil
	}
	return nil
}

// Busy reports whether a run is under way, from the moment it is prepared
// until it has settled.
func (s *Session) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cancel != nil
}

// Abort stops the run: the answer, its tools, or the wait before a repetition.
// Queued messages stay queued. It does not wait.
func (s *Session) Abort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.aborted = true
		s.cancel()
	}
}

// Wait returns when no run is under way, or ctx ends.
func (s *Session) Wait(ctx context.Context) error {
	s.mu.Lock()
	idle := s.idle
	s.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the session: %w", ctx.Err())
	}
}

// Last returns the last answer of the run, or nil.
func (s *Session) Last() *ai.AssistantMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}
