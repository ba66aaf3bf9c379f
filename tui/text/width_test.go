package text

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// C-01
func TestWidthCatalogue(t *testing.T) {
	data, err := os.ReadFile("testdata/strings.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			ID, Text string
			Width    int
		}
		Advisory []struct {
			ID, Text string
			Accept   []int
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 50 {
		t.Fatalf("only %d cases", len(file.Cases))
	}
	for _, c := range file.Cases {
		if got := Width(c.Text); got != c.Width {
			t.Errorf("%s: Width(%+q) = %d, want %d", c.ID, c.Text, got, c.Width)
		}
		if got := Width("a" + c.Text + "b"); got != c.Width+2 {
			t.Errorf("%s: between letters: %d, want %d", c.ID, got, c.Width+2)
		}
	}
	for _, c := range file.Advisory {
		got, ok := Width(c.Text), false
		for _, w := range c.Accept {
			ok = ok || w == got
		}
		if !ok {
			t.Errorf("%s: Width = %d, want one of %v", c.ID, got, c.Accept)
		}
	}
}

func TestWidth(t *testing.T) {
	for _, c := range []struct {
		s    string
		want int
	}{
		{"\x1b]133;A\x07hello", 5},
		{"\x1b]133;A\x1b\\hello", 5},
		{"\x1b]133;Ahello", 11}, // not terminated: only the ESC has no width
		{"\x1b[1 qx", 1},
		{"\x1bP1$r0m\x1b\\x", 1},
		{"\x1b_tau:c\x07x", 1},
		{"a\tb", 5},
		{"🇨", 2}, {"🇯🇵", 2}, {"🇺🇸🇬🇧", 4},
		{"👍", 2}, {"👍🏻", 2}, {"✅", 2}, {"⚡", 2}, {"⚡️", 2}, {"👨", 2}, {"👨\u200d💻", 2}, {"🏳️\u200d🌈", 2},
		{"      - 🇨", 10},
		{"\u2713", 1}, {"\u263a", 1}, {"\u263a\ufe0f", 2},
		{"देवनागरी", 7}, {"நி", 2},
		{"①“→", 3},
		{"\xff\xfe", 2},
		{"\x1b", 0},
		{"", 0},
	} {
		if got := Width(c.s); got != c.want {
			t.Errorf("Width(%+q) = %d, want %d", c.s, got, c.want)
		}
	}
	for r := rune(0x1f1e6); r <= 0x1f1ff; r++ {
		if Width(string(r)) != 2 {
			t.Errorf("Width(%U) != 2", r)
		}
	}
}

// The fast path and the step must agree on every cluster boundary.
func TestWidthIsSumOfNext(t *testing.T) {
	for _, s := range []string{"abc日本x\u0301y", "e\u0301", "한국👨\u200d👩\u200d👧ok", "│ ✅ 完了 │", "a\u200db", "\xe6\x97", "1\ufe0f\u20e3"} {
		sum := 0
		for rest := s; rest != ""; {
			c, w := Next(rest)
			sum += w
			rest = rest[len(c):]
		}
		if got := Width(s); got != sum {
			t.Errorf("Width(%+q) = %d, sum of steps %d", s, got, sum)
		}
	}
}

func TestMarksWithoutEnd(t *testing.T) {
	s := "a" + strings.Repeat("\u0301", 100000)
	if w := Width(s); w < 1 || w > 2 {
		t.Errorf("width %d", w)
	}
}

func TestDecomposeAM(t *testing.T) {
	if got := DecomposeAM("กำ ຳ"); got != "ก\u0e4d\u0e32 \u0ecd\u0eb2" {
		t.Errorf("%+q", got)
	}
	if Width("กำ") != Width(DecomposeAM("กำ")) {
		t.Error("decomposing changes the width")
	}
}

func TestWidthDoesNotAllocate(t *testing.T) {
	s := strings.Repeat("plain ascii text ", 100) + "日本語 ✅"
	if n := testing.AllocsPerRun(100, func() { Width(s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func benchmarkWidth(b *testing.B, s string) {
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Width(s)
	}
}

func BenchmarkWidthASCII(b *testing.B) {
	benchmarkWidth(b, strings.Repeat("func main() { return }  ", 100))
}
func BenchmarkWidthCJK(b *testing.B) {
	benchmarkWidth(b, strings.Repeat("日本語の文章を測る。", 100))
}
func BenchmarkWidthMixed(b *testing.B) {
	benchmarkWidth(b, strings.Repeat("\x1b[31m│\x1b[0m ok ✅ 日本 \x1b[1mbold\x1b[0m ", 100))
}
func BenchmarkWidthEmoji(b *testing.B) {
	benchmarkWidth(b, strings.Repeat("👨\u200d👩\u200d👧👍🏽", 100))
}

func TestNarrowSymbols(t *testing.T) {
	c := runewidth.Condition{StrictEmojiNeutral: true}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if narrowSymbol(r) && c.RuneWidth(r) != 1 {
			t.Errorf("%U has width %d", r, c.RuneWidth(r))
		}
	}
}
