package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// tau builds the program once for all tests and returns its path.
var tau = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tau-test-*")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "tau")
	out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return bin, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if bin, err := tau(); err == nil && os.Getenv("TAU_KEEP") == "" {
		os.RemoveAll(filepath.Dir(bin))
	}
	os.Exit(code)
}

// The scripts in testdata/script run the program as a user would:
//
//	-- name --          begins a file in the work folder ($HOME/work)
//	env NAME=value      changes the environment
//	stdin text          what is piped in; without it, standard input is empty
//	tau args…           runs the program; '…' quotes
//	sh command          runs a shell command with tau on the PATH
//	status n            the exit status of the last run
//	stdout regexp       must match standard output; "stdout -" means empty
//	stderr regexp       likewise; "! stderr regexp" must not match
//	file name regexp    a file must match
//
// $SERVER is an address where a provider answers with an error page, $NOBODY
// one where nobody listens.
func TestScripts(t *testing.T) {
	bin, err := tau()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/script/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			runScript(t, bin, string(b))
		})
	}
}

type scripted struct {
	t      *testing.T
	bin    string
	home   string
	work   string
	env    []string
	stdin  *string
	out    bytes.Buffer
	errs   bytes.Buffer
	status int
}

func runScript(t *testing.T, bin, text string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "<html><title>404 Not Found</title><body>nginx</body></html>")
	}))
	defer server.Close()
	s := &scripted{t: t, bin: bin, home: t.TempDir()}
	s.work = filepath.Join(s.home, "work")
	if err := os.MkdirAll(s.work, 0o755); err != nil {
		t.Fatal(err)
	}
	s.env = []string{
		"HOME=" + s.home, "USERPROFILE=" + s.home, "PATH=" + filepath.Dir(bin) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"TERM=xterm-256color", "SERVER=" + server.URL, "NOBODY=http://127.0.0.1:9", "TMPDIR=" + os.TempDir(),
	}
	script, files := cutFiles(text)
	for name, body := range files {
		path := filepath.Join(s.work, name)
		if strings.HasPrefix(name, "~/") {
			path = filepath.Join(s.home, name[2:])
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		body = os.Expand(body, s.lookup)
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, l := range strings.Split(script, "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			s.line(i+1, l)
		}
	}
}

// cutFiles splits a text archive into its script and its files.
func cutFiles(text string) (script string, files map[string]string) {
	files = map[string]string{}
	parts := regexp.MustCompile(`(?m)^-- (\S+) --\n`).FindAllStringSubmatchIndex(text, -1)
	if len(parts) == 0 {
		return text, files
	}
	for i, p := range parts {
		end := len(text)
		if i+1 < len(parts) {
			end = parts[i+1][0]
		}
		files[text[p[2]:p[3]]] = text[p[1]:end]
	}
	return text[:parts[0][0]], files
}

func (s *scripted) lookup(name string) string {
	for _, e := range s.env {
		if k, v, _ := strings.Cut(e, "="); k == name {
			return v
		}
	}
	return "$" + name
}

func (s *scripted) line(n int, l string) {
	s.t.Helper()
	l, not := strings.CutPrefix(l, "! ")
	verb, rest, _ := strings.Cut(l, " ")
	fail := func(format string, args ...any) {
		s.t.Helper()
		s.t.Errorf("line %d: %s: %s\nstdout: %s\nstderr: %s", n, l, fmt.Sprintf(format, args...), s.out.String(), s.errs.String())
	}
	match := func(what, text, pattern string) {
		s.t.Helper()
		ok := text == ""
		if pattern != "-" {
			ok = regexp.MustCompile("(?s)" + os.Expand(pattern, s.lookup)).MatchString(text)
		}
		if ok == not {
			fail("%s is %q", what, text)
		}
	}
	switch verb {
	case "env":
		s.env = append([]string{os.Expand(rest, s.lookup)}, s.env...)
	case "stdin":
		text := strings.ReplaceAll(rest, `\n`, "\n")
		s.stdin = &text
	case "tau":
		s.run(exec.Command(s.bin, words(os.Expand(rest, s.lookup))...))
	case "sh":
		s.run(exec.Command("sh", "-c", rest))
	case "status":
		if want, _ := strconv.Atoi(rest); s.status != want {
			fail("status is %d", s.status)
		}
	case "stdout":
		match("stdout", s.out.String(), rest)
	case "stderr":
		match("stderr", s.errs.String(), rest)
	case "file":
		name, pattern, _ := strings.Cut(rest, " ")
		name = strings.Replace(name, "~", s.home, 1)
		if !filepath.IsAbs(name) {
			name = filepath.Join(s.work, name)
		}
		found, _ := filepath.Glob(name)
		var body []byte
		for _, f := range found {
			b, _ := os.ReadFile(f)
			body = append(body, b...)
		}
		match(name, string(body), pattern)
	default:
		s.t.Fatalf("line %d: unknown verb %q", n, verb)
	}
}

func (s *scripted) run(cmd *exec.Cmd) {
	s.t.Helper()
	s.out.Reset()
	s.errs.Reset()
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.work, s.env, &s.out, &s.errs
	if s.stdin != nil {
		cmd.Stdin = strings.NewReader(*s.stdin)
		s.stdin = nil
	}
	cmd.WaitDelay = 20 * time.Second
	err := cmd.Run()
	s.status = 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		s.status = exit.ExitCode()
	} else if err != nil {
		s.t.Fatal(err)
	}
	if strings.Contains(s.errs.String(), "goroutine ") {
		s.t.Errorf("a stack trace:\n%s", s.errs.String())
	}
}

// words splits a command line; single quotes hold a word together.
func words(l string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(l, -1) {
		if m[2] != "" {
			out = append(out, m[2])
		} else {
			out = append(out, m[1])
		}
	}
	return out
}
