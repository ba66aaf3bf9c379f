package tools

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// git runs git without the configuration of the user.
func git(t testing.TB, dir string, stdin string, args ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
	c.Stdin = strings.NewReader(stdin)
	var out bytes.Buffer
	c.Stdout = &out
	err := c.Run()
	return out.String(), err
}

// ignoredByGit asks git about paths.
func ignoredByGit(t *testing.T, dir string, paths []string) map[string]bool {
	t.Helper()
	asked := make([]string, len(paths))
	for i, p := range paths {
		asked[i] = strings.TrimSuffix(p, "/") // git looks whether it is a folder
	}
	out, err := git(t, dir, strings.Join(asked, "\x00")+"\x00", "check-ignore", "--no-index", "-z", "--stdin")
	if err != nil {
		if ee, ok := err.(*exec.ExitError); !ok || ee.ExitCode() != 1 {
			t.Fatal(err)
		}
	}
	in := map[string]bool{}
	for _, p := range strings.Split(out, "\x00") {
		if p != "" {
			in[p] = true
		}
	}
	return in
}

// seenByWalk returns everything a walk comes to, folders with a slash.
func seenByWalk(t *testing.T, set *Set, root string) []string {
	t.Helper()
	var seen []string
	w := &walk{set: set, root: root}
	if err := w.each(context.Background(), func(v visit) bool {
		rel := v.rel
		if v.down != nil {
			rel += "/"
		}
		seen = append(seen, rel)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return seen
}

// cleanHome keeps rules of the user's own out of a test.
func cleanHome(t testing.TB) string {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_GLOBAL", "")
	os.Unsetenv("GIT_CONFIG_GLOBAL")
	return home
}

// compareWithGit checks that a walk comes to exactly what git does not ignore.
func compareWithGit(t *testing.T, dir string) {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		if d.Name() == ".git" {
			return filepath.SkipDir
		}
		if d.IsDir() {
			rel += "/"
		}
		all = append(all, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ignored := ignoredByGit(t, dir, all)
	seen := seenByWalk(t, New(Options{CWD: dir}), dir)
	for _, p := range all {
		if ignored[strings.TrimSuffix(p, "/")] == slices.Contains(seen, p) {
			t.Errorf("%q: git ignores it: %v", p, ignored[strings.TrimSuffix(p, "/")])
		}
	}
}

func TestIgnoreLikeGit(t *testing.T) {
	home := cleanHome(t)
	put(t, home, ".config/git/ignore", []byte("*.global\n"))
	paths := []string{
		"a.log", "sub/a.log", "sub/deep/a.log", "build/x", "sub/build/x", "build.txt", "foo", "sub/foo", "sub/foo/bar/baz", "x/y/z", "x/z", "x/a/b/z",
		"doc/a.txt", "doc/b/a.txt", "doc/b/c/a.txt", "!bang", "#hash", "trail ", "trail", "a b", "[x]", "x1", "x2", "xa", "xA", "x-", "é.txt", "日本.md", "a\\b",
		"keep/one", "keep/two", "keep/.gitignore-not", ".env", ".env.example", ".github/w.yml", "node_modules/a/index.js", "pkg/node_modules/a/b.js",
		"x.global", "sub/x.global", "e.exclude", "star*name", "q?", "deep/a/b/c/d/e.o", "deep/keep.o", "tmp", "temp/tmp", "a.b.c", "A.LOG", "abc", "abbc", "ab/c",
	}
	patterns := strings.Split(`*.log
!keep.log
build/
/build
build
foo/bar
foo/**
**/foo
x/**/z
x/*/z
x/**
/**/z
doc/*.txt
doc/**/*.txt
**/doc/**
\!bang
\#hash
# a comment
trail\ 
trail 
a\ b
\[x\]
[x]
x[12]
x[!1]
x[^a-z]
x[[:digit:]]
x[[:alpha:]]
x[[:nosuch:]]
x[1-
x[]-]
x[a\-]
é.*
?.txt
??.txt
日*
a\\b
a\
keep/*
!keep/one
keep
!keep/two
.*
!.env.example
.env*
node_modules/
node_modules
/node_modules
pkg/*/a
*/a.log
*
!*/
!*.txt
!*/*.md
star\*name
q\?
deep/**/e.o
deep/**/
*.o
!deep/keep.o
tmp/
/tmp
//tmp
tmp//
/
//
**
**/
/**
a**c
ab*c
a?c
a*c
*.b.*
[Aa].[Ll][Oo][Gg]
sub/**/a.log
sub/
!sub/foo
*/
/*
/*/
!/*
x\/z
a[b/]c
[!a]*
`+"cr\r\ntab\t\n \n  \n\xef\xbb\xbfbom", "\n")
	r := rand.New(rand.NewSource(7))
	for round := range 30 {
		dir := t.TempDir()
		if _, err := git(t, dir, "", "init", "-q"); err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			if !strings.HasPrefix(p, "sub/foo/") || round%2 == 0 {
				if p == "sub/foo" && round%2 == 0 {
					continue
				}
				put(t, dir, p, nil)
			}
		}
		put(t, dir, ".git/info/exclude", []byte("*.exclude\n"))
		some := func(n int) string {
			var b strings.Builder
			for range n {
				b.WriteString(patterns[r.Intn(len(patterns))] + "\n")
			}
			return b.String()
		}
		top, sub, deep := some(1+r.Intn(5)), some(r.Intn(3)), some(r.Intn(3))
		put(t, dir, ".gitignore", []byte(top))
		put(t, dir, "sub/.gitignore", []byte(sub))
		put(t, dir, "x/a/.gitignore", []byte(deep))
		compareWithGit(t, dir)
		if t.Failed() {
			t.Fatalf("with .gitignore %q, sub/.gitignore %q, x/a/.gitignore %q", top, sub, deep)
		}
	}
	// Each pattern alone as well.
	dir := t.TempDir()
	if _, err := git(t, dir, "", "init", "-q"); err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		if p != "sub/foo" {
			put(t, dir, p, nil)
		}
	}
	for _, p := range patterns {
		put(t, dir, ".gitignore", []byte(p+"\n"))
		before := t.Failed()
		compareWithGit(t, dir)
		if t.Failed() && !before {
			t.Errorf("with the pattern %q", p)
		}
	}
}

func TestRepositories(t *testing.T) {
	home := cleanHome(t)
	dir := t.TempDir()
	for _, p := range []string{"a/x.log", "b/x.log", "sub/f.go", "sub/skip.tmp", "other/f.go", "in.tmp", "top.glob", "wt/f.go", "wt/wt.ex", "main/f.go"} {
		put(t, dir, p, nil)
	}
	put(t, dir, "a/.gitignore", []byte("*.log\n"))
	put(t, dir, ".gitignore", []byte("sub/\n*.tmp\n"))
	put(t, dir, "main/.git/info/exclude", []byte("*.ex\n"))
	put(t, dir, "main/.git/worktrees/wt/commondir", []byte("../..\n"))
	put(t, dir, "wt/.git", []byte("gitdir: ../main/.git/worktrees/wt\n"))
	put(t, home, "mine", []byte("*.glob\n"))
	put(t, home, ".gitconfig", []byte("[user]\n\tname = x\n[core]\n\texcludesFile = ~/mine\n"))
	set := New(Options{CWD: dir})
	check := func(name, root string, want ...string) {
		t.Helper()
		got := seenByWalk(t, set, filepath.Join(dir, root))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s:\ngot  %v\nwant %v", name, got, want)
		}
	}
	all := []string{".gitignore", "a/", "a/.gitignore", "b/", "b/x.log", "main/", "main/f.go", "other/", "other/f.go", "wt/", "wt/f.go"}
	check("without a repository", "", all...)
	check("a folder that is left out, searched on purpose", "sub", "f.go")
	check("rules above hold in a folder", "a", ".gitignore")
	put(t, dir, "sub/.git/HEAD", nil)
	check("a repository of its own", "sub", "f.go", "skip.tmp")
	put(t, dir, ".git/HEAD", nil)
	check("the outer repository", "", all...)
	put(t, dir, ".gitignore", []byte("*.tmp\n"))
	check("a repository inside, with its own rules", "", ".gitignore", "a/", "a/.gitignore", "b/", "b/x.log", "main/", "main/f.go", "other/", "other/f.go", "sub/", "sub/f.go", "sub/skip.tmp", "wt/", "wt/f.go")
}

func FuzzWildmatch(f *testing.F) {
	f.Add("a/**/[[:alpha:]-]*\\*", "a/b/c")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 200 || len(path) > 1000 {
			return
		}
		r, ok := parseRule(pattern)
		if ok {
			r.matches(path, path[strings.LastIndexByte(path, '/')+1:], true)
		}
	})
}

// A pattern of many stars must not take time that grows with their power.
func TestManyStars(t *testing.T) {
	name := strings.Repeat("a", 5000)
	if matchPart(strings.Repeat("*a", 300)+"b", name) {
		t.Error("matches")
	}
	if matchPath(splitPattern(strings.Repeat("**/a/", 100)+"b"), strings.Repeat("a/", 2000)+"c") {
		t.Error("matches")
	}
}
