package js

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"modernc.org/quickjs"

	"tau/session/extension"
)

// Limits of a machine.
const (
	// TurnLimit is how long a machine may work without waiting for anything.
	TurnLimit = 5 * time.Second
	// MemoryLimit is how much memory a machine may use, in bytes.
	MemoryLimit = 512 << 20

	// gcThreshold is what is allocated before garbage is looked for. The engine's
	// own is so small that starting alone would do it several times.
	gcThreshold = 4 << 20
)

// machine is one extension: a virtual machine that only its goroutine touches.
type machine struct {
	vm   *quickjs.VM
	host extension.Host
	env  Env
	maps func() *sourceMap // of the bundle

	modules *modules

	ctx  context.Context // ends with the machine
	stop context.CancelCauseFunc

	mu    sync.Mutex
	ready sync.Cond
	tasks []func()
	calls map[int]chan answer
	next  int
	dead  error
	done  chan struct{}

	// The rest belongs to the goroutine of the machine.
	dispatch, event, settle, fire, emit, cancel, boot, run quickjs.Value
	timers                                                 map[int]*time.Timer
	aborts                                                 map[int]context.CancelFunc // of calls of the extension
	turn                                                   time.Duration
	sys                                                    *system
	broken                                                 error // why there is no machine
}

type answer struct {
	raw json.RawMessage
	err error
}

// newMachine starts a machine whose goroutine waits for work. Its host and its
// surroundings are to be set before it gets an extension.
func newMachine(mods *modules) *machine {
	m := &machine{modules: mods, calls: map[int]chan answer{}, timers: map[int]*time.Timer{}, aborts: map[int]context.CancelFunc{}, done: make(chan struct{}), turn: TurnLimit}
	m.ready.L = &m.mu
	m.ctx, m.stop = context.WithCancelCause(context.Background())
	m.sys = newSystem(m)
	go m.loop()
	return m
}

// post gives the machine something to do.
func (m *machine) post(task func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead != nil {
		return
	}
	m.tasks = append(m.tasks, task)
	m.ready.Signal()
}

func (m *machine) loop() {
	defer close(m.done)
	_ = deep(0)
	for {
		m.mu.Lock()
		for len(m.tasks) == 0 && m.dead == nil {
			m.ready.Wait()
		}
		if m.dead != nil {
			m.mu.Unlock()
			break
		}
		task := m.tasks[0]
		m.tasks = m.tasks[1:]
		m.mu.Unlock()
		m.safely(task)
	}
	for _, t := range m.timers {
		t.Stop()
	}
	m.sys.close()
	if m.vm != nil {
		func() {
			defer func() { _ = recover() }() // a machine that was interrupted may be in any state
			m.free()
			_ = m.vm.Close()
		}()
	}
}

// deep makes room on the stack of its goroutine, whatever n is, at once: the
// engine goes deep, and to double the stack again and again copies all of it
// each time. The room costs nothing before it is used.
//
//go:noinline
func deep(n int) byte {
	if n == 0 {
		return 0
	}
	var room [100 << 10]byte
	for i := range n {
		room[i] = byte(n)
	}
	return room[n-1]
}

// safely does a task; a panic in the engine ends the machine, not the program.
func (m *machine) safely(task func()) {
	defer func() {
		if p := recover(); p != nil {
			m.kill(fmt.Errorf("the engine failed: %v", p))
		}
	}()
	task()
	m.jobs()
}

// jobs runs what promises have become ready for. What is left after a failure is
// run later: jobs may beget jobs for ever, and the machine has to end nevertheless.
func (m *machine) jobs() {
	if m.vm == nil {
		return
	}
	_, err := m.vm.ExecutePendingJobs()
	switch {
	case err == nil:
		return // none are left
	case fatal(err):
		m.kill(m.explain(err))
		return
	case interrupted(err):
		m.failAll(fmt.Errorf("it worked for more than %v without a pause and was interrupted", m.turn))
	default:
		m.problem("promise", m.explain(err))
	}
	m.post(func() {})
}

// kill ends the machine; all calls fail with err.
func (m *machine) kill(err error) {
	m.mu.Lock()
	if m.dead == nil {
		m.dead = err
		if !errors.Is(err, extension.ErrGone) {
			m.dead = fmt.Errorf("%w: %w", extension.ErrGone, err)
		}
		m.ready.Signal()
	}
	m.mu.Unlock()
	m.stop(err)
	m.failAll(err)
}

func (m *machine) failAll(err error) {
	m.mu.Lock()
	calls := m.calls
	m.calls = map[int]chan answer{}
	m.mu.Unlock()
	for _, ch := range calls {
		ch <- answer{err: err}
	}
}

// Close implements extension.Carrier.
//
// The engine forgets an interrupt that comes before code is entered, which may be
// at any moment of a task, so it is interrupted until it has ended.
func (m *machine) Close() error {
	m.kill(extension.ErrGone)
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	limit := time.NewTimer(5 * time.Second) // also on a machine that is very busy
	defer limit.Stop()
	for {
		m.mu.Lock()
		vm := m.vm
		m.mu.Unlock()
		if vm != nil {
			vm.Interrupt()
		}
		select {
		case <-m.done:
			return nil
		case <-limit.C:
			return errors.New("the extension does not end")
		case <-again.C:
		}
	}
}

// Call implements extension.Carrier.
func (m *machine) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	ev, isEvent := params.(extension.EventCall)
	raw, ok := params.(json.RawMessage)
	if !ok && !isEvent {
		var err error
		if raw, err = json.Marshal(params); err != nil {
			return nil, fmt.Errorf("encode %s: %w", method, err)
		}
	}
	ch := make(chan answer, 1)
	m.mu.Lock()
	if m.dead != nil {
		m.mu.Unlock()
		return nil, m.dead
	}
	m.next++
	id := m.next
	m.calls[id] = ch
	m.mu.Unlock()
	m.post(func() {
		if isEvent {
			m.beginEvent(id, ev)
		} else {
			m.begin(id, method, raw)
		}
	})
	select {
	case a := <-ch:
		return a.raw, a.err
	case <-ctx.Done():
	}
	// The extension is told, and has a moment to answer: what a tool says when it
	// is stopped is worth having.
	m.post(func() { m.call(m.cancel, id) })
	wait := m.env.Grace
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		wait = 0 // whoever draws has no time to lose
	}
	grace := time.NewTimer(wait)
	defer grace.Stop()
	select {
	case a := <-ch:
		return a.raw, a.err
	case <-grace.C:
	}
	m.mu.Lock()
	delete(m.calls, id)
	m.mu.Unlock()
	return nil, context.Cause(ctx)
}

// begin dispatches a call. Its answer comes with the host function settle.
func (m *machine) begin(id int, method string, params json.RawMessage) {
	if err := m.call(m.dispatch, id, method, string(params)); err != nil {
		m.answer(id, nil, err)
	}
}

// beginEvent is begin for an event, which happens often: its payload goes to the
// engine as it is.
func (m *machine) beginEvent(id int, ev extension.EventCall) {
	if err := m.call(m.event, id, ev.Event, ev.Handler, string(ev.Payload)); err != nil {
		m.answer(id, nil, err)
	}
}

func (m *machine) answer(id int, raw json.RawMessage, err error) {
	m.mu.Lock()
	ch := m.calls[id]
	delete(m.calls, id)
	m.mu.Unlock()
	if ch != nil {
		ch <- answer{raw, err}
	}
}

// call calls a function of the runtime.
func (m *machine) call(f quickjs.Value, args ...any) error {
	_, err := f.Call(quickjs.UndefinedValue, args...)
	switch {
	case err == nil:
		return nil
	case fatal(err):
		err = m.explain(err)
		m.kill(err)
		return err
	case interrupted(err):
		return fmt.Errorf("it worked for more than %v without a pause and was interrupted", m.turn)
	}
	return m.explain(err)
}

func interrupted(err error) bool { return strings.Contains(err.Error(), "interrupted") }

// fatal reports whether the machine cannot be used any more: the engine's
// memory limit stays tripped until garbage is dropped.
func fatal(err error) bool { return strings.Contains(err.Error(), "out of memory") }

// problem tells of something that went wrong where nobody waits.
func (m *machine) problem(event string, err error) {
	if m.host == nil {
		return // there is no extension yet
	}
	p, _ := json.Marshal(map[string]string{"event": event, "error": err.Error()})
	_, _ = m.host.Serve(m.ctx, "error", p)
}

// open makes the virtual machine and its globals, once.
func (m *machine) open() error {
	if m.vm == nil && m.broken == nil {
		m.broken = m.makeVM()
	}
	return m.broken
}

func (m *machine) makeVM() error {
	warm()
	vm, err := quickjs.NewVM()
	if err != nil {
		return fmt.Errorf("start the engine: %w", err)
	}
	m.mu.Lock()
	m.vm = vm
	m.mu.Unlock()
	vm.SetMemoryLimit(MemoryLimit)
	vm.SetGCThreshold(gcThreshold)
	if err := vm.SetEvalTimeout(m.turn); err != nil {
		return err
	}
	for name, f := range map[string]quickjs.HostFunc{
		"__host": m.hostCall, "__hostAsync": m.hostAsync, "__settle": m.settled, "__timer": m.timer, "__clear": m.clear,
		"__cancelHost": m.cancelHost,
	} {
		if err := vm.RegisterHostFunc(name, f); err != nil {
			return fmt.Errorf("prepare the engine: %w", err)
		}
	}
	if err := vm.RegisterFunc("__compiled", m.module, false); err != nil {
		return fmt.Errorf("prepare the engine: %w", err)
	}
	start, err := m.code("core")
	if err != nil {
		return fmt.Errorf("prepare the engine: %w", err)
	}
	start.Free()
	g := vm.GlobalObject()
	defer g.Free()
	for name, to := range map[string]*quickjs.Value{
		"__dispatch": &m.dispatch, "__event": &m.event, "__settleHost": &m.settle, "__fire": &m.fire, "__emit": &m.emit, "__cancelCall": &m.cancel,
		"__boot": &m.boot, "__run": &m.run,
	} {
		atom, err := vm.NewAtom(name)
		if err != nil {
			return err
		}
		if *to, err = vm.GetPropertyValue(g, atom); err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) free() {
	for _, v := range []quickjs.Value{m.dispatch, m.event, m.settle, m.fire, m.emit, m.cancel, m.boot, m.run} {
		if v != (quickjs.Value{}) {
			v.Free()
		}
	}
}

// explain makes an error of the engine one that names lines of the source.
func (m *machine) explain(err error) error {
	var e *quickjs.Error
	if !errors.As(err, &e) {
		return err
	}
	text := e.Message
	if e.Name != "" && e.Name != "Error" {
		text = e.Name + ": " + text
	}
	if text == "" {
		text = err.Error()
	}
	if at := m.place(e.Stack); at != "" {
		text += " (" + at + ")"
	}
	return errors.New(text)
}
