package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tau/tui/term"
	"tau/tui/termtest"
	"tau/tui/vt"
)

// TestCases holds inputs that broke such programs before, by their ids, as far
// as a whole UI is needed for them. The others are with what they test.
func TestCases(t *testing.T) {
	for _, inline := range []bool{false, true} {
		for _, c := range []struct {
			id, name string
			run      func(t *testing.T, inline bool)
		}{
			{"C-12", "content that shrinks and resizes", caseShrink},
			{"C-14", "a stream and then nothing", caseStream},
			{"C-15", "a paste in many reads", casePastes},
			{"C-16", "a paste that looks like keys", casePasteKeys},
			{"C-18", "a lone escape", caseEscape},
			{"C-19", "the keyboard protocol is switched off as often as on", caseKitty},
			{"C-20", "replies are not input", caseReplies},
			{"C-88", "signals", caseSignals},
			{"C-92", "tiny sizes", caseSizes},
		} {
			t.Run(fmt.Sprintf("%s %s inline=%v", c.id, c.name, inline), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { c.run(t, inline) })
			})
		}
	}
	t.Run("C-92 a dumb terminal", func(t *testing.T) {
		_, err := term.Open(term.Options{Getenv: func(k string) string { return map[string]string{"TERM": "dumb"}[k] }})
		if err == nil || !strings.Contains(err.Error(), "dumb") {
			t.Error(err)
		}
	})
}

func caseShrink(t *testing.T, inline bool) {
	many := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprint("line ", i)
		}
		return out
	}
	l := text1(many(30)...)
	r := start(t, 40, 12, Options{Inline: inline}, func(u *UI) { u.SetRoot(NewVStack(Fill(l), Fixed(text1("footer")))) })
	for _, n := range []int{5, 0, 30, 3} {
		r.do(func() { l.set(many(n)...); r.ui.RequestRender() })
		r.dev.Screen(func(v *vt.Terminal) {
			seen := 0
			for _, s := range v.Lines() {
				if strings.HasPrefix(s, "line ") {
					seen++
				}
			}
			if seen != min(n, 11) && !(n == 30 && seen == 10) { // inline says that some are hidden
				t.Errorf("%d lines, %d are seen\n%s", n, seen, v)
			}
			if strings.Count(v.String(), "footer") != 1 {
				t.Errorf("stale lines\n%s", v)
			}
		})
	}
	r.stop()

	// The width changes while text streams: the screen is that of a fresh start.
	doc := &doc{settled: -1, wrap: "start "}
	build := func(u *UI) { u.SetRoot(NewVStack(Fill(NewScrollView(u, NewList(doc))), Fixed(text1("footer")))) }
	r = start(t, 80, 10, Options{Inline: inline}, build)
	for i := range 60 {
		r.do(func() { doc.wrap += fmt.Sprintf("w%d ", i); r.ui.RequestRender() })
		if w := map[int]int{20: 40, 40: 80}[i]; w > 0 {
			r.dev.SetSize(w, 10)
			r.settle()
		}
	}
	got := r.dev.String()
	r.stop()
	fresh := start(t, 80, 10, Options{Inline: inline}, build)
	want := fresh.dev.String()
	fresh.stop()
	if inline { // what has scrolled off may stay above
		got = got[max(0, len(got)-len(want)):]
	}
	if got != want {
		t.Errorf("after the resizes:\n%s\nfresh:\n%s", got, want)
	}
}

func caseStream(t *testing.T, inline bool) {
	l := NewList()
	for i := range 5000 {
		l.Append(&settledDoc{doc{lines: []string{fmt.Sprint("line ", i)}, settled: allSettled}})
	}
	last := &doc{settled: -1, wrap: "x"}
	l.Append(last)
	r := start(t, 80, 24, Options{Inline: inline}, func(u *UI) {
		u.SetRoot(NewVStack(Fill(NewScrollView(u, l)), Fixed(text1("> "+CursorMarker))))
	})
	r.dev.Writes()
	r.dev.Screen(func(v *vt.Terminal) { v.ResetStats() })
	for i := range 1000 {
		r.ui.Post(func() { last.wrap += " w" + fmt.Sprint(i); r.ui.RequestRender() })
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		if got := len(r.dev.Writes()); got > 1 {
			t.Fatalf("%d writes for a frame", got)
		}
		r.dev.Screen(func(v *vt.Terminal) {
			if row, col := v.Cursor(); col != 2 || !v.Modes().CursorVisible || !strings.HasPrefix(v.Lines()[row], ">") {
				t.Fatalf("the cursor is at %d,%d", row, col)
			}
		})
	}
	r.dev.Screen(func(v *vt.Terminal) {
		s := v.Stats()
		if s.OutsideSync != 0 || s.Frames < 900 || s.Frames > 1001 || s.Bytes > 1000*200 {
			t.Errorf("%+v", s)
		}
	})
	r.dev.Type("\x1b[O\x1b[I")
	r.settle()
	r.dev.Writes()
	time.Sleep(10 * time.Second)
	synctest.Wait()
	if w := r.dev.Writes(); len(w) != 0 {
		t.Errorf("idle, but %q is written", w)
	}
	r.stop()
}

func casePastes(t *testing.T, inline bool) {
	l := text1("x")
	r := start(t, 20, 4, Options{Inline: inline}, func(u *UI) { u.SetRoot(l); u.Focus(l) })
	all := "\x1b[200~a\r\nb\rc 日本\x1b[201~k"
	for i := range len(all) {
		r.dev.Type(all[i : i+1])
		time.Sleep(2 * time.Millisecond)
	}
	r.settle()
	if len(l.pastes) != 1 || l.pastes[0] != "a\nb\nc 日本" || strings.Join(l.keys, " ") != "k" {
		t.Errorf("pastes %q, keys %q", l.pastes, l.keys)
	}
	r.stop()
}

func casePasteKeys(t *testing.T, inline bool) {
	l := text1("x")
	r := start(t, 20, 4, Options{Inline: inline}, func(u *UI) { u.SetRoot(l); u.Focus(l) })
	r.typing("\x1b[200~up\x1b[A ctrl\x03 csi-u\x1b[99;5u 90:62:3F end\n\x1b[201~")
	if len(l.keys) != 0 || len(l.pastes) != 1 || !strings.Contains(l.pastes[0], "90:62:3F end\n") {
		t.Errorf("pastes %q, keys %q", l.pastes, l.keys)
	}
	r.stop()
}

func caseEscape(t *testing.T, inline bool) {
	l := text1("x")
	r := start(t, 20, 4, Options{Inline: inline}, func(u *UI) { u.SetRoot(l); u.Focus(l) })
	r.dev.Type("\x1b")
	time.Sleep(100 * time.Millisecond)
	synctest.Wait()
	if strings.Join(l.keys, " ") != "escape" {
		t.Errorf("100 ms after: %q", l.keys)
	}
	r.typing("\x1bb")
	r.dev.Type("\x1b[")
	time.Sleep(40 * time.Millisecond)
	r.typing("A")
	if got := strings.Join(l.keys, " "); got != "escape alt+left up" {
		t.Errorf("%q", got)
	}
	r.stop()
}

func caseKitty(t *testing.T, inline bool) {
	dev := termtest.New(20, 4)
	dev.Screen(func(v *vt.Terminal) { v.SetAnswers(vt.Answers{DA1: true, Kitty: true}); v.WriteString("\x1b[>1u") })
	r := &rig{t: t, dev: dev, err: make(chan error, 1)}
	r.ui = New(term.New(dev, term.Options{Getenv: noEnv}), Options{Inline: inline})
	r.ui.SetRoot(text1("x"))
	depth := func() (n int) {
		dev.Screen(func(v *vt.Terminal) { n = len(v.Modes().Kitty) })
		return n
	}
	before := depth()
	dev.OnSuspend(func() {
		if depth() != before {
			t.Errorf("suspended with %d flags on the stack, not %d", depth(), before)
		}
	})
	go func() { r.err <- r.ui.Run(context.Background()) }()
	r.settle()
	r.do(func() { _ = r.ui.Suspend() })
	r.do(func() { r.ui.SetInline(!inline) })
	r.do(func() { r.ui.SetInline(inline) })
	r.stop()
	if depth() != before {
		t.Errorf("ended with %d flags on the stack, not %d", depth(), before)
	}
}

func caseReplies(t *testing.T, inline bool) {
	l := text1("x")
	r := start(t, 20, 4, Options{Inline: inline}, func(u *UI) { u.SetRoot(l); u.Focus(l) })
	want := ""
	for _, reply := range []string{"\x1b]11;rgb:1111/2222/3333\x1b\\", "\x1b]10;rgb:ffff/ffff/ffff\x07", "\x1b[6;18;9t", "\x1b[I", "\x1b[?62;22c", "\x1bP>|term 1.2\x1b\\", "\x1b[?2026;1$y"} {
		r.typing("a" + reply + "b")
		want += "ab"
		for cut := 2; cut < len(reply); cut += 3 {
			r.dev.Type("c" + reply[:cut])
			synctest.Wait()
			r.typing(reply[cut:] + "d")
			want += "cd"
		}
	}
	if got := strings.Join(l.keys, ""); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// A reply that comes while the program ends is dropped.
	r.ui.Post(func() { r.ui.Quit(nil) })
	r.dev.Type("\x1b]11;rgb:1111/2222/3333\x1b\\")
	<-r.err
	if got := strings.Join(l.keys, ""); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func caseSignals(t *testing.T, inline bool) {
	r := start(t, 20, 4, Options{Inline: inline, Mouse: true}, func(u *UI) { u.SetRoot(text1("x")) })
	begin := time.Now()
	r.dev.Signal(term.Terminate)
	if err := <-r.err; !errors.Is(err, ErrTerminated) || time.Since(begin) > 2*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
	r.dev.Screen(func(v *vt.Terminal) {
		if m := v.Modes(); m.Alternate || m.Mouse != 0 || m.BracketedPaste || !m.CursorVisible || !m.Autowrap {
			t.Errorf("%+v", m)
		}
	})
	if r.dev.IsRaw() {
		t.Error("the terminal is still taken")
	}
}

func caseSizes(t *testing.T, inline bool) {
	l := NewList(text1("first 日本"), &doc{wrap: strings.Repeat("words 日本 ", 20), settled: -1})
	r := start(t, 30, 8, Options{Inline: inline}, func(u *UI) {
		v := NewScrollView(u, l)
		u.SetViewport(v)
		u.SetRoot(NewVStack(Fill(v), Fixed(text1("> "+CursorMarker)), Fixed(text1("footer 日本"))))
	})
	for _, s := range [][2]int{{1, 1}, {2, 2}, {10, 3}, {0, 0}, {1, 30}, {200, 1}, {30, 8}} {
		r.dev.SetSize(s[0], s[1])
		r.settle()
		r.do(func() { l.Append(text1("更 more")); r.ui.RequestRender() })
		r.do(func() {
			o := r.ui.ShowOverlay(text1("╭──╮", "│日│", "╰──╯"), OverlayOptions{})
			r.ui.OpenSearch()
			r.ui.After(10*time.Millisecond, func() { r.ui.CloseSearch(); o.Hide() })
		})
	}
	r.dev.Screen(func(v *vt.Terminal) {
		if s := v.String(); !strings.HasSuffix(s, "更 more\n>\nfooter 日本") {
			t.Errorf("after all\n%s", s)
		}
	})
	r.stop()
}
