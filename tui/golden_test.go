package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"tau/tui/vt"
)

var update = flag.Bool("update", false, "write the golden frames")

// golden compares a screen, with its attributes, to testdata/name.golden.
func golden(t *testing.T, name string, r *rig) {
	t.Helper()
	var got string
	r.dev.Screen(func(v *vt.Terminal) { got = picture(v) })
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
	}
}

// picture draws the screen in a frame, the cursor, and below it the runs of
// cells that are not plain.
func picture(v *vt.Terminal) string {
	w, h := v.Size()
	var b, attrs strings.Builder
	fmt.Fprintf(&b, "+%s+\n", strings.Repeat("-", w))
	for y := range h {
		b.WriteByte('|')
		run, from := vt.Style{}, 0
		flush := func(x int) {
			if run != (vt.Style{}) {
				fmt.Fprintf(&attrs, "%d:%d-%d %s\n", y, from, x, style(run))
			}
		}
		for x := range w {
			c := v.Cell(y, x)
			switch {
			case c.Width == 0:
			case c.Text == "":
				b.WriteByte(' ')
			default:
				b.WriteString(c.Text)
			}
			if c.Style != run {
				flush(x)
				run, from = c.Style, x
			}
		}
		flush(w)
		b.WriteString("|\n")
	}
	row, col := v.Cursor()
	fmt.Fprintf(&b, "+%s+\ncursor %d,%d visible %v\n%s", strings.Repeat("-", w), row, col, v.Modes().CursorVisible, attrs.String())
	return b.String()
}

func style(s vt.Style) string {
	var out []string
	for _, f := range []struct {
		on   bool
		name string
	}{{s.Bold, "bold"}, {s.Dim, "dim"}, {s.Italic, "italic"}, {s.Reverse, "reverse"}, {s.Strike, "strike"}, {s.Underline > 0, "underline"}} {
		if f.on {
			out = append(out, f.name)
		}
	}
	for _, f := range [][2]string{{"fg", string(s.FG)}, {"bg", string(s.BG)}, {"link", s.Link}} {
		if f[1] != "" {
			out = append(out, f[0]+"="+f[1])
		}
	}
	return strings.Join(out, " ")
}

func scene(u *UI) *ScrollView {
	l := NewList()
	l.Gap = 1
	l.Append(text1("\x1b[38;5;4m▌\x1b[39m Make it 速い ✅ and test it."))
	l.Append(text1("  ✓ read   \x1b]8;;file:///a\x1b\\a.go\x1b]8;;\x1b\\", "  ✗ bash   \x1b[31mexit 1\x1b[39m"))
	l.Append(text1("\x1b[1mDone.\x1b[22m All \x1b[3mfine\x1b[23m."))
	v := NewScrollView(u, l)
	u.SetViewport(v)
	editor := text1("╭────────────────────────────────────╮", "│ 你好"+CursorMarker+"                               │", "╰────────────────────────────────────╯")
	u.SetRoot(NewVStack(Fill(v), Fixed(editor), Fixed(text1("\x1b[2m~/src (main)\x1b[22m"))))
	u.Focus(editor)
	return v
}

func TestGoldenFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, 38, 12, Options{}, func(u *UI) { scene(u) })
		golden(t, "scene", r)
		var o *Overlay
		r.do(func() {
			o = r.ui.ShowOverlay(text1("╭ Pick ────╮", "│\x1b[7m→ 日本語  \x1b[27m│", "│  other   │", "╰──────────╯"), OverlayOptions{Width: Cells(12)})
		})
		golden(t, "overlay", r)
		r.dev.SetSize(20, 8)
		r.settle()
		golden(t, "small", r)
		r.do(func() { o.Hide() })
		r.dev.SetSize(38, 12)
		r.settle()
		golden(t, "scene", r)
		r.do(func() { r.ui.Viewport().Scrollbar = ScrollbarAlways; r.ui.Viewport().ScrollToStart() })
		r.dev.SetSize(38, 8)
		r.settle()
		golden(t, "scrollbar", r)
		r.stop()
	})
}
