package tools

import (
	"context"
	"fmt"
	"math/rand"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Our search and rg agree on a tree with ignore rules.
func TestGrepLikeRipgrep(t *testing.T) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("no rg")
	}
	cleanHome(t)
	dir := t.TempDir()
	if _, err := git(t, dir, "", "init", "-q"); err != nil {
		t.Fatal(err)
	}
	makeTree(t, dir, 400)
	set := New(Options{CWD: dir})
	for _, pattern := range []string{"needle", "func [a-z]+\\(", "^\\s*return", "alpha|omega", "(?i)TODO", "[0-9]{3}"} {
		c := exec.Command(rg, "--no-config", "--hidden", "-g", "!.git", "--sort", "path", "-n", "--no-heading", "--with-filename", "-e", pattern, ".")
		c.Dir = dir
		out, _ := c.Output()
		var want []string
		for _, l := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
			want = append(want, strings.TrimPrefix(l, "./"))
		}
		g := &grepping{set: set, root: searched{path: dir}, matcher: mustMatcher(t, pattern), wanted: func(visit) bool { return true }, limit: 1 << 30}
		got := map[string]bool{}
		for i := range want {
			got[want[i]] = false
		}
		n := 0
		w := &walk{set: set, root: dir}
		_ = w.each(context.Background(), func(v visit) bool {
			if v.down != nil {
				return true
			}
			f := &fileHits{rel: v.rel}
			g.searchFile(context.Background(), f, new(searchBuffer), filepath.Join(dir, v.rel))
			for _, h := range f.found {
				line := fmt.Sprintf("%s:%d:%s", v.rel, h.line, h.text)
				if _, ok := got[line]; !ok {
					t.Errorf("%s: rg does not find %s", pattern, line)
				}
				got[line] = true
				n++
			}
			return true
		})
		for l, ok := range got {
			if !ok && l != "" {
				t.Errorf("%s: only rg finds %s", pattern, l)
			}
		}
		if n < 5 {
			t.Errorf("%s: %d matches test nothing", pattern, n)
		}
	}
}

// makeTree makes a tree like that of a project, with n files.
func makeTree(t testing.TB, dir string, n int) {
	t.Helper()
	r := rand.New(rand.NewSource(11))
	words := strings.Fields("func return if else for range var const alpha beta gamma delta x y z i j k err nil string int map TODO todo ( ) { } := = == 1 22 333 4444 // needleless import package main")
	put(t, dir, ".gitignore", []byte("*.log\nbuild/\n/vendor\n"))
	for i := range n {
		folder := fmt.Sprintf("pkg%02d/mod%d", i%29, i%7)
		if i%41 == 0 {
			folder += "/build"
		}
		ext := []string{".go", ".ts", ".md", ".log", ".txt"}[i%5]
		var b strings.Builder
		for range 50 + r.Intn(300) {
			b.WriteString(strings.Repeat("\t", r.Intn(4)))
			for range r.Intn(12) {
				b.WriteString(words[r.Intn(len(words))])
				b.WriteString([]string{" ", "", " "}[r.Intn(3)])
			}
			if r.Intn(3000) == 0 {
				b.WriteString("needle and omega")
			}
			b.WriteByte('\n')
		}
		put(t, dir, fmt.Sprintf("%s/file%d%s", folder, i, ext), []byte(b.String()))
	}
	put(t, dir, "data.bin", append([]byte("needle\x00"), make([]byte, 100000)...))
}
