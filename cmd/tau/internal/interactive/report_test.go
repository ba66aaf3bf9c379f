package interactive

import (
	"encoding/base64"
	"strings"
	"testing"

	"tau/cmd/tau/internal/cli"
	"tau/session"
	"tau/tui/term"
	"tau/tui/termtest"
	"tau/tui/vt"
)

// told is what the terminal was told last, its message as text.
func (r *rig) told() (s string) {
	r.dev.Screen(func(v *vt.Terminal) { s = v.Status() })
	head, msg, ok := strings.Cut(s, ":msg=")
	if !ok {
		return s
	}
	b, err := base64.StdEncoding.DecodeString(msg)
	if err != nil {
		r.t.Fatal(err)
	}
	return head + " " + string(b)
}

func TestTheTerminalIsToldWhatTheAgentDoes(t *testing.T) {
	for _, mode := range []string{"fullscreen", "regular"} {
		turns := []turn{{Text: "fine", DelayMs: 3000}, {Error: &failed{Message: "no such model\nmore", Class: "auth"}}, {Text: "later", DelayMs: 3000}}
		var dev *termtest.Device
		open := func() *termtest.Device {
			dev = termtest.New(90, 20)
			dev.Screen(func(v *vt.Terminal) { v.SetAnswers(vt.Answers{DA1: true, Status: true}) })
			return dev
		}
		launchOn(t, home(t), open, cli.Options{TUIMode: mode}, turns, func(r *rig) {
			expect := func(want string) {
				t.Helper()
				if got := r.told(); got != want {
					t.Errorf("%s: told %q, want %q", mode, got, want)
				}
			}
			expect("state=idle:app=tau")
			r.ask("a")
			expect("state=working:app=tau")
			r.finish()
			expect("state=done:app=tau")
			r.ask("b")
			r.finish()
			expect("state=error:app=tau no such model")
			r.ask("/name work")
			r.ask("c")
			expect("state=working:app=tau work")
			r.typing("\x1b")
			r.finish()
			expect("state=idle:app=tau")
			r.hasNot("7501")
		})
		dev.Screen(func(v *vt.Terminal) {
			if v.Status() != "state=clear" {
				t.Errorf("%s: %q at the end", mode, v.Status())
			}
		})
	}
}

func TestATerminalThatDoesNotListenIsToldNothing(t *testing.T) {
	launch(t, 90, 20, cli.Options{}, []turn{{Text: "fine"}}, func(r *rig) {
		r.dev.Type("\x1b[?62c\x1b]7501;?\x1b\\") // an answer behind the fence is none
		r.settle()
		r.ask("a")
		r.finish()
		if got := r.told(); got != "" {
			t.Errorf("told %q", got)
		}
		r.hasNot("7501")
	})
}

func TestQuestionsBlock(t *testing.T) {
	var got []term.Status
	r := reporter{send: func(s term.Status) { got = append(got, s) }, name: func() string { return "" }}
	last := func() string { s := got[len(got)-1]; return s.State + "/" + s.Kind + "/" + s.Message }
	steps := []struct {
		do   func()
		want string
	}{
		{r.reset, "idle//"},
		{func() { r.handle(session.Event{Type: "agent_start"}) }, "working//"},
		{func() { r.block("dialog", "question", "Which?") }, "blocked/question/Which?"},
		{func() { r.block("login", "auth", "Sign in") }, "blocked/auth/Sign in"},
		{func() { r.unblock("login") }, "blocked/question/Which?"},
		{func() { r.handle(session.Event{Type: session.Settled}) }, "blocked/question/Which?"},
		{func() { r.unblock("dialog") }, "done//"},
		{func() { r.handle(session.Event{Type: session.CompactionStart}) }, "working//Compacting"},
		{func() {
			r.handle(session.Event{Type: session.CompactionEnd, Compaction: session.Compaction{Reason: session.CompactManual, Error: "too short"}})
		}, "error//too short"},
		{r.reset, "idle//"},
	}
	for i, s := range steps {
		s.do()
		if last() != s.want {
			t.Errorf("step %d: %s, want %s", i, last(), s.want)
		}
	}
}
