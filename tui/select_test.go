package tui

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tau/tui/term"
	"tau/tui/termtest"
	"tau/tui/vt"
)

// reversed returns the reversed text of each row of the screen.
func reversed(v *vt.Terminal) string {
	var rows []string
	w, h := v.Size()
	for y := range h {
		var b strings.Builder
		for x := range w {
			if c := v.Cell(y, x); c.Style.Reverse && c.Width > 0 {
				b.WriteString(c.Text)
			}
		}
		if b.Len() > 0 {
			rows = append(rows, b.String())
		}
	}
	return strings.Join(rows, "|")
}

func (r *rig) wantReversed(want string) {
	r.t.Helper()
	r.dev.Screen(func(v *vt.Terminal) {
		if got := reversed(v); got != want {
			r.t.Errorf("highlighted %q, want %q\n%s", got, want, v)
		}
	})
}

func (r *rig) wantClipboard(want string) {
	r.t.Helper()
	r.dev.Screen(func(v *vt.Terminal) {
		if got := decode(v.Clipboard()); got != want {
			r.t.Errorf("clipboard %q, want %q", got, want)
		}
	})
}

func decode(s string) string {
	b, _ := base64.StdEncoding.DecodeString(s)
	return string(b)
}

func press(x, y int) string   { return fmt.Sprintf("\x1b[<0;%d;%dM", x+1, y+1) }
func drag(x, y int) string    { return fmt.Sprintf("\x1b[<32;%d;%dM", x+1, y+1) }
func release(x, y int) string { return fmt.Sprintf("\x1b[<0;%d;%dm", x+1, y+1) }

// V11: selecting by characters, words and lines.
func TestSelection(t *testing.T) {
	for _, c := range []struct {
		name, mouse, shown, copied string
	}{
		{"characters", press(1, 0) + drag(3, 0) + release(3, 0), "ell", "ell"},
		{"backwards", press(3, 0) + drag(1, 0) + release(1, 0), "ell", "ell"},
		{"over lines", press(4, 0) + drag(2, 1) + release(2, 1), "o world  |see", "o world\nsee"},
		{"wide characters snap", press(1, 2) + drag(2, 2) + release(2, 2), "日本", "日本"},
		{"over nodes and colours", press(0, 2) + drag(4, 4) + release(4, 4), "日本語|red p", "日本語\n\nred p"},
		{"word", press(1, 0) + release(1, 0) + press(1, 0) + release(1, 0), "hello", "hello"},
		{"path is a word", press(7, 1) + release(7, 1) + press(7, 1) + release(7, 1), "./a/b_c.go", "./a/b_c.go"},
		{"words while dragging", press(1, 0) + release(1, 0) + press(1, 0) + drag(8, 0) + release(8, 0), "hello world", "hello world"},
		{"line", strings.Repeat(press(1, 1)+release(1, 1), 3), "see ./a/b_c.go now", "see ./a/b_c.go now"},
		{"a block of columns", "\x1b[<8;5;1M\x1b[<40;8;2M\x1b[<8;8;2m", "o wo|./a/", "o wo\n./a/"},
		{"a block, upwards", "\x1b[<8;8;2M\x1b[<40;5;1M\x1b[<8;5;1m", "o wo|./a/", "o wo\n./a/"},
		{"a block over nodes", "\x1b[<8;2;2M\x1b[<40;4;5M\x1b[<8;4;5m", "ee |本|ed ", "ee\n本\n\ned"},
		{"a click selects nothing", press(1, 1) + release(1, 1), "", ""},
		{"a fourth click begins again", strings.Repeat(press(1, 1)+release(1, 1), 4), "", "see ./a/b_c.go now"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t, 24, 7, Options{Mouse: true, CopyOnSelect: true}, func(u *UI) {
				l := NewList(text1("hello world  ", "see ./a/b_c.go now", "日本語"), text1("\x1b[31mred\x1b[0m plain"))
				l.Gap = 1
				u.SetRoot(l)
				u.Viewport().Scrollbar = ScrollbarHidden
			})
			r.typing(c.mouse)
			r.wantReversed(c.shown)
			r.wantClipboard(c.copied)
			r.stop()
		})
	}
}

func TestSelectionScrollsAtTheEdge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewList()
		for i := range 50 {
			l.Append(text1(fmt.Sprintf("line %02d", i)))
		}
		r := start(t, 24, 5, Options{Mouse: true, CopyOnSelect: true}, func(u *UI) {
			u.SetRoot(l)
			u.Viewport().Scrollbar = ScrollbarHidden
		})
		r.typing(press(0, 3) + drag(0, 0))
		time.Sleep(450 * time.Millisecond) // with what settle has waited: ten rows or so
		r.settle()
		r.typing(release(0, 0))
		first := strings.SplitN(r.dev.String(), "\n", 2)[0]
		if first < "line 30" || first > "line 37" {
			t.Errorf("the first row is %q", first)
		}
		r.dev.Screen(func(v *vt.Terminal) {
			got := strings.Split(decode(v.Clipboard()), "\n")
			if got[0] != first || got[len(got)-1] != "l" {
				t.Errorf("from %q to %q", got[0], got[len(got)-1])
			}
		})
		at := r.dev.String()
		time.Sleep(time.Second)
		if r.dev.String() != at {
			t.Error("scrolls on after the release")
		}
		// Growing content moves neither the view nor the selection.
		r.do(func() { l.Append(text1("new")); r.ui.RequestRender() })
		if r.dev.String() != at {
			t.Error("the view moved")
		}
		// V12: a replaced transcript has no selection.
		r.do(func() { l.Clear(); l.Append(text1("other")); r.ui.RequestRender() })
		r.wantReversed("")
		r.stop()
	})
}

// V12: what the window misses while it has no focus must not leave a drag behind.
func TestFocusOutEndsDrag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, 24, 5, Options{Mouse: true}, func(u *UI) { u.SetRoot(text1("hello world")) })
		r.typing(press(0, 0) + drag(3, 0) + "\x1b[O")
		r.typing(drag(8, 0))
		r.wantReversed("hell")
		// Without copying on release, the copy key copies.
		r.typing("\x03")
		r.wantClipboard("hell")
		r.wantReversed("")
		r.stop()
	})
}

func TestClicksAndLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := text1("\x1b]8;;https://x.test/a\x1b\\link\x1b]8;;\x1b\\ text")
		var opened []string
		r := start(t, 24, 5, Options{Mouse: true, OpenLink: func(u string) { opened = append(opened, u) }}, func(u *UI) {
			u.SetRoot(NewList(text1("first"), l))
		})
		r.typing(press(2, 1) + release(2, 1)) // V14
		if len(opened) != 1 || opened[0] != "https://x.test/a" {
			t.Errorf("opened %q", opened)
		}
		for _, ev := range l.mouse {
			if ev.Kind == MouseClick {
				t.Error("the component got the click on the link")
			}
		}
		// V15: clicks count 1, 2, 3, 1 in the component's own coordinates.
		l.mouse, l.use = nil, true
		for range 4 {
			r.typing(press(6, 1) + release(6, 1))
		}
		var counts []int
		for _, ev := range l.mouse {
			if ev.Kind == MouseClick {
				counts = append(counts, ev.Clicks)
				if ev.X != 6 || ev.Y != 0 {
					t.Errorf("at %d,%d", ev.X, ev.Y)
				}
			}
		}
		if fmt.Sprint(counts) != "[1 2 3 1]" {
			t.Errorf("clicks %v", counts)
		}
		// V16: a used press keeps the mouse, wherever it goes.
		l.mouse = nil
		r.typing(press(6, 1) + drag(20, 4) + release(20, 4))
		var kinds []string
		for _, ev := range l.mouse {
			kinds = append(kinds, fmt.Sprint(ev.Kind, ":", ev.X, ",", ev.Y))
		}
		if got := strings.Join(kinds, " "); got != "0:6,0 2:20,3 1:20,3" {
			t.Errorf("%s", got)
		}
		r.stop()
	})
}

func TestEndLabel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewList()
		for i := range 30 {
			l.Append(text1(fmt.Sprint("line ", i)))
		}
		r := start(t, 24, 5, Options{Mouse: true}, func(u *UI) {
			u.SetRoot(l)
			u.Viewport().Scrollbar = ScrollbarHidden
			u.Viewport().EndLabel = " to the end "
		})
		r.want("line 25\nline 26\nline 27\nline 28\nline 29")
		r.typing("\x1b[<64;1;1M")
		r.want("line 24\nline 25\nline 26\nline 27\nline 2 to the end")
		r.do(func() {
			r.ui.ShowOverlay(text1("box"), OverlayOptions{Width: Cells(4), Anchor: TopRight, NonCapturing: true})
		})
		r.typing("\x1b[<64;24;1M") // V4: an overlay without a use for the wheel lets it through
		if !strings.HasPrefix(r.dev.String(), "line 23") {
			t.Errorf("wheel over an overlay:\n%s", r.dev)
		}
		r.do(func() { r.ui.HideOverlay() })
		r.typing(press(8, 4) + release(8, 4))
		r.want("line 25\nline 26\nline 27\nline 28\nline 29")
		r.stop()
	})
}

// V9
func TestPromptJump(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewList()
		for i := range 5 {
			l.Append(text1(PromptMark+fmt.Sprint("prompt ", i), "more"))
			l.Append(text1("answer", "answer", "answer", "answer"))
		}
		r := start(t, 24, 4, Options{}, func(u *UI) {
			u.SetRoot(l)
			u.Viewport().Scrollbar = ScrollbarHidden
		})
		top := func() string { return strings.SplitN(r.dev.String(), "\n", 2)[0] }
		for _, c := range []struct{ key, want string }{
			{"\x1b[1;5A", "prompt 4"}, {"\x1b[1;6A", "prompt 3"}, {"\x1b[1;5A", "prompt 2"}, {"\x1b[1;5B", "prompt 3"},
			{"\x1b[1;5A", "prompt 2"}, {"\x1b[1;5A", "prompt 1"}, {"\x1b[1;5A", "prompt 0"}, {"\x1b[1;5A", "prompt 0"},
		} {
			r.typing(c.key)
			if top() != c.want {
				t.Errorf("%q: %q, want %q", c.key, top(), c.want)
			}
		}
		for range 5 {
			r.typing("\x1b[1;5B")
		}
		if !r.ui.Viewport().Following() {
			t.Error("does not follow behind the last prompt")
		}
		r.dev.Screen(func(v *vt.Terminal) {
			if v.Stats().Sequences["OSC133"] != 0 {
				t.Error("a mark reached the terminal")
			}
		})
		r.stop()
	})
}

// V10
func TestSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewList()
		for i := range 60 {
			l.Append(text1(fmt.Sprint("line ", i)))
		}
		l.Insert(10, text1("the Quick brown   ", "fox, 日本語"))
		l.Insert(40, text1("quick BROWN fox"))
		editor := text1("> ")
		r := start(t, 60, 12, Options{}, func(u *UI) {
			v := NewScrollView(u, l)
			v.Scrollbar = ScrollbarHidden
			u.SetViewport(v)
			u.SetRoot(NewVStack(Fill(v), Fixed(editor)))
			u.Focus(editor)
		})
		r.typing("\x1b[102;6u") // ctrl+shift+f
		r.typing("brown fox")
		r.wantReversed("BROWN fox")
		if !strings.Contains(r.dev.String(), "2/2") || !strings.Contains(r.dev.String(), "search") {
			t.Errorf("panel:\n%s", r.dev)
		}
		r.typing("\r") // around the end
		r.wantReversed("brown|fox")
		r.dev.Screen(func(v *vt.Terminal) {
			if row, _ := v.Cursor(); row != 1 {
				t.Errorf("the cursor is in row %d", row)
			}
		})
		r.typing("\x1b[5~") // manual scrolling is not undone
		at := strings.SplitN(r.dev.String(), "\n", 2)[0]
		r.do(func() { l.Append(text1("brown fox again")); r.ui.RequestRender() })
		if got := strings.SplitN(r.dev.String(), "\n", 2)[0]; got != at {
			t.Errorf("the view moved to %q", got)
		}
		r.typing("\x07\x07") // two on: the one that was added
		r.wantReversed("brown fox")
		r.typing("\x7f\x15日本")
		r.wantReversed("日本")
		r.typing("\x1b")
		r.wantReversed("")
		if r.ui.Focused() != Component(editor) || len(editor.keys) != 0 {
			t.Errorf("focus %T, keys %q", r.ui.Focused(), editor.keys)
		}
		r.stop()
	})
}

func TestSearchLargeTranscript(t *testing.T) {
	l := NewList()
	for i := range 20000 {
		l.Append(&block{name: fmt.Sprint("needle", i%1000), n: 1})
	}
	n := 0
	for _, node := range l.nodes {
		n += len(find(node, node.comp.Render(80), []rune("needle7.")))
	}
	if n != 20 {
		t.Errorf("%d matches", n)
	}
}

// V13: what became of a copy is told, and a clipboard that fails leaves it to
// the terminal.
func TestCopyReports(t *testing.T) {
	for _, fails := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var told, clip []string
			r := start(t, 24, 5, Options{
				Clipboard: func(s string) error {
					clip = append(clip, s)
					if fails {
						return errors.New("no clipboard")
					}
					return nil
				},
				OnCopied: func(s string, err error) { told = append(told, fmt.Sprint(s, " ", err)) },
			}, func(u *UI) { u.SetRoot(text1("x")) })
			r.do(func() { r.ui.Copy("hi") })
			want, terminal := "hi <nil>", ""
			if fails {
				want, terminal = "hi no clipboard", "hi"
			}
			if len(clip) != 1 || len(told) != 1 || told[0] != want {
				t.Errorf("clipboard %q, told %q", clip, told)
			}
			r.wantClipboard(terminal)
			r.stop()
		})
	}
}

// What stands outside of the transcript can be copied too.
func TestScreenSelection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, 24, 6, Options{Mouse: true, CopyOnSelect: true}, func(u *UI) {
			v := NewScrollView(u, text1("transcript"))
			u.SetViewport(v)
			u.SetRoot(NewVStack(Fill(v), Fixed(text1("status 日本  ", "footer"))))
			u.ShowOverlay(text1("dialog", "text"), OverlayOptions{Width: Cells(8), Row: Cells(1), Col: Cells(10)})
		})
		r.typing(press(7, 4) + drag(8, 4) + release(8, 4))
		r.wantReversed("日")
		r.wantClipboard("日")
		r.typing(press(9, 4) + drag(2, 5) + release(2, 5))
		r.wantReversed("本  |foo")
		r.wantClipboard("本\nfoo")
		r.typing(press(10, 1) + drag(12, 1) + release(12, 1))
		r.wantReversed("dia")
		r.wantClipboard("dia")
		r.typing("x")
		r.wantReversed("")
		r.stop()
	})
}

// Steps go through all matches in order and around the ends, whatever happens
// to the list meanwhile.
func TestSearchSteps(t *testing.T) {
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		line := func() string { return []string{"x", "hit", "x hit y hit", "y"}[r.Intn(4)] }
		l := NewList()
		for range 1 + r.Intn(30) {
			l.Append(text1(line(), line()))
		}
		u := New(term.New(termtest.New(60, 12), term.Options{Getenv: noEnv}), Options{})
		v := NewScrollView(u, l)
		u.SetViewport(v)
		u.SetRoot(v)
		u.w, u.h = 60, 12
		u.compose()
		u.OpenSearch()
		u.find.setQuery("hit")
		for u.find.cursor > 0 { // on a busy machine its share of time may be too short
			u.find.work()
		}
		for range 40 {
			switch r.Intn(6) {
			case 0:
				l.Append(text1(line()))
			case 1:
				l.Insert(r.Intn(l.Len()+1), text1(line()))
			case 2:
				if n := l.At(r.Intn(l.Len())); l.Len() > 1 && n != u.find.current.node {
					l.Remove(n)
				}
			case 3:
				l.At(r.Intn(l.Len())).comp.(*label).set(line(), line(), line())
			}
			u.compose()
			var all []match
			for _, n := range l.nodes {
				all = append(all, find(n, n.comp.Render(60), []rune("hit"))...)
			}
			dir := 2*r.Intn(2) - 1
			if !u.find.picked || len(all) == 0 {
				u.find.step(dir)
				continue
			}
			var want match
			old := u.find.current
			for i := range all {
				m := all[i]
				if dir < 0 {
					m = all[len(all)-1-i]
				}
				if i == 0 || dir > 0 && old.before(m) && !old.before(want) || dir < 0 && m.before(old) && !want.before(old) {
					want = m
				}
			}
			u.find.step(dir)
			if got := u.find.current; got != want {
				t.Fatalf("seed %d: from %v by %d to %v, want %v of %v", seed, old, dir, got, want, all)
			}
			// The number counts what has been looked at; a look at all makes it exact.
			for _, n := range l.nodes {
				u.find.node(n)
			}
			o := u.find.sorted()
			if i := slices.Index(all, want) + 1; o.total != len(all) || o.number(u.find.with, want) != i {
				t.Fatalf("seed %d: number %d of %d, want %d of %d", seed, o.number(u.find.with, want), o.total, i, len(all))
			}
		}
	}
}
