package highlight

import (
	"slices"
	"strings"
	"testing"

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
