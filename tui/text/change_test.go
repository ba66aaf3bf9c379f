package text_test

import (
	"strings"
	"testing"

	"tau/tui/text"
	"tau/tui/vt"
)

func TestChanged(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     text.Change
	}{
		{"abc", "abcd", text.Change{3, "d", 0}},
		{"abcd", "abc", text.Change{3, "", 1}},
		{"", "x", text.Change{0, "x", 0}},
		{"x", "", text.Change{0, "", 1}},
		{"took 12s (esc)", "took 13s (esc)", text.Change{6, "3", 0}},
		{"took 9s (esc)", "took 10s (esc)", text.Change{5, "10s (esc)", 0}},
		// Wide cells stay whole, on both sides.
		{"日本語", "日本人", text.Change{4, "人", 0}},
		{"a日b", "axyb", text.Change{1, "xy", 0}},
		{"a日b", "axb", text.Change{1, "xb", 1}},
		// A mark goes with its cell.
		{"cafe", "cafe\u0301", text.Change{3, "e\u0301", 0}},
		{"cafe\u0301", "cafe", text.Change{3, "e", 0}},
		{"cafe\u0301", "cafex", text.Change{3, "ex", 0}},
		{"e\u0301x", "a\u0301x", text.Change{0, "a\u0301", 0}},
		{"e\x1b[1m\u0301x\x1b[0m", "e\x1b[2m\u0301x\x1b[0m", text.Change{0, "e\x1b[2m\u0301x\x1b[0m", 0}},
		// Styles are switched on where the change begins, and off behind it.
		{"\x1b[31mred\x1b[39m", "\x1b[31mred too\x1b[39m", text.Change{3, "\x1b[31m too\x1b[39m", 0}},
		{"\x1b[31mone two\x1b[0m", "\x1b[31mona two\x1b[0m", text.Change{2, "\x1b[31ma\x1b[0m", 0}},
		{"a\x1b[31mb\x1b[0mc", "a\x1b[32mb\x1b[0mc", text.Change{1, "\x1b[32mb\x1b[0m", 0}},
		{"a\x1b[31mb\x1b[0mc", "abc", text.Change{1, "b", 0}},
		{"\x1b[01mone two\x1b[0m", "\x1b[01mona two\x1b[0m", text.Change{2, "\x1b[1ma\x1b[0m", 0}}, // as ls writes it
		// Links are written whole.
		{"\x1b]8;;https://a.test\x07link\x1b]8;;\x07 x", "\x1b]8;;https://a.test\x07line\x1b]8;;\x07 x", text.Change{0, "\x1b]8;;https://a.test\x07line\x1b]8;;\x07", 0}},
		{"see \x1b]8;;https://a.test\x07a\x1b]8;;\x07 x", "see \x1b]8;;https://a.test\x07a\x1b]8;;\x07 y", text.Change{6, "y", 0}},
	} {
		if got := text.Changed(c.old, c.new); got != c.want {
			t.Errorf("%q to %q: %#v, want %#v", c.old, c.new, got, c.want)
		}
	}
}

// What is written over the old line makes the new one.
func FuzzChanged(f *testing.F) {
	f.Add("plain 日本 e\u0301", "plain 日x e\u0301")
	f.Add("\x1b[31mred\x1b[0m tail", "\x1b[32mred\x1b[0m tail")
	f.Add("\x1b]8;;https://a.test\x07link\x1b]8;;\x07 x", "\x1b]8;;https://a.test\x07line\x1b]8;;\x07 x")
	f.Fuzz(func(t *testing.T, old, new string) {
		old, ok1 := fit(old)
		new, ok2 := fit(new)
		if !ok1 || !ok2 || old == new {
			return
		}
		c := text.Changed(old, new)
		if text.Close(c.Text) != "" || c.Col < 0 || c.Col+text.Width(c.Text) > 60 {
			t.Fatalf("%q to %q: %#v", old, new, c)
		}
		a, b := vt.New(60, 1), vt.New(60, 1)
		a.WriteString("\x1b[?7l" + old + "\x1b[" + itoa(c.Col+1) + "G" + c.Text)
		if c.Behind > 0 {
			a.WriteString("\x1b[K")
		}
		b.WriteString("\x1b[?7l" + new)
		for x := range 60 {
			p, q := a.Cell(0, x), b.Cell(0, x)
			if strings.TrimSpace(p.Text) == "" && strings.TrimSpace(q.Text) == "" {
				p.Text, q.Text = "", ""
			}
			if p != q {
				t.Fatalf("%q to %q by %#v: column %d is %+v, not %+v", old, new, c, x, p, q)
			}
		}
	})
}

// fit makes a line of s that is sure to be measured alike by everybody.
func fit(s string) (string, bool) {
	s = strings.NewReplacer("\n", "", "\t", "").Replace(text.Slice(text.Sanitize(s), 0, 50))
	for r := s; r != ""; {
		if n := text.Escape(r); n > 0 {
			r = r[n:]
			continue
		}
		c, _ := text.Next(r)
		if text.Risky(c) {
			return "", false
		}
		r = r[len(c):]
	}
	return s + text.Close(s), text.DecomposeAM(s) == s
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}
