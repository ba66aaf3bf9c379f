//go:build unix

package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"tau/agent"
	"tau/ai"
)

// shellCase is one command and what has to come of it, within a time.
type shellCase struct {
	name    string
	command string
	timeout float64       // of the call; 0 for none
	abort   time.Duration // after which the call is cancelled
	want    []string      // parts of the result
	not     []string
	isError bool
	within  time.Duration // 3 s if 0
	job     bool          // something is left in the background
	linux   bool          // needs a process table
}

func nastyCommands() []shellCase {
	return []shellCase{
		{name: "C-32 sleeper holds the pipe", command: "sleep 30 & echo done", want: []string{"done\n", "job-1"}, within: 2 * time.Second, job: true},
		{name: "C-32 writer holds the pipe", command: "(while :; do echo x; sleep 0.1; done) & sleep 0.3; echo fg", want: []string{"fg", "job-1"}, job: true},
		{name: "C-32 late output is kept", command: "(sleep 0.05; echo late) & exit 0", want: []string{"late"}, not: []string{"job"}},
		{name: "late output of a job, code of the shell", command: "(sleep 1; echo late) & exit 7", want: []string{"(no output)", "job-1", "code 7"}, isError: true, job: true},
		{name: "daemon without the pipe", command: "sleep 30 >/dev/null 2>&1 & echo ok", want: []string{"ok", "job-1"}, job: true},
		{name: "nohup", command: "nohup sleep 30 >/dev/null 2>&1 & disown; echo ok", want: []string{"ok", "job-1"}, job: true},
		{name: "setsid escapee", command: "setsid sleep 30 >/dev/null 2>&1 & sleep 0.1; echo ok", want: []string{"ok", "job-1"}, job: true, linux: true},
		{name: "double fork", command: "(setsid sh -c 'sleep 30 & sleep 30' >/dev/null 2>&1 &); sleep 0.1; echo ok", want: []string{"ok", "job-1"}, job: true, linux: true},
		{name: "escapee without environment holds the pipe", command: "(env -i setsid sleep 30 &); sleep 0.1; echo ok", want: []string{"ok", "job-1"}, job: true, linux: true},
		{name: "C-33 TERM ignored", command: "echo before; trap '' TERM; sleep 60 | cat", timeout: 0.3, want: []string{"before", "timed out after 0.3 seconds"}, isError: true, within: 6 * time.Second},
		{name: "TERM ignored by all", command: "trap '' TERM HUP INT; while :; do sleep 0.05; done", timeout: 0.2, want: []string{"timed out"}, isError: true, within: 6 * time.Second},
		{name: "TERM handled", command: "trap 'echo cleaned; exit 0' TERM; echo up; sleep 30 & wait", timeout: 0.3, want: []string{"up", "cleaned", "timed out after 0.3 seconds"}, isError: true},
		{name: "timeout of an escapee", command: "setsid sh -c \"trap '' TERM; sleep 30\" & wait", timeout: 0.3, want: []string{"timed out"}, isError: true, within: 6 * time.Second, linux: true},
		{name: "stopped process", command: "kill -STOP $$; echo no", timeout: 0.3, want: []string{"timed out"}, not: []string{"no\n"}, isError: true},
		{name: "C-34 abort", command: "echo so far; sleep 20; touch after.txt", abort: 300 * time.Millisecond, want: []string{"so far", "Command aborted"}, isError: true, within: 2 * time.Second},
		{name: "abort of TERM ignored", command: "trap '' TERM; echo so far; sleep 60 | cat", abort: 300 * time.Millisecond, want: []string{"so far", "Command aborted"}, isError: true, within: 2 * time.Second},
		{name: "abort under a flood", command: "yes", abort: 200 * time.Millisecond, want: []string{"y\n", "Command aborted", "Full output"}, isError: true, within: 2 * time.Second},
		{name: "C-35 exit 3", command: "echo out; exit 3", want: []string{"out\n\nCommand exited with code 3"}, isError: true},
		{name: "C-35 TERM", command: "kill -TERM $$", want: []string{"code 143"}, isError: true},
		{name: "C-35 KILL", command: "echo a; kill -9 $$", want: []string{"a\n\n", "code 137"}, isError: true},
		{name: "child killed", command: "sh -c 'kill -SEGV $$'", want: []string{"code 139"}, isError: true},
		{name: "C-35 success", command: "true", want: []string{"(no output)"}},
		{name: "C-35 unknown command", command: "nosuchcmd", want: []string{"nosuchcmd", "code 127"}, isError: true},
		{name: "syntax error", command: "if then (", want: []string{"syntax error", "Command exited with code"}, isError: true},
		{name: "exec format error", command: "printf '\\x7fELFbroken' > x; chmod +x x; ./x", want: []string{"code 126"}, isError: true},
		{name: "a folder as command", command: "mkdir d; ./d", want: []string{"code 126"}, isError: true},
		{name: "C-36 random bytes", command: "head -c 4096 /dev/urandom"},
		{name: "C-36 character in two writes", command: `printf '\xe6\x97'; sleep 0.2; printf '\xa5'`, want: []string{"日"}},
		{name: "C-36 NUL", command: `printf 'a\0b'`, want: []string{"ab"}},
		{name: "C-36 not UTF-8", command: `printf '\xff\xfe'`, want: []string{"\ufffd"}},
		{name: "C-37 many lines", command: "seq 1 200000", want: []string{"199999\n200000", "[Showing lines 198001-200000 of 200000. Full output: "}, not: []string{"198000\n"}},
		{name: "C-37 one line", command: `head -c 300000 /dev/zero | tr '\0' x`, want: []string{"[Showing the last 50.0KB of line 1, which has 293.0KB."}},
		{name: "C-37 exactly the limit", command: "seq 1 2000", want: []string{"1\n2\n"}, not: []string{"Showing"}},
		{name: "much output", command: "head -c 20000000 /dev/zero | tr '\\0' '\\n'", want: []string{"Showing lines 19998001-20000000 of 20000000"}, within: 20 * time.Second},
		{name: "no newline at the end", command: "printf abc", want: []string{"abc"}},
		{name: "C-38 cat", command: "cat", want: []string{"(no output)"}, within: 2 * time.Second},
		{name: "C-38 read", command: "read x; echo got", want: []string{"got"}, within: 2 * time.Second},
		{name: "reading the terminal", command: "cat </dev/tty", want: []string{"/dev/tty", "code 1"}, isError: true, within: 2 * time.Second},
		{name: "asking the terminal", command: "(read -p 'Password: ' x </dev/tty) 2>&1; echo after", want: []string{"after"}, within: 2 * time.Second},
		{name: "tty", command: "tty; [ -t 0 ] || [ -t 1 ] || echo none", want: []string{"not a tty", "none"}},
		{name: "a password", command: "command -v sudo >/dev/null || exit 1; sudo -k; sudo -u nobody -S true </dev/null; exit 1", want: []string{"code 1"}, isError: true},
		{name: "pager", command: "echo text | ${PAGER:-less}; echo $GIT_PAGER $GIT_TERMINAL_PROMPT $AI_AGENT $TAU", want: []string{"text", "cat 0 tau 1"}},
		{name: "fork storm", command: "for i in $(seq 300); do sleep 60 & done; wait", timeout: 1.5, want: []string{"timed out"}, isError: true, within: 8 * time.Second},
		{name: "forking while it is ended", command: "trap '' TERM; f() { sleep 0.01; (trap '' TERM; f) & wait; }; f", timeout: 0.5, want: []string{"timed out"}, isError: true, within: 8 * time.Second},
		{name: "closed output", command: "exec >&- 2>&-; sleep 0.3", want: []string{"(no output)"}},
		{name: "output closed by the shell only", command: "exec >&- 2>&-; exit 4", want: []string{"code 4"}, isError: true},
		{name: "both streams in order", command: "for i in 1 2 3; do echo o$i; echo e$i >&2; done", want: []string{"o1\ne1\no2\ne2\no3\ne3"}},
		{name: "progress", command: `for i in $(seq 5000); do printf 'get %d\r' $i; done; echo; echo done`, want: []string{"get 5000\ndone"}, not: []string{"get 4999"}},
		{name: "long script", command: ": " + strings.Repeat("x", 200<<10) + "\necho end; exit 2", want: []string{"end", "code 2"}, isError: true},
		{name: "here document", command: "cat <<'E'\na 'b' \"c\" $d\nE", want: []string{"a 'b' \"c\" $d"}},
		{name: "cwd goes while it runs", command: "mkdir gone; cd gone; rmdir ../gone; pwd -P; ls; echo ok", want: []string{"ok"}},
		{name: "coprocess", command: "exec 3< <(sleep 30); echo ok", want: []string{"ok", "job-1"}, job: true},
		{name: "inner job control", command: "set -m; sleep 30 & echo ok", want: []string{"ok", "job-1"}, job: true, linux: true},
	}
}

func TestNastyCommands(t *testing.T) {
	shell, err := findShell("")
	if err != nil || !strings.HasSuffix(shell, "bash") {
		t.Skip("no bash")
	}
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range nastyCommands() {
		t.Run(c.name, func(t *testing.T) {
			if c.linux && runtime.GOOS != "linux" {
				t.Skip("needs a process table")
			}
			if c.abort == 0 {
				t.Parallel() // most of them only wait
			}
			dir := t.TempDir()
			set := New(Options{CWD: dir})
			defer set.Close()
			args := bashArgs{Command: c.command}
			if c.timeout > 0 {
				args.Timeout = &c.timeout
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			aborted := make(chan time.Time, 1)
			if c.abort > 0 {
				time.AfterFunc(c.abort, func() { aborted <- time.Now(); cancel() })
			}
			start := time.Now()
			r, err := set.runBash(ctx, "call", args, func(agent.Result) {})
			end := time.Now()
			if err != nil {
				t.Fatal(err)
			}
			if c.abort > 0 {
				if late := end.Sub(<-aborted); late > soon {
					t.Errorf("returned %v after the abort", late)
				}
			}
			if c.within == 0 {
				c.within = 3 * time.Second
			}
			if took := end.Sub(start); took > slow*c.within {
				t.Errorf("took %v", took)
			}
			text := ai.ContentText(r.Content)
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("%q is missing in %s", w, ends(text))
				}
			}
			for _, w := range c.not {
				if strings.Contains(text, w) {
					t.Errorf("%q is in %s", w, ends(text))
				}
			}
			if r.IsError != c.isError {
				t.Errorf("error result %v: %s", r.IsError, ends(text))
			}
			checkClean(t, text)
			jobs := set.Jobs()
			if (len(jobs) > 0) != c.job {
				t.Errorf("jobs %+v", jobs)
			}
			set.Close()
			for _, j := range set.Jobs() {
				if j.State == JobRunning {
					t.Errorf("%+v runs after Close", j)
				}
			}
			if left := processesOf(t, set); len(left) > 0 {
				t.Errorf("processes are left: %v", left)
			}
			if _, err := os.Stat(filepath.Join(dir, "after.txt")); err == nil {
				t.Error("the command went on after the abort")
			}
		})
	}
}

func checkClean(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Error("not UTF-8")
	}
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			t.Fatalf("control character %q", r)
		}
	}
	if len(text) > maxBytes+1000 {
		t.Errorf("%d bytes", len(text))
	}
}

// processesOf lists what bears the mark of the set's commands.
func processesOf(t *testing.T, set *Set) (left []process) {
	t.Helper()
	for _, p := range processes(set.jobs.mark, "") {
		if p.ours {
			left = append(left, p)
		}
	}
	return left
}

// An escapee that emptied its environment and holds no pipe is known only as a
// descendant, or by its session.
func TestAbortReachesDescendants(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a process table")
	}
	dir := t.TempDir()
	set := New(Options{CWD: dir})
	defer set.Close()
	ctx, cancel := context.WithCancel(context.Background())
	command := "env -i setsid sh -c 'echo $$ >pid; exec sleep 60' >/dev/null 2>&1"
	go func() {
		waitFor(t, func() bool { b, _ := os.ReadFile(filepath.Join(dir, "pid")); return len(b) > 0 })
		cancel()
	}()
	if _, err := set.runBash(ctx, "", bashArgs{Command: command}, func(agent.Result) {}); err != nil {
		t.Fatal(err)
	}
	var pid int
	b, _ := os.ReadFile(filepath.Join(dir, "pid"))
	fmt.Sscan(string(b), &pid)
	waitFor(t, func() bool { _, there := readPID(pid); return !there })
}

// waitFor waits for a condition in the world of processes.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for until := time.Now().Add(5 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(until) {
			t.Error("waited in vain")
			return
		}
	}
}

func TestBashRefusals(t *testing.T) {
	dir := t.TempDir()
	gone := filepath.Join(dir, "gone")
	for _, tt := range []struct{ name, args, want string }{
		{"timeout 0", `{"command":"true","timeout":0}`, "timeout is 0; give seconds"},
		{"timeout -1", `{"command":"true","timeout":-1}`, "timeout is -1"},
		{"timeout 1e12", `{"command":"true","timeout":1e12}`, "at most 2147483.647"},
		{"timeout just over", `{"command":"true","timeout":2147483.648}`, "at most"},
		{"empty", `{"command":" "}`, "empty"},
		{"NUL", `{"command":"echo a\u0000b"}`, "NUL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := run(t, New(Options{CWD: dir}).bash(), json.RawMessage(tt.args))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
	if _, err := run(t, New(Options{CWD: gone}).bash(), bashArgs{Command: "true"}); err == nil || !strings.Contains(err.Error(), gone) {
		t.Errorf("missing working folder: %v", err)
	}
	if _, err := run(t, New(Options{CWD: dir, ShellPath: "/no/shell"}).bash(), bashArgs{Command: "true"}); err == nil || !strings.Contains(err.Error(), "/no/shell") {
		t.Errorf("missing shell: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notashell"), []byte("\x7fELF"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, New(Options{CWD: dir, ShellPath: filepath.Join(dir, "notashell")}).bash(), bashArgs{Command: "true"}); err == nil || !strings.Contains(err.Error(), "exec format error") {
		t.Errorf("broken shell: %v", err)
	}
	r, err := run(t, New(Options{CWD: dir}).bash(), json.RawMessage(`{"cmd":"echo hi","timeout":2147483.647}`))
	if err != nil || ai.ContentText(r.Content) != "hi\n" {
		t.Errorf("%v %v", r, err)
	}
	s := New(Options{CWD: dir})
	s.Close()
	if _, err := run(t, s.bash(), bashArgs{Command: "true"}); err == nil {
		t.Error("a command was started after Close")
	}
}

func TestBashPrefixAndDetails(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	set := New(Options{CWD: t.TempDir(), CommandPrefix: "hello() { echo hello; }", Env: []string{"X=1"}})
	defer set.Close()
	r, err := run(t, set.bash(), bashArgs{Command: "hello $X\necho $X $PWD"})
	if want := "hello\n1 " + set.opts.CWD + "\n"; err != nil || ai.ContentText(r.Content) != want || r.Details != nil {
		t.Errorf("%q %s %v", ai.ContentText(r.Content), r.Details, err)
	}
	r, err = run(t, set.bash(), bashArgs{Command: "seq 3000"})
	if err != nil {
		t.Fatal(err)
	}
	var d BashDetails
	if err := json.Unmarshal(r.Details, &d); err != nil {
		t.Fatal(err)
	}
	want := Truncation{Truncated: true, TruncatedBy: "lines", TotalLines: 3000, TotalBytes: 13893, OutputLines: 2000, OutputBytes: 9999, MaxLines: 2000, MaxBytes: 51200}
	if d.Truncation == nil || *d.Truncation != want {
		t.Errorf("%s", r.Details)
	}
	if b, err := os.ReadFile(d.FullOutputPath); err != nil || countLines(string(b)) != 3000 {
		t.Errorf("log %s: %d lines, %v", d.FullOutputPath, countLines(string(b)), err)
	}
	if name := filepath.Base(d.FullOutputPath); !strings.HasPrefix(name, "tau-bash-") || !strings.HasSuffix(name, ".log") {
		t.Error(name)
	}
}

func TestFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		f := &feed{send: func() { at = append(at, time.Since(start)) }}
		// A thousand changes in 550 ms, then silence, then one more.
		for range 1000 {
			f.changed()
			time.Sleep(550 * time.Microsecond)
		}
		time.Sleep(10 * time.Second)
		f.changed()
		time.Sleep(firstUpdate)
		synctest.Wait()
		if len(at) != 8 || at[0] != firstUpdate {
			t.Errorf("sent at %v", at)
		}
		for i := 1; i < len(at); i++ {
			if at[i]-at[i-1] < updateEvery {
				t.Errorf("sent at %v", at)
			}
		}
		f.changed()
		f.stop()
		f.changed()
		time.Sleep(time.Second)
		synctest.Wait()
		if len(at) != 8 {
			t.Errorf("sent after stop: %v", at)
		}
		// What ends at once has sent something once.
		for _, changes := range []int{0, 3} {
			at = nil
			f := &feed{send: f.send}
			for range changes {
				f.changed()
			}
			f.finish()
			f.finish()
			f.changed()
			time.Sleep(time.Second)
			if len(at) != min(changes, 1) {
				t.Errorf("%d changes: sent at %v", changes, at)
			}
		}
	})
}

func TestFeedSlowReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, sent := 0, 0
		f := &feed{}
		f.send = func() {
			if running++; running > 1 {
				t.Error("two at once")
			}
			time.Sleep(time.Second)
			running--
			sent++
		}
		for range 30 {
			f.changed()
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if sent < 3 || sent > 5 {
			t.Errorf("sent %d", sent)
		}
	})
}

func TestBashUpdates(t *testing.T) {
	set := New(Options{CWD: t.TempDir()})
	defer set.Close()
	seen := make(chan string, 1000)
	r, err := set.runBash(context.Background(), "", bashArgs{Command: "for i in 1 2 3; do echo $i; sleep 0.15; done"}, func(r agent.Result) {
		seen <- ai.ContentText(r.Content)
	})
	if err != nil || ai.ContentText(r.Content) != "1\n2\n3\n" {
		t.Errorf("%v %v", r, err)
	}
	if n := len(seen); n < 2 || n > 4 {
		t.Errorf("%d updates", n)
	}
	if first := <-seen; first != "1\n" {
		t.Errorf("first update %q", first)
	}
}

func TestMaySpawn(t *testing.T) {
	for command, want := range map[string]bool{
		"go build && go test 2>&1 | tail": false, "cmd &> log": false, "cmd >& log": false, "a |& b": false,
		"server &": true, "server & echo": true, "nohup x": true, "setsid x": true, "(x&)": true,
	} {
		if maySpawn(command) != want {
			t.Errorf("%q: %v", command, !want)
		}
	}
}

// A shell that has gone from where it was found is looked for again.
func TestShellMoves(t *testing.T) {
	shell, err := findShell("")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	link := filepath.Join(dir, filepath.Base(shell))
	if err := os.Symlink(shell, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	set := New(Options{CWD: t.TempDir()})
	defer set.Close()
	for _, want := range []string{link, link, shell} {
		r, err := set.runBash(t.Context(), "", bashArgs{Command: "echo $0"}, func(agent.Result) {})
		if got := strings.TrimSpace(ai.ContentText(r.Content)); err != nil || got != want {
			t.Errorf("%q, %v, want %s", got, err, want)
		}
		if set.jobs.count == 2 {
			if err := os.Remove(link); err != nil {
				t.Fatal(err)
			}
		}
	}
}
