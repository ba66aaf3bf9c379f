package text

import "testing"

func TestWordLeftRight(t *testing.T) {
	for _, c := range []struct {
		s           string
		pos         int
		left, right int
	}{
		{"foo bar... baz", 14, 11, 14},
		{"foo bar... baz", 11, 7, 14},
		{"foo bar... baz", 7, 4, 10},
		{"foo bar... baz", 3, 0, 7},
		{"   foo bar", 0, 0, 6},
		{"foo bar   ", 10, 4, 10},
		{"a.b/c", 5, 4, 5},
		{"line one\nline two", 17, 14, 17},
		{"don't", 5, 4, 5},
		{"", 0, 0, 0},
	} {
		if got := WordLeft(c.s, c.pos); got != c.left {
			t.Errorf("WordLeft(%q, %d) = %d, want %d", c.s, c.pos, got, c.left)
		}
		if got := WordRight(c.s, c.pos); got != c.right {
			t.Errorf("WordRight(%q, %d) = %d, want %d", c.s, c.pos, got, c.right)
		}
	}
}

func TestAtomicWords(t *testing.T) {
	s, span := "ab [paste #1 +3 lines] cd", Span{3, 22}
	if got := WordLeft(s, 22, span); got != 3 {
		t.Errorf("left %d", got)
	}
	if got := WordRight(s, 2, span); got != 22 {
		t.Errorf("right %d", got)
	}
}

func TestWordAt(t *testing.T) {
	for _, c := range []struct {
		s        string
		col      int
		from, to int
	}{
		{"see ./a/b_c.go now", 7, 4, 14},
		{"see ./a/b_c.go now", 3, 3, 4},
		{"\x1b[31mred\x1b[0m blue", 1, 0, 3},
		{"foo(bar)", 5, 4, 7},
		{"end", 9, 9, 10},
	} {
		if f, e := WordAt(c.s, c.col); f != c.from || e != c.to {
			t.Errorf("WordAt(%q, %d) = %d-%d, want %d-%d", c.s, c.col, f, e, c.from, c.to)
		}
	}
}
