package term_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"

	"tau/tui/input"
	"tau/tui/term"
	"tau/tui/termtest"
	"tau/tui/vt"
)

// TestStatusIsToldToWhoListens: reports are sent only after the terminal has
// answered before DA1, or if the environment says so.
func TestStatusIsToldToWhoListens(t *testing.T) {
	const working, cleared = "state=working:app=tau", "state=clear"
	for _, c := range []struct {
		name    string
		env     func(string) string
		answers vt.Answers
		typed   string // in place of answers
		status  string
		reports int // until Stop, which takes the last one back
	}{
		{"answers", env(), vt.Answers{DA1: true, Status: true}, "", cleared, 2},
		{"silent", env(), vt.Answers{DA1: true}, "", "", 0},
		{"answers behind DA1", env(), vt.Answers{}, "\x1b[?62c\x1b]7501;?\x1b\\", "", 0},
		{"ends its answer with BEL and adds to it", env(), vt.Answers{}, "\x1b]7501;?:v=2\a\x1b[?62c", cleared, 2},
		{"answers something else", env(), vt.Answers{}, "\x1b]7501;state=idle\x1b\\\x1b[?62c", "", 0},
		{"told to", env("TAU_PROGRAM_STATUS", "1"), vt.Answers{DA1: true}, "", cleared, 2},
		{"told not to", env("TAU_PROGRAM_STATUS", "0"), vt.Answers{DA1: true, Status: true}, "", "", 0},
	} {
		for _, screen := range []term.Screen{{Alternate: true}, {}} {
			d := termtest.New(20, 5)
			d.Screen(func(v *vt.Terminal) { v.SetAnswers(c.answers) })
			tt := term.New(d, term.Options{Getenv: c.env})
			if err := tt.Start(screen); err != nil {
				t.Fatal(err)
			}
			first := tt.StatusSequence(term.Status{State: "working", App: "tau"})
			if first != "" { // only if it needed no answer
				tt.Send([]byte(first))
				if w := <-tt.Wrote(); w.Err != nil {
					t.Fatal(w.Err)
				}
				tt.Done()
			}
			if c.typed != "" {
				d.Type(c.typed)
			}
			for _, ev := range feed(tt) {
				if ev != "input.Unknown" {
					t.Errorf("%s: %s leaked", c.name, ev)
				}
			}
			if again := tt.StatusSequence(term.Status{State: "working", App: "tau"}); again != "" {
				t.Errorf("%s: told again: %q", c.name, again)
			}
			d.Screen(func(v *vt.Terminal) {
				if want := map[bool]string{true: working}[c.reports > 0]; v.Status() != want {
					t.Errorf("%s: status %q, want %q", c.name, v.Status(), want)
				}
			})
			if err := tt.Stop(); err != nil {
				t.Fatal(err)
			}
			d.Screen(func(v *vt.Terminal) {
				if v.Status() != c.status || v.Reports() != c.reports {
					t.Errorf("%s: after stop %q, %d reports", c.name, v.Status(), v.Reports())
				}
			})
		}
	}
}

func TestStatusSequence(t *testing.T) {
	for _, c := range []struct {
		s    term.Status
		want string
	}{
		{term.Status{State: "idle", App: "tau"}, "state=idle:app=tau"},
		{term.Status{State: "blocked", Kind: "question", Message: "Go on?"}, "state=blocked:kind=question:msg=R28gb24/"},
		{term.Status{State: "working", Kind: "question"}, "state=working"},
		{term.Status{State: "error", Message: " a\nb\x1b[2J\x1b]0;x\ac "}, "state=error:msg=" + base64.StdEncoding.EncodeToString([]byte("a bc"))},
		{term.Status{State: "done", Message: strings.Repeat("ö", 2000)}, "state=done:msg=" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("ö", 1024)))},
	} {
		tt := term.New(termtest.New(20, 5), term.Options{Getenv: env("TAU_PROGRAM_STATUS", "1")})
		if err := tt.Start(term.Screen{}); err != nil {
			t.Fatal(err)
		}
		got := tt.StatusSequence(c.s)
		if got != "\x1b]7501;"+c.want+"\x1b\\" || !utf8.ValidString(got) {
			t.Errorf("%+v: %q, want %q", c.s, got, c.want)
		}
		if err := tt.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStatusReplyIsNoInput: the answer never looks like keys, however it is cut
// and however long its end takes.
func TestStatusReplyIsNoInput(t *testing.T) {
	const reply = "\x1b]7501;?\x1b\\"
	for cut := 1; cut < len(reply); cut++ {
		p := input.New(input.FromEnv(env()))
		n := 0
		for _, ev := range append(append([]input.Event{}, p.Feed([]byte(reply[:cut]))...), p.Feed([]byte(reply[cut:]))...) {
			if _, ok := ev.(input.StatusReply); !ok {
				t.Errorf("cut at %d: %T", cut, ev)
			}
			n++
		}
		if n != 1 {
			t.Errorf("cut at %d: %d events", cut, n)
		}
	}
}
