package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"tau/agent"
	"tau/ai"
)

// call runs a tool and returns the text of its result, or its error.
func call(t testing.TB, set *Set, name, args string) (string, agent.Result) {
	t.Helper()
	for _, tool := range set.All() {
		if tool.Name != name {
			continue
		}
		raw := json.RawMessage(args)
		var err error
		if tool.Prepare != nil {
			if raw, err = tool.Prepare(raw); err != nil {
				t.Fatal(err)
			}
		}
		r, err := tool.Execute(context.Background(), agent.Call{Args: raw}, func(agent.Result) {})
		if err != nil {
			return "error: " + err.Error(), r
		}
		return ai.ContentText(r.Content), r
	}
	t.Fatalf("no tool %s", name)
	return "", agent.Result{}
}

type searchCase struct{ tool, args, want string }

func checkSearches(t *testing.T, set *Set, cases []searchCase) {
	t.Helper()
	for _, c := range cases {
		got, _ := call(t, set, c.tool, c.args)
		ok := got == c.want
		if part, is := strings.CutPrefix(c.want, "…"); is {
			ok = strings.Contains(got, part)
		}
		if !ok {
			t.Errorf("%s %s:\ngot  %s\nwant %s", c.tool, c.args, ends(got), ends(c.want))
		}
	}
}

func TestGlobsAreRelativeToThePath(t *testing.T) { // C-44
	cleanHome(t)
	top := filepath.Join(t.TempDir(), "src")
	for _, p := range []string{"repo/src/a.ts", "repo/pkg/src/b.ts", "repo/src/deep/c.ts", "repo/README.md"} {
		put(t, top, p, []byte("word\n"))
	}
	abs := filepath.ToSlash(top)
	checkSearches(t, New(Options{CWD: top}), []searchCase{
		{"grep", `{"pattern":"word","path":"repo","glob":"src/*.ts"}`, "repo/src/a.ts:1: word"},
		{"grep", `{"pattern":"word","path":"repo","glob":"./src/*.ts"}`, "repo/src/a.ts:1: word"},
		{"grep", `{"pattern":"word","path":"repo","glob":"src/"}`, "repo/src/a.ts:1: word\nrepo/src/deep/c.ts:1: word"},
		{"grep", `{"pattern":"word","path":"repo","glob":"*.md"}`, "repo/README.md:1: word"},
		{"grep", `{"pattern":"word","path":"repo","glob":"!*.ts"}`, "repo/README.md:1: word"},
		{"grep", `{"pattern":"word","path":"repo","glob":"*.{md,go}"}`, "repo/README.md:1: word"},
		{"grep", `{"pattern":"word","path":"repo","glob":"[ab"}`, "…is not a pattern"},
		{"grep", `{"pattern":"word","path":"repo/src"}`, "repo/src/a.ts:1: word\nrepo/src/deep/c.ts:1: word"},
		{"grep", `{"pattern":"word","path":"repo/src/a.ts"}`, "repo/src/a.ts:1: word"},
		{"grep", `{"pattern":"word","path":"` + abs + `/repo/src/a.ts"}`, "repo/src/a.ts:1: word"},
		{"find", `{"pattern":"src/**/*.ts","path":"repo"}`, "repo/src/a.ts\nrepo/src/deep/c.ts"},
		{"find", `{"pattern":"./src/*.ts","path":"repo"}`, "repo/src/a.ts"},
		{"find", `{"pattern":"**/src/*.ts","path":"repo"}`, "repo/pkg/src/b.ts\nrepo/src/a.ts"},
		{"find", `{"pattern":"*.ts","path":"repo"}`, "repo/pkg/src/b.ts\nrepo/src/a.ts\nrepo/src/deep/c.ts"},
		{"find", `{"pattern":"src","path":"repo"}`, "repo/pkg/src/\nrepo/src/"},
		{"find", `{"pattern":"src/**","path":"repo"}`, "repo/src/a.ts\nrepo/src/deep/\nrepo/src/deep/c.ts"},
		{"find", `{"pattern":"repo/**/*.ts"}`, "repo/pkg/src/b.ts\nrepo/src/a.ts\nrepo/src/deep/c.ts"},
		{"grep", `{"pattern":"word","glob":"**"}`, "repo/README.md:1: word\nrepo/pkg/src/b.ts:1: word\nrepo/src/a.ts:1: word\nrepo/src/deep/c.ts:1: word"},
		{"find", `{"pattern":"./src","path":"repo"}`, "repo/src/"},
		{"find", `{"pattern":"d*/","path":"repo"}`, "repo/src/deep/"},
		{"find", `{"pattern":"` + abs + `/repo/src/*.ts","path":"repo"}`, "repo/src/a.ts"},
		{"find", `{"pattern":"src/*.ts"}`, "No files found matching pattern"},
		{"find", `{"pattern":"readme.md"}`, "repo/README.md\n\n[Nothing has exactly these letters; these differ in upper and lower case]"},
		{"find", `{"pattern":"{a"}`, "…is not a pattern"},
		{"find", `{"pattern":""}`, "error: the pattern is empty; * is for everything"},
		{"find", `{"pattern":"*","path":"none"}`, "error: none does not exist"},
		{"find", `{"pattern":"*","path":"repo/README.md"}`, "error: repo/README.md is a file, not a directory"},
	})
	checkSearches(t, New(Options{CWD: t.TempDir()}), []searchCase{
		{"find", `{"pattern":"a.ts","path":"` + abs + `"}`, abs + "/repo/src/a.ts"},
		{"grep", `{"pattern":"word","path":"` + abs + `/repo/src/a.ts"}`, abs + "/repo/src/a.ts:1: word"},
	})
}

func TestSearchDotFilesAndIgnored(t *testing.T) { // C-45, C-46
	cleanHome(t)
	dir := t.TempDir()
	for _, p := range []string{".github/w.yml", ".env.example", ".git/config", ".hidden/x", "a/x.log", "b/x.log"} {
		put(t, dir, p, []byte("word\n"))
	}
	put(t, dir, "a/.gitignore", []byte("*.log\n"))
	set := New(Options{CWD: dir})
	want := ".env.example:1: word\n.github/w.yml:1: word\n.hidden/x:1: word\nb/x.log:1: word"
	checkSearches(t, set, []searchCase{
		{"grep", `{"pattern":"word"}`, want},
		{"grep", `{"pattern":"word","path":".hidden"}`, ".hidden/x:1: word"},
		{"grep", `{"pattern":"word","path":".hidden/"}`, ".hidden/x:1: word"},
		{"grep", `{"pattern":"word","path":".git"}`, ".git/config:1: word"},
		{"find", `{"pattern":"*.log"}`, "b/x.log"},
	})
	if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	checkSearches(t, set, []searchCase{{"grep", `{"pattern":"word"}`, want}})
}

func TestGrepPatterns(t *testing.T) { // C-47
	cleanHome(t)
	dir := t.TempDir()
	put(t, dir, "f", []byte("use --files and -e\na.b(c)\naxb(c)\n(x)[y]\nKey and key\nüber ÜBER\nfoo bar\nfar\n"))
	rc := put(t, dir, "rc", []byte("--ignore-case\n"))
	t.Setenv("RIPGREP_CONFIG_PATH", rc)
	checkSearches(t, New(Options{CWD: dir}), []searchCase{
		{"grep", `{"pattern":"--files"}`, "f:1: use --files and -e"},
		{"grep", `{"pattern":"-e"}`, "f:1: use --files and -e"},
		{"grep", `{"pattern":"("}`, "…\"(\" is not a regular expression: missing closing ): (. To search for it as text set literal"},
		{"grep", `{"pattern":"["}`, "…missing closing ]"},
		{"grep", `{"pattern":"(?=x)"}`, "…RE2, which has no look-around"},
		{"grep", `{"pattern":"(a)\\1"}`, "…no back-references"},
		{"grep", `{"pattern":"(","literal":true}`, "f:2: a.b(c)\nf:3: axb(c)\nf:4: (x)[y]"},
		{"grep", `{"pattern":"a.b(","literal":true}`, "f:2: a.b(c)"},
		{"grep", `{"pattern":"A.B(","literal":true,"ignoreCase":true}`, "f:2: a.b(c)"},
		{"grep", `{"pattern":"a.b\\("}`, "f:2: a.b(c)\nf:3: axb(c)"},
		{"grep", `{"pattern":"key"}`, "f:5: Key and key"},
		{"grep", `{"pattern":"KEY"}`, "No matches found"},
		{"grep", `{"pattern":"KEY","ignoreCase":true}`, "f:5: Key and key"},
		{"grep", `{"pattern":"über","ignoreCase":true,"literal":true}`, "f:6: über ÜBER"},
		{"grep", `{"pattern":"^ÜBER","ignoreCase":true}`, "f:6: über ÜBER"},
		{"grep", `{"pattern":"^f(oo|ar)( bar)?$"}`, "f:7: foo bar\nf:8: far"},
		{"grep", `{"pattern":"foo|far"}`, "f:7: foo bar\nf:8: far"},
		{"grep", `{"pattern":"a\nb"}`, "…lines are matched one by one"},
		{"grep", `{"pattern":"a\\nb"}`, "…lines are matched one by one"},
		{"grep", `{"pattern":"a\nb","literal":true}`, "…lines are matched one by one"},
		{"grep", `{"pattern":""}`, "error: pattern is empty"},
		{"grep", `{"query":"far"}`, "f:8: far"},
		{"grep", `{"pattern":"x","path":"none"}`, "error: none does not exist"},
	})
}

func TestGrepContentAndLimits(t *testing.T) { // C-48
	cleanHome(t)
	dir := t.TempDir()
	set := New(Options{CWD: dir})
	put(t, dir, "long", []byte(strings.Repeat("é", 2500)+"word\n"))
	put(t, dir, "longer", []byte("word"+strings.Repeat("é", 2500)+"\n"))
	put(t, dir, "bad", []byte("a\xff\xfebad1\n"))
	put(t, dir, "cr", []byte("one\rtwo\nthree\rlone\nfour\r\n"))
	put(t, dir, "u16", encodeUTF16("erste\nzweite größe\n", littleEndian()))
	put(t, dir, "bom", []byte(bomUTF8+"start of file\n"))
	put(t, dir, "bin", []byte("hidden\x00word2\n"))
	put(t, dir, "hundred", []byte(strings.Repeat("match\n", 100)))
	put(t, dir, "ctx", []byte("1\n2\nhit\n4\n5\n6\nhit\nhit\n9\n10\n11\n12\n13\nhit"))
	put(t, dir, "ctxcrlf", []byte("1\r\n2\r\nfind\r\n4\r\n"))
	e := strings.Repeat("é", 50)
	checkSearches(t, set, []searchCase{
		{"grep", `{"pattern":"word","path":"long"}`, "long:1: …" + e + "word\n\n[Some lines were cut to 500 characters; read shows them whole]"},
		{"grep", `{"pattern":"word","path":"longer"}`, "longer:1: word" + strings.Repeat("é", 496) + "…\n\n[Some lines were cut to 500 characters; read shows them whole]"},
		{"grep", `{"pattern":"bad1"}`, "bad:1: a\ufffdbad1"},
		{"grep", `{"pattern":"lone"}`, "cr:2: three\rlone"},
		{"grep", `{"pattern":"four$"}`, "cr:3: four"},
		{"grep", `{"pattern":"größe"}`, "u16:2: zweite größe"},
		{"grep", `{"pattern":"^start"}`, "bom:1: start of file"},
		{"grep", `{"pattern":"^start","context":2}`, "bom:1: start of file"},
		{"grep", `{"pattern":"word2"}`, "No matches found"},
		{"grep", `{"pattern":"word2","path":"bin"}`, "bin is a binary file, which is not searched"},
		{"grep", `{"pattern":"hit","context":2,"path":"ctx"}`, "ctx-1- 1\nctx-2- 2\nctx:3: hit\nctx-4- 4\nctx-5- 5\nctx-6- 6\nctx:7: hit\nctx:8: hit\nctx-9- 9\nctx-10- 10\n--\nctx-12- 12\nctx-13- 13\nctx:14: hit"},
		{"grep", `{"pattern":"hit","context":1,"path":"ctx","limit":1}`, "ctx-2- 2\nctx:3: hit\nctx-4- 4\n\n[1 matches limit reached. Use limit=2 for more, or a narrower pattern]"},
		{"grep", `{"pattern":"hit","context":0,"path":"ctx","limit":0}`, "ctx:3: hit\n\n[1 matches limit reached. Use limit=2 for more, or a narrower pattern]"},
		{"grep", `{"pattern":"find","context":1}`, "ctxcrlf-2- 2\nctxcrlf:3: find\nctxcrlf-4- 4"},
		{"grep", `{"pattern":"hit","path":"ctx","limit":4}`, "ctx:3: hit\nctx:7: hit\nctx:8: hit\nctx:14: hit"},
	})
	got, r := call(t, set, "grep", `{"pattern":"match"}`)
	if countLines(got) != 100 || strings.Contains(got, "limit") || r.Details != nil {
		t.Errorf("exactly the limit: %s %s", ends(got), r.Details)
	}
	put(t, dir, "more", []byte("match\n"))
	got, r = call(t, set, "grep", `{"pattern":"match"}`)
	if countLines(got) != 102 || !strings.HasSuffix(got, "[100 matches limit reached. Use limit=200 for more, or a narrower pattern]") || string(r.Details) != `{"matchLimitReached":100}` {
		t.Errorf("one over the limit: %s %s", ends(got), r.Details)
	}
	put(t, dir, "wide", []byte(strings.Repeat(strings.Repeat("wide ", 60)+"\n", 500)))
	got, r = call(t, set, "grep", `{"pattern":"wide","limit":1000}`)
	var d GrepDetails
	if err := json.Unmarshal(r.Details, &d); err != nil || d.Truncation == nil || d.Truncation.TruncatedBy != "bytes" || len(got) > maxBytes+200 || !strings.HasSuffix(got, "[50.0KB limit reached]") {
		t.Errorf("byte limit: %d bytes, %s %s", len(got), r.Details, ends(got))
	}
}

func TestFindAndLsLimits(t *testing.T) {
	cleanHome(t)
	dir := t.TempDir()
	set := New(Options{CWD: dir})
	for i := range 1000 {
		put(t, dir, fmt.Sprintf("d/f%04d", i), nil)
	}
	for _, p := range []string{"m/B", "m/a", "m/.dot", "m/Sub/x"} {
		put(t, dir, p, nil)
	}
	if err := os.Mkdir(filepath.Join(dir, "e"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, r := call(t, set, "find", `{"pattern":"f*"}`)
	if countLines(got) != 1000 || strings.Contains(got, "limit") || r.Details != nil {
		t.Errorf("exactly the limit: %s", ends(got))
	}
	put(t, dir, "z/f", nil)
	got, r = call(t, set, "find", `{"pattern":"f*"}`)
	if countLines(got) != 1002 || !strings.HasSuffix(got, "\nd/f0999\n\n[1000 results limit reached. Use limit=2000 for more, or a narrower pattern]") || string(r.Details) != `{"resultLimitReached":1000}` {
		t.Errorf("one over the limit: %s %s", ends(got), r.Details)
	}
	checkSearches(t, set, []searchCase{
		{"ls", `{"path":"m"}`, ".dot\na\nB\nSub/"},
		{"ls", `{"path":"m","limit":4}`, ".dot\na\nB\nSub/"},
		{"ls", `{"path":"m","limit":3}`, ".dot\na\nB\n\n[3 of 4 entries shown. Use limit=4 for more]"},
		{"ls", `{"path":"m","limit":0}`, ".dot\n\n[1 of 4 entries shown. Use limit=2 for more]"},
		{"ls", `{"path":"e"}`, "(empty directory)"},
		{"ls", `{}`, "d/\ne/\nm/\nz/"},
		{"ls", `{"path":"none"}`, "error: none does not exist"},
		{"ls", `{"path":"m/a"}`, "error: m/a is a file, not a directory; read shows it"},
	})
	if got, r = call(t, set, "ls", `{"path":"d"}`); !strings.HasSuffix(got, "f0499\n\n[500 of 1000 entries shown. Use limit=1000 for more]") || string(r.Details) != `{"entryLimitReached":500}` {
		t.Errorf("%s %s", ends(got), r.Details)
	}
	if runtime.GOOS != "windows" {
		put(t, dir, "n/a\nb\x1b[2J", nil)
		checkSearches(t, set, []searchCase{{"ls", `{"path":"n"}`, `"a\nb\x1b[2J"`}, {"find", `{"pattern":"a*","path":"n"}`, `"n/a\nb\x1b[2J"`}})
	}
}

// Blocks, context and pieces of lines: a file much larger than the buffer gives
// what a simple search gives.
func TestGrepLargeFile(t *testing.T) {
	cleanHome(t)
	dir := t.TempDir()
	set := New(Options{CWD: dir})
	r := rand.New(rand.NewSource(5))
	var b strings.Builder
	lines := 0
	for b.Len() < 3*searchBlock {
		if r.Intn(2000) == 0 {
			fmt.Fprintf(&b, "needle %d\n", lines)
		} else {
			b.WriteString(strings.Repeat("hay ", r.Intn(30)) + "\n")
		}
		lines++
	}
	put(t, dir, "big", []byte(b.String()))
	all := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i, around := range []int{0, 1, 7, 7} {
		pattern := "needle"
		if i%2 == 1 {
			pattern = "^[mn][ce][ce][cd][kl][ce]" // nothing in it is looked for first
		}
		got, binary, err := set.searchFile(context.Background(), filepath.Join(dir, "big"), mustMatcher(t, pattern), around, 1<<30, new(searchBuffer))
		if err != nil || binary {
			t.Fatal(err)
		}
		want := map[int]bool{}
		for i, l := range all {
			if strings.Contains(l, "needle") {
				for k := max(0, i-around); k <= min(len(all)-1, i+around); k++ {
					want[k+1] = want[k+1] || k == i
				}
			}
		}
		if len(got) != len(want) {
			t.Errorf("context %d: %d lines, want %d", around, len(got), len(want))
		}
		last := 0
		for _, h := range got {
			match, ok := want[h.line]
			if !ok || match != h.match || h.line <= last || h.text != all[h.line-1] {
				t.Fatalf("context %d: line %d %q after %d", around, h.line, h.text, last)
			}
			last = h.line
		}
	}
	put(t, dir, "line", []byte(strings.Repeat("x", 2*searchBlock)+"needle"+strings.Repeat("y", searchBlock)+"needle\nneedle\n"))
	got, _, err := set.searchFile(context.Background(), filepath.Join(dir, "line"), mustMatcher(t, "needle"), 0, 100, new(searchBuffer))
	if err != nil || len(got) != 2 || got[0].line != 1 || got[1].line != 2 || !utf8.ValidString(got[0].text) || len(got[0].text) > 600 {
		t.Errorf("%d hits, %v", len(got), err)
	}
}

func mustMatcher(t testing.TB, pattern string) *matcher {
	t.Helper()
	m, err := newMatcher(pattern, false, false)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestGrepIsCancelled(t *testing.T) {
	cleanHome(t)
	dir := t.TempDir()
	put(t, dir, "f", []byte("x"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	set := New(Options{CWD: dir})
	if _, err := set.runGrep(ctx, grepArgs{Pattern: "x"}); err != context.Canceled {
		t.Error(err)
	}
	if _, err := set.runFind(ctx, findArgs{Pattern: "x"}); err != context.Canceled {
		t.Error(err)
	}
	if _, err := set.runLs(ctx, lsArgs{}); err != context.Canceled {
		t.Error(err)
	}
}

// The search by needle finds the lines that the expression alone finds.
func FuzzGrepMatch(f *testing.F) {
	for _, p := range []string{"foo", "(?i)Foo", "a+b", "foo|bar|baz", "^x.*y$", "[Ff]oo(d|l)s?", "(abc){2,3}", "k", "\\bab\\b", "x*", "", "\\Bx", "(?m)^a|b$", "[é-ü]+", ".", "\\s$", "[^a]", "\\bé", "a??$"} {
		f.Add(p, "foo\nbar xay\nFOOD\nab\n\nabcabc\r\nx y")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 60 || len(text) > 2000 || strings.ContainsAny(text, "\u212a\u017f") {
			return // the sign for Kelvin is no k here
		}
		m, err := newMatcher(pattern, false, false)
		if err != nil {
			return
		}
		re := regexp.MustCompile(pattern)
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		cr := namesCR(tree.Simplify())
		var want []int
		at := 0
		for _, l := range strings.SplitAfter(text, "\n") {
			line := l
			if body, ok := strings.CutSuffix(l, "\n"); ok {
				line = body
			}
			if !cr {
				line = strings.TrimSuffix(line, "\r")
			}
			if l != "" && re.MatchString(line) {
				want = append(want, at)
			}
			at += len(l)
		}
		for name, c := range map[string]*cursors{"table": {dfa: newDFA(m)}, "expression": {}} {
			var got []int
			for from := 0; ; {
				start, end, _ := m.next([]byte(text), from, c)
				if start < 0 {
					break
				}
				got = append(got, start)
				from = end + 1
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%q in %q by %s: got %v want %v", pattern, text, name, got, want)
			}
		}
	})
}

// A carriage return that ends a line is part of it only for a pattern that
// names it.
func TestCarriageReturns(t *testing.T) {
	text := "a\rb\r\na\r\nb\na"
	for pattern, want := range map[string]string{
		"a$": "[5 10]", "\\r": "[0 5]", "a\\r$": "[5]", "b\\r?$": "[0 8]", "[\\r]": "[0 5]", "\\s": "[0]", "^a+\\r": "[0 5]", "b$": "[0 8]", "a.b": "[0]",
	} {
		m := mustMatcher(t, pattern)
		for name, c := range map[string]*cursors{"table": {dfa: newDFA(m)}, "expression": {}} {
			got := []int{}
			for from := 0; ; {
				start, end, _ := m.next([]byte(text), from, c)
				if start < 0 {
					break
				}
				got = append(got, start)
				from = end + 1
			}
			if fmt.Sprint(got) != want {
				t.Errorf("%s by %s: got %v, want %s", pattern, name, got, want)
			}
		}
	}
}

// An expression with more states than are kept still finds what it should.
func TestManyStates(t *testing.T) {
	m := mustMatcher(t, `[ab][ab]*a[ab]{14}c`)
	r := rand.New(rand.NewSource(3))
	b := make([]byte, 200000)
	for i := range b {
		b[i] = "ab\n"[min(r.Intn(40), 2)*r.Intn(2)]
		if i%3 == 0 {
			b[i] = "abc\n"[r.Intn(4)*r.Intn(2)]
		}
	}
	d := newDFA(m)
	var got, want []int
	for c, from := (&cursors{dfa: d}), 0; ; {
		start, end, _ := m.next(b, from, c)
		if start < 0 {
			break
		}
		got = append(got, start)
		from = end + 1
	}
	for from := 0; ; {
		start, end, _ := m.next(b, from, &cursors{})
		if start < 0 {
			break
		}
		want = append(want, start)
		from = end + 1
	}
	if len(want) == 0 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
	if len(d.states) > maxStates+1 {
		t.Errorf("%d states are kept", len(d.states))
	}
}

func TestNeedleFold(t *testing.T) {
	for _, tt := range []struct {
		needle, in string
		want       int
	}{
		{"ab", "xxAB", 2}, {"ab", "xaxb", -1}, {"zero", "ze ZeRo", 3}, {"q", "Q", 0}, {"aq", "q", -1}, {"a", "", -1}, {"==a", "=== ==A", 4}, {"12", "012", 1},
	} {
		n := newNeedle(tt.needle, true)
		if got := n.index([]byte(tt.in)); got != tt.want {
			t.Errorf("%q in %q: %d want %d", tt.needle, tt.in, got, tt.want)
		}
	}
}

func TestFilesLeavesIgnoredOut(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{".gitignore": "out/\n", ".git/HEAD": "x", "out/a.go": "x", "src/b.go": "x", ".hidden": "x"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set := New(Options{CWD: dir})
	defer set.Close()
	var got []string
	err := set.Files(context.Background(), dir, func(path string, isDir bool) bool {
		if isDir {
			path += "/"
		}
		got = append(got, path)
		return true
	})
	if want := ".gitignore .hidden src/ src/b.go"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("%q %v, want %q", got, err, want)
	}
	got = nil
	if err := set.Files(context.Background(), dir, func(path string, _ bool) bool { got = append(got, path); return false }); err != nil || len(got) != 1 {
		t.Errorf("stopped: %q %v", got, err)
	}
}
