//go:build unix

package subagent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tau/agent"
	"tau/ai"
)

// The test binary is also the process of a task. What it does is the first
// word of the task.
func TestMain(m *testing.M) {
	if os.Getenv("SUBAGENT_TEST") == "" {
		os.Exit(m.Run())
	}
	in, _ := io.ReadAll(os.Stdin)
	task := strings.TrimSpace(string(in))
	word, rest, _ := strings.Cut(task, " ")
	say := func(text, stop string) {
		b, _ := json.Marshal(map[string]any{"type": "message_end", "message": map[string]any{
			"role": "assistant", "content": []any{map[string]any{"type": "text", "text": text}}, "model": "fake", "stopReason": stop,
			"errorMessage": map[string]string{"error": "overloaded"}[stop],
			"usage":        map[string]any{"input": 1500, "output": 20, "totalTokens": 1520, "cost": map[string]any{"total": 0.25}},
		}})
		fmt.Println(string(b))
	}
	fmt.Println(`{"type":"session","id":"x"}`)
	switch word {
	case "say":
		fmt.Println(`{"type":"tool_execution_start","toolName":"read","args":{"path":"a\u001b[31m.txt"}}`)
		fmt.Println(`not JSON at all`)
		say("an earlier word", "toolUse")
		say(rest, "stop")
	case "args":
		say(strings.Join(os.Args[1:], " ")+" in "+cwd()+" depth "+os.Getenv(depthVariable), "stop")
	case "prompt":
		i := slices.Index(os.Args, "--append-system-prompt")
		b, _ := os.ReadFile(os.Args[i+1])
		say(string(b), "stop")
	case "much":
		say(strings.Repeat("word ", 20_000), "stop")
	case "error":
		say("half an ans", "error")
	case "exit":
		fmt.Fprintln(os.Stderr, "tau: there is no key\x1b]0;x\x07")
		os.Exit(3)
	case "silent":
	case "hang": // with a child, both deaf to requests
		signal.Ignore(syscall.SIGTERM)
		child := exec.Command("sleep", "300")
		_ = child.Start()
		_ = os.WriteFile(rest, fmt.Appendf(nil, "%d %d", os.Getpid(), child.Process.Pid), 0o600)
		select {}
	case "together": // returns when enough others are there
		dir, n, _ := strings.Cut(rest, " ")
		_ = os.WriteFile(filepath.Join(dir, fmt.Sprint(os.Getpid())), nil, 0o600)
		for {
			list, _ := os.ReadDir(dir)
			if fmt.Sprint(len(list)) >= n {
				say(fmt.Sprint(len(list)), "stop")
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	case "count": // how many run at once
		dir := rest
		name := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		_ = os.WriteFile(name, nil, 0o600)
		list, _ := os.ReadDir(dir)
		time.Sleep(100 * time.Millisecond)
		_ = os.Remove(name)
		say(fmt.Sprint(len(list)), "stop")
	}
}

func cwd() string { dir, _ := os.Getwd(); return dir }

func options(t *testing.T) Options {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return Options{Executable: exe, CWD: dir, AgentDir: filepath.Join(dir, "agent"), Env: []string{"SUBAGENT_TEST=1"}}
}

func run(t *testing.T, o Options, args string) (string, agent.Result, error) {
	t.Helper()
	r, err := New(o).Execute(t.Context(), agent.Call{Args: json.RawMessage(args)}, func(agent.Result) {})
	return ai.ContentText(r.Content), r, err
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOneTask(t *testing.T) {
	o := options(t)
	var mu sync.Mutex
	var shown []string
	r, err := New(o).Execute(t.Context(), agent.Call{Args: json.RawMessage(`{"agent":"scout","task":"say all is well"}`)}, func(r agent.Result) {
		mu.Lock()
		defer mu.Unlock()
		shown = append(shown, ai.ContentText(r.Content))
	})
	if err != nil || r.IsError || ai.ContentText(r.Content) != "all is well" || r.Terminate {
		t.Fatalf("%+v %v", r, err)
	}
	if r.Usage == nil || r.Usage.Cost.Total != 0.5 || r.Usage.Input != 3000 {
		t.Errorf("usage %+v", r.Usage)
	}
	var d struct {
		Mode    string
		Results []taskDetails
	}
	if err := json.Unmarshal(r.Details, &d); err != nil || d.Mode != "single" || len(d.Results) != 1 || d.Results[0].Usage.Turns != 2 || d.Results[0].Status != finished || d.Results[0].AgentSource != "builtin" {
		t.Errorf("details %s", r.Details)
	}
	mu.Lock()
	defer mu.Unlock()
	if all := strings.Join(shown, "\n"); !strings.HasPrefix(all, "● scout") || strings.Contains(all, "\x1b") {
		t.Errorf("shown: %q", shown)
	}
}

func TestWhatGoesWrong(t *testing.T) {
	o := options(t)
	for _, tt := range []struct{ args, want string }{
		{`{"agent":"worker","task":"error"}`, "worker failed: overloaded\n\nIts last words:\nhalf an ans"},
		{`{"agent":"worker","task":"exit"}`, "worker failed: the process ended with status 3: tau: there is no key"},
		{`{"agent":"worker","task":"silent"}`, "worker failed: it gave no answer"},
	} {
		got, r, err := run(t, o, tt.args)
		if err != nil || !r.IsError || !strings.HasPrefix(got, tt.want) || strings.Contains(got, "\x1b") {
			t.Errorf("%s: %q %v", tt.args, got, err)
		}
	}
	for args, want := range map[string]string{
		`{}`:                             "give one of",
		`{"agent":"x"}`:                  "lacks its agent or its task",
		`{"agent":"ghost","task":"say"}`: `there is no agent "ghost"; there are planner, reviewer, scout, worker`,
		`{"agent":"scout","task":"say","tasks":[{"agent":"scout","task":"say"}]}`:    "give one of",
		`{"tasks":[` + strings.Repeat(`{"agent":"scout","task":"say"},`, 8) + `{}]}`: "at most 8",
		`{"agent":"scout","task":"say","cwd":"/does/not/exist"}`:                     "is no folder",
		`{"agent":"scout","task":"say","timeout":-1}`:                                "more than 0",
		`{"agent":"scout","task":"say","agentScope":"project"}`:                      "there is no agent",
	} {
		if _, _, err := run(t, o, args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	o.Executable = "/does/not/exist"
	if got, r, _ := run(t, o, `{"agent":"worker","task":"say x"}`); !r.IsError || !strings.Contains(got, "no such file") {
		t.Errorf("%q", got)
	}
}

func TestLongAnswersAreCut(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	got, _, err := run(t, options(t), `{"agent":"worker","task":"much"}`)
	if err != nil || len(got) > maxAnswer+300 {
		t.Fatalf("%d bytes %v", len(got), err)
	}
	_, rest, _ := strings.Cut(got, "all of it: ")
	b, err := os.ReadFile(strings.TrimSuffix(rest, "]"))
	if err != nil || len(b) != 20_000*5-1 {
		t.Errorf("the file has %d bytes: %v", len(b), err)
	}
}

func TestParallel(t *testing.T) {
	o := options(t)
	dir := t.TempDir()
	task := fmt.Sprintf(`{"agent":"worker","task":"together %s 4"},`, dir)
	got, r, err := run(t, o, `{"tasks":[`+strings.Repeat(task, 4)+`{"agent":"scout","task":"error"}],"terminate":true}`)
	if err != nil || r.IsError || !r.Terminate || !strings.HasPrefix(got, "4 of 5 tasks are done.") || !strings.Contains(got, "### 5. scout: failed\n\nscout failed: overloaded") {
		t.Errorf("%q %v", got, err)
	}
	// Never more than four.
	task = fmt.Sprintf(`{"agent":"worker","task":"count %s"}`, t.TempDir())
	got, _, err = run(t, o, `{"tasks":[`+strings.TrimSuffix(strings.Repeat(task+",", 8), ",")+`]}`)
	if err != nil || !strings.HasPrefix(got, "8 of 8") {
		t.Fatalf("%q %v", got, err)
	}
	for _, line := range strings.Split(got, "\n") {
		if len(line) == 1 && line > "4" {
			t.Errorf("%s ran at once", line)
		}
	}
}

func TestChain(t *testing.T) {
	o := options(t)
	got, r, err := run(t, o, `{"chain":[{"agent":"scout","task":"say one"},{"agent":"planner","task":"say {previous} two"},{"agent":"worker","task":"say {previous} three"}]}`)
	if err != nil || r.IsError || got != "one two three" {
		t.Errorf("%q %v", got, err)
	}
	got, r, err = run(t, o, `{"chain":[{"agent":"scout","task":"say one"},{"agent":"planner","task":"error"},{"agent":"worker","task":"say three"}],"terminate":true}`)
	if err != nil || !r.IsError || r.Terminate || !strings.HasPrefix(got, "The chain ended at step 2 of 3 (planner).") {
		t.Errorf("%q %v", got, err)
	}
}

func TestAgentFiles(t *testing.T) {
	o := options(t)
	o.ProjectAgents = filepath.Join(o.CWD, ".tau", "agents")
	o.Flags, o.FlagsHere = []string{"--offline"}, []string{"--approve"}
	o.Model = func() (string, string) { return "p/caller", "high" }
	write(t, filepath.Join(o.AgentDir, "agents", "mine.md"), "---\ndescription: Mine\ntools: read, grep\nmodel: p/own\n---\nBe mine.\n")
	write(t, filepath.Join(o.AgentDir, "agents", "scout.md"), "---\nname: scout\ndescription: My scout\ntools: [mcp__x__*]\n---\nBe a scout.\n")
	write(t, filepath.Join(o.AgentDir, "agents", "broken.md"), "---\ndescription: [\n---\n")
	write(t, filepath.Join(o.AgentDir, "agents", "empty.md"), "no head")
	write(t, filepath.Join(o.ProjectAgents, "mine.md"), "---\ndescription: The project's\n---\nBe the project's.\n")
	if d := New(o).Description; !strings.Contains(d, "- mine: The project's") || !strings.Contains(d, "- scout: My scout") || strings.Contains(d, "broken") {
		t.Error(d)
	}
	sub := filepath.Join(o.CWD, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ args, want string }{
		{`{"agent":"mine","task":"prompt"}`, "Be the project's."},
		{`{"agent":"mine","task":"prompt","agentScope":"user"}`, "Be mine."},
		{`{"agent":"mine","task":"args"}`, "--mode json -p --no-session --offline --approve --model p/caller --thinking high --exclude-tools subagent --append-system-prompt"},
		{`{"agent":"mine","task":"args","agentScope":"user","cwd":"sub"}`, "--mode json -p --no-session --offline --model p/own --tools read,grep --no-mcp --append-system-prompt"},
		{`{"agent":"scout","task":"args"}`, "--tools mcp__x__* --append"},
		{`{"agent":"scout","task":"args"}`, "in " + o.CWD + " depth 1"},
		{`{"tasks":[{"agent":"scout","task":"args","cwd":"sub"}]}`, "in " + sub},
	} {
		if got, _, err := run(t, o, tt.args); err != nil || !strings.Contains(got, tt.want) {
			t.Errorf("%s\n got %q %v\nwant %q", tt.args, got, err, tt.want)
		}
	}
	if _, _, err := run(t, o, `{"agent":"broken","task":"x"}`); err == nil || !strings.Contains(err.Error(), "not valid YAML") {
		t.Errorf("%v", err)
	}
	t.Setenv(depthVariable, "3")
	if Offered() {
		t.Error("there are agents without end")
	}
}

func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(b), ") Z ")
}

// pids waits for the processes of a task that hangs.
func pids(t *testing.T, path string) (a, b int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(path); err == nil {
			if n, _ := fmt.Sscan(string(text), &a, &b); n == 2 {
				return a, b
			}
		}
	}
	t.Fatal("the task did not begin")
	return 0, 0
}

func gone(t *testing.T, list ...int) {
	t.Helper()
	for _, pid := range list {
		for deadline := time.Now().Add(5 * time.Second); alive(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d is still there", pid)
			}
		}
	}
}

func TestCancellationEndsTheTree(t *testing.T) {
	o := options(t)
	path := filepath.Join(t.TempDir(), "pids")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan agent.Result, 1)
	quick := make(chan struct{})
	var once sync.Once
	go func() {
		r, _ := New(o).Execute(ctx, agent.Call{Args: json.RawMessage(fmt.Sprintf(`{"tasks":[{"agent":"worker","task":"hang %s"},{"agent":"worker","task":"say quick"}]}`, path))}, func(r agent.Result) {
			if strings.Contains(ai.ContentText(r.Content), "✓ worker") {
				once.Do(func() { close(quick) })
			}
		})
		done <- r
	}()
	a, b := pids(t, path)
	<-quick
	began := time.Now()
	cancel()
	r := <-done
	if d := time.Since(began); d > 3*time.Second {
		t.Errorf("it took %v", d)
	}
	if text := ai.ContentText(r.Content); !strings.Contains(text, "worker failed: cancelled") || !strings.Contains(text, "quick") {
		t.Errorf("%q", text)
	}
	gone(t, a, b)
}

func TestTimeout(t *testing.T) {
	o := options(t)
	path := filepath.Join(t.TempDir(), "pids")
	got, r, err := run(t, o, fmt.Sprintf(`{"agent":"worker","task":"hang %s","timeout":0.5}`, path))
	if err != nil || !r.IsError || !strings.Contains(got, "it took longer than 500ms and was ended") {
		t.Errorf("%q %v", got, err)
	}
	a, b := pids(t, path)
	gone(t, a, b)
}
