package term_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tau/tui/input"
	"tau/tui/key"
	"tau/tui/term"
	"tau/tui/termtest"
	"tau/tui/vt"
)

func env(kv ...string) func(string) string {
	return func(k string) string {
		for i := 0; i < len(kv); i += 2 {
			if kv[i] == k {
				return kv[i+1]
			}
		}
		return ""
	}
}

func written(d *termtest.Device) string {
	var b strings.Builder
	for _, w := range d.Writes() {
		b.Write(w)
	}
	return b.String()
}

// X1: the exact bytes on the way in and on the way out.
func TestEnterLeave(t *testing.T) {
	for _, c := range []struct {
		name        string
		env         func(string) string
		screen      term.Screen
		enter, exit string
	}{
		{"alternate", env(), term.Screen{Alternate: true, Mouse: true},
			"\x1b[?1049h\x1b[?7l\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h\x1b[2J\x1b[H\x1b[?25l\x1b[>5u\x1b[?2004h\x1b[?u\x1b]7501;?\x1b\\\x1b[c",
			"\x1b[?2004l\x1b[<u\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?7h\x1b[?1049l\x1b[?25h"},
		{"alternate in tmux", env("TMUX", "/tmp/x"), term.Screen{Alternate: true, Mouse: true},
			"\x1b[?1049h\x1b[?7l\x1b[?1000h\x1b[?1002h\x1b[?1006h\x1b[2J\x1b[H\x1b[?25l\x1b[>5u\x1b[?2004h\x1b[?u\x1b]7501;?\x1b\\\x1b[c",
			"\x1b[?2004l\x1b[<u\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[?7h\x1b[?1049l\x1b[?25h"},
		{"main", env(), term.Screen{},
			"\x1b[?25l\x1b[>5u\x1b[?2004h\x1b[?u\x1b]7501;?\x1b\\\x1b[c",
			"\x1b[?2004l\x1b[<u\x1b[?25h"},
	} {
		d := termtest.New(20, 5)
		tt := term.New(d, term.Options{Getenv: c.env})
		if err := tt.Start(c.screen); err != nil {
			t.Fatal(err)
		}
		if got := written(d); got != c.enter {
			t.Errorf("%s: enter %q, want %q", c.name, got, c.enter)
		}
		if err := tt.Stop(); err != nil {
			t.Fatal(err)
		}
		if got := written(d); got != c.exit {
			t.Errorf("%s: exit %q, want %q", c.name, got, c.exit)
		}
		if err := tt.Stop(); err != nil || written(d) != "" {
			t.Errorf("%s: a second Stop writes", c.name)
		}
		if d.IsRaw() {
			t.Errorf("%s: still raw", c.name)
		}
	}
}

// X2, X10: whatever is on is off after Restore, from any goroutine.
func TestRestore(t *testing.T) {
	d := termtest.New(20, 5)
	tt := term.New(d, term.Options{Getenv: env(), Focus: true, Scheme: true, Colors: true})
	if err := tt.Start(term.Screen{Alternate: true, Mouse: true}); err != nil {
		t.Fatal(err)
	}
	tt.Send([]byte("\x1b[?2026hcut in the mid" + tt.ProgressSequence(term.Indeterminate, 0) + "\x1b[31m"))
	<-tt.Wrote()
	done := make(chan struct{})
	go func() { tt.Restore("bye\r\n"); close(done) }()
	<-done
	d.Screen(func(v *vt.Terminal) {
		m := v.Modes()
		if m.Alternate || m.BracketedPaste || m.Focus || m.Mouse != 0 || m.MouseSGR || m.SchemeReports || m.Sync ||
			!m.Autowrap || !m.CursorVisible || len(m.Kitty) != 0 || m.ModifyKeys != 0 || v.Progress() != "0" {
			t.Errorf("left behind: %+v progress %q", m, v.Progress())
		}
		if v.String() != "bye" {
			t.Errorf("screen %q", v)
		}
	})
}

func feed(tt *term.Term) []string {
	var out []string
	for {
		select {
		case chunk := <-tt.Input():
			for _, ev := range tt.Feed(chunk) {
				if k, ok := ev.(key.Event); ok {
					out = append(out, string(k.ID))
				} else {
					out = append(out, fmt.Sprintf("%T", ev))
				}
			}
		default:
			return out
		}
	}
}

// X6: the keyboard protocol is settled by what the terminal answers.
func TestNegotiation(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers vt.Answers
		kitty   bool
		modify  int
	}{
		{"kitty", vt.Answers{DA1: true, Kitty: true}, true, 0},
		{"only DA1", vt.Answers{DA1: true}, false, 2},
		{"silent", vt.Answers{}, false, 0},
	} {
		d := termtest.New(20, 5)
		d.Screen(func(v *vt.Terminal) { v.SetAnswers(c.answers) })
		tt := term.New(d, term.Options{Getenv: env()})
		if err := tt.Start(term.Screen{}); err != nil {
			t.Fatal(err)
		}
		if got := feed(tt); len(got) != 0 {
			t.Errorf("%s: leaked %q", c.name, got)
		}
		if tt.Kitty() != c.kitty {
			t.Errorf("%s: kitty %v", c.name, tt.Kitty())
		}
		d.Screen(func(v *vt.Terminal) {
			if got := v.Modes().ModifyKeys; got != c.modify {
				t.Errorf("%s: modifyOtherKeys %d, want %d", c.name, got, c.modify)
			}
		})
		d.Type("\x1b[?62c")
		if got := feed(tt); c.answers.DA1 && len(got) != 1 {
			t.Errorf("%s: somebody else's DA1 gives %q", c.name, got)
		}
		tt.Stop()
		d.Screen(func(v *vt.Terminal) {
			if m := v.Modes(); m.ModifyKeys != 0 || len(m.Kitty) != 0 {
				t.Errorf("%s: after stop %+v", c.name, m)
			}
		})
	}
	// Flags 0 means that the terminal knows the query but not the protocol.
	d := termtest.New(20, 5)
	tt := term.New(d, term.Options{Getenv: env()})
	if err := tt.Start(term.Screen{}); err != nil {
		t.Fatal(err)
	}
	d.Type("\x1b[?")
	feed(tt)
	d.Type("0u\x1b[?62c")
	feed(tt)
	d.Screen(func(v *vt.Terminal) {
		if v.Modes().ModifyKeys != 2 {
			t.Error("flags 0 does not fall back")
		}
	})
	tt.Stop()
}

// X7: colours arrive before the fence, or late.
func TestColorFence(t *testing.T) {
	d := termtest.New(20, 5)
	d.Screen(func(v *vt.Terminal) { v.SetAnswers(vt.Answers{DA1: true, Background: "rgb:10/20/30"}) })
	tt := term.New(d, term.Options{Getenv: env(), Colors: true})
	if err := tt.Start(term.Screen{}); err != nil {
		t.Fatal(err)
	}
	if tt.Fenced() {
		t.Error("fenced before any answer")
	}
	if got := feed(tt); len(got) != 2 || got[0] != "input.Color" || got[1] != "input.DeviceAttributes" {
		t.Errorf("%q", got)
	}
	if !tt.Fenced() {
		t.Error("not fenced after the answers")
	}
	d.Type("\x1b]10;rgb:1/2/3\x07")
	if got := feed(tt); len(got) != 1 || got[0] != "input.Color" {
		t.Errorf("late reply: %q", got)
	}
	tt.Stop()
}

// X5: late releases are swallowed, later typing is not waited for.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := termtest.New(20, 5)
		d.Screen(func(v *vt.Terminal) { v.SetAnswers(vt.Answers{DA1: true}) })
		tt := term.New(d, term.Options{Getenv: env()})
		if err := tt.Start(term.Screen{}); err != nil {
			t.Fatal(err)
		}
		go func() {
			for range 5 {
				time.Sleep(30 * time.Millisecond)
				d.Type("\x1b[13;1:3u")
			}
		}()
		start := time.Now()
		tt.Drain(time.Second, 50*time.Millisecond)
		if took := time.Since(start); took != 200*time.Millisecond {
			t.Errorf("took %v", took)
		}
		tt.Stop()
		if in, _ := d.Open(); len(in) != 0 {
			t.Error("something is left for the shell")
		}
	})
}

// X9: nothing is written to a terminal that is gone, and nothing hangs.
func TestGone(t *testing.T) {
	d := termtest.New(20, 5)
	tt := term.New(d, term.Options{Getenv: env()})
	if err := tt.Start(term.Screen{Alternate: true}); err != nil {
		t.Fatal(err)
	}
	d.HangUp()
	if _, ok := <-tt.Input(); ok {
		t.Error("input goes on")
	}
	tt.Send([]byte("x"))
	if w := <-tt.Wrote(); w.Err == nil || !tt.Gone() {
		t.Errorf("err %v gone %v", w.Err, tt.Gone())
	}
	tt.Done()
	tt.Stop()
}

// A terminal that takes nothing does not keep the program.
func TestStuckTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := termtest.New(20, 5)
		tt := term.New(d, term.Options{Getenv: env()})
		if err := tt.Start(term.Screen{}); err != nil {
			t.Fatal(err)
		}
		release := d.Hold()
		tt.Send([]byte("x"))
		start := time.Now()
		tt.Stop()
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("took %v", took)
		}
		release()
		synctest.Wait()
	})
}

func TestTitleCannotInject(t *testing.T) {
	if got := term.Title("a\x1b]52;c;x\x07b\nc\u009b"); strings.Count(got, "\x1b") != 1 || strings.Count(got, "\x07") != 1 {
		t.Errorf("%q", got)
	}
}

var _ input.Event = input.Color{}
