package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/session/prompt"
)

// Delivery says when a message goes in if the agent is working.
type Delivery uint8

// The deliveries.
const (
	Steer    Delivery = iota // after the current turn's tools
	FollowUp                 // when the agent would stop
)

// Disposition says what became of a message.
type Disposition string

// The dispositions.
const (
	Started Disposition = "started"
	Queued  Disposition = "queued"
)

// ErrClosed is returned by Send after Close.
var ErrClosed = errors.New("the session is closed")

// Send starts a run with the message, or queues it if one is under way. It
// does not wait.
func (s *Session) Send(content []ai.Block, d Delivery) (Disposition, error) {
	m := &ai.UserMessage{Content: content, Timestamp: time.Now().UnixMilli()}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return "", ErrClosed
	}
	if s.cancel != nil {
		if d == FollowUp {
			s.agent.FollowUp(m)
		} else {
			s.agent.Steer(m)
		}
		s.mu.Unlock()
		s.emitQueues()
		return Queued, nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.idle = cancel, make(chan struct{})
	s.aborted, s.attempt, s.last = false, 0, nil
	s.mu.Unlock()
	go s.run(ctx, cancel, m)
	return Started, nil
}

// run is one prompt with all that follows from it by itself.
func (s *Session) run(ctx context.Context, cancel context.CancelFunc, m ai.Message) {
	defer cancel()
	msgs := []ai.Message{m}
	if sys := s.prepare(); sys != nil {
		msgs = []ai.Message{sys, m}
	}
	// Prompt and Continue fail only if the agent is used behind the session's
	// back, and then there is nothing to go on with.
	err := s.agent.Prompt(ctx, msgs...)
	for s.retry(ctx) || s.finish(ctx) {
		if err = errors.Join(err, s.agent.Continue(ctx)); err != nil {
			s.emit(Event{Type: SaveFailed, Err: fmt.Errorf("run the agent: %w", err)})
			cancel()
		}
	}
}

// prepare loads the conversation if that has not been done, and returns the
// system message that brings the stored prompt up to date, or nil.
func (s *Session) prepare() ai.Message {
	s.mu.Lock()
	loaded := s.loaded
	s.loaded = true
	s.mu.Unlock()
	if !loaded {
		c, err := s.store.Context()
		if err != nil {
			s.emit(Event{Type: SaveFailed, Err: fmt.Errorf("read the conversation: %w", err)})
		}
		s.agent.Configure(func(_ *agent.Config, ac *agent.Context) { ac.Messages = c.Messages })
	}
	have := prompt.Replay(s.agent.State().Context.Messages)
	want := s.opts.Prompt(s.opts.Tools)
	var defs []ai.ToolDef
	for _, t := range s.opts.Tools {
		defs = append(defs, t.Def())
	}
	change := prompt.Diff(have, want, defs)
	text := have.Prompt()
	if change != nil {
		change.Timestamp = time.Now().UnixMilli()
		text = prompt.Replay([]ai.Message{&ai.SystemMessage{Sections: have.Sections}, change}).Prompt()
	}
	s.agent.Configure(func(_ *agent.Config, ac *agent.Context) { ac.System = text })
	if change == nil {
		return nil
	}
	return change
}

// finish ends the run unless a message was queued after the agent had looked
// for the last time. It returns true to go on. The check and the end are one
// step, so that no message is queued for a run that is over.
func (s *Session) finish(ctx context.Context) bool {
	if err := s.store.Sync(); err != nil {
		s.emit(Event{Type: SaveFailed, Err: err})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	steering, followUp := s.agent.Queued()
	answered := s.last != nil && s.last.StopReason != ai.StopError && s.last.StopReason != ai.StopAborted
	if answered && ctx.Err() == nil && len(steering)+len(followUp) > 0 {
		return true
	}
	s.emitLocked(Event{Type: Settled, Aborted: s.aborted})
	close(s.idle)
	s.cancel, s.idle = nil, nil
	return false
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

// TakeQueue removes the queued messages and returns their texts.
func (s *Session) TakeQueue() (steering, followUp []string) {
	st, fu := s.agent.ClearQueues()
	s.emitQueues()
	return texts(st), texts(fu)
}

func (s *Session) emitQueues() {
	st, fu := s.agent.Queued()
	s.emit(Event{Type: QueueUpdate, Steering: texts(st), FollowUp: texts(fu)})
}

func texts(msgs []ai.Message) []string {
	var out []string
	for _, m := range msgs {
		if u, ok := m.(*ai.UserMessage); ok {
			out = append(out, ai.ContentText(u.Content))
		}
	}
	return out
}
