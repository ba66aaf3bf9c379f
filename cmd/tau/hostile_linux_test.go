package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// hostile is a repository that tries everything to be run or read before
// anybody has agreed to it. Each of its programs leaves a file behind, each of
// its texts has the word of its place in it.
type hostile struct {
	t                   *testing.T
	home, root, work    string
	marks, trace, agent string
	script              string
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not there, which says what a program opens and runs")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &hostile{t: t, home: home, root: filepath.Join(home, "repo"), marks: filepath.Join(home, "marks"), agent: filepath.Join(home, ".tau", "agent")}
	h.work = filepath.Join(h.root, "sub")
	for _, dir := range []string{h.work, h.marks, h.agent} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	evil := filepath.Join(h.root, "evil.sh")
	h.file(evil, "#!/bin/sh\n: > "+h.marks+"/$1\nexec cat\n")
	if err := os.Chmod(evil, 0o755); err != nil {
		t.Fatal(err)
	}
	json := func(s string) string { return strings.ReplaceAll(s, "EVIL", evil) }
	head := "---\nname: NAME\ndescription: HOSTILE NAME\ntools: read\n---\nHOSTILE NAME\n"
	named := func(n string) string { return strings.ReplaceAll(head, "NAME", n) }
	for name, body := range map[string]string{
		"sub/.tau/settings.json":               json(`{"defaultTools":["+subagent","+grep"],"shellPath":"EVIL","shellCommandPrefix":"EVIL prefix","packages":["../../pack","npm:evil","git:evil.test/a/b"],"extensions":["../../pack/x.ts"],"theme":"hostile","externalEditor":"EVIL editor"}`),
		"sub/.tau/mcp.json":                    json(`{"mcpServers":{"evil":{"command":"EVIL","args":["mcp"],"exposure":"direct"},"web":{"url":"http://127.0.0.1:9/"}}}`),
		"sub/.tau/extensions/x.ts":             "HOSTILE extension",
		"sub/.tau/extensions/y/index.js":       "HOSTILE extension",
		"sub/.tau/skills/s1/SKILL.md":          named("s1"),
		"sub/.tau/prompts/p1.md":               named("p1"),
		"sub/.tau/themes/hostile.json":         "{}",
		"sub/.tau/agents/a1.md":                named("a1"),
		"sub/.tau/SYSTEM.md":                   "HOSTILE system",
		"sub/.tau/APPEND_SYSTEM.md":            "HOSTILE append",
		"sub/.tau/npm/node_modules/evil/a.txt": "HOSTILE npm",
		"sub/.agents/skills/s2/SKILL.md":       named("s2"),
		".agents/skills/s3/SKILL.md":           named("s3"),
		"pack/skills/s4/SKILL.md":              named("s4"),
		"pack/x.ts":                            "HOSTILE extension",
		".git/config":                          json("[core]\n\tfsmonitor = EVIL fsmonitor\n\thooksPath = ..\n\tsshCommand = EVIL ssh\n[diff]\n\texternal = EVIL diff\n"),
		".git/HEAD":                            "ref: refs/heads/main\n",
	} {
		h.file(filepath.Join(h.root, name), body)
	}
	h.script = filepath.Join(home, "script.json")
	h.file(h.script, `{"paceMs":0,"turns":[{"text":"first answer"},{"text":"second answer"}]}`)
	h.trace = filepath.Join(home, "trace")
	return h
}

func (h *hostile) file(path, body string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// command is the program under strace.
func (h *hostile) command(args ...string) *exec.Cmd {
	h.t.Helper()
	bin, err := tau()
	if err != nil {
		h.t.Fatal(err)
	}
	strace := []string{"-f", "-qq", "-y", "-s", "4096", "-o", h.trace, "-e", "trace=execve,execveat,open,openat,openat2", bin, "--demo-script", h.script}
	cmd := exec.Command("strace", append(strace, args...)...)
	cmd.Dir = h.work
	cmd.Env = []string{"HOME=" + h.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "TMPDIR=" + h.t.TempDir()}
	return cmd
}

var (
	executed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`exec\w+\(.*?"([^"]*)".* = 0$`) })
	opened   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`open\w*\((?:AT_FDCWD(?:<[^>]*>)?|\d+<([^>]*)>)?,? ?"([^"]*)".* = \d`)
	})
)

// audit returns what was run beside tau itself, and what was opened of what
// needs trust.
func (h *hostile) audit() (ran, read []string) {
	h.t.Helper()
	f, err := os.Open(h.trace)
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	lines, first := bufio.NewScanner(f), true
	lines.Buffer(nil, 1<<20)
	opens := 0
	begun := map[string]string{} // calls that others came between, by thread
	for lines.Scan() {
		line := lines.Text()
		thread, rest, _ := strings.Cut(line, " ")
		if call, ok := strings.CutSuffix(line, "<unfinished ...>"); ok {
			begun[thread] = strings.TrimSuffix(call, " ")
			continue
		}
		if _, end, ok := strings.Cut(rest, " resumed>"); ok && strings.HasPrefix(strings.TrimSpace(rest), "<... ") {
			line = begun[thread] + end
			delete(begun, thread)
		}
		if m := executed().FindStringSubmatch(line); m != nil {
			if !first {
				ran = append(ran, m[1])
			}
			first = false
			continue
		}
		m := opened().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		opens++
		path := m[2]
		if !filepath.IsAbs(path) {
			path = filepath.Join(h.work, path)
			if m[1] != "" {
				path = filepath.Join(m[1], m[2])
			}
		}
		rel, err := filepath.Rel(h.root, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		for _, own := range []string{"sub/.tau/", ".agents/", "sub/.agents/", "pack/", "evil.sh", ".git/config"} {
			if strings.HasPrefix(rel+"/", own) || strings.Contains(rel+"/", "/"+own) {
				read = append(read, rel)
			}
		}
	}
	if first || opens < 3 {
		h.t.Fatalf("the trace says nothing of what was done: %d files opened", opens)
	}
	return ran, read
}

// untouched holds the program to having run and read nothing of it.
func (h *hostile) untouched(when, output string) {
	h.t.Helper()
	ran, read := h.audit()
	for _, path := range ran {
		h.t.Errorf("%s: it ran %s", when, path)
	}
	for _, path := range read {
		h.t.Errorf("%s: it opened %s", when, path)
	}
	if strings.Contains(output, "HOSTILE") {
		h.t.Errorf("%s: texts of the repository are in\n%s", when, output)
	}
	if left, _ := os.ReadDir(h.marks); len(left) > 0 {
		h.t.Errorf("%s: programs of the repository have run: %v", when, left)
	}
}

func TestHostileRepositoryWithPrint(t *testing.T) {
	for _, args := range [][]string{
		{"-p", "hello"}, {"-p", "--mode", "json", "hello"}, {"-p", "--no-approve", "--mode", "json", "hello"},
		{"-p", "--mode", "json", "-t", "+subagent,+grep", "/s1 and /skill:s2"},
	} {
		h := newHostile(t)
		out, err := h.command(args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "first answer") {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		h.untouched(strings.Join(args, " "), string(out))
	}
	// What the test looks for is there to be found.
	h := newHostile(t)
	out, err := h.command("-p", "--approve", "--mode", "json", "hello").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, read := h.audit()
	all := strings.Join(read, " ")
	for _, want := range []string{"sub/.tau/mcp.json", "sub/.tau/settings.json", "sub/.tau/skills/s1/SKILL.md", "sub/.agents/skills/s2/SKILL.md", ".agents/skills/s3/SKILL.md", "sub/.tau/SYSTEM.md"} {
		if !strings.Contains(all, want) {
			t.Errorf("with --approve %s was not opened", want)
		}
	}
	if _, err := os.Stat(filepath.Join(h.marks, "mcp")); err != nil || !strings.Contains(string(out), "HOSTILE s3") {
		t.Errorf("with --approve the server did not run: %v", err)
	}
}

// watched is the output of a program on a terminal.
type watched struct {
	mu  sync.Mutex
	all strings.Builder
}

func (w *watched) read(r io.Reader) {
	b := make([]byte, 32<<10)
	for {
		n, err := r.Read(b)
		w.mu.Lock()
		w.all.Write(b[:n])
		w.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (w *watched) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return regexp.MustCompile("\x1b\\[[0-9;?<>=]*[a-zA-Z]").ReplaceAllString(w.all.String(), "")
}

func (w *watched) see(t *testing.T, what string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(w.text(), what); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%q did not come to be seen in\n%s", what, w.text())
		}
	}
}

func TestHostileRepositoryOnTheScreen(t *testing.T) {
	for _, consent := range []bool{false, true} {
		h := newHostile(t)
		cmd := h.command("hello")
		term, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 40})
		if err != nil {
			t.Fatal(err)
		}
		w := &watched{}
		go w.read(term)
		w.see(t, "Trust what this folder brings?")
		h.untouched("before the question is answered", w.text())
		answer := "\x1b" // Esc is not now
		if consent {
			answer = "\x1b[A\x1b[A\r" // from the last to "Trust for this time"
		}
		if _, err := io.WriteString(term, answer); err != nil {
			t.Fatal(err)
		}
		w.see(t, "first answer")
		if consent {
			if _, err := os.Stat(filepath.Join(h.marks, "mcp")); err != nil {
				t.Errorf("with consent the server did not run: %v", err)
			}
		} else {
			h.untouched("after it was refused", w.text())
		}
		_, _ = io.WriteString(term, "\x04")
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Error("it did not end")
			_ = cmd.Process.Kill()
		}
		term.Close()
		if !consent {
			h.untouched("at the end", w.text())
		}
	}
}
