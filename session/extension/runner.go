package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tau/agent"
	"tau/session"
	"tau/session/resources"
)

// Limits of handlers. A handler that waits for something it asked the program
// for, such as an answer of the user or the end of a command, is not counted as
// doing nothing.
const (
	// HandlerLimit is how long a handler may do nothing.
	HandlerLimit = 30 * time.Second
	// LoadLimit is how long an extension may take to start.
	LoadLimit = 60 * time.Second
)

// Options are what a Runner is made of. Load is required.
type Options struct {
	// Load starts the extension in a file.
	Load Loader
	// Program is what extensions can do beside the session.
	Program Program
	// UI asks the user and shows what extensions have to say; nil if nobody is
	// there.
	UI UI
	// Mode is tui, rpc, json or print.
	Mode string
	CWD  string
	// Flags are the values of the command line, by flag: true or a string.
	Flags map[string]any
	// Limit takes the place of HandlerLimit.
	Limit time.Duration
	// OnError is told what went wrong, from any goroutine.
	OnError func(Failure)
	// OnChange is called when commands, tools or shortcuts have changed.
	OnChange func()
}

// Runner holds the extensions of a session.
type Runner struct {
	o    Options
	subs atomic.Pointer[map[string][]subscription]
	next atomic.Pointer[Runner] // of the session that took this one's place

	mu         sync.Mutex
	exts       []*Extension
	session    *session.Session
	builtin    []*agent.Tool
	bound      bool
	providers  []providerCall // before the runner is bound
	settling   bool
	deferred   []func()
	changes    *agent.Mailbox[func()] // told later, in order
	calls      map[string]func(json.RawMessage)
	closed     bool
	active     int      // calls under way
	ending     bool     // close when there are none
	owned      []string // providers that were registered
	mcp        map[string]json.RawMessage
	transforms int // registrations of Markdown transformers
	mcpOwner   map[string]*Extension
}

type subscription struct {
	ext     *Extension
	handler int
}

// NewRunner returns a Runner without extensions.
func NewRunner(o Options) *Runner {
	if o.OnError == nil {
		o.OnError = func(Failure) {}
	}
	if o.OnChange == nil {
		o.OnChange = func() {}
	}
	if o.Limit == 0 {
		o.Limit = HandlerLimit
	}
	r := &Runner{o: o, calls: map[string]func(json.RawMessage){}, mcp: map[string]json.RawMessage{}, mcpOwner: map[string]*Extension{}}
	r.subs.Store(&map[string][]subscription{})
	return r
}

// Load starts extensions, side by side; their order is that of the list. Those
// that cannot be loaded are returned as failures, and left out.
func (r *Runner) Load(ctx context.Context, files []resources.Source) []Failure {
	exts := make([]*Extension, len(files))
	errs := make([]error, len(files))
	var wg sync.WaitGroup
	for i, src := range files {
		exts[i] = &Extension{Source: src, runner: r, renderers: map[string]bool{}, channels: map[string]bool{}}
	}
	r.mu.Lock()
	r.exts = append(r.exts, exts...)
	r.mu.Unlock()
	// Two at a time: loading is work of the processor.
	free := make(chan struct{}, 2)
	for i, e := range exts {
		wg.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			ctx, cancel := context.WithTimeout(ctx, LoadLimit)
			defer cancel()
			c, err := r.o.Load(ctx, e.Source, host{e})
			if err != nil {
				errs[i] = err
				return
			}
			r.mu.Lock()
			e.carrier = c
			r.mu.Unlock()
		})
	}
	wg.Wait()
	var failed []Failure
	for i, err := range errs {
		if err != nil {
			r.drop(exts[i])
			failed = append(failed, Failure{Path: files[i].Path, Event: "load", Err: err.Error()})
		}
	}
	r.sortSubs()
	return failed
}

// drop forgets an extension and what it has registered.
func (r *Runner) drop(e *Extension) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exts = slices.DeleteFunc(r.exts, func(o *Extension) bool { return o == e })
	for name, owner := range r.mcpOwner {
		if owner == e {
			delete(r.mcp, name)
			delete(r.mcpOwner, name)
		}
	}
	subs := maps.Clone(*r.subs.Load())
	for name, list := range subs {
		list = slices.DeleteFunc(slices.Clone(list), func(s subscription) bool { return s.ext == e })
		if subs[name] = list; len(list) == 0 {
			delete(subs, name)
		}
	}
	r.subs.Store(&subs)
}

// sortSubs puts subscriptions into the order of the extensions, which were
// loaded side by side.
func (r *Runner) sortSubs() {
	r.mu.Lock()
	defer r.mu.Unlock()
	place := map[*Extension]int{}
	for i, e := range r.exts {
		place[e] = i
	}
	subs := maps.Clone(*r.subs.Load())
	for name, list := range subs {
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b subscription) int { return place[a.ext] - place[b.ext] })
		subs[name] = list
	}
	r.subs.Store(&subs)
}

func (r *Runner) subscribe(e *Extension, event string, handler int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	subs := maps.Clone(*r.subs.Load())
	subs[event] = append(slices.Clone(subs[event]), subscription{e, handler})
	r.subs.Store(&subs)
}

func (r *Runner) unsubscribe(e *Extension, handler int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	subs := maps.Clone(*r.subs.Load())
	for name, list := range subs {
		list = slices.DeleteFunc(slices.Clone(list), func(s subscription) bool { return s.ext == e && s.handler == handler })
		if subs[name] = list; len(list) == 0 {
			delete(subs, name)
		}
	}
	r.subs.Store(&subs)
}

// Wants implements session.Hooks.
func (r *Runner) Wants(event string) bool { return len((*r.subs.Load())[event]) > 0 }

// Extensions returns the extensions in the order they were loaded.
func (r *Runner) Extensions() []*Extension {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.exts)
}

// Empty reports whether there are no extensions.
func (r *Runner) Empty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.exts) == 0
}

func (r *Runner) report(e *Extension, event string, err error) {
	if errors.Is(err, ErrGone) && e.gone.Swap(true) {
		return // that is known
	}
	r.o.OnError(Failure{Path: e.Source.Path, Event: event, Err: err.Error()})
}

// call asks an extension, and gives up if it does nothing for too long.
func (r *Runner) call(ctx context.Context, e *Extension, method string, params any) (json.RawMessage, error) {
	return e.call(ctx, r.o.Limit, method, params)
}

var errSilent = errors.New("it did nothing for too long and was given up")

// CloseWhenIdle closes the extensions when they have nothing left to do.
func (r *Runner) CloseWhenIdle() {
	r.mu.Lock()
	r.ending = true
	idle := r.active == 0
	r.mu.Unlock()
	if idle {
		r.Close()
	}
}

func (r *Runner) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active++
}

func (r *Runner) over() {
	r.mu.Lock()
	r.active--
	last := r.active == 0 && r.ending && !r.closed
	r.mu.Unlock()
	if last {
		go r.Close() // not on the goroutine of a call
	}
}

func (e *Extension) call(ctx context.Context, limit time.Duration, method string, params any) (json.RawMessage, error) {
	c := e.carrier
	if c == nil {
		return nil, ErrGone
	}
	e.runner.begin()
	defer e.runner.over()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if limit > 0 {
		var timer *time.Timer
		var mu sync.Mutex // timer is set before it is used
		mu.Lock()
		timer = time.AfterFunc(limit, func() {
			mu.Lock()
			defer mu.Unlock()
			if e.waiting.Load() > 0 {
				timer.Reset(limit)
				return
			}
			cancel(errSilent)
		})
		mu.Unlock()
		defer timer.Stop()
	}
	out, err := c.Call(ctx, method, params)
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		err = fmt.Errorf("%w (%v)", errSilent, limit)
	}
	return out, err
}

// emit calls the handlers of an event one after another. take gets what each
// returned, and reports whether to go on; it may be nil. Changes that a handler
// made to the payload are seen by the next; emit returns the payload with them,
// or nil if there are none.
func (r *Runner) emit(ctx context.Context, event string, payload any, take func(result json.RawMessage, err error) (goOn bool)) json.RawMessage {
	list := (*r.subs.Load())[event]
	if len(list) == 0 {
		return nil
	}
	raw, ok := payload.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(payload); err != nil {
			r.o.OnError(Failure{Event: event, Err: fmt.Sprintf("encode the event: %v", err)})
			return nil
		}
	}
	var changed json.RawMessage
	for _, s := range list {
		out, err := r.call(ctx, s.ext, MethodEvent, EventCall{event, s.handler, raw})
		var a eventAnswer
		if err == nil && len(out) > 0 {
			err = json.Unmarshal(out, &a)
		}
		if err != nil {
			if ctx.Err() == nil || event == "tool_call" {
				r.report(s.ext, event, err)
			}
		} else if len(a.Payload) > 0 {
			raw, changed = a.Payload, a.Payload
		}
		if take != nil && (err != nil || len(a.Result) > 0 && string(a.Result) != "null") {
			if !take(a.Result, err) {
				break
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return changed
}

// Close ends all extensions.
func (r *Runner) Close() {
	r.mu.Lock()
	exts, changes := r.exts, r.changes
	r.closed, r.changes = true, nil
	r.exts = nil
	r.mu.Unlock()
	r.subs.Store(&map[string][]subscription{})
	if changes != nil {
		changes.Close()
	}
	for _, e := range exts {
		if e.carrier != nil {
			_ = e.carrier.Close() // it is ended one way or the other
		}
	}
}
