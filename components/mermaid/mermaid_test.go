package mermaid

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"tau/tui/text"
)

var update = flag.Bool("update", false, "write golden files anew")

// TestDrawings: the files of testdata hold diagrams, each between lines of
// equal signs, with what comes of it below a line of hyphens.
func TestDrawings(t *testing.T) {
	for _, name := range []string{"flowcharts", "states_classes", "sequences", "refused"} {
		file := "testdata/" + name + ".txt"
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for i, src := range diagrams(string(want)) {
			if i > 0 {
				got.WriteString("==========\n")
			}
			got.WriteString(src + "----------\n")
			lines, ok := Render(src, 110)
			if ok != (name != "refused") {
				t.Errorf("%s, diagram %d: drawn: %v\n%s", name, i, ok, src)
			}
			for _, l := range lines {
				got.WriteString(l + "\n")
			}
		}
		if *update {
			if err := os.WriteFile(file, []byte(got.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got.String() != string(want) {
			t.Errorf("differs from %s (run with -update):\n%s", file, got.String())
		}
	}
}

func diagrams(s string) (out []string) {
	for _, part := range strings.Split(s, "==========\n") {
		src, _, _ := strings.Cut(part, "----------\n")
		out = append(out, src)
	}
	return out
}

func corpus(t testing.TB) (out []string) {
	t.Helper()
	for _, name := range []string{"flowcharts", "states_classes", "sequences", "refused"} {
		b, err := os.ReadFile("testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, diagrams(string(b))...)
	}
	return out
}

// check holds what is true of every drawing.
func check(t *testing.T, src string, width int) bool {
	t.Helper()
	rows, ok := Draw(src, width)
	if ok == (len(rows) == 0) {
		t.Fatalf("%q: %v with %d lines", src, ok, len(rows))
	}
	for _, row := range rows {
		if w := spansWidth(row); w > width {
			t.Fatalf("%q in %d columns: %d wide: %v", src, width, w, row)
		}
		for _, s := range row {
			if strings.ContainsFunc(s.Text, unicode.IsControl) {
				t.Fatalf("%q: %q", src, s.Text)
			}
		}
	}
	return ok
}

func TestEveryWidth(t *testing.T) {
	for _, src := range corpus(t) {
		drawn := false
		for w := 1; w <= 130; w++ {
			ok := check(t, src, w)
			if drawn && !ok {
				t.Errorf("fits in %d columns, not in %d:\n%s", w-1, w, src)
			}
			drawn = ok
		}
	}
}

// TestNothingIsLeftOut: every word of a diagram is in its drawing.
func TestNothingIsLeftOut(t *testing.T) {
	words := strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda omicron")
	for _, pattern := range []string{
		"graph TD\n%s --> %s & %s\n%s -->|%s| %s\n%s --> %s\nsubgraph %s\n%s --> %s\nend\n%s",
		"graph RL\n%s --> %s & %s\n%s -->|%s| %s\n%s --> %s\nsubgraph %s\n%s --> %s\nend\n%s",
		"sequenceDiagram\n%s->>%s:%s\nNote over %s:%s\nloop %s\n%s-->>%s:%s\nNote right of %s:%s\nend\nNote left of beta:%s",
		"stateDiagram-v2\n[*]-->%s\n%s-->%s:%s\nstate %s {\n%s-->%s\n}\n%s-->[*]\nnote right of %s : %s\n%s-->%s",
		"classDiagram\nclass %s {\n%s\n%s()\n}\n%s <|-- %s : %s\n%s \"%s\" --> \"%s\" %s\nnamespace %s {\nclass %s\n}",
		"pie title %s\n\"%s\":1\n\"%s\":2\n\"%s\":3\n\"%s\":4\n\"%s\":5\n\"%s\":6\n\"%s\":7\n\"%s\":8\n\"%s\":9\n\"%s\":9\n\"%s\":9",
	} {
		args := make([]any, len(words))
		for i, w := range words {
			args[i] = w
		}
		src := fmt.Sprintf(pattern, args...)
		lines, ok := Render(src, 200)
		if !ok {
			t.Errorf("not drawn:\n%s", src)
			continue
		}
		all := strings.Join(lines, "\n")
		for _, w := range words {
			if !strings.Contains(all, w) {
				t.Errorf("%s is missing:\n%s\n%s", w, src, all)
			}
		}
	}
}

func TestHostileDiagrams(t *testing.T) {
	var dense, chain, ladder, seq strings.Builder
	dense.WriteString("graph TD\n")
	for i := range 16 {
		for j := range 15 {
			fmt.Fprintf(&dense, "a%d --> b%d\n", i, (i*7+j*3)%16)
		}
	}
	chain.WriteString("graph LR\n")
	for i := range 119 {
		fmt.Fprintf(&chain, "n%d -->|x| n%d\nn0 --> n%d\n", i, i+1, i+1)
	}
	ladder.WriteString("graph TD\n")
	for i := range 60 {
		fmt.Fprintf(&ladder, "subgraph g%d\nn%d --> m%d\nend\nn%d --> n%d\nm%d --> m%d\n", i, i, i, i, (i+1)%60, (i+31)%60, i)
	}
	seq.WriteString("sequenceDiagram\n")
	for i := range 300 {
		fmt.Fprintf(&seq, "loop x\na%d->>a%d: %s\n", i%30, (i*7)%30, strings.Repeat("word ", 20))
	}
	seq.WriteString(strings.Repeat("end\n", 300))
	for name, src := range map[string]string{
		"dense": dense.String(), "chain": chain.String(), "ladder": ladder.String(), "sequence": seq.String(),
		"groups": "graph TD\n" + strings.Repeat("subgraph x\n", 2000) + "a\n" + strings.Repeat("end\n", 2000),
		"and":    "graph TD\n" + strings.Repeat("a & ", 5000) + "a --> b",
		"long":   "graph TD\na[" + strings.Repeat("word ", 6000) + "]",
		"width":  "graph TD\na[" + strings.Repeat("w", 30000) + "]",
	} {
		start := time.Now()
		check(t, src, 120)
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s: %v", name, d)
		}
	}
}

func TestSameEveryTime(t *testing.T) {
	for _, src := range corpus(t) {
		a, _ := Render(src, 100)
		for range 5 {
			if b, _ := Render(src, 100); strings.Join(a, "\n") != strings.Join(b, "\n") {
				t.Fatalf("two drawings of\n%s", src)
			}
		}
	}
}

// TestRolesShowTheLines: spans are the lines, and the words of boxes are text.
func TestRolesShowTheLines(t *testing.T) {
	rows, ok := Draw("graph TD\na[Word] -->|said| b", 40)
	if !ok {
		t.Fatal("not drawn")
	}
	seen := map[string]Role{}
	for _, row := range rows {
		for _, s := range row {
			seen[strings.TrimSpace(s.Text)] = s.Role
		}
	}
	for s, want := range map[string]Role{"Word": Text, "said": Label, "▼": Edge, "└──┬───┘": Box} {
		if got, ok := seen[s]; !ok || got != want {
			t.Errorf("%s has role %v (%v), not %v: %v", s, got, ok, want, seen)
		}
	}
	if text.Width("▼▶▲◀◆◇△▽▷◁○×●◉") != 14 {
		t.Error("an end of an edge takes more than a column")
	}
}

func FuzzDraw(f *testing.F) {
	for _, src := range corpus(f) {
		f.Add(src, 80)
	}
	f.Fuzz(func(t *testing.T, src string, width int) {
		if len(src) > 2000 {
			return
		}
		check(t, src, 1+(width&0x7fffffff)%200)
	})
}

func BenchmarkDraw(b *testing.B) {
	for _, src := range corpus(b)[:4] {
		name, _, _ := strings.Cut(src, "\n")
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Draw(src, 100)
			}
		})
	}
}
