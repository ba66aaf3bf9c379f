package tools

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// benchTree is a tree to search: the one named by TAU_BENCH_TREE, else a
// generated one.
func benchTree(b *testing.B) string {
	b.Helper()
	if dir := os.Getenv("TAU_BENCH_TREE"); dir != "" {
		return dir
	}
	dir := b.TempDir()
	if _, err := git(b, dir, "", "init", "-q"); err != nil {
		b.Fatal(err)
	}
	makeTree(b, dir, 5000)
	return dir
}

// BenchmarkGrep searches a whole tree, next to rg where it is installed. Each
// rg includes the start of its process, as a call of it would.
func BenchmarkGrep(b *testing.B) {
	cleanHome(b)
	dir := benchTree(b)
	set := New(Options{CWD: dir})
	limit := 1e9
	for _, p := range []struct{ name, pattern string }{
		{"none", "no_such_text_in_it"}, {"literal", "needle and omega"}, {"ignorecase", "(?i)NEEDLE and"}, {"words", "gamma|omega|epsilon"},
		{"required", `needle\s+and\s+\w+`}, {"class", `[a-z]+_[0-9]{7}`}, {"noliteral", `[A-Z][a-z]{9}[0-9]{3}`}, {"anchored", `^\s*type [A-Z]\w+ struct`},
	} {
		b.Run(p.name+"/tau", func(b *testing.B) {
			for b.Loop() {
				g := &grepping{set: set, root: searched{path: dir}, matcher: mustMatcher(b, p.pattern), wanted: func(visit) bool { return true }, limit: int(limit)}
				if err := g.search(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
		rg, err := exec.LookPath("rg")
		if err != nil {
			continue
		}
		b.Run(p.name+"/rg", func(b *testing.B) {
			for b.Loop() {
				c := exec.Command(rg, "--no-config", "--json", "--hidden", "-g", "!.git", "-e", p.pattern, ".")
				c.Dir = dir
				_, _ = c.Output()
			}
		})
	}
}

// BenchmarkFind goes through a whole tree, next to fd where it is installed.
func BenchmarkFind(b *testing.B) {
	cleanHome(b)
	dir := benchTree(b)
	set := New(Options{CWD: dir})
	b.Run("tau", func(b *testing.B) {
		for b.Loop() {
			limit := 1e6
			if _, err := set.runFind(context.Background(), findArgs{Pattern: "*_test.go", Limit: &limit}); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, name := range []string{"fd", "fdfind"} {
		fd, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		b.Run("fd", func(b *testing.B) {
			for b.Loop() {
				c := exec.Command(fd, "--hidden", "--glob", "*_test.go", ".")
				c.Dir = dir
				_, _ = c.Output()
			}
		})
		break
	}
}

// BenchmarkReadFirst reads the beginning of a large file.
func BenchmarkReadFirst(b *testing.B) {
	dir := b.TempDir()
	path := put(b, dir, "f", []byte(numbered(100000)))
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	if err := f.Truncate(10 << 30); err != nil {
		b.Skip(err)
	}
	f.Close()
	set := New(Options{CWD: dir})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := set.runRead(context.Background(), readArgs{Path: filepath.Base(path)}); err != nil {
			b.Fatal(err)
		}
	}
}
