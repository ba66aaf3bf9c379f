package tui

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"tau/tui/key"
	"tau/tui/term"
	"tau/tui/termtest"
)

// longList is a transcript of n lines in nodes of five; one line in 50 has the word
// needle.
func longList(n int) *List {
	l := NewList()
	for i := range n / 5 {
		lines := make([]string, 5)
		for k := range lines {
			lines[k] = fmt.Sprintf("line %d of the transcript", 5*i+k)
		}
		if i%10 == 0 {
			lines[2] += " with a needle"
		}
		l.Append(text1(lines...))
	}
	return l
}

// longUI is a UI without a terminal that shows n lines at 120x40.
func longUI(n int) (*UI, *ScrollView, *screenRenderer) {
	u := New(term.New(termtest.New(120, 40), term.Options{Getenv: noEnv}), Options{})
	v := NewScrollView(u, longList(n))
	u.SetRoot(NewVStack(Fill(v), Fixed(text1("> "+CursorMarker))))
	u.SetViewport(v)
	u.w, u.h = 120, 40
	r := &screenRenderer{}
	r.frame(u.compose(), u.w, u.h, "")
	return u, v, r
}

func benchmarkWheel(b *testing.B, n int) {
	u, v, r := longUI(n)
	r.counts = frameCounts{}
	i := 0
	for ; b.Loop(); i++ {
		v.ScrollBy(2*(i/200%2) - 1)
		r.frame(u.compose(), u.w, u.h, "")
	}
	b.ReportMetric(float64(r.counts.bytes)/float64(i), "bytes/frame")
}

func BenchmarkWheel1k(b *testing.B)   { benchmarkWheel(b, 1000) }
func BenchmarkWheel100k(b *testing.B) { benchmarkWheel(b, 100_000) }

// A step to the next match, with its frame, when the search has found all.
func benchmarkSearchStep(b *testing.B, n int) {
	u, _, r := longUI(n)
	u.OpenSearch()
	for _, c := range "needle" {
		u.find.key(key.Event{ID: key.ID(string(c)), Text: string(c)})
	}
	for u.find.cursor > 0 {
		u.find.work()
	}
	if got := u.find.sorted().total; got != n/50 {
		b.Fatalf("%d matches", got)
	}
	r.frame(u.compose(), u.w, u.h, "")
	for i := 0; b.Loop(); i++ {
		u.find.step(2*(i/10%2) - 1)
		r.frame(u.compose(), u.w, u.h, "")
	}
}

func BenchmarkSearchStep1k(b *testing.B)   { benchmarkSearchStep(b, 1000) }
func BenchmarkSearchStep100k(b *testing.B) { benchmarkSearchStep(b, 100_000) }

// A node above the view changes its height in each frame.
func benchmarkChangeAbove(b *testing.B, follow bool) {
	u, v, r := longUI(100_000)
	if !follow {
		v.ScrollBy(-5000)
		r.frame(u.compose(), u.w, u.h, "")
	}
	r.counts = frameCounts{}
	d := v.list.At(100).Component().(*label)
	i := 0
	for ; b.Loop(); i++ {
		d.set(make([]string, 1+i%9)...)
		v.list.Dirty(v.list.At(100))
		r.frame(u.compose(), u.w, u.h, "")
	}
	b.ReportMetric(float64(r.counts.bytes)/float64(i), "bytes/frame")
}

func BenchmarkChangeAboveAtEnd(b *testing.B)    { benchmarkChangeAbove(b, true) }
func BenchmarkChangeAboveScrolled(b *testing.B) { benchmarkChangeAbove(b, false) }

// A change above the view writes at most one screen, and in fact nothing.
func TestChangeAboveWritesNothing(t *testing.T) {
	for _, scrolled := range []int{0, -5000} {
		u, v, r := longUI(100_000)
		v.ScrollBy(scrolled)
		r.frame(u.compose(), u.w, u.h, "")
		v.list.At(100).Component().(*label).set("one", "two")
		v.list.Dirty(v.list.At(100))
		if f := r.frame(u.compose(), u.w, u.h, ""); f != nil {
			t.Errorf("scrolled by %d: %q", scrolled, f)
		}
	}
}

// Frames of a long transcript do the work of a short one's.
func TestStepsDoNotGrow(t *testing.T) {
	cost := func(n int) frameCounts {
		u, v, r := longUI(n)
		r.counts = frameCounts{}
		for range 50 {
			v.ScrollBy(-1)
			r.frame(u.compose(), u.w, u.h, "")
		}
		return r.counts
	}
	if a, b := cost(1000), cost(100_000); b.prepared > a.prepared+50 || b.bytes > 2*a.bytes {
		t.Errorf("1,000 lines: %+v, 100,000 lines: %+v", a, b)
	}
}

// A program that waits writes nothing and never wakes up, in either renderer,
// also with a search open and an overlay shown.
func TestIdleHour(t *testing.T) {
	for _, inline := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t, 120, 40, Options{Inline: inline, Mouse: true}, func(u *UI) {
				v := NewScrollView(u, longList(10_000))
				u.SetRoot(NewVStack(Fill(v), Fixed(text1("> "+CursorMarker))))
				u.SetViewport(v)
			})
			r.do(func() {
				r.ui.OpenSearch()
				r.ui.ShowOverlay(text1("overlay"), OverlayOptions{})
				r.ui.Viewport().ScrollBy(-50)
			})
			time.Sleep(5 * time.Second) // the scrollbar goes
			synctest.Wait()
			r.dev.Writes()
			wakes := 0
			r.ui.Post(func() { wakes = r.ui.wakes })
			synctest.Wait()
			time.Sleep(time.Hour)
			synctest.Wait()
			if w := r.dev.Writes(); len(w) != 0 {
				t.Errorf("inline %v: %d writes in an idle hour", inline, len(w))
			}
			r.ui.Post(func() { wakes = r.ui.wakes - wakes })
			synctest.Wait()
			// The one post is the one wake-up.
			if wakes > 1 {
				t.Errorf("inline %v: %d wake-ups in an idle hour", inline, wakes)
			}
			r.stop()
		})
	}
}
