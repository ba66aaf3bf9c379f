package tui

import (
	"fmt"
	"strings"
	"testing"
)

// frameBytes runs a scene of a transcript at 120x40 with a spinner row and an
// editor, and reports the bytes of a frame of the full-screen renderer.
func frameBytes(b *testing.B, step func(i int, last, spinner *label, l *List, v *ScrollView)) {
	l := NewList()
	for i := range 200 {
		l.Append(text1(fmt.Sprintf("\x1b[2m%4d\x1b[22m ", i) + strings.Repeat("a word or two, ", 7)))
	}
	last := text1("")
	l.Append(last)
	v := NewScrollView(nil, l)
	v.Scrollbar = ScrollbarHidden
	spinner := text1("")
	root := NewVStack(Fill(v), Fixed(spinner), Fixed(text1(strings.Repeat("─", 120), "> "+CursorMarker, strings.Repeat("─", 120))))
	var r screenRenderer
	r.frame(root.RenderArea(120, 40), 120, 40, "")
	for i := range 3 {
		step(i, last, spinner, l, v)
		r.frame(root.RenderArea(120, 40), 120, 40, "")
	}
	r.counts = frameCounts{}
	n := 3
	for ; b.Loop(); n++ {
		step(n, last, spinner, l, v)
		r.frame(root.RenderArea(120, 40), 120, 40, "")
	}
	b.ReportMetric(float64(r.counts.bytes)/float64(n-3), "bytes/frame")
}

// A word is appended to the last row and the spinner turns.
func streamStep(i int, last, spinner *label, l *List, v *ScrollView) {
	at := i % 20
	if at == 0 {
		last = text1("")
		l.Remove(l.At(0))
		l.Append(last)
	}
	l.At(l.Len() - 1).Component().(*label).set("\x1b[36m" + strings.Repeat("words ", at) + "\x1b[39m")
	spinnerStep(i, last, spinner, l, v)
}

func spinnerStep(i int, _, spinner *label, _ *List, _ *ScrollView) {
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	spinner.set(fmt.Sprintf("\x1b[35m%c\x1b[39m \x1b[2mWorking… (%ds · 1.2k tokens · esc to interrupt)\x1b[22m", frames[i%10], 10+i/60%50))
}

func BenchmarkBytesStream(b *testing.B) { frameBytes(b, streamStep) }

func BenchmarkBytesSpinner(b *testing.B) { frameBytes(b, spinnerStep) }

// A whole row is added at the end.
func BenchmarkBytesNewRow(b *testing.B) {
	frameBytes(b, func(i int, _, _ *label, l *List, _ *ScrollView) {
		l.Remove(l.At(0))
		l.Append(text1(fmt.Sprintf("\x1b[2m%4d\x1b[22m ", i) + strings.Repeat("a word or two, ", 7)))
	})
}

// One step of the wheel.
func BenchmarkBytesWheel(b *testing.B) {
	frameBytes(b, func(i int, _, _ *label, _ *List, v *ScrollView) {
		v.ScrollBy(2*(i/100%2) - 1)
	})
}
