package vt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestScreen(t *testing.T) {
	for _, c := range []struct {
		name, in, want string // 10x4
		row, col       int
	}{
		{"text", "hello", "hello", 0, 5},
		{"line ends", "a\r\nb\nc", "a\nb\n c", 2, 2},
		{"wrap is pending", "0123456789", "0123456789", 0, 9},
		{"wrap", "0123456789a", "0123456789\na", 1, 1},
		{"pending wrap and return", "0123456789\rX", "X123456789", 0, 1},
		{"no autowrap", "\x1b[?7l0123456789ab", "012345678b", 0, 9},
		{"wide", "日本", "日本", 0, 4},
		{"wide at the edge wraps", "012345678日", "012345678\n日", 1, 2},
		{"wide cut by text", "日本\x1b[2Gx", " x本", 0, 2},
		{"cluster", "e\u0301👨\u200d👩\u200d👧x", "e\u0301👨\u200d👩\u200d👧x", 0, 4},
		{"scroll", "1\r\n2\r\n3\r\n4\r\n5", "2\n3\n4\n5", 3, 1},
		{"cup", "\x1b[2;3Hx", "\n  x", 1, 3},
		{"erase line", "abcdef\x1b[3D\x1b[K", "abc", 0, 3},
		{"erase display", "a\r\nb\r\nc\x1b[2;1H\x1b[J", "a", 1, 0},
		{"insert lines", "1\r\n2\r\n3\x1b[2;1H\x1b[L", "1\n\n2\n3", 1, 0},
		{"delete lines", "1\r\n2\r\n3\x1b[1;1H\x1b[M", "2\n3", 0, 0},
		{"insert cells", "abc\x1b[2G\x1b[2@", "a  bc", 0, 1},
		{"delete cells", "abcd\x1b[2G\x1b[2P", "ad", 0, 1},
		{"region", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\nx", "1\n3\nx\n4", 2, 1},
		{"alternate", "main\x1b[?1049halt\x1b[?1049l", "main", 0, 4},
		{"save", "ab\x1b7\x1b[4;4Hx\x1b8c", "abc\n\n\n   x", 0, 3},
		{"cut sequence", "a\x1b[3", "a", 0, 1},
	} {
		vt := New(10, 4)
		for i := range len(c.in) { // in pieces
			vt.WriteString(c.in[i : i+1])
		}
		row, col := vt.Cursor()
		if got := vt.String(); got != c.want || row != c.row || col != c.col {
			t.Errorf("%s: %q at %d,%d, want %q at %d,%d", c.name, got, row, col, c.want, c.row, c.col)
		}
	}
}

func TestAttributes(t *testing.T) {
	vt := New(20, 3)
	vt.WriteString("\x1b[1;3;4:3;38;5;9;48:2::1:2:3mX\x1b[0mY\x1b]8;;http://x\x07Z\x1b]8;;\x07\x1b[44m\x1b[K")
	want := Style{Bold: true, Italic: true, Underline: 3, FG: "9", BG: "#010203"}
	if got := vt.Cell(0, 0).Style; got != want {
		t.Errorf("%+v", got)
	}
	if got := vt.Cell(0, 1).Style; got != (Style{}) {
		t.Errorf("%+v", got)
	}
	if got := vt.Cell(0, 2).Style.Link; got != "http://x" {
		t.Errorf("link %q", got)
	}
	if got := vt.Cell(0, 10); got.Style.BG != "4" || got.Text != "" {
		t.Errorf("erased cell %+v", got)
	}
}

func TestModesAndReplies(t *testing.T) {
	vt := New(10, 4)
	vt.SetAnswers(Answers{DA1: true, Kitty: true, Background: "rgb:0/0/0", Sync: true, CellSize: [2]int{9, 18}, Cursor: true})
	vt.WriteString("\x1b[?2004h\x1b[?1000h\x1b[?1002h\x1b[?1006h\x1b[?25l\x1b[>7u\x1b[?u\x1b]11;?\x07\x1b[?2026$p\x1b[16t\x1b[6n\x1b[c")
	m := vt.Modes()
	if !m.BracketedPaste || m.Mouse != 1002 || !m.MouseSGR || m.CursorVisible || !slices.Equal(m.Kitty, []int{7}) {
		t.Errorf("%+v", m)
	}
	want := "\x1b[?7u\x1b]11;rgb:0/0/0\x1b\\\x1b[?2026;2$y\x1b[6;18;9t\x1b[1;1R\x1b[?62;22c"
	if got := string(vt.TakeReplies()); got != want {
		t.Errorf("%q", got)
	}
	vt.WriteString("\x1b[?1049h")
	if m := vt.Modes(); !m.Alternate || len(m.Kitty) != 0 {
		t.Errorf("the alternate screen has flags of its own: %+v", m)
	}
}

func TestStats(t *testing.T) {
	vt := New(10, 4)
	vt.WriteString("ab\x1b[?2026hxyz\x1b[2J\x1b[?2026lc")
	s := vt.Stats()
	if s.OutsideSync != 3 || s.Frames != 1 || s.Sequences["ED2"] != 1 || s.MaxFrame != 8+3+4+8 {
		t.Errorf("%+v", s)
	}
}

func TestScrollback(t *testing.T) {
	vt := New(10, 3)
	for i := range 6 {
		fmt.Fprintf(vt, "line %d\r\n", i)
	}
	if got := strings.Join(vt.Scrollback(), ","); got != "line 0,line 1,line 2,line 3" {
		t.Errorf("%q", got)
	}
	vt.WriteString("\x1b[2J\x1b[2S")
	if len(vt.Scrollback()) != 4 {
		t.Error("clearing or SU fed the scrollback")
	}
	vt.WriteString("\x1b[3J")
	if len(vt.Scrollback()) != 0 || vt.Stats().Sequences["ED3"] != 1 {
		t.Error("ED3")
	}
}

func TestResize(t *testing.T) {
	vt := New(10, 4)
	vt.WriteString("0123456789abc\r\nsecond\r\n>")
	vt.Resize(5, 4)
	if got := strings.Join(vt.All(), "|"); got != "01234|56789|abc|secon|d|>" {
		t.Errorf("narrow: %q", got)
	}
	if r, c := vt.Cursor(); r != 3 || c != 1 {
		t.Errorf("cursor %d,%d", r, c)
	}
	vt.Resize(20, 4)
	if got := strings.Join(vt.All(), "|"); got != "0123456789abc|second|>" {
		t.Errorf("wide: %q", got)
	}
	vt.Resize(20, 2)
	if got := strings.Join(vt.Scrollback(), "|"); got != "0123456789abc" || vt.String() != "second\n>" {
		t.Errorf("low: %q, %q", got, vt)
	}
	vt.Resize(20, 3)
	if got := vt.String(); got != "0123456789abc\nsecond\n>" {
		t.Errorf("high: %q", got)
	}
	vt.Resize(20, 1)
	vt.SetPull(false)
	vt.Resize(20, 3)
	if got := vt.String(); got != ">" {
		t.Errorf("high without pulling: %q", got)
	}
}
