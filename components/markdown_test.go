package components

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tau/tui/text"
)

var update = flag.Bool("update", false, "write golden files anew")

func sgr(on, off string) Style {
	return func(s string) string { return "\x1b[" + on + "m" + s + "\x1b[" + off + "m" }
}

func styled() MarkdownStyle {
	return MarkdownStyle{Heading: sgr("36", "39"), Link: sgr("34", "39"), LinkURL: sgr("90", "39"), Code: sgr("33", "39"), CodeBlock: sgr("32", "39"),
		CodeBlockBorder: sgr("90", "39"), Quote: sgr("35", "39"), QuoteBorder: sgr("90", "39"), Hr: sgr("90", "39"), ListBullet: sgr("36", "39"),
		Bold: sgr("1", "22"), Italic: sgr("3", "23"), Underline: sgr("4", "24"), Strike: sgr("9", "29")}
}

func markdown(t testing.TB, s string, width int) []string {
	t.Helper()
	m := NewMarkdown(MarkdownOptions{})
	m.SetText(s)
	out := m.Render(width)
	checkLines(t, s, out, width)
	return out
}

func TestMarkdownBlocks(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		width          int
	}{
		{"nothing", " \n\n", "", 40},
		{"plain", "hello", "hello", 40},
		{"soft breaks stay", "a\nb", "a\nb", 40},
		{"two levels", "- a\n  - b", "- a\n    - b", 40},
		{"four levels", "- a\n  - b\n    - c\n      - d", "- a\n    - b\n        - c\n            - d", 40},
		{"ordered nested", "1. a\n   1. b\n   2. c\n2. d", "1. a\n    1. b\n    2. c\n2. d", 40},
		{"mixed", "1. a\n   - b\n2. c", "1. a\n    - b\n2. c", 40},
		{"numbers survive code", "1. a\n```\nx\n```\n2. b\n```\ny\n```\n3. c", "1. a\n\n```\n  x\n```\n\n2. b\n\n```\n  y\n```\n\n3. c", 40},
		{"start number", "7. a\n8. b", "7. a\n8. b", 40},
		{"text under the marker", "- aaa bbb ccc", "- aaa\n  bbb\n  ccc", 7},
		{"loose", "- a\n\n- b", "- a\n\n- b", 40},
		{"tasks", "- [ ] a\n- [x] b", "- [ ] a\n- [x] b", 40},
		{"code in a list", "- a\n\n  ```go\n  x\n  ```", "- a\n\n  ```go\n    x\n  ```", 40},
		{"code right under an item", "1. a\n   ```\n   x\n   ```\n2. b", "1. a\n   ```\n     x\n   ```\n2. b", 40},
		{"paragraph, fence, paragraph", "a\n```\nx\n```\nb", "a\n\n```\n  x\n```\n\nb", 40},
		{"with blank lines", "a\n\n```\nx\n```\n\nb", "a\n\n```\n  x\n```\n\nb", 40},
		{"fence last", "a\n\n```\nx\n```\n\n", "a\n\n```\n  x\n```", 40},
		{"fence with language", "```go\nx\n```", "```go\n  x\n```", 40},
		{"tilde fence", "~~~\nx\n~~~", "```\n  x\n```", 40},
		{"indented code", "    x\n    y", "```\n  x\n  y\n```", 40},
		{"rule", "a\n\n---\nb", "a\n\n──────────\n\nb", 10},
		{"rule last", "a\n\n---", "a\n\n──────────", 10},
		{"headings", "# a\n## b\n### c\nd", "a\n\nb\n\n### c\n\nd", 40},
		{"quote", "> a\nb", "│ a\n│ b", 40},
		{"quote of two lines", ">a\n>b", "│ a\n│ b", 40},
		{"quote then text", "> a\n\nb", "│ a\n\nb", 40},
		{"list in a quote", "> - a\n> - b", "│ - a\n│ - b", 40},
		{"long quote", "> aaaa bbbb cccc", "│ aaaa\n│ bbbb\n│ cccc", 8},
		{"list under its line", "do:\n- a\n- b", "do:\n- a\n- b", 40},
		{"list after a blank", "do:\n\n- a", "do:\n\n- a", 40},
		{"numbered list under its line", "do:\n1. a", "do:\n1. a", 40},
		{"list then text", "- a\n\nb", "- a\n\nb", 40},
		{"e-mail once", "a@b.example", "a@b.example", 40},
		{"url once", "see https://a.example/b", "see https://a.example/b", 40},
		{"link with address", "[click](https://a.example)", "click (https://a.example)", 40},
		{"mailto with other text", "[write](mailto:a@b.example)", "write (mailto:a@b.example)", 40},
		{"html stays", "<thinking>\nhm\n</thinking>", "<thinking>\nhm\n</thinking>", 40},
		{"inline html stays", "a <b>c</b>", "a <b>c</b>", 40},
		{"html in a fence", "```\n<b>\n```", "```\n  <b>\n```", 40},
		{"comment", "a\n\n<!-- x -->\n\nb", "a\n\nb", 40},
		{"inline comment", "a <!-- x -->b", "a b", 40},
		{"open comment", "a\n\n<!-- x\n\ny", "a", 40},
		{"single tildes", "~x~", "~x~", 40},
		{"spaced tildes", "~~ x ~~", "~~ x ~~", 40},
		{"entities as typed", "&amp; &lt;", "&amp; &lt;", 40},
		{"escapes", `\*a\*`, "*a*", 40},
		{"br", "a<br>b", "a<br>b", 40},
		{"hard break", "a  \nb", "a\nb", 40},
		{"plus alone", "+", "+", 40},
		{"lone dollars", "$$\n\n| a |\n|---|\n| b |", "$$\n\n┌───┐\n│ a │\n├───┤\n│ b │\n└───┘", 40},
		{"image", "![a cat](c.png)", "a cat (c.png)", 40},
		{"reference", "[a][1]\n\n[1]: https://x.example", "a (https://x.example)", 40},
		{"cjk url", "看 https://example.test/a，然後", "看 https://example.test/a，然後", 60},
		{"formula", `so $E = mc^2$ and \(x_{i+1} \le \frac{a+b}{2}\)`, "so E = mc² and xᵢ₊₁ ≤ (a+b)/2", 60},
		{"formula over lines", "$$\n\\sum_{i=1}^n i = \\frac{n(n+1)}{2}\n$$", "   n      n(n + 1)\n   ∑  i = ────────\n  i=1        2", 60},
		{"formula too wide", "$$\n\\frac{a+b+c}{d}\n$$", "$$\n\\frac{a+\nb+c}{d}\n$$", 8},
		{"brackets", `\[\alpha \in \mathbb{R}, \sqrt{x}\]`, "  α ∈ ℝ, √x", 60},
		{"formula of its own in a paragraph", `so $$\frac{a}{b}$$ holds`, "so\n  a\n  ─\n  b\nholds", 60},
		{"signs are no lists", "x\n$$\na\n+ b\n- c\n> 0\n$$\ny", "x\n\n  a + b - c > 0\n\ny", 60},
		{"formula ends a paragraph's", "is $$\nx^2\n$$", "is\n  x²", 60},
		{"unclosed formula ends at a blank line", "$$\nx\n\n- a", "$$\nx\n\n- a", 60},
		{"formula in a list", "- a\n  $$\n  x^2\n  $$", "- a\n    x²", 60},
		{"formula in a quote", "> \\[\n> x^2\n> \\]", "│   x²", 60},
		{"formula in a cell", "| a |\n|---|\n| $x_1$ $$y^2$$ |", "┌───────┐\n│ a     │\n├───────┤\n│ x₁ y² │\n└───────┘", 60},
		{"formula in a heading", `# $x^2$`, "x²", 60},
		{"unknown command", `$\foo{x}$`, `$\foo{x}$`, 60},
		{"prices", "from $5 to $10, $HOME:$PATH, $A_B/$C", "from $5 to $10, $HOME:$PATH, $A_B/$C", 60},
		{"open formula", "$$\nx^2", "$$\nx^2", 60},
		{"escaped dollar", `\$5 is x^2$`, "$5 is x^2$", 60},
		{"formula in code", "`$x^2$`", "$x^2$", 60},
		{"control characters", "a\x1b[2Jb\x07c", "abc", 40},
	} {
		if got := strings.Join(markdown(t, c.in, c.width), "\n"); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestMarkdownInline(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"**重要：**請看", "\x1b[1m重要：\x1b[22m請看"},
		{"**「引用」**です", "\x1b[1m「引用」\x1b[22mです"},
		{"請看**「引用」**です", "請看\x1b[1m「引用」\x1b[22mです"},
		{"*a* **b** `c` ~~d~~", "\x1b[3ma\x1b[23m \x1b[1mb\x1b[22m \x1b[33mc\x1b[39m \x1b[9md\x1b[29m"},
		{"snake_case_name 2*3*4", "snake_case_name 2\x1b[3m3\x1b[23m4"},
		{"## a `b` c", "\x1b[1;36ma \x1b[39m\x1b[22m\x1b[1m\x1b[36m\x1b[33mb\x1b[39m\x1b[39m\x1b[22m\x1b[1m\x1b[36m c\x1b[39m\x1b[22m"},
	} {
		m := NewMarkdown(MarkdownOptions{Style: styled()})
		m.SetText(c.in)
		if got := strings.Join(m.Render(80), "\n"); got != c.want {
			t.Errorf("%s:\n%q\nwant\n%q", c.in, got, c.want)
		}
	}
	m := NewMarkdown(MarkdownOptions{Hyperlinks: true, Style: styled()})
	m.SetText("[click](https://a.example) [bad](javascript:x) https://example.test/b。")
	got := strings.Join(m.Render(80), "\n")
	if !strings.Contains(got, "\x1b]8;;https://a.example") || strings.Contains(got, "(https://a") || strings.Contains(got, "]8;;javascript") ||
		!strings.Contains(got, "\x1b]8;;https://example.test/b\x1b\\") && !strings.Contains(got, "\x1b]8;;https://example.test/b\a") {
		t.Errorf("%q", got)
	}
}

func TestMarkdownDefaultStyleComesBack(t *testing.T) {
	st := styled()
	gray := sgr("90", "39")
	st.Text = func(s string) string { return "\x1b[3m" + gray(s) + "\x1b[23m" }
	m := NewMarkdown(MarkdownOptions{Style: st})
	m.SetText("a `b` c **d** e\n\n> quoted `x` on")
	out := strings.Join(m.Render(60), "\n")
	for _, piece := range []string{" c ", " e"} {
		if !strings.Contains(out, "\x1b[3m\x1b[90m"+piece) {
			t.Errorf("%q lost the default style: %q", piece, out)
		}
	}
	_, quote, _ := strings.Cut(out, "quoted")
	if strings.Contains(quote, "\x1b[90m on") || !strings.Contains(quote, "\x1b[3m\x1b[35m on") {
		t.Errorf("in the quote its own style holds: %q", quote)
	}
}

func TestMarkdownTables(t *testing.T) {
	table := "| Name | What it does | 列 |\n|:---|---:|:--:|\n| 旗 🇩🇪 | checks ✅ everything that there is to check in a long sentence | " +
		strings.Repeat("漢字 and words ", 20) + "|\n| `code` | **bold** https://example.com/a/very/long/url/that/does/not/end | x |"
	for _, w := range []int{120, 80, 40, 30, 20, 15, 12, 8, 4, 2, 1} {
		out := markdown(t, table, w)
		if !strings.HasPrefix(out[0], "┌") {
			continue
		}
		for i, l := range out {
			if text.Width(l) != text.Width(out[0]) {
				t.Fatalf("width %d: line %d is %d wide, not %d: %q", w, i, text.Width(l), text.Width(out[0]), l)
			}
		}
	}
	out := markdown(t, "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", 40)
	want := []string{"┌───┬───┐", "│ a │ b │", "├───┼───┤", "│ 1 │ 2 │", "│ 3 │ 4 │", "└───┴───┘"}
	if !slices.Equal(out, want) {
		t.Errorf("%q", out)
	}
	out = markdown(t, "| a |\n|---|\n| https://example.com/a/very/long/url/that/does/not/end |", 30)
	url := ""
	for _, l := range out[3 : len(out)-1] {
		if strings.Count(l, "│") != 2 {
			t.Errorf("borders: %q", l)
		}
		url += strings.TrimSpace(strings.Trim(l, "│"))
	}
	if url != "https://example.com/a/very/long/url/that/does/not/end" {
		t.Errorf("%q", url)
	}
}

// document is a text with every element.
func document(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "document.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestMarkdownGolden(t *testing.T) {
	for _, w := range []int{80, 30} {
		m := NewMarkdown(MarkdownOptions{PadX: 2, Style: styled()})
		m.SetText(document(t))
		got := strings.Join(m.Render(w), "\n") + "\n"
		got = strings.ReplaceAll(got, "\x1b", "␛")
		name := filepath.Join("testdata", fmt.Sprintf("document.%d.golden", w))
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("width %d differs from %s (run with -update):\n%s", w, name, got)
		}
	}
}

// TestMarkdownStreams checks every prefix: no line too wide, settled lines
// never change, the end is what a whole parse gives.
func TestMarkdownStreams(t *testing.T) {
	doc := document(t)
	for i, w := range []int{80, 80, 80, 24, 5} {
		o := MarkdownOptions{Diagrams: [...]Diagrams{DiagramsClosed, DiagramsFinal, DiagramsOff, DiagramsFinal, DiagramsClosed}[i]}
		m := NewMarkdown(o)
		var settled []string
		for i := 0; i < len(doc); i++ {
			m.Append(doc[i : i+1])
			out := m.Render(w)
			checkLines(t, "prefix", out, w)
			if h := m.Height(w); h != len(out) || !slices.Equal(m.RenderRange(w, h-3, h+1), out[max(0, h-3):]) {
				t.Fatal("a range is not the part of the whole")
			}
			n := m.Settled(w)
			if n < len(settled) || n > len(out) {
				t.Fatalf("width %d at %d: %d settled lines of %d, were %d", w, i, n, len(out), len(settled))
			}
			if !slices.Equal(out[:len(settled)], settled) {
				t.Fatalf("width %d at %q: settled lines changed:\n%q\n%q", w, doc[max(0, i-20):i+1], settled, out[:len(settled)])
			}
			settled = append(settled[:0:0], out[:n]...)
		}
		m.Finish()
		whole := NewMarkdown(o)
		whole.SetText(doc)
		if got, want := m.Render(w), whole.Render(w); !slices.Equal(got, want) {
			t.Errorf("width %d: streamed\n%s\nwhole\n%s", w, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if m.Settled(w) != math.MaxInt {
			t.Error("finished text is settled")
		}
	}
}

func TestMarkdownKeepsItsSlice(t *testing.T) {
	m := NewMarkdown(MarkdownOptions{})
	m.SetText(document(t))
	a := m.Render(60)
	if !sameSlice(a, m.Render(60)) {
		t.Error("rendered anew")
	}
	v := m.Version()
	m.SetText(document(t))
	if m.Version() != v || !sameSlice(a, m.Render(60)) {
		t.Error("the same text is a change")
	}
}

func TestClosingFenceArrivesInPieces(t *testing.T) {
	m := NewMarkdown(MarkdownOptions{})
	m.Append("text\n\n```go\nx := 1\n")
	height := len(m.Render(40))
	for _, s := range []string{"`", "`", "`", "`", "\n"} {
		m.Append(s)
		out := m.Render(40)
		if len(out) != height {
			t.Errorf("height jumps to %d: %q", len(out), out)
		}
		for _, l := range out[3 : len(out)-1] {
			if strings.Contains(l, "`") {
				t.Errorf("partial fence shows: %q", out)
			}
		}
	}
}

// hostileLimit is far above what any of these texts takes; what it catches is a
// cost that grows with the square of the text.
const hostileLimit = 2 * time.Second

func TestHostileMarkdown(t *testing.T) {
	for name, s := range map[string]string{
		"nested quotes":  strings.Repeat(">", 200) + " x",
		"brackets":       strings.Repeat("[", 5000),
		"bracket pairs":  strings.Repeat("[a](", 5000),
		"images":         strings.Repeat("![", 5000),
		"emphasis":       strings.Repeat("*a_ ", 8000),
		"long emphasis":  strings.Repeat("*a_ ", 25000),
		"emphasis lines": strings.Repeat("**a *b _c\n", 3000),
		"backticks":      strings.Repeat("` `` ``` ", 3000),
		"comments":       strings.Repeat("<!-- ", 5000),
		"tags":           strings.Repeat("<a ", 8000),
		"processing":     "x " + strings.Repeat("<?", 10000),
		"cdata":          "x " + strings.Repeat("<![CDATA[", 3000),
		"nested lists":   strings.Repeat("- ", 500) + "x",
		"deep lists": func() string {
			s := ""
			for i := range 100 {
				s += spaces(2*i) + "- x\n"
			}
			return s
		}(),
		"wide table":         strings.Repeat("|a", 2000) + "\n" + strings.Repeat("|-", 2000) + "\n" + strings.Repeat("|b", 2000),
		"long table":         "|a|b|\n|-|-|\n" + strings.Repeat("|some *words*|more|\n", 1000),
		"one long word":      strings.Repeat("x", 100_000),
		"prose in a fence":   "```\nThis isn't code, it's \"English\" prose\n```",
		"unknown language":   "```nosuch\nx = 1\n```",
		"open fence":         "```go\n" + strings.Repeat("x := 1\n", 5000),
		"lone dollars":       "$$\n\n|a|\n|-|\n|b|",
		"definitions":        strings.Repeat("[a]: b\n", 3000),
		"thirty quotes":      strings.Repeat("> ", 30) + "x",
		"strikes":            strings.Repeat("~~a ", 8000),
		"dollars":            strings.Repeat("$a_", 10000),
		"formulas":           strings.Repeat(`\(`, 10000),
		"nested formulas":    "$" + strings.Repeat("{", 1000) + "x" + strings.Repeat("}", 1000) + "$",
		"fractions":          "$$" + strings.Repeat(`\frac`, 300) + "$$",
		"urls":               strings.Repeat("http://a.b/( ", 3000),
		"trailing blanks":    "a" + spaces(3000) + "\nb" + spaces(500),
		"escapes":            strings.Repeat(`\*`, 16000),
		"cjk":                strings.Repeat("**重要：**請看", 2000),
		"unfinished link":    strings.Repeat("[a]( <", 3000),
		"backslash brackets": strings.Repeat(`[\]`, 5000),
	} {
		t.Run(name, func(t *testing.T) {
			for _, w := range []int{80, 2} {
				start := time.Now()
				out := markdown(t, s, w)
				if d := time.Since(start); d > hostileLimit {
					t.Errorf("width %d: %v for %d bytes", w, d, len(s))
				}
				if len(out) == 0 && !strings.HasPrefix(s, "<!--") && name != "definitions" {
					t.Error("nothing shown")
				}
			}
		})
	}
}

func TestLongOpenBlocksStayVisible(t *testing.T) {
	m := NewMarkdown(MarkdownOptions{})
	m.Append("- start\n")
	for i := range 3000 {
		m.Append(fmt.Sprintf("- item **%d**\n", i))
		out := m.Render(60)
		if last := out[len(out)-1]; !strings.Contains(last, fmt.Sprint(i)) {
			t.Fatalf("item %d is not shown: %q", i, last)
		}
	}
	m.Finish()
	if out := m.Render(60); out[len(out)-1] != "- item 2999" {
		t.Errorf("%q", out[len(out)-1])
	}
}

func BenchmarkMarkdownStream(b *testing.B) {
	doc := ""
	for len(doc) < 200_000 {
		doc += document(b)
	}
	doc = strings.ReplaceAll(doc[:200_000], "]: ", "] ")
	for b.Loop() {
		m := NewMarkdown(MarkdownOptions{Style: styled()})
		for i := 0; i < len(doc); i += 20 {
			m.Append(doc[i:min(i+20, len(doc))])
			m.Render(100)
		}
	}
}

// BenchmarkMarkdownStreamWindow draws as a transcript does: a window at the end.
func BenchmarkMarkdownStreamWindow(b *testing.B) {
	doc := ""
	for len(doc) < 200_000 {
		doc += document(b)
	}
	doc = strings.ReplaceAll(doc[:200_000], "]: ", "] ")
	for b.Loop() {
		m := NewMarkdown(MarkdownOptions{Style: styled()})
		for i := 0; i < len(doc); i += 20 {
			m.Append(doc[i:min(i+20, len(doc))])
			h := m.Height(100)
			m.RenderRange(100, h-50, h)
		}
	}
}

func BenchmarkMarkdownStreamFence(b *testing.B) {
	doc := "```go\n" + strings.Repeat("\tif err := f(x, \"some text\"); err != nil {\n", 4600)
	for b.Loop() {
		m := NewMarkdown(MarkdownOptions{Style: styled()})
		for i := 0; i < len(doc); i += 20 {
			m.Append(doc[i:min(i+20, len(doc))])
			m.Render(100)
		}
	}
}

func BenchmarkMarkdownStreamList(b *testing.B) {
	doc := strings.Repeat("- an item with **bold** words and `code` in it\n", 4300)
	for b.Loop() {
		m := NewMarkdown(MarkdownOptions{Style: styled()})
		for i := 0; i < len(doc); i += 20 {
			m.Append(doc[i:min(i+20, len(doc))])
			m.Render(100)
		}
	}
}

func BenchmarkMarkdownWhole100KB(b *testing.B) {
	doc := ""
	for len(doc) < 100_000 {
		doc += document(b)
	}
	for b.Loop() {
		m := NewMarkdown(MarkdownOptions{Style: styled()})
		m.SetText(doc)
		m.Render(100)
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add(document(f), 40)
	f.Add("> - ```\n>   x\n", 3)
	f.Add(diagramText, 30)
	f.Add("| a |\n|---|\n| \x1b[31m |", 7)
	f.Fuzz(func(t *testing.T, s string, width int) {
		if len(s) > 4000 {
			return
		}
		width = 1 + (width&math.MaxInt)%120
		m := NewMarkdown(MarkdownOptions{Style: styled(), PadX: 1})
		m.Append(s[:len(s)/2])
		checkLines(t, "half", m.Render(width), width)
		n := m.Settled(width)
		settled := slices.Clone(m.Render(width)[:n])
		m.Append(s[len(s)/2:])
		checkLines(t, "whole", m.Render(width), width)
		if !slices.Equal(settled, m.Render(width)[:n]) {
			t.Fatalf("settled lines changed")
		}
		m.Finish()
		checkLines(t, "finished", m.Render(width), width)
		// Piece by piece gives what one parse of all gives.
		whole := NewMarkdown(MarkdownOptions{Style: styled(), PadX: 1})
		whole.Append(s)
		whole.whole = true
		whole.Finish()
		if got, want := m.Render(width), whole.Render(width); !slices.Equal(got, want) {
			t.Fatalf("%q in two pieces:\n%q\nwhole:\n%q", s, got, want)
		}
	})
}

const diagramText = "Look:\n\n```mermaid\ngraph TD\na --> b\n```\n\nSo it is.\n"

// TestDiagramsHaveTheirTime: with DiagramsClosed a diagram is drawn when its
// fence closes, with DiagramsFinal at the end, and until then nothing from it
// on is settled.
func TestDiagramsHaveTheirTime(t *testing.T) {
	closing := strings.LastIndex(diagramText, "```") + 4
	for _, c := range []struct {
		when Diagrams
		from int // of the text that has to be there
	}{{DiagramsClosed, closing}, {DiagramsFinal, len(diagramText) + 1}, {DiagramsOff, len(diagramText) + 2}} {
		m := NewMarkdown(MarkdownOptions{Diagrams: c.when})
		for i := range len(diagramText) {
			m.Append(diagramText[i : i+1])
			out := strings.Join(m.Render(40), "\n")
			if drawn := strings.Contains(out, "▼"); drawn != (i+1 >= c.from) {
				t.Fatalf("%v after %d bytes: drawn: %v\n%s", c.when, i+1, drawn, out)
			}
			if n := m.Settled(40); c.when == DiagramsFinal && i > closing && n != 1 {
				t.Fatalf("%d lines are settled before the diagram is drawn", n)
			}
		}
		m.Finish()
		out := strings.Join(m.Render(40), "\n")
		if drawn := strings.Contains(out, "▼"); drawn != (c.when != DiagramsOff) {
			t.Fatalf("%v at the end: drawn: %v\n%s", c.when, drawn, out)
		}
		m.SetDiagrams(DiagramsOff)
		if out := strings.Join(m.Render(40), "\n"); strings.Contains(out, "▼") {
			t.Fatalf("switched off, still drawn:\n%s", out)
		}
	}
}

func TestDiagramsThatStaySource(t *testing.T) {
	for _, s := range []string{"```mermaid\ngraph TD\na[a very long label] --> b\n```", "```mermaid\nnothing\n```", "```mermaid\ngraph TD\na --> b", "```text\ngraph TD\na --> b\n```"} {
		m := NewMarkdown(MarkdownOptions{})
		m.SetText(s)
		if out := strings.Join(m.Render(14), "\n"); !strings.HasPrefix(out, "```") {
			t.Errorf("%q gives\n%s", s, out)
		}
	}
}

func TestFaultsShowTheSource(t *testing.T) {
	if out, ok := orSource(func() (string, bool) { panic("not thought of") }); ok {
		t.Errorf("%q", out)
	}
}
