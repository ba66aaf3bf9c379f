package agent

import (
	"context"
	"errors"
	"slices"
	"sync"

	"tau/ai"
)

// ErrBusy is returned by Prompt and Continue while a run is under way.
var ErrBusy = errors.New("the agent is already working; steer it or wait")

// Agent owns what lives between runs: the transcript, the queues of steering
// and follow-up messages, and the subscribers. It is safe for concurrent use.
//
//	a := agent.New(agent.Config{Model: m, Stream: s}, agent.Context{Tools: tools})
//	cancel := a.Subscribe(show)
//	defer cancel()
//	err := a.Prompt(ctx, &ai.UserMessage{Content: ai.TextBlocks("hello")})
type Agent struct {
	// Record, if set before the first run, is called for each event on the
	// loop's goroutine before any subscriber sees it. It is for what must be
	// done before the run goes on, such as saving a message.
	Record func(Event)

	steering, followUp queue

	mu        sync.Mutex
	cfg       Config
	context   Context
	cancel    context.CancelFunc // of the run; nil when idle
	idle      chan struct{}      // closed when the run is over; nil when idle
	partial   *ai.AssistantMessage
	pending   map[string]bool // tool calls under way
	lastErr   string
	mailboxes map[*Mailbox[Event]]struct{}
}

// New returns an idle agent. The queue functions of cfg are replaced by the
// agent's own queues; start.Messages is copied.
func New(cfg Config, start Context) *Agent {
	a := &Agent{cfg: cfg, context: start, pending: map[string]bool{}, mailboxes: map[*Mailbox[Event]]struct{}{}}
	a.context.Messages = slices.Clone(start.Messages)
	return a
}

// State is a snapshot of an agent.
type State struct {
	Context   Context
	Model     *ai.Model
	Thinking  ai.ThinkingLevel
	Busy      bool
	Streaming *ai.AssistantMessage // the answer so far
	Pending   []string             // ids of tool calls under way
	Err       string               // of the last answer, if it failed
}

// State returns what the agent is doing.
func (a *Agent) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := State{
		Context: a.context, Model: a.cfg.Model, Thinking: a.cfg.Thinking,
		Busy: a.cancel != nil, Streaming: a.partial, Err: a.lastErr,
	}
	s.Context.Messages = slices.Clone(a.context.Messages)
	for id := range a.pending {
		s.Pending = append(s.Pending, id)
	}
	slices.Sort(s.Pending)
	return s
}

// MessageCount returns the length of the transcript.
func (a *Agent) MessageCount() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.context.Messages)
}

// Configure changes the configuration of later runs.
func (a *Agent) Configure(change func(*Config, *Context)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.cfg, &a.context)
}

// Prompt adds messages and runs until the agent is done. It returns ErrBusy if
// a run is under way, else nil: failures are messages.
func (a *Agent) Prompt(ctx context.Context, msgs ...ai.Message) error {
	return a.begin(ctx, func(ctx context.Context, start Context, cfg Config) error {
		Run(ctx, msgs, start, cfg, a.observe)
		return nil
	})
}

// Continue asks the model again without a new prompt. If the last message is
// an answer, queued messages are sent instead: steering first, else
// follow-ups; with both queues empty it is an error.
func (a *Agent) Continue(ctx context.Context) error {
	return a.begin(ctx, func(ctx context.Context, start Context, cfg Config) error {
		n := len(start.Messages)
		if n > 0 && start.Messages[n-1].MessageRole() == ai.RoleAssistant {
			msgs := a.TakeQueued()
			if len(msgs) == 0 {
				return ErrAnsweredAlready
			}
			Run(ctx, msgs, start, cfg, a.observe)
			return nil
		}
		_, err := Continue(ctx, start, cfg, a.observe)
		return err
	})
}

func (a *Agent) begin(ctx context.Context, run func(context.Context, Context, Config) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	idle := make(chan struct{})
	a.mu.Lock()
	if a.cancel != nil {
		a.mu.Unlock()
		return ErrBusy
	}
	a.cancel, a.idle, a.lastErr = cancel, idle, ""
	start, cfg := a.context, a.cfg
	a.mu.Unlock()
	cfg.SteeringMessages, cfg.FollowUpMessages = a.steering.take, a.followUp.take
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.cancel, a.idle, a.partial = nil, nil, nil
		clear(a.pending)
		close(idle)
	}()
	return run(ctx, start, cfg)
}

// observe keeps the state and passes the event on.
func (a *Agent) observe(ev Event) {
	a.mu.Lock()
	switch ev.Type {
	case MessageUpdate:
		a.partial, _ = ev.Message.(*ai.AssistantMessage)
	case MessageEnd:
		a.context.Messages = append(a.context.Messages, ev.Message)
		if m, ok := ev.Message.(*ai.AssistantMessage); ok {
			a.partial, a.lastErr = nil, m.ErrorMessage
		}
	case ToolExecutionStart:
		a.pending[ev.ToolCallID] = true
	case ToolExecutionEnd:
		delete(a.pending, ev.ToolCallID)
	}
	boxes := make([]*Mailbox[Event], 0, len(a.mailboxes))
	for m := range a.mailboxes {
		boxes = append(boxes, m)
	}
	a.mu.Unlock()
	if a.Record != nil {
		a.Record(ev)
	}
	for _, m := range boxes {
		m.Post(ev)
	}
}

// Subscribe calls fn for each event, in order, on a goroutine of the
// subscription. A slow fn delays nobody but itself. The returned function ends
// the subscription; events posted before it are still delivered.
func (a *Agent) Subscribe(fn func(Event)) (cancel func()) {
	m := NewMailbox(fn)
	a.mu.Lock()
	a.mailboxes[m] = struct{}{}
	a.mu.Unlock()
	return func() {
		a.mu.Lock()
		delete(a.mailboxes, m)
		a.mu.Unlock()
		m.Close()
	}
}

// Steer queues a message that goes in after the current turn's tools.
func (a *Agent) Steer(m ai.Message) { a.steering.push(m) }

// FollowUp queues a message that goes in when the agent would stop.
func (a *Agent) FollowUp(m ai.Message) { a.followUp.push(m) }

// SetSteeringMode changes how many steering messages go in at once; also
// during a run.
func (a *Agent) SetSteeringMode(m QueueMode) { a.steering.setMode(m) }

// SetFollowUpMode changes how many follow-ups go in at once; also during a run.
func (a *Agent) SetFollowUpMode(m QueueMode) { a.followUp.setMode(m) }

// Queued returns the messages that wait.
func (a *Agent) Queued() (steering, followUp []ai.Message) {
	return a.steering.peek(), a.followUp.peek()
}

// TakeQueued removes and returns the messages that go in next: steering, else
// follow-ups, as many as the queue mode says.
func (a *Agent) TakeQueued() []ai.Message {
	if msgs := a.steering.take(); len(msgs) > 0 {
		return msgs
	}
	return a.followUp.take()
}

// ClearQueues removes and returns the messages that wait.
func (a *Agent) ClearQueues() (steering, followUp []ai.Message) {
	return a.steering.clear(), a.followUp.clear()
}

// Abort cancels the run, if there is one. It does not wait.
func (a *Agent) Abort() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cancel != nil {
		a.cancel()
	}
}

// Wait returns when no run is under way, or ctx ends.
func (a *Agent) Wait(ctx context.Context) error {
	a.mu.Lock()
	idle := a.idle
	a.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Reset forgets the transcript and the queues. It must not be called during a
// run.
func (a *Agent) Reset() {
	a.ClearQueues()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.context.Messages, a.lastErr = nil, ""
}
