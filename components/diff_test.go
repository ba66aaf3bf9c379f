package components

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestDiff(t *testing.T) {
	lines := func(n int, change map[int]string) string {
		var b strings.Builder
		for i := 1; i <= n; i++ {
			if s, ok := change[i]; ok {
				b.WriteString(s)
				continue
			}
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.String()
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"nothing", "a\n", "a\n", ""},
		{"one line", "a\nb\nc\n", "a\nx\nc\n", "1   a\n2 − b\n2 + x\n3   c"},
		{"added", "a\n", "a\nb\n", "1   a\n2 + b"},
		{"removed", "a\nb\n", "b\n", "1 − a\n1   b"},
		{"from nothing", "", "a\nb", "1 + a\n2 + b"},
		{"to nothing", "a", "", "1 − a"},
		{"folds", lines(20, nil), lines(20, map[int]string{10: "ten\n"}), "   ⋯ 6 lines\n 7   line 7\n 8   line 8\n 9   line 9\n10 − line 10\n10 + ten\n11   line 11\n12   line 12\n13   line 13\n   ⋯ 7 lines"},
		{"two places", lines(20, nil), lines(20, map[int]string{2: "two\n", 19: ""}), " 1   line 1\n 2 − line 2\n 2 + two\n 3   line 3\n 4   line 4\n 5   line 5\n   ⋯ 10 lines\n16   line 16\n17   line 17\n18   line 18\n19 − line 19\n19   line 20"},
		{"tabs", "\ta\n", "\tb\n", "1 −    a\n1 +    b"},
		{"control characters", "a\n", "\x1b[2Jb\x07\n", "1 − a\n1 + b"},
		{"crlf", "a\r\nb\r\n", "a\r\nc\r\n", "1   a\n2 − b\n2 + c"},
	} {
		d := NewDiff(DiffOptions{})
		d.SetTexts(c.old, c.new)
		if got := strings.Join(d.Render(60), "\n"); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestDiffPatch(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"unified", "--- a\n+++ b\n@@ -9,3 +9,3 @@ func f() {\n a\n-b\n+c\n d\n@@ -50 +50 @@\n-x\n+y\n\\ No newline at end of file\n",
			"   ⋯ func f() {\n 9   a\n10 − b\n10 + c\n11   d\n   ⋯\n50 − x\n50 + y\n   ⋯ no newline at the end"},
		{"display", "  9 a\n-10 b\n+10 c\n    ...\n+ 99 d", " 9   a\n10 − b\n10 + c\n   ⋯\n99 + d"},
	} {
		d := NewDiff(DiffOptions{})
		d.SetPatch(c.in)
		if got := strings.Join(d.Render(60), "\n"); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	d := NewDiff(DiffOptions{})
	d.SetPatch("@@ -1 +1,2 @@\n-a\n+b\n+c\n")
	if a, r := d.Stats(); a != 2 || r != 1 {
		t.Errorf("+%d -%d", a, r)
	}
}

func TestDiffWords(t *testing.T) {
	mark := func(s string) string { return "[" + s + "]" }
	for _, c := range []struct{ a, b, want string }{
		{"return 2 * time.Second << n", "return min(2 * time.Second, n)", "1 − return 2 * time.Second[ <<] n\n1 + return [min(]2 * time.Second[,] n[)]"},
		{"could not open", "could not read", "1 − could not [open]\n1 + could not [read]"},
		{"totally different", "nothing in common here", "1 − totally different\n1 + nothing in common here"},
		{"漢字一二", "漢字一三", "1 − 漢字一[二]\n1 + 漢字一[三]"},
	} {
		d := NewDiff(DiffOptions{Style: DiffStyle{AddedWord: mark, RemovedWord: mark}})
		d.SetTexts(c.a, c.b)
		if got := strings.Join(d.Render(80), "\n"); got != c.want {
			t.Errorf("%s", got)
		}
	}
}

func TestDiffOfHugeTextsIsFast(t *testing.T) {
	long := strings.Repeat("abc ", 1<<20)
	many := strings.Repeat("a line that is in the file\n", 50_000)
	other := strings.Repeat("something else is on this line\n", 50_000)
	for name, c := range map[string][2]string{
		"one long line":     {long, long + "x"},
		"one char in it":    {long + "a", "b" + long},
		"two in many":       {"x\n" + many + "y\n", "y\n" + many + "x\n"},
		"all different":     {many, other},
		"long lines around": {long + "\na\n" + long, long + "\nb\n" + long},
		"two long lines":    {long + "\n" + long + "1\n", "2" + long + "\n" + long + "\n"},
	} {
		start := time.Now()
		d := NewDiff(DiffOptions{})
		d.SetTexts(c[0], c[1])
		for _, w := range []int{80, 40} {
			checkLines(t, name, d.Render(w), w)
		}
		if took := time.Since(start); took > 10*hostileLimit {
			t.Errorf("%s: %v", name, took)
		}
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\n", "a\nc\n", 20)
	f.Add("@@ -1 +1 @@\n", "-x\n+y", 3)
	f.Fuzz(func(t *testing.T, a, b string, width int) {
		width = 1 + int(uint(width)%100)
		d := NewDiff(DiffOptions{Style: DiffStyle{AddedWord: sgr("1", "22"), RemovedWord: sgr("1", "22"), Added: sgr("32", "39")}})
		d.SetTexts(a, b)
		checkLines(t, "texts", d.Render(width), width)
		d.SetPatch(a + b)
		checkLines(t, "patch", d.Render(width), width)
		// The added and kept lines are the new text.
		var got []string
		for _, r := range diffRows(a, b) {
			if r.kind != '-' {
				got = append(got, r.text)
			}
		}
		if strings.Join(got, "") != b {
			t.Fatalf("%q to %q gives %q", a, b, got)
		}
	})
}
