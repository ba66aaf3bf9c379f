package session

import (
	"context"
	"errors"
	"time"

	"tau/agent"
	"tau/ai"
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

// SendOptions say how a message is sent.
type SendOptions struct {
	// Delivery is for a message that has to wait.
	Delivery Delivery
	// Refuse returns ErrBusy in place of letting the message wait.
	Refuse bool
	// Literal sends the text as it is: Options.Expand is not applied.
	Literal bool
	// Hold lets the message wait even if nothing is under way: it goes along with
	// the next one.
	Hold bool
	// Accepted, if set, is told of what Send will return before anything else
	// happens because of the message. It is called under the session's lock, so it
	// must neither block nor call the session.
	Accepted func(Disposition)
}

// Send starts a run with the message, or queues it if one is under way. It
// does not wait.
func (s *Session) Send(content []ai.Block, d Delivery) (Disposition, error) {
	return s.SendWith(content, SendOptions{Delivery: d})
}

// SendWith is Send with more to choose from.
func (s *Session) SendWith(content []ai.Block, o SendOptions) (Disposition, error) {
	if !o.Literal {
		var err error
		if content, err = s.expand(content); err != nil {
			return "", err
		}
	}
	m := &ai.UserMessage{Content: content, Timestamp: time.Now().UnixMilli()}
	s.mu.Lock()
	defer s.mu.Unlock()
	accepted := func(d Disposition) (Disposition, error) {
		if o.Accepted != nil {
			o.Accepted(d)
		}
		return d, nil
	}
	switch {
	case s.closed:
		return "", ErrClosed
	case s.cancel != nil && o.Refuse:
		return "", ErrBusy
	case s.cancel != nil || o.Hold:
		if o.Delivery == FollowUp {
			s.agent.FollowUp(m)
		} else {
			s.agent.Steer(m)
		}
		s.emitQueuesLocked()
		return accepted(Queued)
	}
	if s.stuck != nil && s.stuck == s.last {
		s.emitLocked(stuckEvent())
	}
	s.stuck = nil
	ctx := s.beginLocked()
	d, err := accepted(Started)
	go s.run(ctx, []ai.Message{m})
	return d, err
}

// expand applies Options.Expand to a message that begins with text.
func (s *Session) expand(content []ai.Block) ([]ai.Block, error) {
	if s.opts.Expand == nil || len(content) == 0 {
		return content, nil
	}
	t, ok := content[0].(*ai.Text)
	if !ok {
		return content, nil
	}
	text, err := s.opts.Expand(t.Text)
	if err != nil || text == t.Text {
		return content, err
	}
	return append([]ai.Block{&ai.Text{Text: text}}, content[1:]...), nil
}

// Ask sends a text and returns the answer that the run ends with. The end of
// ctx aborts the run. An answer that failed or was aborted is returned with an
// error. If a run is under way already it is ErrBusy.
func (s *Session) Ask(ctx context.Context, text string) (*ai.AssistantMessage, error) {
	if _, err := s.SendWith(ai.TextBlocks(text), SendOptions{Refuse: true}); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, s.Abort)()
	if err := s.Wait(context.Background()); err != nil {
		return nil, err
	}
	m := s.Last()
	switch {
	case m == nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case m == nil:
		return nil, errors.New("there was no answer")
	case m.StopReason == ai.StopAborted && ctx.Err() != nil:
		return m, ctx.Err()
	case m.Failure != nil:
		return m, m.Failure
	case m.StopReason == ai.StopError || m.StopReason == ai.StopAborted:
		return m, errors.New(m.ErrorMessage)
	}
	return m, nil
}

// SetSteeringMode changes how many steering messages go in at once; also during
// a run.
func (s *Session) SetSteeringMode(m agent.QueueMode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts.SteeringMode = m
	s.agent.SetSteeringMode(m)
}

// SetFollowUpMode changes how many follow-ups go in at once; also during a run.
func (s *Session) SetFollowUpMode(m agent.QueueMode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts.FollowUpMode = m
	s.agent.SetFollowUpMode(m)
}

// QueueModes returns how many messages go in at once.
func (s *Session) QueueModes() (steering, followUp agent.QueueMode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	steering, followUp = s.opts.SteeringMode, s.opts.FollowUpMode
	if steering != agent.All {
		steering = agent.OneAtATime
	}
	if followUp != agent.All {
		followUp = agent.OneAtATime
	}
	return steering, followUp
}

// Pending returns how many messages wait.
func (s *Session) Pending() int {
	steering, followUp := s.agent.Queued()
	return len(steering) + len(followUp)
}

// TakeQueue removes the queued messages and returns their texts.
func (s *Session) TakeQueue() (steering, followUp []string) {
	st, fu := s.agent.ClearQueues()
	s.emitQueues()
	return texts(st), texts(fu)
}

func (s *Session) emitQueues() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.emitQueuesLocked()
}

func (s *Session) emitQueuesLocked() {
	st, fu := s.agent.Queued()
	s.shownQueued = len(st) + len(fu)
	s.emitLocked(Event{Type: QueueUpdate, Steering: texts(st), FollowUp: texts(fu)})
}

// emitTaken tells of the queues if a message was taken out of them.
func (s *Session) emitTaken() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shownQueued != s.Pending() {
		s.emitQueuesLocked()
	}
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
