// Package plain is the agent for screen readers and for terminals that cannot
// place text: lines are only ever added, nothing is drawn over, there are no
// boxes, colours or spinners. Every line that somebody else says begins with
// who says it.
//
//	plain.Run(a, os.Stdin, os.Stdout)
//
// One line is one message; a line that ends in a backslash goes on with the
// next. A line that is typed while the agent works steers it. Ctrl+C stops the
// agent, Ctrl+D ends the program.
package plain

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"tau/ai"
	"tau/cmd/tau/internal/app"
	"tau/cmd/tau/internal/headless"
	"tau/session"
	"tau/tui/text"
)

// talk is one run of the program. All of it belongs to the goroutine of Run.
type talk struct {
	app     *app.App
	session *session.Session
	out     *bufio.Writer
	events  chan session.Event
	cancel  func()
	partial strings.Builder // of the line of an answer that is not whole yet
	who     string          // who spoke last
	calls   map[string]string
	runs    int           // runs and commands whose end has not been shown
	done    chan struct{} // closed at the end
}

// Run talks until the input ends and returns the program's exit status.
func Run(a *app.App, in io.Reader, out io.Writer) int {
	s, notes, err := a.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tau:", err)
		return 1
	}
	t := &talk{app: a, out: bufio.NewWriter(out), events: make(chan session.Event, 64), calls: map[string]string{}, done: make(chan struct{})}
	t.attach(s)
	defer func() {
		close(t.done)
		t.cancel()
		_ = t.session.Close() // what could not be saved has been told
	}()
	t.say("tau", fmt.Sprintf("%s, plain mode. Model %s, folder %s. Type a message and press Enter; /help lists the commands.", a.Version, s.Model().Ref(), s.CWD()))
	if note := a.ProjectNote(); note != "" {
		notes = append(notes, note)
	}
	for _, p := range a.Problems {
		notes = append(notes, p.Error())
	}
	for _, n := range notes {
		t.say("Note", n)
	}
	t.flush()
	first, err := headless.Prompts(nil, a.Options.Files, a.Options.Messages, a.Attach)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tau:", err)
		return 1
	}
	for _, p := range first {
		t.send(p)
	}
	return t.loop(in)
}

// loop takes lines, events and signals until the input ends and the agent is
// idle.
func (t *talk) loop(in io.Reader) int {
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(stop)
	lines := make(chan string)
	go func() { // ends with the input, or the program
		defer close(lines)
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				lines <- strings.TrimRight(line, "\r\n")
			}
			if err != nil {
				return
			}
		}
	}()
	var message strings.Builder
	for input := lines; ; {
		select {
		case line, ok := <-input:
			if !ok {
				if t.runs == 0 {
					return 0
				}
				input = nil // what was asked is still answered
				continue
			}
			if rest, more := strings.CutSuffix(line, "\\"); more {
				message.WriteString(rest + "\n")
				continue
			}
			message.WriteString(line)
			text := message.String()
			message.Reset()
			if t.line(text) {
				return 0
			}
		case ev := <-t.events:
			t.show(ev)
			if input == nil && t.runs == 0 {
				t.flush()
				return 0
			}
		case sig := <-stop:
			if sig != os.Interrupt {
				t.session.Abort()
				return 128 + int(sig.(syscall.Signal))
			}
			if !t.session.Busy() {
				t.say("tau", "Ctrl+D ends the program.")
			} else {
				t.say("tau", "Stopping.")
				t.session.Abort()
			}
		}
		t.flush()
	}
}

func (t *talk) attach(s *session.Session) {
	if t.cancel != nil {
		t.cancel()
	}
	t.session = s
	t.cancel = s.Subscribe(t.post)
}

// post hands an event to the loop, unless that has ended.
func (t *talk) post(ev session.Event) {
	select {
	case t.events <- ev:
	case <-t.done:
	}
}

func (t *talk) send(content []ai.Block) {
	d, err := t.session.Send(content, session.Steer)
	switch {
	case err != nil:
		t.say("Error", err.Error())
	case d == session.Started:
		t.runs++
	case d == session.Queued:
		t.say("tau", "Your message goes in after the tools that are running.")
	}
}

// line carries out a line of the user; quit ends the program.
func (t *talk) line(line string) (quit bool) {
	name, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
	arg = strings.TrimSpace(arg)
	switch {
	case strings.TrimSpace(line) == "":
	case name == "/quit", name == "/exit":
		return true
	case name == "/help":
		t.say("tau", "/model [name], /thinking [level], /new, /name <name>, /session, /stop, /quit. !command runs a command of your own. All else is a message.")
	case name == "/stop":
		t.session.Abort()
	case name == "/model":
		t.model(arg)
	case name == "/thinking":
		if l := ai.ThinkingLevel(arg); l.Valid() {
			t.session.SetThinking(l)
		}
		t.say("tau", "Thinking: "+string(t.session.Thinking())+".")
	case name == "/name" && arg != "":
		t.session.SetName(arg)
	case name == "/session":
		u := t.session.Usage()
		t.say("tau", fmt.Sprintf("Session %s, %d entries, file %s, cost $%.4f.", t.session.Store().Header().ID, t.session.Store().Len(), t.session.Store().Path(), u.Cost.Total))
	case name == "/new":
		t.fresh()
	case strings.HasPrefix(line, "!"):
		t.shell(line)
	default:
		t.send(ai.TextBlocks(line))
	}
	return false
}

func (t *talk) model(arg string) {
	if arg != "" {
		m, level, err := t.app.FindModel(arg)
		if err == nil {
			err = t.app.Ready(m)
		}
		if err != nil {
			t.say("Error", err.Error())
			return
		}
		t.session.SetModel(m)
		if level != "" {
			t.session.SetThinking(level)
		}
	}
	t.say("tau", "Model: "+t.session.Model().Ref()+".")
}

func (t *talk) fresh() {
	if t.session.Busy() {
		t.say("tau", "The agent is working; /stop it first.")
		return
	}
	next, err := t.app.Fresh(t.session)
	if err != nil {
		t.say("Error", err.Error())
		return
	}
	old := t.session
	t.attach(next)
	if err := old.Close(); err != nil {
		t.say("Error", err.Error())
	}
	t.say("tau", "A new session.")
}

// shell runs a command of the user's own; its output comes as events.
func (t *talk) shell(line string) {
	command, exclude := strings.CutPrefix(line[1:], "!")
	if command = strings.TrimSpace(command); command == "" {
		return
	}
	s := t.session
	t.runs++
	go func() {
		if _, err := s.RunShell(context.Background(), "plain", command, exclude); err != nil {
			t.post(session.Event{Type: session.ShellEnd, Err: err})
		}
	}()
}

// say writes a line of somebody.
func (t *talk) say(who, what string) {
	t.finishLine()
	for i, l := range strings.Split(strings.TrimRight(text.Sanitize(what), "\n"), "\n") {
		if i == 0 {
			l = who + ": " + l
		}
		fmt.Fprintln(t.out, l)
	}
	t.who = who
}

func (t *talk) flush() { _ = t.out.Flush() } // a terminal that is gone ends the input too
