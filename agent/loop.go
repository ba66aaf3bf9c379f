package agent

import (
	"context"
	"errors"
	"fmt"

	"tau/ai"
)

// Errors of Continue, which needs something to answer.
var (
	ErrNoMessages      = errors.New("cannot continue: no messages")
	ErrAnsweredAlready = errors.New("cannot continue: the last message is an assistant's")
)

// Run adds prompts to the context and asks the model until it stops calling
// tools and no message is queued. It returns the new messages, prompts
// included. emit is called for each event, in order, on this goroutine.
//
// Run has no error: what goes wrong is an assistant message with stop reason
// error or aborted. Cancelling ctx ends the run; every tool call then still
// has a result.
//
// The order is two loops. The inner one goes round for tool calls and steering
// messages, the outer one for follow-ups:
//
//	for {                                   // follow-ups
//		for calls || steering {             // turns
//			prepare next turn; inject; ask; run tools; turn end; poll steering
//		}
//		poll follow-ups; none: stop
//	}
func Run(ctx context.Context, prompts []ai.Message, start Context, cfg Config, emit func(Event)) []ai.Message {
	l := &loop{cfg: cfg, emit: emit, context: copyContext(start), schemas: schemas{}}
	l.emit(Event{Type: AgentStart})
	// The user may have typed while the run was being prepared.
	steering := l.pollSteering(ctx)
	l.emit(Event{Type: TurnStart})
	for _, m := range prompts {
		l.add(m)
	}
	l.run(ctx, steering)
	return l.added
}

// Continue asks the model again without a new prompt, as after a retry. The
// context must end in a message that wants an answer.
func Continue(ctx context.Context, start Context, cfg Config, emit func(Event)) ([]ai.Message, error) {
	if len(start.Messages) == 0 {
		return nil, ErrNoMessages
	}
	if start.Messages[len(start.Messages)-1].MessageRole() == ai.RoleAssistant {
		return nil, ErrAnsweredAlready
	}
	return Run(ctx, nil, start, cfg, emit), nil
}

// loop is the state of one run.
type loop struct {
	cfg     Config
	emit    func(Event)
	context Context
	added   []ai.Message
	schemas schemas
}

func copyContext(c Context) Context {
	// A full slice expression makes the first append copy, so that the caller's
	// array is never written to.
	c.Messages = c.Messages[:len(c.Messages):len(c.Messages)]
	return c
}

func (l *loop) run(ctx context.Context, pending []ai.Message) {
	defer func() { l.emit(Event{Type: AgentEnd, Messages: l.added}) }()
	first, once := true, false // once: a decision asked for one more request
	for {
		calls := true
		for calls || len(pending) > 0 {
			if !first {
				if err := l.nextTurn(ctx); err != nil {
					l.emit(Event{Type: TurnStart})
					l.fail(ctx, err)
					return
				}
				// Preparation may have taken long. Poll again only if the earlier poll
				// found nothing, or one-at-a-time would deliver two.
				if len(pending) == 0 {
					pending = l.pollSteering(ctx)
				}
				l.emit(Event{Type: TurnStart})
			}
			first = false
			for _, m := range pending {
				l.add(m)
			}
			pending = nil

			turn, batch := l.turn(ctx)
			failed := turn.Message.StopReason == ai.StopError || turn.Message.StopReason == ai.StopAborted
			decision := l.finishTurn(ctx, turn)
			l.emit(Event{Type: TurnEnd, Message: turn.Message, ToolResults: turn.ToolResults})
			if failed || decision == EndRun {
				return
			}
			calls = batch
			pending = l.pollSteering(ctx)
			once = decision == ContinueTurn && !calls && len(pending) == 0
		}
		if pending = l.pollFollowUp(ctx); len(pending) == 0 && !once {
			return
		}
		once = false
	}
}

// turn asks the model once and runs the calls it makes. again reports that the
// results have to go back to it.
func (l *loop) turn(ctx context.Context) (t Turn, again bool) {
	msg := l.ask(ctx)
	t = Turn{Message: msg}
	if msg.StopReason != ai.StopError && msg.StopReason != ai.StopAborted {
		if calls := msg.ToolCalls(); len(calls) > 0 {
			b := &batch{loop: l, assistant: msg, calls: calls}
			// An answer that hit the output limit may hold cut arguments.
			b.truncated = msg.StopReason == ai.StopLength
			t.ToolResults, again = b.run(ctx)
		}
	}
	t.Context, t.New = l.context, l.added
	return t, again
}

func (l *loop) nextTurn(ctx context.Context) (err error) {
	if l.cfg.PrepareNextTurn == nil || ctx.Err() != nil {
		return nil
	}
	defer recovered(&err, "prepare next turn")
	next, err := l.cfg.PrepareNextTurn(ctx, Turn{Message: l.lastAssistant(), Context: l.context, New: l.added})
	if err != nil || next == nil {
		return err
	}
	if next.Context != nil {
		l.context = copyContext(*next.Context)
	}
	if next.Model != nil {
		l.cfg.Model = next.Model
	}
	if next.Thinking != "" {
		l.cfg.Thinking = next.Thinking
	}
	for _, m := range next.Messages {
		l.add(m)
	}
	return nil
}

func (l *loop) lastAssistant() *ai.AssistantMessage {
	for i := len(l.added) - 1; i >= 0; i-- {
		if m, ok := l.added[i].(*ai.AssistantMessage); ok {
			return m
		}
	}
	return nil
}

func (l *loop) finishTurn(ctx context.Context, t Turn) (d Decision) {
	var err error
	defer func() {
		if err != nil {
			d = EndRun
		}
	}()
	defer recovered(&err, "finish turn")
	if l.cfg.FinishTurn != nil {
		if d, err = l.cfg.FinishTurn(ctx, t); err != nil {
			return EndRun
		}
	}
	if d == Proceed && l.cfg.ShouldStopAfterTurn != nil && l.cfg.ShouldStopAfterTurn(ctx, t) {
		d = EndRun
	}
	return d
}

// pollSteering leaves the queue alone once the run is cancelled: what was not
// sent stays with the user.
func (l *loop) pollSteering(ctx context.Context) []ai.Message {
	if l.cfg.SteeringMessages == nil || ctx.Err() != nil {
		return nil
	}
	return l.cfg.SteeringMessages()
}

func (l *loop) pollFollowUp(ctx context.Context) []ai.Message {
	if l.cfg.FollowUpMessages == nil || ctx.Err() != nil {
		return nil
	}
	return l.cfg.FollowUpMessages()
}

// add emits a whole message and puts it into the transcript.
func (l *loop) add(m ai.Message) {
	l.emit(Event{Type: MessageStart, Message: m})
	l.emit(Event{Type: MessageEnd, Message: m})
	l.keep(m)
}

func (l *loop) keep(m ai.Message) {
	l.context.Messages = append(l.context.Messages, m)
	l.added = append(l.added, m)
}

// fail ends a turn that could not ask the model.
func (l *loop) fail(ctx context.Context, err error) {
	m := l.failed(ctx, err)
	l.add(m)
	l.emit(Event{Type: TurnEnd, Message: m})
}

// failed turns an error of the run into the message that reports it.
func (l *loop) failed(ctx context.Context, err error) *ai.AssistantMessage {
	m := &ai.AssistantMessage{
		Content: ai.TextBlocks(""), API: l.cfg.Model.API, Provider: l.cfg.Model.Provider, Model: l.cfg.Model.ID,
		StopReason: ai.StopError, ErrorMessage: err.Error(), Timestamp: l.cfg.now().UnixMilli(),
	}
	var f *ai.Failure
	switch {
	case ctx.Err() != nil:
		m.StopReason, m.ErrorMessage = ai.StopAborted, abortedText
		m.Failure = &ai.Failure{Class: ai.FailAborted, Message: abortedText}
	case errors.As(err, &f):
		m.Failure = f
	default:
		m.Failure = &ai.Failure{Class: ai.FailFatal, Message: err.Error()}
	}
	return m
}

// recovered turns a panic of a port into an error.
func recovered(err *error, doing string) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: panic: %v", doing, p)
	}
}
