package extension_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tau/ai"
	"tau/session"
	"tau/session/extension"
	"tau/session/resources"
	"tau/session/store"
)

func example(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../docs/examples/extensions", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// run makes the model call a tool and returns the result.
func (st *stage) tool(name, args string) string {
	st.t.Helper()
	st.llm.will(calls(name, args), says("ok"))
	st.ask("go")
	return st.lastResult()
}

func (st *stage) command(line string) {
	st.t.Helper()
	c, args, ok := st.r.Command(line)
	if !ok {
		st.t.Fatalf("there is no command %s", line)
	}
	if err := st.r.Run(context.Background(), c, args); err != nil {
		st.t.Fatal(err)
	}
}

func expect(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("no %q in %q", want, got)
	}
}

// gated asks the handlers of tool_call about a call and returns why it is
// blocked, or "".
func (st *stage) gated(tool, args string) string {
	st.t.Helper()
	block, err := st.r.ToolCall(context.Background(), toolContext(tool, args))
	if err != nil {
		st.t.Fatal(err)
	}
	if block == nil {
		return ""
	}
	return block.Reason
}

func TestExamples(t *testing.T) {
	t.Run("permission-gate", func(t *testing.T) {
		st := newStage(t, 0, example(t, "permission-gate.ts"))
		expect(t, st.gated("bash", `{"command":"rm -rf x"}`), "did not allow")
		st.ui.choice = "Run it"
		if why := st.gated("bash", `{"command":"rm -rf x"}`); why != "" {
			t.Error(why)
		}
		if why := st.gated("bash", `{"command":"ls"}`); why != "" {
			t.Error(why)
		}
	})
	t.Run("protected-paths", func(t *testing.T) {
		st := newStage(t, 0, example(t, "protected-paths.ts"))
		expect(t, st.gated("write", `{"path":"a/.git/config"}`), "protected")
		expect(t, st.gated("edit", `{"path":"./.env"}`), "protected")
		if why := st.gated("write", `{"path":"environment.md"}`); why != "" {
			t.Error(why)
		}
	})
	t.Run("plan-mode", func(t *testing.T) {
		st := newStage(t, 0, example(t, "plan-mode.ts"))
		st.r.Start(context.Background(), "startup", "")
		st.command("/plan")
		if n := len(st.s.Tools()); n != 0 { // the stage has none that only read
			t.Errorf("%d tools", n)
		}
		st.ask("go")
		expect(t, st.llm.asked[0].System, "You are planning")
		st.command("/plan")
		st.ask("go")
		if n := len(st.s.Tools()); n != 1 || strings.Contains(st.llm.asked[1].System, "You are planning") {
			t.Errorf("%d tools, %s", n, st.llm.asked[1].System)
		}
	})
	t.Run("todo", func(t *testing.T) {
		st := newStage(t, 0, example(t, "todo.ts"))
		expect(t, st.tool("todo", `{"action":"add","text":"one"}`), "1. [ ] one")
		leaf := st.s.Store().Leaf()
		expect(t, st.tool("todo", `{"action":"done","n":1}`), "1. [x] one")
		expect(t, st.tool("todo", `{"action":"done","n":9}`), "there is no item 9")
		if _, err := st.s.Navigate(context.Background(), leaf, session.NavigateOptions{}); err != nil {
			t.Fatal(err)
		}
		expect(t, st.tool("todo", `{"action":"list"}`), "1. [ ] one")
	})
	t.Run("question", func(t *testing.T) {
		st := newStage(t, 0, example(t, "question.ts"))
		st.ui.choice = "Something else …"
		expect(t, st.tool("question", `{"question":"Which?","answers":["a","b"]}`), "answered: typed")
		st.ui.choice = "a"
		expect(t, st.tool("question", `{"question":"Which?","answers":["a","b"]}`), "answered: a")
	})
	t.Run("custom-compaction", func(t *testing.T) {
		st := newStage(t, 0, example(t, "custom-compaction.ts"))
		st.llm.will(says(strings.Repeat("a long answer ", 200)), says("short"), says("goal: short lists"))
		st.ask("first " + strings.Repeat("many words ", 300))
		st.ask("second")
		r, err := st.s.Compact(context.Background(), "")
		if err != nil {
			t.Fatal(err)
		}
		expect(t, r.Summary, "goal: short lists")
		for n := range st.s.Store().Back() {
			if e, err := st.s.Store().Entry(n.ID); err == nil {
				if c, ok := e.(*store.CompactionEntry); ok && !c.FromHook {
					t.Error("the entry does not say that an extension made it")
				}
			}
		}
	})
	t.Run("notify", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "notify-send"), []byte("#!/bin/sh\necho \"$2\" >'"+dir+"/said'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		st := newStage(t, 0, example(t, "notify.ts"))
		st.ask("go")
		if b, err := os.ReadFile(filepath.Join(dir, "said")); err != nil || !strings.HasPrefix(string(b), "done after") {
			t.Errorf("%q %v", b, err)
		}
	})
	t.Run("git-checkpoint", func(t *testing.T) {
		st := newStage(t, 0, example(t, "git-checkpoint.ts"))
		file := filepath.Join(st.s.CWD(), "a.txt")
		write := func(s string) {
			if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("one")
		for _, args := range [][]string{{"init", "-q"}, {"add", "a.txt"}, {"-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"}, {"config", "user.name", "x"}, {"config", "user.email", "x@x"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir = st.s.CWD()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Skipf("git: %s", out)
			}
		}
		write("two")
		st.ask("go")
		write("three")
		for _, n := range st.s.Store().Nodes() {
			if e, err := st.s.Store().Entry(n.ID); err == nil {
				if c, ok := e.(*store.CustomEntry); ok {
					var d struct{ Commit string }
					if err := json.Unmarshal(c.Data, &d); err != nil {
						t.Fatal(err)
					}
					st.ui.choice = c.Timestamp + " " + d.Commit[:8]
				}
			}
		}
		st.command("/checkpoints")
		if b, err := os.ReadFile(file); err != nil || string(b) != "two" {
			t.Errorf("%q %v; %v", b, err, st.ui.notes)
		}
	})
	t.Run("structured-output", func(t *testing.T) {
		st := newStage(t, 0, example(t, "structured-output.ts"))
		st.llm.will(calls("report", `{"title":"T","findings":[{"file":"a","problem":"b"}]}`))
		st.ask("go")
		expect(t, st.lastResult(), "1 finding(s): T")
		if n := len(st.llm.asked); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("dynamic-provider", func(t *testing.T) {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`{"data":[{"id":"tiny","context_length":4096}]}`))
		}))
		defer srv.Close()
		t.Setenv("LOCAL_LLM_URL", srv.URL)
		var got json.RawMessage
		r := extension.NewRunner(extension.Options{Load: load(t.TempDir()), Program: extension.Program{
			Provider: func(name string, config json.RawMessage, _ ai.StreamFunc) error { got = config; return nil },
		}})
		defer r.Close()
		for _, f := range r.Load(context.Background(), []resources.Source{{Path: example(t, "dynamic-provider.ts")}}) {
			t.Fatal(f.Err)
		}
		r.Providers()
		expect(t, string(got), `"id":"tiny"`)
		expect(t, string(got), `"contextWindow":4096`)
	})
	t.Run("gate.py", func(t *testing.T) {
		if _, err := exec.LookPath("python3"); err != nil {
			t.Skip("there is no Python here")
		}
		st := newStage(t, 0, example(t, "gate.py"))
		expect(t, st.gated("write", `{"path":"../x"}`), "outside")
		if why := st.gated("write", `{"path":"x"}`); why != "" {
			t.Error(why)
		}
	})
	t.Run("clock.sh", func(t *testing.T) {
		st := newStage(t, 0, example(t, "clock.sh"))
		expect(t, st.tool("clock", `{}`), ":")
		st.command("/clock")
		eventually(t, "the time", func() bool { return st.ui.said("notify info: ") })
	})
}
