package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/wire"
	"tau/session"
)

// conn is one client. Commands are carried out on one goroutine, in order, and
// read on another, which takes the answers to questions of extensions; commands
// that last go on on their own.
type conn struct {
	app  *app.App
	out  *wire.Output
	errs io.Writer
	ui   *UI

	handlers map[string]handler // by the type of a command

	ctx     context.Context // until the program is to end
	lasting sync.WaitGroup  // commands that go on

	// The session changes only with both locks held, so that one of them is enough
	// to look at it. Commands, and extensions that change it, are carried out one
	// at a time.
	busy     sync.Mutex
	mu       sync.Mutex
	session  *session.Session
	unwatch  []func() // of session
	quit     chan struct{}
	quitting sync.Once
}

// How long the end may take: what is under way to be aborted, and the output to
// be read.
const (
	endWait    = 5 * time.Second
	outputWait = 2 * time.Second
)

// Serve opens the session that the options ask for and carries out commands
// until the input ends. It returns the program's exit status: 0 at the end of
// the input, 128+n after signal n, 1 if it could not start.
func Serve(a *app.App, in io.Reader, out, errs io.Writer) int {
	// A client that has gone is an error of writing, not a signal.
	signal.Ignore(syscall.SIGPIPE)
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(stop)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := &conn{app: a, out: wire.NewOutput(out), errs: errs, ctx: ctx, quit: make(chan struct{}), handlers: handlers()}
	c.ui = newUI(c.out)
	c.front()
	// Extensions may have questions before there is a session.
	lines := make(chan parsed, linesAhead)
	ended := make(chan struct{})
	go c.read(in, lines)
	s, notes, err := a.Start()
	if err != nil {
		fmt.Fprintln(errs, "tau:", err)
		return 1
	}
	c.notes(notes)
	c.attach(s)
	go func() {
		defer close(ended)
		a.Begin(s, "startup", "")
		for line := range lines {
			c.busy.Lock()
			if c.ctx.Err() != nil {
				c.busy.Unlock()
				return
			}
			c.take(line)
			c.busy.Unlock()
			// Let the answer go out before this thread waits for the next command.
			runtime.Gosched()
		}
	}()
	status := 0
	select {
	case <-ended:
	case <-c.out.Broken():
	case <-c.quit:
	case sig := <-stop:
		status = 128 + int(sig.(syscall.Signal))
	}
	cancel()
	over := make(chan struct{})
	go func() {
		defer close(over)
		c.ui.close()
		c.session.Abort()
		c.session.AbortShell()
		c.busy.Lock()
		c.end()
	}()
	select {
	case <-over:
	case <-stop:
		return max(status, 1)
	case <-time.After(2*endWait + outputWait):
		return max(status, 1)
	}
	return status
}

// end closes everything in good order.
func (c *conn) end() {
	c.app.End(c.session, "quit", nil)
	if err := c.session.Close(); err != nil {
		fmt.Fprintln(c.errs, "tau:", err)
	}
	c.lasting.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), outputWait)
	defer cancel()
	_ = c.out.Close(ctx) // there is nobody to tell
}

// parsed is one line: a command, or why it is none.
type parsed struct {
	command command
	err     error
}

// linesAhead is how many commands are read before one is carried out.
const linesAhead = 256

// read hands commands over until the input ends. Answers of the user are taken
// at once: the command that waits for them may be the one that is under way.
func (c *conn) read(in io.Reader, lines chan<- parsed) {
	defer close(lines)
	l := wire.NewLines(in)
	for {
		// Who does not read gets no answers made.
		c.out.Wait(c.ctx)
		line, err := l.Next()
		if errors.Is(err, wire.ErrTooLong) {
			c.out.Record(response{Type: "response", Command: "parse", Error: err.Error()})
			continue
		}
		if err != nil {
			return
		}
		p := parsed{}
		p.command, p.err = parse(line)
		if p.err == nil && p.command.typ == "extension_ui_response" {
			c.ui.answer(p.command)
			continue
		}
		select {
		case lines <- p:
		case <-c.ctx.Done():
			return
		}
	}
}

// unknownCommand is a text of the protocol: clients look for it.
const unknownCommand = "Unknown command: "

// take carries out one line.
func (c *conn) take(p parsed) {
	cmd := p.command
	if p.err != nil {
		c.out.Record(response{Type: "response", Command: "parse", Error: p.err.Error()})
		return
	}
	handle := c.handlers[cmd.typ]
	if handle == nil {
		c.fail(cmd, errors.New(unknownCommand+cmd.typ))
		return
	}
	defer func() {
		if p := recover(); p != nil {
			c.fail(cmd, fmt.Errorf("%s: panic: %v", cmd.typ, p))
		}
	}()
	handle(c, cmd)
}

// handler carries out a command and answers it, now or later.
type handler func(c *conn, cmd command)

// simple is a handler that returns the data of its answer at once.
func simple(do func(c *conn, cmd command) (data any, err error)) handler {
	return func(c *conn, cmd command) { c.reply(cmd)(do(c, cmd)) }
}

// lasting is a handler that goes on while later commands are carried out.
func lasting(do func(c *conn, s *session.Session, cmd command) (data any, err error)) handler {
	return func(c *conn, cmd command) {
		s := c.session
		c.lasting.Go(func() { c.reply(cmd)(do(c, s, cmd)) })
	}
}

func (c *conn) reply(cmd command) func(data any, err error) {
	return func(data any, err error) {
		if err != nil {
			c.fail(cmd, err)
			return
		}
		c.ok(cmd, data)
	}
}

func (c *conn) ok(cmd command, data any) {
	c.out.Record(response{ID: cmd.id, Type: "response", Command: cmd.typ, Success: true, Data: data})
}

func (c *conn) fail(cmd command, err error) {
	c.out.Record(response{ID: cmd.id, Type: "response", Command: cmd.typ, Error: err.Error()})
}

// notes are for the person behind the program.
func (c *conn) notes(notes []string) {
	for _, p := range c.app.Problems {
		fmt.Fprintln(c.errs, "tau:", p)
	}
	c.app.Problems = nil
	for _, n := range notes {
		fmt.Fprintln(c.errs, "tau:", n)
	}
}

// attach makes s the session of the connection.
func (c *conn) attach(s *session.Session) {
	c.mu.Lock()
	c.session = s
	c.mu.Unlock()
	c.unwatch = []func(){s.Watch(c.out.Event), s.Subscribe(func(ev session.Event) {
		if ev.Type == session.SaveFailed {
			fmt.Fprintf(c.errs, "tau: the session is not saved: %v\n", ev.Err)
		}
	})}
	s.Throttle(c.out.Wait)
}

// replace leaves the session for another one. What is under way is aborted, and
// told of.
func (c *conn) replace(s *session.Session, reason string) {
	old := c.session
	c.leave()
	c.app.End(old, reason, s)
	if err := old.Close(); err != nil {
		fmt.Fprintln(c.errs, "tau:", err)
	}
	c.attach(s)
	c.app.Begin(s, reason, old.Store().Path())
}

// leave aborts what the session does and stops listening to it.
func (c *conn) leave() {
	c.session.Abort()
	c.session.AbortShell()
	ctx, cancel := context.WithTimeout(c.ctx, endWait)
	defer cancel()
	_ = c.session.Wait(ctx) // Close waits once more
	for _, f := range c.unwatch {
		f()
	}
	c.unwatch = nil
}

// handlers are the commands, in the order of the documentation.
func handlers() map[string]handler {
	return map[string]handler{
		"prompt": (*conn).prompt, "steer": (*conn).steer, "follow_up": (*conn).followUp, "abort": lasting(abort),
		"clear_queue": simple(clearQueue), "new_session": simple(newSession),
		"get_state": simple(getState), "get_messages": simple(getMessages), "get_session_stats": simple(getStats),
		"get_last_assistant_text": simple(getLastText), "get_commands": simple(getCommands),
		"set_model": simple(setModel), "cycle_model": simple(cycleModel), "get_available_models": simple(getModels),
		"set_thinking_level": simple(setThinking), "cycle_thinking_level": simple(cycleThinking),
		"get_available_thinking_levels": simple(getLevels),
		"set_steering_mode":             simple(setSteeringMode), "set_follow_up_mode": simple(setFollowUpMode),
		"compact": lasting(compact), "set_auto_compaction": simple(setAutoCompaction),
		"set_auto_retry": simple(setAutoRetry), "abort_retry": (*conn).abortRetry,
		"bash": lasting(runShell), "abort_bash": simple(abortShell),
		"export_html": simple(exportHTML), "switch_session": simple(switchSession), "fork": simple(fork), "clone": simple(clone),
		"get_fork_messages": simple(getForkMessages), "set_session_name": simple(setName),
		"get_entries": simple(getEntries), "get_tree": simple(getTree),
	}
}
