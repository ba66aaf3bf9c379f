// Package session ties a conversation on disk to an agent.
//
//	s := session.New(session.Options{Model: m, Stream: stream, Tools: tools})
//	defer s.Close()
//	answer, err := s.Ask(ctx, "fix the test")
//
// [Session.Send] does not wait, so that a message can be put in while the agent
// works; [Session.Subscribe] tells of what happens.
//
// Every message is appended to the store the moment it is complete, and is
// durable before anything of the answer to it is used. Requests that fail for
// reasons that pass are repeated after a wait.
//
// A conversation that fills the model's window is compacted by itself, before
// the request that would not fit, and once more if the provider says that one
// did not: see [Session.Compact] and [Session.ContextUsage]. It can be
// continued from any of its entries: see [Session.Navigate], [Session.Fork] and
// [Session.Clone]. While one of these is under way the session is busy, and
// messages are queued.
//
// A Session is safe for concurrent use. Events come in order on a goroutine of
// each subscriber.
package session

import (
	"context"
	"errors"
	"iter"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/session/compaction"
	"tau/session/message"
	"tau/session/prompt"
	"tau/session/store"
)

// Options are what a session is made of. Model and Stream are required.
type Options struct {
	// Store keeps the conversation; in memory if nil.
	Store *store.Store
	// CWD is the working folder; that of the process if empty.
	CWD      string
	Model    *ai.Model
	Thinking ai.ThinkingLevel
	Stream   ai.StreamFunc
	// Request is the template of each request's options.
	Request ai.Options
	APIKey  func(ctx context.Context, model *ai.Model) (agent.Auth, error)
	// Tools are what the model may call; see SetTools.
	Tools []*agent.Tool
	// Ready, if set, is called at the beginning of each run, before the system
	// prompt is made: to wait for what the prompt or the tools come from. The end
	// of ctx is the end of the run.
	Ready func(ctx context.Context)
	// Expand puts what a message stands for in its place, such as a template for
	// "/name arguments"; nil leaves messages as they are. It may be called from any
	// goroutine.
	Expand func(text string) (string, error)
	// BlockImages keeps pictures from the model.
	BlockImages bool
	// Prompt returns the sections of the system prompt; the default is
	// prompt.Build without context files.
	Prompt func(tools []*agent.Tool) ai.Sections
	Retry  RetryPolicy
	// Compaction says when the conversation is summarised; zero means
	// automatically, with the default limits.
	Compaction compaction.Settings
	// SummaryModel writes the summaries; Model if nil, or if it fails.
	SummaryModel *ai.Model
	// BranchReserve is how much of the window is kept free when a branch that is
	// left is summarised, in tokens; as for compaction if 0.
	BranchReserve int64
	// SteeringMode and FollowUpMode are one-at-a-time if empty.
	SteeringMode, FollowUpMode agent.QueueMode
	// Shell runs the commands of RunShell; there are none if nil.
	Shell ShellFunc
	// BeforeToolCall and AfterToolCall are the agent's hooks.
	BeforeToolCall func(ctx context.Context, c agent.ToolContext) (*agent.Block, error)
	AfterToolCall  func(ctx context.Context, c agent.ToolContext, r agent.Result) (*agent.Result, error)
	// Hooks may be nil.
	Hooks Hooks
}

// Session is one conversation with its agent.
type Session struct {
	opts  Options
	store *store.Store
	agent *agent.Agent

	mu        sync.Mutex
	model     *ai.Model
	thinking  ai.ThinkingLevel
	tools     []*agent.Tool      // that the model may call
	override  ai.Sections        // the prompt of this run, if hooks have changed it
	changed   bool               // model, thinking or tools changed during a run
	loaded    bool               // the agent has the messages of the store
	loadMu    sync.Mutex         // held while it gets them
	cancel    context.CancelFunc // of the run; nil when idle
	running   context.Context    // of the run, or of the last one
	idle      chan struct{}
	aborted   bool
	waiting   chan struct{} // of a repetition: closed by AbortRetry; nil if there is none
	asked     lastRequest
	lastID    string // entry of the last answer
	last      *ai.AssistantMessage
	attempt   int
	recovered bool                 // compacted after an overflow, since the last message of the user
	stuck     *ai.AssistantMessage // the answer that did not fit even then
	// compactionOff: automatic compaction came to nothing since the last message
	// of the user.
	compactionOff bool
	reloaded      bool // the agent's messages were replaced during a run
	hook          atomic.Pointer[Hooks]
	turn          turnState
	nextTurnMsgs  []ai.Message // of extensions, for the next run
	moves         []string     // leaves before each navigation
	unsaved       bool
	usage         usage
	settledTold   bool // subscribers know that the run is over
	shownQueued   int  // messages in the queues when they were last told of
	compacting    int  // compactions and branch summaries under way
	opened        int  // entries there were when the session was opened
	mailboxes     map[*agent.Mailbox[Event]]struct{}
	closed        bool

	countMu sync.Mutex // held while the totals are counted
	counted bool       // they include what was before the session was opened

	watchers   map[int]func(Event)
	watchCount int
	wait       func(context.Context)

	shells       sync.WaitGroup // of RunShell
	shellCount   int
	shellCancel  map[int]context.CancelFunc // of the commands that run
	shellWaiting []*message.Bash            // ended, to be stored when the run is over
}

// New returns an idle session. A new conversation is given its model and
// thinking level as first entries; one that was opened keeps its own unless
// the options ask for others.
func New(o Options) *Session {
	if o.CWD == "" {
		o.CWD, _ = os.Getwd() // a process without one can still talk
	}
	if o.Store == nil {
		o.Store = store.Create("", store.Header{CWD: o.CWD})
	}
	if o.Prompt == nil {
		o.Prompt = func(tools []*agent.Tool) ai.Sections {
			return prompt.Build(prompt.Input{Tools: tools, CWD: o.CWD})
		}
	}
	o.Thinking = o.Model.ClampThinking(o.Thinking)
	s := &Session{
		opts: o, store: o.Store, model: o.Model, thinking: o.Thinking, tools: o.Tools,
		mailboxes: map[*agent.Mailbox[Event]]struct{}{},
	}
	s.SetHooks(o.Hooks)
	req := o.Request
	req.SessionID = o.Store.Header().ID
	if req.Memo == nil {
		req.Memo = &ai.Memo{}
	}
	s.agent = agent.New(agent.Config{
		Model: o.Model, Thinking: o.Thinking, Stream: s.stream, Options: req,
		ConvertToLLM: message.ToLLM, APIKey: o.APIKey, PrepareNextTurn: s.nextTurn,
		TransformContext: s.beforeRequest,
		BeforeToolCall:   s.beforeToolCall, AfterToolCall: s.afterToolCall, FinishTurn: s.finishTurn,
	}, agent.Context{Tools: o.Tools})
	s.agent.Record = s.record
	s.agent.SetSteeringMode(o.SteeringMode)
	s.agent.SetFollowUpMode(o.FollowUpMode)

	s.opened = s.store.Len()
	s.usage.restore(s.store)
	st, _ := s.store.State()
	if st.Provider != o.Model.Provider || st.ModelID != o.Model.ID {
		s.append(&store.ModelEntry{Provider: o.Model.Provider, ModelID: o.Model.ID})
	}
	if st.Thinking != o.Thinking || s.opened == 0 {
		s.append(&store.ThinkingEntry{ThinkingLevel: o.Thinking})
	}
	return s
}

// Store returns the conversation.
func (s *Session) Store() *store.Store { return s.store }

// Tools returns the tools the model may call.
func (s *Session) Tools() []*agent.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

// SetTools changes what the model may call, from the next request on.
func (s *Session) SetTools(tools []*agent.Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools, s.changed = tools, true
	s.agent.Configure(func(_ *agent.Config, c *agent.Context) { c.Tools = tools })
}

// CWD returns the working folder.
func (s *Session) CWD() string { return s.opts.CWD }

// Model returns the model of the next request.
func (s *Session) Model() *ai.Model {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model
}

// Thinking returns the thinking level of the next request.
func (s *Session) Thinking() ai.ThinkingLevel {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.thinking
}

// SetModel changes the model from the next request on. The thinking level is
// fitted to what the model has.
func (s *Session) SetModel(m *ai.Model) { s.SelectModel(m, "set") }

// SelectModel is SetModel with the way it was chosen, for hooks: set, cycle or
// restore.
func (s *Session) SelectModel(m *ai.Model, source string) {
	s.mu.Lock()
	old := s.model
	s.model = m
	s.changed = true
	s.compactionOff = false
	s.mu.Unlock()
	s.append(&store.ModelEntry{Provider: m.Provider, ModelID: m.ID})
	s.configure()
	s.emit(Event{Type: ModelChanged, Model: m})
	s.tellChange(Change{Model: m, OldModel: old, Source: source})
	s.SetThinking(s.Thinking())
}

// SetThinking changes the thinking level from the next request on, fitted to
// the model. It returns the level that holds now.
func (s *Session) SetThinking(l ai.ThinkingLevel) ai.ThinkingLevel {
	s.mu.Lock()
	l = s.model.ClampThinking(l)
	old := s.thinking
	same := l == old
	s.thinking = l
	s.changed = s.changed || !same
	s.mu.Unlock()
	if !same {
		s.append(&store.ThinkingEntry{ThinkingLevel: l})
		s.configure()
		s.emit(Event{Type: ThinkingChanged, Thinking: l})
		s.tellChange(Change{Level: l, OldLevel: old})
	}
	return l
}

func (s *Session) configure() {
	s.mu.Lock()
	m, l := s.model, s.thinking
	s.mu.Unlock()
	s.agent.Configure(func(cfg *agent.Config, _ *agent.Context) { cfg.Model, cfg.Thinking = m, l })
}

// SetName names the session.
func (s *Session) SetName(name string) {
	s.append(&store.InfoEntry{Name: name})
	s.emit(Event{Type: InfoChanged, Name: s.store.Name()})
	s.tellChange(Change{Named: true, Name: s.store.Name()})
}

// nextTurn takes over changes that were made during the run.
func (s *Session) nextTurn(_ context.Context, t agent.Turn) (*agent.NextTurn, error) {
	s.mu.Lock()
	changed, reloaded := s.changed, s.reloaded
	next := &agent.NextTurn{Model: s.model, Thinking: s.thinking}
	s.changed, s.reloaded = false, false
	s.mu.Unlock()
	if !changed && !reloaded {
		return nil, nil
	}
	c := t.Context
	if reloaded {
		c.Messages = s.agent.State().Context.Messages
	}
	c.Tools = s.Tools()
	next.Context = &c
	if sys := s.declare(); sys != nil {
		next.Messages = []ai.Message{sys}
		c.System = s.agent.State().Context.System
	}
	return next, nil
}

// stream asks the model while the conversation is made durable.
func (s *Session) stream(ctx context.Context, m *ai.Model, req ai.Request, o ai.Options) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		// The disk and the provider work at the same time; nothing of the answer
		// is used before the conversation it answers is durable.
		durable := make(chan struct{})
		go func() {
			defer close(durable)
			s.sync()
		}()
		if s.opts.BlockImages {
			req.Messages = withoutImages(req.Messages)
		}
		if h := s.hooks(); h != nil {
			h.Request(ctx, m, &o)
		}
		for ev := range s.watchCache(m, req, o, s.opts.Stream(ctx, m, req, o)) {
			<-durable
			if !yield(ev) {
				return
			}
		}
		<-durable
	}
}

// record stores complete messages and passes events on. It runs on the loop's
// goroutine.
func (s *Session) record(ev agent.Event) {
	s.told(&ev)
	out := Event{Type: EventType(ev.Type), Agent: ev}
	recovered := 0 // repetitions after which there is an answer
	switch ev.Type {
	case agent.MessageStart:
		switch ev.Message.(type) {
		case *ai.UserMessage, *message.Custom:
			s.emitTaken()
		}
	case agent.MessageEnd:
		out.EntryID = s.append(entryOf(ev.Message))
		s.mu.Lock()
		s.usage.add(ev.Message)
		if m, ok := ev.Message.(*ai.AssistantMessage); ok {
			s.last, s.lastID = m, out.EntryID
			if m.StopReason != ai.StopError && m.StopReason != ai.StopAborted {
				recovered, s.attempt = s.attempt, 0
			}
		}
		switch ev.Message.(type) {
		case *ai.UserMessage:
			s.recovered, s.compactionOff = false, false
		case *ai.ToolResultMessage:
			s.turn.resultIDs = append(s.turn.resultIDs, out.EntryID)
		}
		s.mu.Unlock()
	case agent.AgentEnd:
		out.WillRetry = s.willRetry() == nil || s.willRecover()
	}
	s.mu.Lock()
	ctx := s.running
	s.mu.Unlock()
	s.pace(ctx)
	s.emit(out)
	if recovered > 0 {
		s.emit(Event{Type: RetryEnd, Retry: Retry{Attempt: recovered, Max: s.opts.Retry.Max, Success: true}})
	}
}

// append stores an entry. A failure is reported once, and again when it is
// over.
func (s *Session) append(e store.Entry) string {
	id, err := s.store.Append(e)
	s.noteSaved(err)
	return id
}

// sync makes the conversation durable.
func (s *Session) sync() { s.noteSaved(s.store.Sync()) }

func (s *Session) noteSaved(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noteSavedLocked(err)
}

func (s *Session) noteSavedLocked(err error) {
	was := s.unsaved
	s.unsaved = err != nil
	switch {
	case err != nil && !was:
		s.emitLocked(Event{Type: SaveFailed, Err: err})
	case err == nil && was:
		s.emitLocked(Event{Type: Saved})
	}
}

// Subscribe calls fn for each event, in order, on a goroutine of its own. The
// returned function ends the subscription.
func (s *Session) Subscribe(fn func(Event)) (cancel func()) {
	m := agent.NewMailbox(fn)
	s.mu.Lock()
	s.mailboxes[m] = struct{}{}
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		delete(s.mailboxes, m)
		s.mu.Unlock()
		m.Close()
	}
}

func (s *Session) emit(ev Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.emitLocked(ev)
}

func (s *Session) emitLocked(ev Event) {
	for m := range s.mailboxes {
		m.Post(ev)
	}
	for _, fn := range s.watchers {
		fn(ev)
	}
}

// Close aborts what is under way, waits for it, and closes the store. The
// subscribers have got everything when it returns, unless one is stuck. A
// subscriber must not call it.
func (s *Session) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.Abort()
	s.AbortShell()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.shells.Wait()
	}()
	select {
	case <-over:
	case <-ctx.Done():
	}
	err := errors.Join(s.Wait(ctx), s.store.Close())
	s.mu.Lock()
	boxes := s.mailboxes
	s.mailboxes = map[*agent.Mailbox[Event]]struct{}{}
	s.mu.Unlock()
	for m := range boxes {
		m.Close()
	}
	for m := range boxes {
		m.Wait(ctx)
	}
	return err
}
