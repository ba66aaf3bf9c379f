package latex

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"tau/tui/text"
)

var update = flag.Bool("update", false, "write golden files anew")

// TestDrawings: testdata/drawings.txt holds sources, each behind "=== ", with
// the line and the drawing that come of it.
func TestDrawings(t *testing.T) {
	const name = "testdata/drawings.txt"
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, part := range strings.Split(string(want), "=== ")[1:] {
		src, _, _ := strings.Cut(part, "\n")
		got.WriteString("=== " + src + "\n")
		if s, ok := Inline(src); ok {
			got.WriteString("    " + s + "\n")
		} else {
			got.WriteString("    no\n")
		}
		lines, ok := Render(src, 80)
		if !ok {
			continue
		}
		for _, l := range lines {
			got.WriteString(strings.TrimRight("  | "+l, " ") + "\n")
		}
	}
	if *update {
		if err := os.WriteFile(name, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got.String() != string(want) {
		t.Errorf("differs from %s (run with -update):\n%s", name, got.String())
	}
}

func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		src   string
		width int
		want  string
		ok    bool
	}{
		{`\frac{a}{b}`, 1, "a\n─\nb", true},
		{`\begin{pmatrix}a&b\\c&d\end{pmatrix}`, 7, "", false},
		{`\frac{a+b+c}{d}`, 8, "", false},
		{`\underbrace{a+b+c}_{\text{a long name}}`, 10, "", false},
		{`\sum_{i \in \text{indices}} i`, 20, "    ∑     i\ni∈indices", true},
		{`x`, 0, "", false},
	} {
		lines, ok := Render(c.src, c.width)
		if got := strings.Join(lines, "\n"); ok != c.ok || got != c.want {
			t.Errorf("%s in %d columns: %v\n%s", c.src, c.width, ok, got)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, src := range []string{
		"", " ", `\foo`, `{`, `}`, `x^`, `x_a_b`, `\frac{a}`, `\left(x`, `\right)`, `\begin{matrix}a`, `\begin{matrix}a\end{cases}`, `\begin{tikz}x\end{tikz}`,
		`\sqrt[3`, `a $ b`, "a\x1b[2Jb", "a\u202eb", `\`, `\text{a`, "\xff", strings.Repeat("{", 500) + strings.Repeat("}", 500), strings.Repeat("x", maxBytes+1),
	} {
		if s, ok := Inline(src); ok {
			t.Errorf("%q gives %q", src, s)
		}
		if lines, ok := Render(src, 80); ok {
			t.Errorf("%q gives %q", src, lines)
		}
	}
}

func TestHostileFormulas(t *testing.T) {
	for _, src := range []string{
		strings.Repeat(`\frac{a}{`, 20) + "b" + strings.Repeat("}", 20),
		strings.Repeat(`x^{`, 20) + "b" + strings.Repeat("}", 20),
		strings.Repeat(`\sqrt{\frac{x}{y}`, 12) + strings.Repeat("}", 12),
		strings.Repeat(`\overline{`, 25) + "x" + strings.Repeat("}", 25),
		strings.Repeat(`a\\`, 2000), strings.Repeat("a&", 4000), strings.Repeat("%\n", 4000) + "x",
		strings.Repeat("x", 4000) + strings.Repeat(`\\`, 1800), strings.Repeat(`\frac{x}{y}`, 700), strings.Repeat("x'", 4000), strings.Repeat("x^2", 2600),
	} {
		start := time.Now()
		Inline(src)
		Render(src, 80)
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%v for %.40q", d, src)
		}
	}
}

func FuzzRender(f *testing.F) {
	seeds, err := os.ReadFile("testdata/drawings.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, part := range strings.Split(string(seeds), "=== ")[1:] {
		src, _, _ := strings.Cut(part, "\n")
		f.Add(src, 40)
	}
	f.Fuzz(func(t *testing.T, src string, width int) {
		width %= 200
		lines, ok := Render(src, width)
		line, inlineOK := Inline(src)
		if inlineOK && strings.ContainsFunc(line, unicode.IsControl) {
			t.Fatalf("%q gives %q", src, line)
		}
		if ok == (len(lines) == 0) {
			t.Fatalf("%q: %v with %d lines", src, ok, len(lines))
		}
		for _, l := range lines {
			if text.Width(l) > width || strings.ContainsFunc(l, unicode.IsControl) || strings.HasSuffix(l, " ") {
				t.Fatalf("%q in %d columns: %q", src, width, l)
			}
		}
	})
}
