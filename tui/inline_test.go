package tui

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tau/tui/graphics"
	"tau/tui/term"
	"tau/tui/termtest"
	"tau/tui/text"
	"tau/tui/vt"
)

// doc is a component of an inline scene: some of its lines are final.
type doc struct {
	lines   []string
	settled int // -1: it does not say
	wrap    string
}

func (d *doc) Render(width int) []string {
	if d.wrap != "" {
		return text.Wrap(d.wrap, width)
	}
	return d.lines
}

type settledDoc struct{ doc }

func (d *settledDoc) Settled(width int) int {
	if d.settled == allSettled {
		return allSettled
	}
	return min(d.settled, len(d.lines))
}

// inlineRig draws inline into a terminal that a shell has used before.
type inlineRig struct {
	u      *UI
	r      *inlineRenderer
	l      *List
	editor *label
	screen *vt.Terminal
	shell  []string
	log    []string
	clock  time.Time // a second passes between frames
	pics   *testPics
	tiles  []string // of committed lines
	early  bool     // a picture was committed before it could be drawn
}

func newInlineRig(w, h, shell int) *inlineRig {
	g := &inlineRig{screen: vt.New(w, h), l: NewList(), editor: text1("> " + CursorMarker)}
	for i := range shell {
		s := fmt.Sprint("$ ", i)
		g.shell = append(g.shell, s)
		g.screen.WriteString(s + "\r\n")
	}
	g.screen.ResetStats()
	g.u = New(term.New(termtest.New(w, h), term.Options{Getenv: noEnv}), Options{Inline: true})
	g.u.w, g.u.h = w, h
	g.r = g.u.draws.inline
	g.clock = time.Unix(0, 0)
	g.r.now = func() time.Time { return g.clock }
	g.r.log = func(l line) {
		g.log = append(g.log, strings.TrimRight(plain(l.out), " "))
		for _, r := range l.runs {
			g.early = g.early || !g.r.paint.shows(r.view)
		}
		g.tiles = append(g.tiles, tilesOf(wantTiles(&g.r.paint, l.runs, g.u.w)))
	}
	g.pics = testPictures(rand.New(rand.NewSource(int64(w*h+shell))), graphics.Kitty)
	if (w+h+shell)%3 == 0 {
		g.pics = testPictures(rand.New(rand.NewSource(int64(w*h+shell))), graphics.ITerm2)
	}
	g.screen.SetPictures(vt.PictureModel((w + h) % 2))
	g.r.paint.pics, g.r.paint.share = g.pics.Pictures, 100
	g.u.SetRoot(NewVStack(Fill(NewScrollView(nil, g.l)), Fixed(g.editor)))
	return g
}

func plain(s string) string { return text.StripSequences(s) }

func (g *inlineRig) frame() {
	g.clock = g.clock.Add(time.Second)
	for first := true; first || g.r.paint.more; first = false {
		for _, b := range g.u.inlineFrame("", false) {
			_, _ = g.screen.Write(b)
		}
	}
}

func (g *inlineRig) resize(w, h int) {
	g.r.resize(g.u.w, g.u.h, w, h)
	g.screen.Resize(w, h)
	g.u.w, g.u.h = w, h
}

func (g *inlineRig) live() []string {
	var out []string
	for _, r := range g.r.rows {
		out = append(out, strings.TrimRight(plain(r.out), " "))
	}
	return out
}

func trimBlank(l []string) []string {
	for len(l) > 0 && l[len(l)-1] == "" {
		l = l[:len(l)-1]
	}
	return l
}

// forbidden returns sequences that must never be used on the main screen.
func forbidden(s vt.Stats) string {
	for _, n := range []string{"ED2", "ED3", "ED1", "RIS", "CUP", "VPA", "DECSTBM", "SU", "SD", "IL", "DL", "RI", "ALT"} {
		if s.Sequences[n] > 0 {
			return n
		}
	}
	return ""
}

// inlineFrames is the number of frames of an inlineScene.
const inlineFrames = 25

// The kinds of terminals of an inlineScene.
const (
	steady  = iota // the size stays
	higher         // the height changes
	reflows        // and the width, where lines wrap anew
	clips          // or are cut
	resizes        // the number of them
)

func inlineScene(t *testing.T, seed int64, w, h, sizes int) {
	t.Helper()
	r := rand.New(rand.NewSource(seed))
	g := newInlineRig(w, h, r.Intn(2*h))
	if sizes == clips {
		g.u.term = term.New(termtest.New(w, h), term.Options{Getenv: func(k string) string { return map[string]string{"XTERM_VERSION": "x"}[k] }})
		g.screen.SetReflow(false)
	}
	g.screen.SetPull(seed%3 != 0)
	g.l.Gap = r.Intn(2)
	for f := range inlineFrames {
		for range 1 + r.Intn(2) {
			switch k := r.Intn(18); {
			case k >= 16:
				l := g.pics.label(randomLines(r, 2)...)
				l.settled = []int{0, allSettled}[r.Intn(2)]
				g.l.Append(l)
			case k < 4:
				g.l.Append(&settledDoc{doc{lines: randomLines(r, 5), settled: r.Intn(3)}})
			case k == 4:
				g.l.Append(&doc{lines: randomLines(r, 4), settled: -1})
			case k < 8 && g.l.Len() > 0: // the last one streams
				if d, ok := g.l.At(g.l.Len() - 1).Component().(*settledDoc); ok && d.settled < allSettled {
					d.lines = append(append([]string(nil), d.lines...), randomLines(r, 6)...)
					d.settled = min(len(d.lines), d.settled+r.Intn(6))
				}
			case k == 8 && g.l.Len() > 0: // anything changes, also far above
				switch d := g.l.At(r.Intn(g.l.Len())).Component().(type) {
				case *settledDoc:
					d.lines = randomLines(r, 6)
				case *doc:
					d.lines = randomLines(r, 6)
				}
			case k == 9 && g.l.Len() > 0:
				if d, ok := g.l.At(r.Intn(g.l.Len())).Component().(*settledDoc); ok {
					d.settled = allSettled
				}
			case k == 10:
				g.l.Insert(r.Intn(g.l.Len()+1), &doc{lines: randomLines(r, 3), settled: -1})
			case k == 11:
				g.editor.set(append(randomLines(r, 4), "> "+CursorMarker)...)
			case k == 12:
				g.u.ShowOverlay(text1(randomLines(r, 3)...), OverlayOptions{Width: Cells(1 + r.Intn(10)), Row: Percent(r.Intn(101)), Col: Percent(r.Intn(101))})
			case k == 13:
				g.u.HideOverlay()
			case k > 13 && g.l.Len() > 0: // a little of the last one changes
				switch d := g.l.At(g.l.Len() - 1).Component().(type) {
				case *settledDoc:
					if d.settled < len(d.lines) {
						d.lines = append(slices.Clone(d.lines[:d.settled]), edit(r, d.lines[d.settled:])...)
					}
				case *doc:
					d.lines = edit(r, d.lines)
				}
			}
		}
		if sizes > steady && f%5 == 4 {
			h = 1 + r.Intn(20)
			if sizes > higher && r.Intn(2) == 0 {
				w = 8 + r.Intn(60)
			}
			g.resize(w, h)
		}
		g.frame()
		name := fmt.Sprintf("seed %d frame %d (%dx%d)", seed, f, w, h)

		// INV1: everything that was ever there is there, once, in order.
		want := trimBlank(append(append(append([]string(nil), g.shell...), g.log...), g.live()...))
		got := trimBlank(g.screen.All())
		if sizes > higher {
			// Lines of before another width are wrapped or cut.
		} else if sizes == higher {
			checkTail(t, name, g, got)
		} else if !slices.Equal(got, want) {
			t.Fatalf("%s: history differs\n got %q\nwant %q", name, got, want)
		} else {
			g.checkHistory(t, name)
		}
		g.check(t, name, w, h)
	}
}

// check holds INV2, INV3 and INV7.
func (g *inlineRig) check(t *testing.T, name string, w, h int) {
	t.Helper()
	if len(g.r.rows) > h {
		t.Fatalf("%s: %d rows", name, len(g.r.rows))
	}
	row, col := g.screen.Cursor()
	top := row - g.r.cur
	if col != g.r.col || top < 0 {
		t.Fatalf("%s: the cursor is at %d,%d, want row %d of the window, column %d", name, row, col, g.r.cur, g.r.col)
	}
	fresh := vt.New(w, max(1, len(g.r.rows)))
	fresh.WriteString("\x1b[?7l")
	for i, l := range g.r.rows {
		if i > 0 {
			fresh.WriteString("\r\n")
		}
		fresh.WriteString(l.out)
	}
	for y := range g.r.rows {
		for x := range w {
			a, b := g.screen.Cell(top+y, x), fresh.Cell(y, x)
			a.Picture = vt.Tile{}
			if a.Text == " " {
				a.Text = ""
			}
			if b.Text == " " {
				b.Text = ""
			}
			if a != b {
				t.Fatalf("%s: cell %d,%d is %+v, want %+v\n%s", name, y, x, a, b, g.screen)
			}
		}
	}
	checkTiles(t, name, g.screen, top, &g.r.paint, len(g.r.rows), func(y int) []run { return g.r.rows[y].runs })
	for y, row := range g.r.rows {
		for _, r := range row.runs {
			if !g.r.paint.shows(r.view) {
				t.Fatalf("%s: the picture in row %d was not sent, but there is no more to send", name, y)
			}
		}
	}
	if g.early {
		t.Fatalf("%s: a picture was committed before it could be drawn", name)
	}
	if bad := g.screen.BadPictures(); bad != nil {
		t.Fatalf("%s: %q", name, bad)
	}
	s := g.screen.Stats()
	if bad := forbidden(s); bad != "" || s.OutsideSync != 0 {
		t.Fatalf("%s: forbidden %q, %d bytes outside of updates", name, bad, s.OutsideSync)
	}
	m := g.screen.Modes()
	if !m.Autowrap || m.Sync {
		t.Fatalf("%s: modes %+v", name, m)
	}
	if b := g.u.inlineFrame("", false); b != nil {
		t.Fatalf("%s: nothing changed, but %q is written", name, b)
	}
}

// checkTail holds INV5: the window is at the end of the history, and the
// history has every committed line in order.
func checkTail(t *testing.T, name string, g *inlineRig, got []string) {
	t.Helper()
	live := trimBlank(g.live())
	if len(got) < len(live) || !slices.Equal(got[len(got)-len(live):], live) {
		t.Fatalf("%s: the end of\n%q\nis not\n%q", name, got, live)
	}
	i := 0
	for _, l := range append(append([]string(nil), g.shell...), g.log...) {
		if l == "" {
			continue
		}
		for i < len(got) && got[i] != l {
			i++
		}
		if i == len(got) {
			t.Fatalf("%s: %q is lost\n%q", name, l, got)
		}
		i++
	}
}

func FuzzInline(f *testing.F) {
	for sizes := range byte(resizes) {
		f.Add(int64(sizes), 10+20*sizes, 8-sizes, sizes)
	}
	f.Fuzz(func(t *testing.T, seed int64, w, h, sizes byte) {
		inlineScene(t, seed, int(w)%80+8, int(h)%24+1, int(sizes)%resizes)
	})
}

func TestInlineScenes(t *testing.T) {
	for seed := range int64(200) {
		inlineScene(t, seed, 8+int(seed*7)%70, 1+int(seed*3)%16, steady)
	}
}

func TestInlineHeights(t *testing.T) {
	for seed := range int64(150) {
		inlineScene(t, 5000+seed, 8+int(seed*7)%70, 1+int(seed*3)%16, higher)
		inlineScene(t, 5000+seed, 8+int(seed*7)%70, 1+int(seed*3)%16, reflows)
		inlineScene(t, 5000+seed, 8+int(seed*7)%70, 1+int(seed*3)%16, clips)
	}
}

// INV5: changes of the width lose no word, and the screen is right. Where
// something was pushed out, it may be there twice.
func TestInlineWidths(t *testing.T) {
	for seed := range int64(25) {
		r := rand.New(rand.NewSource(9000 + seed))
		w, h := 12+r.Intn(60), 3+r.Intn(14)
		g := newInlineRig(w, h, r.Intn(2*h))
		g.screen.SetPull(r.Intn(2) == 0)
		g.l.Gap = r.Intn(2)
		words, repeated := 0, 0
		paragraph := func() string {
			var b strings.Builder
			for range 1 + r.Intn(30) {
				words++
				fmt.Fprintf(&b, "w%d ", words)
			}
			return strings.TrimSpace(b.String())
		}
		for f := range 40 {
			if r.Intn(2) == 0 {
				g.l.Append(&doc{wrap: paragraph(), settled: -1})
			}
			name := fmt.Sprintf("seed %d frame %d", seed, f)
			if f%4 == 3 {
				w, h = 12+r.Intn(60), 3+r.Intn(14)
				g.resize(12+r.Intn(60), 3+r.Intn(14)) // a burst
				g.resize(w, h)
			}
			g.frame()
			g.check(t, name, w, h)
		}
		for _, b := range g.u.inlineFrame("", true) {
			_, _ = g.screen.Write(b)
		}
		// A stale copy may run into what follows it without a blank.
		have := strings.Join(g.screen.Unwrapped(), "\n") + "\n"
		for next := 1; next <= words; next++ {
			word := fmt.Sprint("w", next)
			i := strings.Index(have, word)
			for i >= 0 && have[i+len(word)] >= '0' && have[i+len(word)] <= '9' {
				k := strings.Index(have[i+1:], word)
				if k < 0 {
					i = -1
				} else {
					i += 1 + k
				}
			}
			if i < 0 {
				t.Fatalf("seed %d: %s of %d is lost\n%q", seed, word, words, g.screen.Unwrapped())
			}
			repeated += strings.Count(have[:i], " ")
			have = have[i:]
		}
		for _, s := range g.shell {
			if !slices.Contains(g.screen.Unwrapped(), s) {
				t.Fatalf("seed %d: %q is lost", seed, s)
			}
		}
		if repeated > 1000 {
			t.Errorf("seed %d: %d words are there twice", seed, repeated)
		}
	}
}

// R15, R14, C-12: a whole run on the main screen.
func TestInlineRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev := termtest.New(20, 6)
		dev.Screen(func(v *vt.Terminal) { v.WriteString("$ before\r\n$ tau\r\n") })
		u := New(term.New(dev, term.Options{Getenv: noEnv}), Options{Inline: true, OnExit: func(int) []string { return []string{"bye"} }})
		l, editor := NewList(), text1("> "+CursorMarker)
		u.SetRoot(NewVStack(Fill(NewScrollView(u, l)), Fixed(editor), Fixed(text1("footer"))))
		r := &rig{t: t, dev: dev, ui: u, err: make(chan error, 1)}
		go func() { r.err <- u.Run(t.Context()) }()
		r.settle()
		r.want("$ before\n$ tau\n>\nfooter")
		for i := range 8 {
			r.do(func() { l.Append(text1(fmt.Sprint("line ", i))); u.RequestRender() })
		}
		r.want("line 4\nline 5\nline 6\nline 7\n>\nfooter")
		all := func() string {
			var s string
			dev.Screen(func(v *vt.Terminal) { s = strings.Join(v.All(), "|") })
			return s
		}
		if got := all(); got != "$ before|$ tau|line 0|line 1|line 2|line 3|line 4|line 5|line 6|line 7|>|footer" {
			t.Errorf("%s", got)
		}
		// A change above the screen repaints nothing.
		dev.Writes()
		r.do(func() { l.At(0).Component().(*label).set("changed", "and more"); u.RequestRender() })
		if w := dev.Writes(); len(w) != 0 {
			t.Errorf("%q", w)
		}
		// An editor of its own gives the window back where it was.
		r.do(func() {
			_ = u.External(func() error {
				if strings.Contains(dev.String(), "footer") {
					t.Error("the window is in the way of another program")
				}
				return nil
			})
		})
		if got := all(); strings.Count(got, "footer") != 1 {
			t.Errorf("%s", got)
		}
		// The alternate screen and back.
		r.do(func() { u.SetInline(false) })
		dev.Screen(func(v *vt.Terminal) {
			if !v.Modes().Alternate {
				t.Error("not on the alternate screen")
			}
		})
		r.do(func() { l.Append(text1("meanwhile")); u.RequestRender() })
		r.do(func() { u.SetInline(true) })
		dev.Screen(func(v *vt.Terminal) {
			if m := v.Modes(); m.Alternate || !m.Autowrap || m.Mouse != 0 || len(m.Kitty) != 1 {
				t.Errorf("%+v", m)
			}
		})
		if got := all(); !strings.HasPrefix(got, "$ before|$ tau|line 0|line 1|line 2|line 3|line 4|") || !strings.HasSuffix(got, "line 7|meanwhile|>|footer") {
			t.Errorf("%s", got)
		}
		dev.SetSize(20, 4)
		time.Sleep(time.Second)
		r.settle()
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		if got := all(); !strings.HasSuffix(got, "meanwhile|>|footer|bye") {
			t.Errorf("%s", got)
		}
		dev.Screen(func(v *vt.Terminal) {
			if bad := forbidden(v.Stats()); bad != "" && bad != "ED2" && bad != "CUP" && bad != "ALT" {
				t.Errorf("%s was used", bad)
			}
			if v.Stats().Sequences["ED3"] != 0 || !v.Modes().CursorVisible {
				t.Error("the scrollback was cleared, or the cursor is gone")
			}
		})
	})
}

// What may still change does not get off the screen; it comes out when it is
// final, and at the end of the program.
func TestInlineHoldsBack(t *testing.T) {
	g := newInlineRig(20, 5, 0)
	d := &settledDoc{doc{lines: lines("l", 9), settled: 2}}
	g.l.Append(d)
	g.frame()
	if got := strings.Join(g.screen.All(), "|"); got != "l1|l2|… 4 lines above|l7|l8|l9|>" {
		t.Error(got)
	}
	if got := strings.Join(g.log, " "); got != "l1 l2" {
		t.Errorf("committed %q", got)
	}
	d.settled = allSettled
	g.frame()
	if got := strings.Join(g.screen.All(), "|"); got != "l1|l2|l3|l4|l5|l6|l7|l8|l9|>" {
		t.Error(got)
	}
}

// The cost of a frame does not depend on what has been committed.
func TestInlineCost(t *testing.T) {
	cost := func(n int) (int, int) {
		g := newInlineRig(80, 24, 0)
		for i := range n {
			g.l.Append(&settledDoc{doc{lines: []string{fmt.Sprint(i)}, settled: allSettled}})
		}
		last := &settledDoc{doc{lines: []string{"x"}}}
		g.l.Append(last)
		g.frame()
		g.frame()
		g.l.renders, g.r.counts = 0, frameCounts{}
		for i := range 50 {
			last.lines = []string{fmt.Sprint("x", i)}
			g.frame()
		}
		return g.l.renders, g.r.counts.compared
	}
	r1, c1 := cost(100)
	r2, c2 := cost(20000)
	if r1 != r2 || c1 != c2 || c1 > 50*24 {
		t.Errorf("renders %d and %d, lines compared %d and %d", r1, r2, c1, c2)
	}
}

// A word streams into the last line and the timer below it goes on.
func BenchmarkInlineStream(b *testing.B) {
	g := newInlineRig(120, 40, 0)
	for i := range 10000 {
		g.l.Append(&settledDoc{doc{lines: []string{fmt.Sprint(i)}, settled: allSettled}})
	}
	last := &settledDoc{doc{lines: []string{"x"}}}
	g.l.Append(last)
	g.u.inlineFrame("", false)
	g.r.counts = frameCounts{}
	b.ReportAllocs()
	i := 0
	for ; b.Loop(); i++ {
		last.lines = []string{"\x1b[36m" + strings.Repeat("words ", i%20) + "\x1b[39m"}
		g.editor.set(fmt.Sprintf("\x1b[2mworking, %ds (esc to interrupt, 1.2k tokens)\x1b[22m", 10+i%50), "> "+CursorMarker)
		g.u.inlineFrame("", false)
	}
	b.ReportMetric(float64(g.r.counts.bytes)/float64(i), "bytes/frame")
}
