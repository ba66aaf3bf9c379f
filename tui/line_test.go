package tui

import "testing"

func TestPrepare(t *testing.T) {
	for _, c := range []struct {
		name, in string
		w        int
		out      string
		width    int
		cursor   int
	}{
		{"plain", "hello", 10, "hello", 5, noCursor},
		{"cut", "hello", 3, "hel", 3, noCursor},
		{"wide at the edge", "ab日本", 5, "ab日", 4, noCursor},
		{"open colour is closed", "\x1b[31mred", 10, "\x1b[31mred\x1b[0m", 3, noCursor},
		{"closed colour stays", "\x1b[31mred\x1b[39m", 10, "\x1b[31mred\x1b[39m", 3, noCursor},
		{"cut colour is closed by what follows", "\x1b[31mred\x1b[39m!", 3, "\x1b[31mred\x1b[39m", 3, noCursor},
		{"open link is closed", "\x1b]8;;http://x\x07ab", 10, "\x1b]8;;http://x\x07ab\x1b]8;;\x07", 2, noCursor},
		{"sequences go", "a\x1b[2Jb\x1b]0;t\x07c\x1b[>4;2md\x1b[?25he", 10, "abcde", 5, noCursor},
		{"controls go", "a\rb\nc\x07d\u009b1me", 10, "abcd1me", 7, noCursor},
		{"tab", "a\tb", 10, "a   b", 5, noCursor},
		{"mark at the edge", "xe\u0301", 2, "x\x1b[?7he\u0301\x1b[?7l", 2, noCursor},
		{"mark without a cell", "\u0301a\x1b[1m\ufe0f", 9, "a\x1b[1m\x1b[0m", 1, noCursor},
		{"not quite SGR", "\x1b[1;4 ma\x1b[>1mb\x1b[1:2;3mc", 9, "ab\x1b[1:2;3mc\x1b[0m", 3, noCursor},
		{"tab at the edge", "a\tb", 3, "a  ", 3, noCursor},
		{"marks", "ab" + CursorMarker + "c" + CursorMarker, 10, "abc", 3, 2},
		{"mark behind the edge", "abc" + CursorMarker + " ", 3, "abc", 3, 2},
		{"prompt mark", PromptMark + "hi", 10, "hi", 2, noCursor},
		{"risky cluster", "❤\ufe0fx", 10, "❤\ufe0f\x1b[3Gx", 3, noCursor},
		{"am", "กำ", 10, "ก\u0e4d\u0e32", 2, noCursor},
		{"bytes", "a\xffb", 10, "a\uFFFDb", 3, noCursor},
	} {
		l := prepare(c.in, c.w, false, nil)
		if l.out != c.out || l.width != c.width || l.cursor != c.cursor {
			t.Errorf("%s: %q width %d cursor %d, want %q %d %d", c.name, l.out, l.width, l.cursor, c.out, c.width, c.cursor)
		}
	}
	if l := prepare("a"+CursorMarker+"日b", 10, true, nil); l.out != "a\x1b[7m日\x1b[27mb" {
		t.Errorf("fake cursor: %q", l.out)
	}
	if l := prepare("a"+CursorMarker, 10, true, nil); l.out != "a\x1b[7m \x1b[27m" || l.width != 2 {
		t.Errorf("fake cursor at the end: %q", l.out)
	}
}
