package text

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestWrap(t *testing.T) {
	const (
		red, bg, ul, noUL, reset = "\x1b[31m", "\x1b[44m", "\x1b[4m", "\x1b[24m", "\x1b[0m"
		url                      = "https://example.test/a/very/long/path/that/goes/on"
	)
	for _, c := range []struct {
		name, s string
		width   int
		want    []string
	}{
		{"empty", "", 10, []string{""}},
		{"fits", "hello", 5, []string{"hello"}},
		{"words", "hello world this is a test", 10, []string{"hello", "world this", "is a test"}},
		{"spaces at the break go", "hello   world", 7, []string{"hello", "world"}},
		{"exact fill leaves no blank", "aaaaa bbb", 5, []string{"aaaaa", "bbb"}},
		{"only spaces", "     ", 1, []string{""}},
		{"long word", "abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"long word goes on with the rest", "ab cdefghij kl", 5, []string{"ab", "cdefg", "hij", "kl"}},
		{"indent stays", "   leadlong", 6, []string{"   lea", "dlong"}},
		{"indent without room goes", "        abc", 4, []string{"abc"}},
		{"line ends", "a\r\nb\rc\nd", 10, []string{"a", "b", "c", "d"}},
		{"final line end", "a\n", 10, []string{"a", ""}},
		{"flag", "      - 🇨", 9, []string{"      -", "🇨"}},
		{"C-02 cjk 1", "ab日本", 1, []string{"a", "b", "…", "…"}},
		{"C-02 cjk 2", "ab日本", 2, []string{"ab", "日", "本"}},
		{"C-02 cjk 3", "ab日本", 3, []string{"ab", "日", "本"}},
		{"C-02 cjk 4", "ab日本", 4, []string{"ab日", "本"}},
		{"cjk and latin", "abc漢漢漢漢", 6, []string{"abc漢", "漢漢漢"}},
		{"closing punctuation stays", "漢字漢字。", 8, []string{"漢字漢", "字。"}},
		{"C-02 family 2", "👨\u200d👩\u200d👧x", 2, []string{"👨\u200d👩\u200d👧", "x"}},
		{"C-02 family 1", "👨\u200d👩\u200d👧x", 1, []string{"…", "x"}},
		{"tab counts three", "a\tb", 4, []string{"a", "b"}},
		{"colour is carried", red + "hello world" + reset, 5, []string{red + "hello", red + "world" + reset}},
		{"underline opens after the blank", "read this thread " + ul + "linkedword" + noUL, 16,
			[]string{"read this thread", ul + "linkedword" + noUL}},
		{"underline closes before padding", ul + "underlined text here " + noUL + "more", 18,
			[]string{ul + "underlined text" + noUL, ul + "here " + noUL + "more"}},
		{"background stays open", bg + "blue text" + reset, 4, []string{bg + "blue", bg + "text" + reset}},
		{"ended colour is not opened again", red + "red" + " " + "\x1b[39mplain", 5, []string{red + "red", "plain"}},
		{"escapes among dropped blanks stay", red + "red \x1b[39m plain", 5, []string{red + "red\x1b[39m", "plain"}},
		{"style over line ends", "\x1b[1ma\nb\x1b[22m\nc", 9, []string{"\x1b[1ma", "\x1b[1mb\x1b[22m", "c"}},
		{"combined", "\x1b[1m\x1b[38;2;1;2;3m\x1b[48;5;7mab cd", 2,
			[]string{"\x1b[1;38;2;1;2;3;48;5;7mab", "\x1b[1;38;2;1;2;3;48;5;7mcd"}},
		{"colon forms", "\x1b[4:3m\x1b[58:2::1:2:3mab cd", 2,
			[]string{"\x1b[4:3;58:2::1:2:3mab\x1b[24m", "\x1b[4:3;58:2::1:2:3mcd\x1b[24m"}},
		{"link with BEL", "\x1b]8;;http://x.test\x07ab cd\x1b]8;;\x07", 2,
			[]string{"\x1b]8;;http://x.test\x07ab\x1b]8;;\x07", "\x1b]8;;http://x.test\x07cd\x1b]8;;\x07"}},
		{"link with ST and id", "\x1b]8;id=1;http://x.test\x1b\\ab cd\x1b]8;;\x1b\\", 2,
			[]string{"\x1b]8;id=1;http://x.test\x1b\\ab\x1b]8;;\x1b\\", "\x1b]8;id=1;http://x.test\x1b\\cd\x1b]8;;\x1b\\"}},
		{"reset leaves the link", "\x1b]8;;http://x.test\x07\x1b[0mab cd", 2,
			[]string{"\x1b]8;;http://x.test\x07ab\x1b]8;;\x07", "\x1b]8;;http://x.test\x07cd\x1b]8;;\x07"}},
	} {
		if got := Wrap(c.s, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%s: Wrap(%q, %d)\n got %q\nwant %q", c.name, c.s, c.width, got, c.want)
		}
	}
	for i, line := range Wrap("prefix "+ul+url+noUL+" suffix", 30) {
		if strings.Contains(line, reset) || strings.HasPrefix(line, ul) && !strings.Contains(line, noUL) {
			t.Errorf("line %d: %q", i, line)
		}
	}
}

// C-03
func TestWrapHanFillsLines(t *testing.T) {
	lines := Wrap("abc"+strings.Repeat("漢", 200), 40)
	for i, l := range lines[:len(lines)-1] {
		if w := Width(l); w < 39 || w > 40 {
			t.Errorf("line %d has %d columns", i, w)
		}
	}
}

func TestWrapLongLineIsLinear(t *testing.T) {
	n := 0
	for _, l := range Wrap(strings.Repeat("x", 10<<20), 100) {
		n += len(l)
	}
	if n != 10<<20 {
		t.Errorf("%d bytes", n)
	}
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		tail  string
		want  string
	}{
		{"hello", 5, "…", "hello"},
		{"hello!", 5, "…", "hell…"},
		{"hello", 0, "…", ""},
		{"hello", 2, "...", ".."},
		{"日本語", 5, "…", "日本…"},
		{"日本語", 4, "…", "日…"},
		{"\x1b[31mlong red text\x1b[0m", 8, "...", "\x1b[31mlong \x1b[0m..."},
		{"\x1b[31mred\x1b[0m plain text", 8, "...", "\x1b[31mred\x1b[0m p..."},
		{"\x1b]8;;http://x.test\x07label\x1b]8;;\x07", 3, "…", "\x1b]8;;http://x.test\x07la\x1b]8;;\x07…"},
		{"\x1b[31mfits\x1b[0m", 4, "…", "\x1b[31mfits\x1b[0m"},
		{"abc", 2, "", "ab"},
	} {
		if got := Truncate(c.s, c.width, c.tail); got != c.want {
			t.Errorf("Truncate(%q, %d, %q) = %q, want %q", c.s, c.width, c.tail, got, c.want)
		}
	}
}

func TestSlice(t *testing.T) {
	for _, c := range []struct {
		s        string
		start, n int
		want     string
	}{
		{"hello", 1, 3, "ell"},
		{"hello", 3, 9, "lo"},
		{"hello", 9, 3, ""},
		{"日本語", 0, 3, "日"},
		{"日本語", 1, 4, "本"},
		{"日本語", 2, 2, "本"},
		{"\x1b[31mred\x1b[0m text", 0, 3, "\x1b[31mred\x1b[0m"},
		{"\x1b[31mred\x1b[0m text", 1, 4, "\x1b[31med\x1b[0m t"},
		{"\x1b[31mred\x1b[0m text", 4, 4, "text"},
		{"\x1b]8;;http://x.test\x07label\x1b]8;;\x07", 1, 2, "\x1b]8;;http://x.test\x07ab\x1b]8;;\x07"},
		{"e\u0301x", 0, 1, "e\u0301"},
		{"e\u0301x", 1, 1, "x"},
	} {
		if got := Slice(c.s, c.start, c.n); got != c.want {
			t.Errorf("Slice(%q, %d, %d) = %q, want %q", c.s, c.start, c.n, got, c.want)
		}
	}
	if got, w := Cut("日本語", 0, 3, false); got != "日本" || w != 4 {
		t.Errorf("loose: %q %d", got, w)
	}
}

func TestOverlay(t *testing.T) {
	for _, c := range []struct {
		base, top  string
		col, width int
		want       string
	}{
		{"abcdefgh", "XY", 3, 2, "abcXYfgh"},
		{"abcdefgh", "X", 3, 3, "abcX  gh"},
		{"ab", "XY", 4, 2, "ab  XY"},
		{"日本語日", "X", 1, 2, " X  語日"},
		{"\x1b[31mabcdef\x1b[0m", "XY", 2, 2, "\x1b[31mab\x1b[0mXY\x1b[31mef\x1b[0m"},
	} {
		got := Overlay(c.base, c.top, c.col, c.width)
		if got != c.want {
			t.Errorf("Overlay(%q, %q, %d, %d) = %q, want %q", c.base, c.top, c.col, c.width, got, c.want)
		}
	}
}

func TestCellsAndLinks(t *testing.T) {
	s := "a日\x1b]8;;https://x.test/\x1b\\label\x1b]8;;\x1b\\z"
	if f, e := CellRange(s, 2); f != 1 || e != 3 {
		t.Errorf("cell %d-%d", f, e)
	}
	if f, e := CellRange(s, 20); f != 20 || e != 21 {
		t.Errorf("cell behind the end %d-%d", f, e)
	}
	if u, ok := LinkAt(s, 3); !ok || u != "https://x.test/" {
		t.Errorf("link %q %v", u, ok)
	}
	if _, ok := LinkAt(s, 8); ok {
		t.Error("link behind its end")
	}
}

func TestHighlight(t *testing.T) {
	got := Highlight("a\x1b[31mb\x1b[0mc日d", 1, 4, "\x1b[7m", "\x1b[27m")
	want := "a\x1b[31m\x1b[7mb\x1b[0m\x1b[7mc日\x1b[27md"
	if got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// visible returns the text without sequences and without blanks.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, StripSequences(s))
}

func FuzzWrap(f *testing.F) {
	f.Add("hello world", 5)
	f.Add("\x1b[31m日本\x1b[0m \x1b]8;;http://x\x07ab", 3)
	f.Add("  a\u0301👨\u200d👩\u200d👧 \x1b[ \x1b", 4)
	f.Add("\r\n\t\t\x1b[4mz\x1b[24m", 2)
	f.Fuzz(func(t *testing.T, s string, width int) {
		if width < 4 || width > 300 || !utf8.ValidString(s) || len(s) > 4096 {
			return
		}
		lines := Wrap(s, width)
		for _, l := range lines {
			if w := Width(l); w > width {
				// A cluster of many spacing marks can be wider than any line.
				t.Fatalf("Wrap(%q, %d): line %q is %d wide", s, width, l, w)
			}
		}
		var joined strings.Builder
		for _, l := range lines {
			joined.WriteString(visible(l))
		}
		if got := joined.String(); !strings.Contains(got, tooWide) && got != visible(s) {
			t.Fatalf("Wrap(%q, %d) = %q: text changed", s, width, lines)
		}
	})
}

func FuzzSlice(f *testing.F) {
	f.Add("a\x1b[31m日本\x1b[0mz", 1, 3)
	f.Fuzz(func(t *testing.T, s string, start, n int) {
		if start < 0 || n < 0 || start > 1000 || n > 1000 || len(s) > 4096 {
			return
		}
		part, w := Cut(s, start, n, true)
		if got := Width(part); got != w || w > n {
			t.Fatalf("Cut(%q, %d, %d) = %q: width %d, said %d", s, start, n, part, got, w)
		}
		if c := Close(part); c != "" && start+n < Width(s) {
			t.Fatalf("Cut(%q, %d, %d) = %q leaves %q open", s, start, n, part, c)
		}
		if cut := Truncate(s, n, "…"); Width(cut) > n {
			t.Fatalf("Truncate(%q, %d) = %q", s, n, cut)
		}
	})
}

func BenchmarkWrapASCII(b *testing.B) {
	s := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 200)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Wrap(s, 80)
	}
}

func BenchmarkWrapStyled(b *testing.B) {
	s := strings.Repeat("The \x1b[31mquick\x1b[39m brown 日本 \x1b[1mjumps\x1b[22m over. ", 200)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Wrap(s, 80)
	}
}
