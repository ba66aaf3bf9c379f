package tui

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tau/tui/vt"
)

// block is a node of n lines with a version.
type block struct {
	name    string
	n       int
	version uint64
	renders int
	cache   []string
}

func (b *block) Version() uint64 { return b.version }
func (b *block) grow(n int)      { b.n = n; b.version++; b.cache = nil }
func (b *block) Render(width int) []string {
	b.renders++
	if b.cache == nil {
		b.cache = make([]string, b.n)
		for i := range b.cache {
			b.cache[i] = fmt.Sprintf("%s.%d", b.name, i)
		}
	}
	return b.cache
}

// tall is a Ranger.
type tall struct{ n, rendered int }

func (c *tall) Height(int) int            { return c.n }
func (c *tall) Render(width int) []string { return c.RenderRange(width, 0, c.n) }
func (c *tall) RenderRange(_, from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		c.rendered++
		out = append(out, fmt.Sprint("row ", i))
	}
	return out
}

func view(v *ScrollView, w, h int) string {
	return strings.Join(v.RenderArea(w, h), " ")
}

func TestScrollView(t *testing.T) {
	l := NewList(&block{name: "a", n: 3}, &block{name: "b", n: 2}, &block{name: "c", n: 4})
	v := NewScrollView(nil, l)
	v.Scrollbar = ScrollbarHidden
	step := func(want string) {
		t.Helper()
		if got := view(v, 10, 3); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	step("c.1 c.2 c.3")
	c := l.At(2).Component().(*block)
	c.grow(5)
	step("c.2 c.3 c.4") // V1
	v.ScrollBy(-3)
	step("b.1 c.0 c.1")
	if v.Following() {
		t.Error("follows while scrolled up")
	}
	c.grow(9)
	step("b.1 c.0 c.1") // V2
	l.At(0).Component().(*block).grow(50)
	step("b.1 c.0 c.1") // growth above moves nothing
	l.Insert(0, &block{name: "z", n: 7})
	step("b.1 c.0 c.1")
	l.Append(&block{name: "d", n: 1})
	step("b.1 c.0 c.1")
	v.ScrollBy(100)
	step("c.7 c.8 d.0") // V3
	if !v.Following() {
		t.Error("does not follow at the end")
	}
	l.Append(&block{name: "e", n: 1})
	step("c.8 d.0 e.0")
	v.ScrollToStart()
	step("z.0 z.1 z.2")
	v.ScrollBy(-5)
	step("z.0 z.1 z.2")
	l.Remove(l.At(0))
	step("a.0 a.1 a.2")
	l.At(0).Component().(*block).grow(1)
	step("a.0 b.0 b.1")
	v.ScrollTo(l.At(2), 4, 1)
	step("c.3 c.4 c.5")
	l.Remove(l.At(2)) // the node of the top row
	step("b.1 d.0 e.0")
	l.Clear()
	step("")
	l.Append(&block{name: "new", n: 2})
	step("new.0 new.1")
}

func TestScrollShrinkWhileUp(t *testing.T) {
	b := &block{name: "x", n: 20}
	v := NewScrollView(nil, b)
	v.Scrollbar = ScrollbarHidden
	view(v, 10, 4)
	v.ScrollBy(-5)
	view(v, 10, 4)
	b.grow(6)
	if got := view(v, 10, 4); got != "x.2 x.3 x.4 x.5" {
		t.Errorf("%q", got)
	}
}

// A change of the width leaves the text at the top where it is.
func TestScrollKeepsTextWhenWrapped(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "w%d ", i)
	}
	v := NewScrollView(nil, NewList(&doc{wrap: b.String()}))
	v.Scrollbar = ScrollbarHidden
	v.RenderArea(60, 5)
	v.ScrollBy(-12)
	word := strings.Fields(v.RenderArea(60, 5)[0])[0]
	for _, w := range []int{30, 90, 41, 60} {
		if got := v.RenderArea(w, 5)[0]; !strings.Contains(got+" ", word+" ") {
			t.Errorf("at width %d the top row is %q, without %s", w, got, word)
		}
		word = strings.Fields(v.RenderArea(w, 5)[0])[0]
	}
}

func TestListGap(t *testing.T) {
	l := NewList(&block{name: "a", n: 1}, &block{name: "empty"}, &block{name: "b", n: 2})
	l.Gap = 1
	v := NewScrollView(nil, l)
	v.Scrollbar = ScrollbarHidden
	if got := strings.Join(v.RenderArea(10, 9), "|"); got != "a.0||b.0|b.1" {
		t.Errorf("%q", got)
	}
	if got := strings.Join(v.RenderArea(10, 3), "|"); got != "|b.0|b.1" {
		t.Errorf("%q", got)
	}
	if got := strings.Join(l.Render(10), "|"); got != "a.0||b.0|b.1" {
		t.Errorf("%q", got)
	}
	if n, line, ok := v.at(1); !ok || n.Index() != 2 || line != 0 {
		t.Errorf("row 1 is node %v line %d", n, line)
	}
}

// The view equals a cut of everything, for any sequence of changes.
func TestScrollAgainstModel(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	for round := range 60 {
		l := NewList()
		l.Gap = round % 2
		v := NewScrollView(nil, l)
		v.Scrollbar = ScrollbarHidden
		for range 80 {
			switch k := r.Intn(9); {
			case k < 3:
				l.Append(&block{name: fmt.Sprint("n", r.Intn(1000)), n: r.Intn(6)})
			case k == 3:
				l.Insert(r.Intn(l.Len()+1), &block{name: fmt.Sprint("i", r.Intn(1000)), n: r.Intn(4)})
			case k == 4 && l.Len() > 0:
				l.Remove(l.At(r.Intn(l.Len())))
			case k == 5 && l.Len() > 0:
				l.At(r.Intn(l.Len())).Component().(*block).grow(r.Intn(9))
			case k == 6:
				v.ScrollBy(r.Intn(21) - 10)
			case k == 7:
				v.ScrollToStart()
			case k == 8:
				v.scrollToRow(r.Intn(60))
			}
			h := 1 + r.Intn(12)
			got := append([]string(nil), v.RenderArea(10, h)...)
			all := l.Render(10)
			if want := min(h, len(all)); len(got) != want {
				t.Fatalf("%d rows, want %d of %d", len(got), want, len(all))
			}
			top, _, _ := v.Position()
			if v.following {
				top = max(0, len(all)-h)
			}
			ok := false
			for at := 0; at+len(got) <= len(all) && !ok; at++ {
				ok = strings.Join(all[at:at+len(got)], "|") == strings.Join(got, "|") && (!v.following || at == top)
			}
			if !ok {
				t.Fatalf("following %v: %q is no part of %q", v.following, got, all)
			}
		}
	}
}

func TestFenwick(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	var f fenwick
	var h []int
	for range 500 {
		switch r.Intn(3) {
		case 0:
			f.append()
			h = append(h, -1)
		case 1:
			if len(h) > 0 {
				i, now := r.Intn(len(h)), r.Intn(20)
				f.set(i, h[i], now)
				h[i] = now
			}
		case 2:
			var g fenwick
			g.rebuild(len(h), func(i int) int { return h[i] })
			if g.rows() != f.rows() || g.before(len(h)/2) != f.before(len(h)/2) {
				t.Fatal("rebuilding changes the sums")
			}
		}
		for i := range h {
			if h[i] > 0 {
				if at, off := f.find(f.before(i)); at > i || off < 0 {
					t.Fatalf("row %d of node %d is found in node %d at %d", f.before(i), i, at, off)
				}
			}
		}
	}
}

// The counters: what a frame touches does not depend on how much there is.
func TestFrameCost(t *testing.T) {
	cost := func(n int) (renders int) {
		l := NewList()
		for i := range n {
			l.Append(&block{name: fmt.Sprint(i), n: 1 + i%3})
		}
		last := &block{name: "last", n: 1}
		l.Append(last)
		v := NewScrollView(nil, l)
		v.RenderArea(80, 40)
		if l.renders > 41 {
			t.Errorf("%d nodes: the first frame renders %d", n, l.renders)
		}
		l.renders = 0
		for i := range 100 {
			last.grow(1 + i/10)
			v.RenderArea(80, 40)
		}
		return l.renders
	}
	small, large := cost(1000), cost(100000)
	if small != large || small > 140 {
		t.Errorf("100 frames render %d nodes of 1,000 and %d of 100,000", small, large)
	}
	// A Ranger renders the rows in sight.
	c := &tall{n: 1000000}
	v := NewScrollView(nil, c)
	v.RenderArea(80, 40)
	if c.rendered != 40 {
		t.Errorf("%d rows rendered", c.rendered)
	}
}

func TestWheel(t *testing.T) { // V8
	for gap, want := range map[time.Duration]int{100 * time.Millisecond: 1, 50 * time.Millisecond: 2, 20 * time.Millisecond: 5, 6 * time.Millisecond: 6, 2 * time.Millisecond: 1, 300 * time.Millisecond: 1} {
		var w wheel
		now := time.Unix(0, 0)
		got := 0
		for range 20 {
			now = now.Add(gap)
			got = w.lines(1, now)
		}
		if got != want {
			t.Errorf("every %v: %d lines, want %d", gap, got, want)
		}
	}
}

func TestThumb(t *testing.T) { // V7
	for _, c := range []struct{ pos, track, total, top, size int }{
		{0, 10, 10, 0, 10}, {0, 10, 100, 0, 2}, {90, 10, 100, 8, 2}, {45, 10, 100, 4, 2}, {0, 20, 40, 0, 10}, {20, 20, 40, 10, 10},
	} {
		top, size := thumb(c.pos, c.track, c.total)
		if top != c.top || size != c.size {
			t.Errorf("%+v: %d, %d", c, top, size)
		}
	}
}

func TestScrolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewList()
		for i := range 100 {
			l.Append(text1(fmt.Sprint("line ", i)))
		}
		editor := text1("> " + CursorMarker)
		var v *ScrollView
		r := start(t, 20, 8, Options{Mouse: true}, func(u *UI) {
			v = NewScrollView(u, l)
			u.SetViewport(v)
			u.SetRoot(NewVStack(Fill(v), Fixed(editor)))
			u.Focus(editor)
		})
		r.want("line 93\nline 94\nline 95\nline 96\nline 97\nline 98\nline 99\n>")
		r.typing("\x1b[5~")
		if !strings.HasPrefix(r.dev.String(), "line 90") || !strings.Contains(r.dev.String(), "┃") {
			t.Errorf("page up:\n%s", r.dev)
		}
		time.Sleep(2 * time.Second)
		r.settle()
		r.typing("\x1b[<64;3;3M")
		if !strings.HasPrefix(r.dev.String(), "line 89") {
			t.Errorf("wheel up:\n%s", r.dev)
		}
		r.typing("\x1b[1;5H")
		if !strings.HasPrefix(r.dev.String(), "line 0") {
			t.Errorf("to the start:\n%s", r.dev)
		}
		// The thumb is dragged with the mouse to the end.
		r.typing("\x1b[<0;20;1M")
		r.typing("\x1b[<32;20;7M")
		r.typing("\x1b[<0;20;7m")
		time.Sleep(2 * time.Second)
		r.settle()
		r.want("line 93\nline 94\nline 95\nline 96\nline 97\nline 98\nline 99\n>")
		r.dev.Screen(func(vt *vt.Terminal) {
			if row, col := vt.Cursor(); row != 7 || col != 2 {
				t.Errorf("cursor at %d,%d", row, col)
			}
			if vt.Stats().OutsideSync > 200 {
				t.Errorf("%+v", vt.Stats())
			}
		})
		r.stop()
	})
}

func TestLayout(t *testing.T) {
	for _, c := range []struct {
		name    string
		items   []Item
		natural []int
		total   int
		want    string
	}{
		{"fill", []Item{Fill(nil), Fixed(nil)}, []int{0, 3}, 10, "[7 3]"},
		{"no room", []Item{Fill(nil), Fixed(nil)}, []int{0, 30}, 10, "[1 9]"},
		{"minimum", []Item{Fill(nil), {Basis: Auto, Shrink: 1, Min: 3}, Fixed(nil)}, []int{0, 3, 9}, 6, "[1 3 2]"}, // V5
		{"maximum", []Item{{Grow: 1, Max: 2}, {Grow: 1}}, []int{0, 0}, 9, "[2 7]"},
		{"shares", []Item{{Grow: 1}, {Grow: 2}}, []int{0, 0}, 9, "[3 6]"},
		{"nobody gives way", []Item{{Basis: 5}, {Basis: 5}}, []int{5, 5}, 6, "[5 1]"},
		{"nothing", []Item{Fill(nil), Fixed(nil)}, []int{0, 3}, 0, "[0 0]"},
	} {
		if got := fmt.Sprint(share(c.items, c.natural, c.total)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	s := NewVStack(Fixed(text1("a", "b", "c"+CursorMarker, "d")), Item{Component: text1("x"), Basis: 1})
	if got := strings.Join(s.RenderArea(10, 3), "|"); got != "b|c"+CursorMarker+"|x" { // V6
		t.Errorf("%q", got)
	}
	hs := NewHStack(Item{Component: text1("left", "\x1b[31mred"), Basis: 6}, Item{Component: text1("right"), Grow: 1})
	hs.Gap = 1
	if got := strings.Join(hs.RenderArea(20, 2), "|"); got != "left   right|\x1b[31mred\x1b[0m" {
		t.Errorf("%q", got)
	}
}

func BenchmarkOpen100k(b *testing.B) {
	comps := make([]*block, 100000)
	for i := range comps {
		comps[i] = &block{name: fmt.Sprint(i), n: 1 + i%5}
	}
	for b.Loop() {
		l := &List{}
		for _, c := range comps {
			l.Append(c)
		}
		v := NewScrollView(nil, l)
		var r screenRenderer
		r.frame(v.RenderArea(120, 40), 120, 40, "")
	}
}

func benchmarkStream(b *testing.B, n int) {
	l := NewList()
	for i := range n {
		l.Append(&block{name: fmt.Sprint(i), n: 1 + i%5})
	}
	last := &block{name: "last", n: 1}
	l.Append(last)
	v := NewScrollView(nil, l)
	root := NewVStack(Fill(v), Fixed(text1("editor")))
	var r screenRenderer
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		last.grow(1 + i%30)
		r.frame(root.RenderArea(120, 40), 120, 40, "")
	}
}

func BenchmarkStream1k(b *testing.B)   { benchmarkStream(b, 1000) }
func BenchmarkStream100k(b *testing.B) { benchmarkStream(b, 100000) }

func BenchmarkResize100k(b *testing.B) {
	l := NewList()
	for i := range 100000 {
		l.Append(&block{name: fmt.Sprint(i), n: 1 + i%5})
	}
	v := NewScrollView(nil, l)
	var r screenRenderer
	for i := 0; b.Loop(); i++ {
		r.frame(v.RenderArea(100+i%2, 40), 120, 40, "")
	}
}
