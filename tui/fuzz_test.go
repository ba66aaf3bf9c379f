package tui

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"tau/tui/graphics"
	"tau/tui/term"
	"tau/tui/termtest"
	"tau/tui/vt"
)

// words of every kind that lines are made of.
func words() []string {
	return []string{
		"plain", "text ", "日本", "é", "e\u0301", "👨\u200d👩\u200d👧", "✅", "❤️", "🇩🇰", "한국", "กำ", "\t", "x", "", "   ",
		"\x1b[31m", "\x1b[0m", "\x1b[1;4m", "\x1b[48;2;1;2;3m", "\x1b[49m", "\x1b]8;;https://x.test/\x07", "\x1b]8;;\x07",
		"\x1b[2J", "\x1b[5;5H", "\r", "\n", "\x07", "\x1b", "\xff", "─────", strings.Repeat("w", 30),
	}
}

func randomLine(r *rand.Rand) string {
	var b strings.Builder
	w := words()
	for range r.Intn(8) {
		b.WriteString(w[r.Intn(len(w))])
	}
	if r.Intn(12) == 0 {
		b.WriteString(CursorMarker + " ")
	}
	return b.String()
}

func randomLines(r *rand.Rand, n int) []string {
	out := make([]string, r.Intn(n+1))
	for i := range out {
		out[i] = randomLine(r)
	}
	return out
}

// edited changes a little of a line, as streams and counters do.
func edited(r *rand.Rand, s string) string {
	w := words()
	part := w[r.Intn(len(w))]
	runes := []rune(s)
	i := r.Intn(len(runes) + 1)
	j := min(len(runes), i+r.Intn(4))
	switch r.Intn(3) {
	case 0:
		return s + part
	case 1:
		return string(runes[:i]) + part + string(runes[i:])
	}
	return string(runes[:i]) + part + string(runes[j:])
}

// edit changes a little of one of the lines.
func edit(r *rand.Rand, lines []string) []string {
	if len(lines) == 0 {
		return []string{randomLine(r)}
	}
	lines = append([]string(nil), lines...)
	i := r.Intn(len(lines))
	lines[i] = edited(r, lines[i])
	return lines
}

// cells is all that can be seen of a screen.
func cells(v *vt.Terminal) string {
	var b strings.Builder
	w, h := v.Size()
	for y := range h {
		for x := range w {
			c := v.Cell(y, x)
			if c.Text == " " {
				c.Text = ""
			}
			fmt.Fprintf(&b, "%q%d%v ", c.Text, c.Width, c.Style)
		}
		b.WriteByte('\n')
	}
	row, col := v.Cursor()
	fmt.Fprintf(&b, "%d,%d %v", row, col, v.Modes().CursorVisible)
	return b.String()
}

// alike compares all that can be seen of two screens.
func alike(a, b *vt.Terminal) bool {
	w, h := a.Size()
	for y := range h {
		for x := range w {
			ca, cb := a.Cell(y, x), b.Cell(y, x)
			if ca.Text == " " {
				ca.Text = ""
			}
			if cb.Text == " " {
				cb.Text = ""
			}
			if ca != cb {
				return false
			}
		}
	}
	ra, ca := a.Cursor()
	rb, cb := b.Cursor()
	return ra == rb && ca == cb && a.Modes().CursorVisible == b.Modes().CursorVisible
}

// INV8, INV7, INV3: after any sequence of frames the screen is what a full
// repaint of the last state shows, the cursor is where the marker is, and all
// output is inside synchronized updates.
func FuzzScreen(f *testing.F) {
	for seed := range int64(6) {
		f.Add(seed, byte(20+seed*9), byte(6+seed))
	}
	f.Fuzz(func(t *testing.T, seed int64, wb, hb byte) { screenScene(t, seed, int(wb)%90+1, int(hb)%30+1) })
}

func TestScreenScenes(t *testing.T) {
	screenScene(t, 91064206, 53, 19) // an SGR sequence with blanks in it
	for seed := range int64(200) {
		screenScene(t, 1000+seed, 1+int(seed*7)%80, 1+int(seed*3)%24)
	}
}

// screenFrames is the number of frames of a screenScene.
const screenFrames = 30

func screenScene(t *testing.T, seed int64, w, h int) {
	r := rand.New(rand.NewSource(seed))
	screen := vt.New(w, h)
	screen.WriteString("\x1b[?7l\x1b[?1049h\x1b[?25l")
	screen.ResetStats()
	u := New(term.New(termtest.New(w, h), term.Options{Getenv: noEnv}), Options{FakeCursor: r.Intn(4) == 0})
	l := NewList()
	l.Gap = r.Intn(2)
	v := NewScrollView(nil, l)
	editor := text1("> " + CursorMarker)
	u.SetRoot(NewVStack(Fill(v), Fixed(editor)))
	u.w, u.h = w, h
	pics := testPictures(r, graphics.Kitty)
	ren := &screenRenderer{fake: u.opt.FakeCursor, paint: painter{pics: pics.Pictures, share: 100}}
	screen.SetPictures(vt.PictureModel(seed & 1))
	for range screenFrames {
		switch k := r.Intn(17); {
		case k >= 15:
			l.Append(pics.label(randomLines(r, 2)...))
		case k < 4:
			l.Append(text1(randomLines(r, 4)...))
		case k == 4 && l.Len() > 0:
			l.Remove(l.At(r.Intn(l.Len())))
		case k < 7 && l.Len() > 0:
			setLines(l.At(r.Intn(l.Len())).Component(), randomLines(r, 6))
		case k == 7:
			v.ScrollBy(r.Intn(9) - 4)
		case k == 8:
			u.ShowOverlay(text1(randomLines(r, 4)...), OverlayOptions{Width: Cells(1 + r.Intn(20)), Row: Percent(r.Intn(101)), Col: Percent(r.Intn(101))})
		case k == 9:
			u.HideOverlay()
		case k == 10:
			editor.set(randomLines(r, 3)...)
		case k > 11 && l.Len() > 0:
			if d, ok := l.At(max(0, l.Len()-1-r.Intn(5))).Component().(*label); ok {
				d.set(edit(r, d.lines)...)
			}
		case k == 11:
			w, h = 1+r.Intn(60), 1+r.Intn(20)
			u.w, u.h = w, h
			screen.Resize(w, h)
		}
		rows := u.compose()
		for first := true; first || ren.paint.more; first = false {
			for _, b := range ren.frame(rows, w, h, "") {
				if len(b) > maxFrame+4096 {
					t.Fatalf("a frame of %d bytes", len(b))
				}
				_, _ = screen.Write(b)
			}
			if ren.paint.more && r.Intn(4) == 0 {
				break // something else happens before the rest is sent
			}
		}
		if bad := screen.BadPictures(); bad != nil {
			t.Fatalf("seed %d: %q", seed, bad)
		}
		checkTiles(t, fmt.Sprint("seed ", seed), screen, 0, &ren.paint, h, func(y int) []run { return ren.prev[y].runs })
		if ren.paint.more {
			continue
		}
		full := vt.New(w, h)
		full.WriteString("\x1b[?7l\x1b[?1049h\x1b[?25l")
		full.SetPictures(vt.PictureModel(seed & 1))
		fresh := &screenRenderer{fake: u.opt.FakeCursor, curRow: ren.curRow, curCol: ren.curCol, paint: painter{pics: pics.Pictures}}
		for first := true; first || fresh.paint.more; first = false {
			for _, b := range fresh.frame(u.compose(), w, h, "") {
				_, _ = full.Write(b)
			}
		}
		if !alike(screen, full) {
			t.Fatalf("seed %d: the screen is not what a repaint shows\n%s\n%s", seed, cells(screen), cells(full))
		}
		if s := screen.Stats(); s.OutsideSync != 0 || s.Sequences["ED2"]+s.Sequences["ED3"]+s.Sequences["ED0"]+s.Sequences["RIS"]+s.Sequences["C1"] != 0 {
			t.Fatalf("seed %d: %+v", seed, s)
		}
		if b := ren.frame(u.compose(), w, h, ""); b != nil {
			t.Fatalf("seed %d: nothing changed, but %q is written", seed, b)
		}
	}
}
