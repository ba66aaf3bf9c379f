package highlight

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tau/components"
)

func doc() *components.Markdown {
	on := func(code string) components.Style {
		return func(s string) string { return "\x1b[" + code + "m" + s + "\x1b[39m" }
	}
	h := New(Styles{Comment: on("90"), Keyword: on("35"), String: on("32")})
	return components.NewMarkdown(components.MarkdownOptions{Highlight: h})
}

func TestMarkdownCode(t *testing.T) {
	src := "```go\n/* first\nsecond */ var x = \"a\"\n```\n\n```\nvar no language\n```\n\n```nosuch\nvar x\n```\n"
	whole := doc()
	whole.SetText(src)
	want := []string{"```go", "  \x1b[90m/* first\x1b[39m", "  \x1b[90msecond */\x1b[39m \x1b[35mvar\x1b[39m x = \x1b[32m\"a\"\x1b[39m", "```", "",
		"```", "  var no language", "```", "", "```nosuch", "  var x", "```"}
	if got := whole.Render(80); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	m := doc()
	for i := range src {
		m.Append(src[i : i+1])
		m.Render(80)
	}
	m.Finish()
	if got := m.Render(80); !slices.Equal(got, want) {
		t.Errorf("streamed: %q", got)
	}
	m.Invalidate()
	if got := m.Render(80); !slices.Equal(got, want) {
		t.Errorf("after Invalidate: %q", got)
	}
}

func TestLargeCodeIsPlain(t *testing.T) {
	m := doc()
	m.SetText("```go\n" + strings.Repeat("var x = 1\n", 10_000) + "```\n\n```js\n" + strings.Repeat("var a=1;", 40_000) + "\n```")
	lines := m.Render(100)
	if !strings.Contains(lines[1], "\x1b[35m") {
		t.Error("the start is coloured")
	}
	if n := slices.IndexFunc(lines[6600:10_000], func(s string) bool { return strings.Contains(s, "\x1b") }); n >= 0 {
		t.Errorf("line %d is coloured", 6600+n)
	}
	if strings.Contains(lines[len(lines)-10], "\x1b") {
		t.Error("a line of 300 KB is coloured")
	}
}

// BenchmarkStreamedCode draws a frame a token, as a model writes.
func BenchmarkStreamedCode(b *testing.B) {
	src := "```go\n" + strings.Repeat("\tif err := f(x, \"some text\"); err != nil { // why\n", 1000)
	for b.Loop() {
		m := doc()
		for i := 0; i < len(src); i += 5 {
			m.Append(src[i:min(i+5, len(src))])
			h := m.Height(100)
			m.RenderRange(100, h-40, h)
		}
	}
}

// C-13: highlighting that does not end. A frame is drawn within its share
// whatever the code is, colours go on through tokens of many lines, and a block
// that grows costs what is new.
func TestEndlessHighlighting(t *testing.T) {
	const comment = "\x1b[90m"
	within := func(name string, limit time.Duration, f func()) {
		t.Helper()
		start := time.Now()
		if f(); time.Since(start) > limit {
			t.Errorf("%s: %v", name, time.Since(start))
		}
	}
	within("C-13 numbers of 60 digits", 20*time.Second, func() {
		m := doc()
		m.SetText("```cpp\n" + strings.Repeat("auto x = "+strings.Repeat("1'000'", 15)+"0; // digits\n", 5000) + "```\n")
		lines := m.Render(120)
		if !strings.Contains(lines[1], comment) || strings.Contains(lines[len(lines)-3], "\x1b") {
			t.Errorf("the start is not coloured, or the end is: %q, %q", lines[1], lines[len(lines)-3])
		}
	})
	within("C-13 a script in one line of 300 KB", 20*time.Second, func() {
		m := doc()
		m.SetText("```js\n" + strings.Repeat("function a(b){return b?\"x\":'y'+`z`}", 8600) + "\n```\n")
		for i, l := range m.Render(120) {
			if strings.Contains(l, "\x1b") {
				t.Errorf("line %d is coloured", i)
				break
			}
		}
	})
	within("C-13 a comment of many lines", 20*time.Second, func() {
		m := doc()
		m.SetText("```cpp\n/* first\n" + strings.Repeat("it goes on\n", 50) + "here it ends */ int x; // new\n```\n")
		lines := m.Render(120)
		for i, l := range lines[1:53] {
			if !strings.HasPrefix(strings.TrimLeft(l, " "), comment) {
				t.Errorf("line %d: %q", i, l)
			}
		}
		if l := lines[52]; !strings.Contains(l, "int") || strings.Index(l, "\x1b[39m") > strings.Index(l, "int") {
			t.Errorf("the comment does not end: %q", l)
		}
	})
	// A token a frame: ten times the tokens may take about ten times as long.
	grow := func(tokens int) time.Duration {
		m := doc()
		m.Append("```cpp\n")
		start := time.Now()
		for i := range tokens {
			piece := "token "
			if i%8 == 7 {
				piece = "/* a */\n"
			}
			m.Append(piece)
			h := m.Height(100)
			m.RenderRange(100, max(0, h-40), h)
		}
		return time.Since(start)
	}
	grow(500)
	if short, long := grow(1000), grow(10_000); long > 40*short {
		t.Errorf("1,000 tokens take %v, 10,000 take %v", short, long)
	}
}
