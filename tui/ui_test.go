package tui

import (
	"context"
	"errors"
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

// rig is a running UI on a virtual terminal. Use it inside synctest.Test.
type rig struct {
	t   *testing.T
	dev *termtest.Device
	ui  *UI
	err chan error
}

func noEnv(string) string { return "" }

func start(t *testing.T, w, h int, opt Options, setup func(*UI)) *rig {
	t.Helper()
	dev := termtest.New(w, h)
	r := &rig{t: t, dev: dev, err: make(chan error, 1)}
	r.ui = New(term.New(dev, term.Options{Getenv: noEnv}), opt)
	setup(r.ui)
	go func() { r.err <- r.ui.Run(context.Background()) }()
	r.settle()
	return r
}

// settle lets everything happen that is going to.
func (r *rig) settle() {
	synctest.Wait()
	time.Sleep(100 * time.Millisecond)
	synctest.Wait()
}

func (r *rig) do(f func()) {
	r.ui.Post(f)
	r.settle()
}

func (r *rig) typing(s string) {
	r.dev.Type(s)
	r.settle()
}

func (r *rig) stop() error {
	r.ui.Post(func() { r.ui.Quit(nil) })
	err := <-r.err
	synctest.Wait()
	return err
}

func (r *rig) want(screen string) {
	r.t.Helper()
	if got := r.dev.String(); got != strings.TrimRight(screen, "\n") {
		r.t.Errorf("screen:\n%s\nwant:\n%s", got, screen)
	}
}

// label is a component of fixed lines.
type label struct {
	lines   []string
	focused bool
	keys    []string
	widths  []int
	pastes  []string
	mouse   []MouseEvent
	use     bool
	panics  bool
}

func text1(lines ...string) *label { return &label{lines: lines} }

func (l *label) set(lines ...string) { l.lines = lines }

func (l *label) Render(width int) []string {
	l.widths = append(l.widths, width)
	if l.panics {
		panic("broken")
	}
	return l.lines
}
func (l *label) SetFocused(f bool) { l.focused = f }
func (l *label) HandleKey(ev key.Event) bool {
	l.keys = append(l.keys, string(ev.ID))
	return true
}
func (l *label) HandlePaste(s string) bool { l.pastes = append(l.pastes, s); return true }
func (l *label) HandleMouse(ev MouseEvent) bool {
	l.mouse = append(l.mouse, ev)
	return l.use
}

func TestShowsAndRestores(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, 20, 4, Options{Mouse: true, OnExit: func(int) []string { return []string{"bye", "\x1b[31mred"} }}, func(u *UI) {
			u.SetRoot(text1("hello", "world"))
		})
		r.want("hello\nworld")
		r.dev.Screen(func(v *vt.Terminal) {
			if m := v.Modes(); !m.Alternate || !m.BracketedPaste || m.Mouse == 0 || m.CursorVisible || m.Autowrap {
				t.Errorf("%+v", m)
			}
		})
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		r.want("bye\nred")
		r.dev.Screen(func(v *vt.Terminal) {
			if m := v.Modes(); m.Alternate || m.BracketedPaste || m.Mouse != 0 || !m.CursorVisible || !m.Autowrap {
				t.Errorf("%+v", m)
			}
		})
		if r.dev.IsRaw() {
			t.Error("the terminal is still taken")
		}
	})
}

// INV3, C-14: one write a frame, all of it between the brackets, only what
// changed, and nothing when nothing changed.
func TestFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := text1("one", "two", "three")
		r := start(t, 20, 4, Options{}, func(u *UI) { u.SetRoot(l) })
		r.dev.Writes()
		r.dev.Screen(func(v *vt.Terminal) { v.ResetStats() })
		r.do(func() { r.ui.RequestRender() })
		if w := r.dev.Writes(); len(w) != 0 {
			t.Errorf("nothing changed, but %q was written", w)
		}
		r.do(func() { l.set("one", "2", "three"); r.ui.RequestRender() })
		w := r.dev.Writes()
		if len(w) != 1 || string(w[0]) != "\x1b[?2026h\x1b[2;1H2\x1b[K\x1b[1;1H\x1b[?2026l" {
			t.Errorf("%q", w)
		}
		r.want("one\n2\nthree")
		r.dev.Screen(func(v *vt.Terminal) {
			if s := v.Stats(); s.OutsideSync != 0 || s.Frames != 1 || s.Sequences["ED2"] != 0 {
				t.Errorf("%+v", s)
			}
		})
		r.stop()
	})
}

func TestIdleDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := text1("x")
		r := start(t, 20, 4, Options{}, func(u *UI) { u.SetRoot(l) })
		r.dev.Writes()
		n := len(l.widths)
		time.Sleep(time.Hour)
		synctest.Wait()
		if w := r.dev.Writes(); len(w) != 0 || len(l.widths) != n {
			t.Errorf("%d writes, %d renders in an idle hour", len(w), len(l.widths)-n)
		}
		r.stop()
	})
}

func TestPacing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := text1("0")
		r := start(t, 20, 4, Options{}, func(u *UI) { u.SetRoot(l) })
		r.dev.Writes()
		for i := range 160 { // one change a millisecond
			r.ui.Post(func() { l.set(fmt.Sprint(i)); r.ui.RequestRender() })
			time.Sleep(time.Millisecond)
		}
		r.settle()
		if n := len(r.dev.Writes()); n < 9 || n > 12 {
			t.Errorf("%d frames in 160 ms", n)
		}
		r.want("159")
		// A key does not wait for the interval.
		r.do(func() { r.ui.Focus(l) })
		r.dev.Writes()
		r.ui.Post(func() { l.set("a"); r.ui.RequestRender() })
		synctest.Wait()
		time.Sleep(2 * time.Millisecond)
		l2 := time.Now()
		r.ui.OnKey(func(key.Event) bool { l.set("key"); return true })
		r.dev.Type("k")
		synctest.Wait()
		if r.dev.String() != "key" || time.Since(l2) != 0 {
			t.Errorf("after a key: %q", r.dev.String())
		}
		r.stop()
	})
}

// A slow terminal skips frames, and shows the latest state when it can.
func TestBackPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := text1("0")
		r := start(t, 20, 4, Options{}, func(u *UI) { u.SetRoot(l) })
		r.dev.Writes()
		release := r.dev.Hold()
		for i := range 50 {
			r.ui.Post(func() { l.set(fmt.Sprint("frame ", i)); r.ui.RequestRender() })
			time.Sleep(20 * time.Millisecond)
		}
		release()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := len(r.dev.Writes()); n != 2 {
			t.Errorf("%d frames, want the one that was stuck and the last", n)
		}
		r.want("frame 49")
		r.stop()
	})
}

func TestKeysAndPaste(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := text1("x")
		var before, after []string
		r := start(t, 20, 4, Options{}, func(u *UI) {
			u.SetRoot(l)
			u.OnKey(func(ev key.Event) bool { before = append(before, string(ev.ID)); return ev.ID == "ctrl+c" })
			u.OnUnusedKey(func(ev key.Event) bool { after = append(after, string(ev.ID)); return true })
		})
		r.typing("a") // nobody has the focus
		r.do(func() { r.ui.Focus(l) })
		r.typing("b\x03\x1b[97;1:3u\x1b[200~pasted\x1b[201~")
		r.typing("\x1b")
		if got := strings.Join(l.keys, " "); got != "b escape" {
			t.Errorf("component: %q", got)
		}
		if got := strings.Join(before, " "); got != "a b ctrl+c escape" {
			t.Errorf("before: %q", got)
		}
		if got := strings.Join(after, " "); got != "a" {
			t.Errorf("after: %q", got)
		}
		if len(l.pastes) != 1 || l.pastes[0] != "pasted" {
			t.Errorf("pastes %q", l.pastes)
		}
		if !l.focused {
			t.Error("not focused")
		}
		r.stop()
	})
}

// C-24: what was typed before the first frame arrives.
func TestEarlyKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := text1("x")
		dev := termtest.New(20, 4)
		dev.Type("hello\r" + strings.Repeat("k", 300))
		u := New(term.New(dev, term.Options{Getenv: noEnv}), Options{})
		u.SetRoot(l)
		u.Focus(l)
		done := make(chan error)
		go func() { done <- u.Run(context.Background()) }()
		time.Sleep(time.Second)
		synctest.Wait()
		if got := strings.Join(l.keys, ""); got != "helloenter"+strings.Repeat("k", 300) {
			t.Errorf("%q", got)
		}
		u.Post(func() { u.Quit(nil) })
		<-done
	})
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*rig, context.CancelFunc)
		want error
	}{
		{"quit", func(r *rig, _ context.CancelFunc) { r.ui.Post(func() { r.ui.Quit(errors.ErrUnsupported) }) }, errors.ErrUnsupported},
		{"signal", func(r *rig, _ context.CancelFunc) { r.dev.Signal(term.Terminate) }, ErrTerminated},
		{"hang up", func(r *rig, _ context.CancelFunc) { r.dev.HangUp() }, term.ErrGone},
		{"context", func(r *rig, cancel context.CancelFunc) { cancel() }, context.Canceled},
	} {
		synctest.Test(t, func(t *testing.T) {
			dev := termtest.New(20, 4)
			r := &rig{t: t, dev: dev, err: make(chan error, 1)}
			r.ui = New(term.New(dev, term.Options{Getenv: noEnv}), Options{Mouse: true})
			r.ui.SetRoot(text1("x"))
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			go func() { r.err <- r.ui.Run(ctx) }()
			r.settle()
			c.end(r, cancel)
			if err := <-r.err; !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
			if r.dev.IsRaw() {
				t.Errorf("%s: the terminal is still taken", c.name)
			}
			r.ui.Post(func() { t.Error("ran after the end") })
			r.settle()
		})
	}
}

// X10: a panic of the program puts the terminal back first.
func TestPanicRestores(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev := termtest.New(20, 4)
		u := New(term.New(dev, term.Options{Getenv: noEnv}), Options{Mouse: true})
		u.SetRoot(text1("x"))
		got := make(chan any, 1)
		go func() {
			defer func() { got <- recover() }()
			_ = u.Run(context.Background())
		}()
		time.Sleep(50 * time.Millisecond)
		u.Post(func() { panic("oh") })
		if v := <-got; v != "oh" {
			t.Errorf("recovered %v", v)
		}
		dev.Screen(func(v *vt.Terminal) {
			if m := v.Modes(); m.Alternate || m.Mouse != 0 || !m.CursorVisible || m.BracketedPaste {
				t.Errorf("%+v", m)
			}
		})
	})
}

// A hung program is put out of its misery, with the terminal put back.
func TestHungProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, 20, 4, Options{}, func(u *UI) { u.SetRoot(text1("x")) })
		stuck := make(chan struct{})
		r.ui.Post(func() { <-stuck })
		synctest.Wait()
		r.dev.Signal(term.Terminate)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		r.dev.Screen(func(v *vt.Terminal) {
			if m := v.Modes(); m.Alternate || !m.CursorVisible {
				t.Errorf("%+v", m)
			}
		})
		if r.dev.Died() != 1 {
			t.Error("still alive")
		}
		close(stuck)
		<-r.err
	})
}

func TestBrokenComponents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := text1()
		bad.panics = true
		wide := text1(strings.Repeat("x", 100), "日本日本日本日本日本日本", "a\x1b[2Jb\rc\nd\x07e", "\x1b[31mopen")
		r := start(t, 40, 8, Options{}, func(u *UI) {
			u.SetRoot(NewVStack(Fixed(text1("top")), Fixed(bad), Fixed(wide), Fixed(text1("end"))))
		})
		lines := strings.Split(r.dev.String(), "\n")
		if lines[0] != "top" || !strings.Contains(lines[1], "*tui.label panicked: broken") || lines[2] != strings.Repeat("x", 40) ||
			lines[4] != "abcde" || lines[6] != "end" {
			t.Errorf("%q", lines)
		}
		r.dev.Screen(func(v *vt.Terminal) {
			if v.Cell(6, 0).Style != (vt.Style{}) {
				t.Error("a colour runs into the next row")
			}
		})
		r.stop()
	})
}

func TestCursor(t *testing.T) {
	for _, fake := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := text1("你好" + CursorMarker + " " + CursorMarker)
			r := start(t, 20, 4, Options{FakeCursor: fake}, func(u *UI) { u.SetRoot(NewVStack(Fixed(text1("top")), Fixed(l))) })
			r.dev.Screen(func(v *vt.Terminal) {
				row, col := v.Cursor()
				if row != 1 || col != 4 || v.Modes().CursorVisible == fake || v.Cell(1, 4).Style.Reverse != fake {
					t.Errorf("fake %v: at %d,%d visible %v", fake, row, col, v.Modes().CursorVisible)
				}
				if v.Stats().Sequences["_-string"] != 0 {
					t.Error("a marker reached the terminal")
				}
			})
			r.stop()
		})
	}
}

// X3, C-23: suspending gives the terminal away and takes it back.
func TestSuspend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, 20, 4, Options{Mouse: true}, func(u *UI) { u.SetRoot(text1("draft")) })
		r.dev.OnSuspend(func() {
			if r.dev.IsRaw() {
				t.Error("suspended in raw mode")
			}
			r.dev.Screen(func(v *vt.Terminal) {
				if m := v.Modes(); m.Alternate || m.Mouse != 0 || m.BracketedPaste || !m.CursorVisible {
					t.Errorf("suspended with %+v", m)
				}
				v.WriteString("shell\r\n")
				v.Resize(30, 5)
			})
		})
		r.do(func() { _ = r.ui.Suspend() })
		r.want("draft")
		if w, h := r.ui.Size(); w != 30 || h != 5 {
			t.Errorf("size %dx%d", w, h)
		}
		r.dev.Signal(term.Stop)
		r.settle()
		if r.dev.Suspends() != 2 {
			t.Errorf("%d suspends", r.dev.Suspends())
		}
		r.do(func() {
			_ = r.ui.External(func() error {
				if r.dev.IsRaw() {
					t.Error("external program in raw mode")
				}
				return nil
			})
		})
		r.want("draft")
		r.stop()
		r.want("shell\nshell")
	})
}

// X12: after a storm of resizes the screen is right.
func TestResizeStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewList()
		for i := range 50 {
			l.Append(text1(fmt.Sprint("line ", i)))
		}
		r := start(t, 80, 24, Options{}, func(u *UI) { u.SetRoot(NewVStack(Fill(NewScrollView(u, l)), Fixed(text1("footer")))) })
		for i := range 200 {
			r.dev.SetSize(1+(i*7)%60, 1+(i*5)%30)
			time.Sleep(5 * time.Millisecond)
		}
		for _, s := range [][2]int{{1, 1}, {2, 2}, {10, 3}} {
			r.dev.SetSize(s[0], s[1])
			r.settle()
		}
		r.want("line 48\nline 49\nfooter")
		r.stop()
	})
}

func TestControlStrings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, 20, 4, Options{}, func(u *UI) { u.SetRoot(text1("x")) })
		r.dev.Writes()
		r.dev.Screen(func(v *vt.Terminal) { v.ResetStats() })
		r.do(func() { r.ui.SetTitle("t\x1b]0;evil\x07"); r.ui.Copy("hi"); r.ui.Bell() })
		r.dev.Screen(func(v *vt.Terminal) {
			if v.Title() != "t" || v.Clipboard() != "aGk=" || v.Bells() != 1 || v.Stats().OutsideSync != 0 {
				t.Errorf("title %q clipboard %q bells %d %+v", v.Title(), v.Clipboard(), v.Bells(), v.Stats())
			}
		})
		r.stop()
	})
}

// The first frame waits for the colours, but not for long.
func TestWaitColors(t *testing.T) {
	for _, c := range []struct {
		answers vt.Answers
		wait    time.Duration
		colors  int
	}{
		{vt.Answers{DA1: true, Background: "rgb:ff/ff/ff", Foreground: "rgb:0/0/0"}, 0, 2},
		{vt.Answers{DA1: true}, 0, 0},
		{vt.Answers{}, 100 * time.Millisecond, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			dev := termtest.New(20, 4)
			dev.Screen(func(v *vt.Terminal) { v.SetAnswers(c.answers) })
			colors, rendered := 0, time.Time{}
			u := New(term.New(dev, term.Options{Getenv: noEnv, Colors: true}), Options{WaitColors: true, OnColor: func(input.Color) {
				colors++
				if !rendered.IsZero() {
					t.Error("a frame came before the colours")
				}
			}})
			u.SetRoot(renderFunc(func(int) []string {
				if rendered.IsZero() {
					rendered = time.Now()
				}
				return []string{"x"}
			}))
			began := time.Now()
			done := make(chan error)
			go func() { done <- u.Run(context.Background()) }()
			time.Sleep(time.Second)
			synctest.Wait()
			if got := rendered.Sub(began); got != c.wait || colors != c.colors {
				t.Errorf("%+v: after %v, %d colours", c.answers, got, colors)
			}
			u.Post(func() { u.Quit(nil) })
			<-done
		})
	}
}

type renderFunc func(int) []string

func (f renderFunc) Render(w int) []string { return f(w) }

func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		r := start(t, 20, 4, Options{}, func(u *UI) {
			u.SetRoot(text1("x"))
			u.After(300*time.Millisecond, func() { got = append(got, "late") })
			u.After(200*time.Millisecond, func() { got = append(got, "early") })
			cancel := u.After(250*time.Millisecond, func() { got = append(got, "never") })
			cancel()
			cancel()
		})
		time.Sleep(time.Second)
		synctest.Wait()
		synctest.Wait()
		if strings.Join(got, " ") != "early late" {
			t.Errorf("%q", got)
		}
		r.stop()
	})
}

// Pieces that stream in wake the UI once a frame, in order with other posts.
func TestPostSoonSharesAFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &label{lines: []string{"0"}}
		r := start(t, 20, 3, Options{}, func(u *UI) { u.SetRoot(l) })
		r.dev.Writes()
		var order []int
		begin := time.Now()
		for i := range 100 {
			r.ui.PostSoon(func() { order = append(order, i); l.lines = []string{fmt.Sprint(i)} })
			if i == 50 {
				r.ui.Post(func() { order = append(order, -1) })
			}
			time.Sleep(time.Millisecond)
		}
		synctest.Wait()
		if took := time.Since(begin); took != 100*time.Millisecond {
			t.Errorf("posting took %v", took)
		}
		r.settle()
		if n := len(r.dev.Writes()); n > 10 {
			t.Errorf("%d frames in 100 ms", n)
		}
		if len(order) != 101 || order[51] != -1 || order[100] != 99 {
			t.Errorf("order %v", order)
		}
		r.want("99")
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}
