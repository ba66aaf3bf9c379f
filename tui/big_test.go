package tui

import (
	"fmt"
	"strings"
	"testing"

	"tau/tui/vt"
)

// A frame that is too long for one synchronized update becomes several, each
// of whole rows.
func TestLongFrames(t *testing.T) {
	const w, h = 300, 90
	rows := make([]string, h)
	for y := range rows {
		var b strings.Builder
		for x := range w {
			fmt.Fprintf(&b, "\x1b[38;2;%d;%d;7mx", x%256, y)
		}
		rows[y] = b.String()
	}
	var r screenRenderer
	screen := vt.New(w, h)
	screen.WriteString("\x1b[?7l")
	screen.ResetStats()
	frames := r.frame(rows, w, h, "")
	if len(frames) < 5 {
		t.Errorf("%d writes", len(frames))
	}
	for _, f := range frames {
		if len(f) > 64<<10 {
			t.Errorf("a write of %d bytes", len(f))
		}
		s := string(f)
		if !strings.HasPrefix(s, beginSync) || !strings.HasSuffix(s, endSync) || strings.Count(s, beginSync) != 1 {
			t.Error("a write is no frame of its own")
		}
		_, _ = screen.Write(f)
	}
	if s := screen.Stats(); s.OutsideSync != 0 || screen.Cell(h-1, w-1).Text != "x" {
		t.Errorf("%+v", s)
	}
}

// C-07: a line of 10 MB costs its length once, and nothing more while it stays.
func TestVeryLongLine(t *testing.T) {
	l := text1(strings.Repeat("0123456789", 1<<20))
	v := NewScrollView(nil, l)
	var r screenRenderer
	r.frame(v.RenderArea(80, 24), 80, 24, "")
	if r.prev[0].out != strings.Repeat("0123456789", 8) {
		t.Errorf("%q", r.prev[0].out)
	}
	r.counts = frameCounts{}
	r.frame(v.RenderArea(80, 24), 80, 24, "")
	if r.counts.prepared != 0 {
		t.Error("prepared again")
	}
}

func TestLongInlineFrames(t *testing.T) {
	g := newInlineRig(80, 24, 3)
	for i := range 5000 {
		g.l.Append(&settledDoc{doc{lines: []string{fmt.Sprint("a line of some length ", i)}, settled: allSettled}})
	}
	frames := g.u.inlineFrame("", false)
	if len(frames) < 2 {
		t.Errorf("%d writes", len(frames))
	}
	for _, f := range frames {
		s := string(f)
		if len(f) > 64<<10 || !strings.HasPrefix(s, beginSync) || !strings.HasSuffix(s, endSync) {
			t.Errorf("a write of %d bytes", len(f))
		}
		_, _ = g.screen.Write(f)
		if m := g.screen.Modes(); !m.Autowrap || m.Sync {
			t.Error("a write leaves modes behind")
		}
	}
	if all := g.screen.All(); len(all) != 5004 || all[5002] != "a line of some length 4999" {
		t.Errorf("%d lines", len(all))
	}
}
