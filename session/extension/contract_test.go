package extension_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tau/agent"
	"tau/ai"
	"tau/session"
	"tau/session/extension"
	"tau/session/extension/ext"
	"tau/session/message"
	"tau/session/store"
)

// The test program is also the extension in Go that the tests run.
func TestMain(m *testing.M) {
	if os.Getenv("TAU_EXT_TEST") == "go" {
		goExtension()
		return
	}
	os.Exit(m.Run())
}

func goExtension() {
	e := ext.New()
	log, err := os.OpenFile(os.Getenv("TAU_EXT_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, name := range strings.Fields(os.Getenv("TAU_EXT_EVENTS")) {
		e.On(name, func(_ *ext.Context, event json.RawMessage) (any, error) {
			if _, err := log.Write(append(event, '\n')); err != nil {
				return nil, err
			}
			if name == "tool_call" && strings.Contains(string(event), "forbidden") {
				return map[string]any{"block": true, "reason": "not here"}, nil
			}
			return nil, nil
		})
	}
	e.Command("hello", "Say hello", func(c *ext.Context, args string) error { return c.Notify("hello "+args, "info") })
	e.Tool(ext.Tool{Name: "shout", Description: "Shouts", Parameters: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`),
		Execute: func(_ *ext.Context, params json.RawMessage) (ext.Result, error) {
			var p struct{ Text string }
			if err := json.Unmarshal(params, &p); err != nil {
				return ext.Result{}, err
			}
			return ext.Text(strings.ToUpper(p.Text)), nil
		}})
	e.Run()
}

// live makes everything happen that there is an event for.
func (st *stage) live() {
	t, r, ctx := st.t, st.r, context.Background()
	t.Helper()
	r.ProjectTrust(ctx)
	r.Start(ctx, "startup", "")
	r.Discover(ctx, "startup")
	r.Input(ctx, extension.Input{Content: ai.TextBlocks("hi"), Source: "rpc"})
	st.llm.will(calls("work", `{"x":1}`), says("one"))
	st.ask("first")
	st.s.SetModel(st.other)
	st.s.SetModel(st.model)
	st.s.SetThinking(ai.ThinkingHigh)
	st.s.SetName("a name")
	if _, err := st.s.RunShell(ctx, "1", "ls", false); err != nil {
		t.Fatal(err)
	}
	st.llm.will(says(strings.Repeat("a long answer ", 200)))
	st.ask("second " + strings.Repeat("with many words ", 300))
	st.llm.will(says("third answer"))
	st.ask("third")
	leaf := st.s.Store().Leaf()
	st.llm.will(says("a summary"))
	if _, err := st.s.Compact(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := st.s.Compact(ctx, ""); err == nil {
		t.Error("a second compaction worked")
	}
	st.llm.will(says(""), says(""), says("")) // no summary
	st.ask("fourth " + strings.Repeat("again many words ", 300))
	_, _ = st.s.Compact(ctx, "") // whether it works is not the point
	if _, err := st.s.Navigate(ctx, leaf, session.NavigateOptions{}); err != nil {
		t.Fatal(err)
	}
	r.BeforeSwitch(ctx, "new", "")
	r.BeforeFork(ctx, leaf, "before")
	r.CacheWarming(ctx, 1, 2, 0.5, "stop")
	r.CompactFailed(ctx, session.Compaction{Reason: session.CompactManual, Error: "no"}, false)
	h := host(r)
	if _, err := h.Serve(ctx, "registerMcpServer", json.RawMessage(`{"name":"x","config":{"url":"http://localhost"}}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Serve(ctx, "ui.select", json.RawMessage(`{"title":"Which","options":["a"]}`)); err != nil {
		t.Fatal(err)
	}
}

// host is the program as the first extension sees it.
func host(r *extension.Runner) extension.Host { return r.Extensions()[0].Host() }

// must are members of events that have to be there, as pi has them.
func must() map[string][]string {
	return map[string][]string{
		"project_trust": {"cwd"}, "resources_discover": {"cwd", "reason"}, "mcp_servers_change": {"servers"}, "session_start": {"reason"},
		"session_info_changed": {"name"}, "session_before_switch": {"reason"}, "session_before_fork": {"entryId", "position"},
		"session_before_compact": {"preparation", "branchEntries", "reason", "willRetry"}, "session_compact": {"compactionEntry", "fromExtension", "reason", "willRetry"},
		"session_compact_failed": {"reason", "aborted", "willRetry", "fromExtension"}, "session_before_tree": {"preparation"},
		"session_tree": {"newLeafId", "oldLeafId"}, "session_shutdown": {"reason"}, "before_agent_start": {"messageType", "prompt", "systemPrompt", "systemPromptOptions"},
		"agent_start": {}, "agent_end": {"messages"}, "agent_before_settle": {"entries", "continue", "context", "outcome"}, "agent_settled": {"aborted"},
		"turn_start": {"turnIndex", "timestamp"}, "turn_end": {"turnIndex", "message", "toolResults", "messageEntryId", "toolResultEntryIds", "entries", "continue", "context", "outcome"},
		"message_start": {"message"}, "message_update": {"message", "assistantMessageEvent"}, "message_end": {"message"},
		"tool_execution_start": {"toolCallId", "toolName", "args"}, "tool_execution_update": {"toolCallId", "toolName", "args", "partialResult"},
		"tool_execution_end": {"toolCallId", "toolName", "result", "isError"}, "tool_call": {"toolCallId", "toolName", "input"},
		"tool_result": {"toolCallId", "toolName", "input", "content", "isError"}, "context": {"messages"}, "context_with_system": {"messages"},
		"before_provider_headers": {"headers"}, "before_provider_request": {"payload"}, "after_provider_response": {"status", "headers"},
		"provider_stream_event": {"provider", "api", "model", "data"}, "cache_warming_decision": {"warmCost", "missCost", "continuationProbability", "action"},
		"model_select": {"model", "previousModel", "source"}, "thinking_level_select": {"level", "previousLevel"},
		"user_bash": {"command", "excludeFromContext", "cwd"}, "input": {"text", "source"}, "ui_prompt_start": {"reason", "kind", "title"},
		"ui_prompt_end": {"reason", "kind", "title"},
	}
}

// carriers are the same extension in four languages.
func carriers(t *testing.T) map[string]string {
	t.Helper()
	abs := func(name string) string {
		p, err := filepath.Abs(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	out := map[string]string{"typescript": abs("all.ts")}
	if exe, err := os.Executable(); err == nil {
		path := filepath.Join(t.TempDir(), "go-extension")
		if err := os.WriteFile(path, []byte("#!/bin/sh\nTAU_EXT_TEST=go exec '"+exe+"'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		out["go"] = path
	}
	if _, err := exec.LookPath("python3"); err == nil {
		out["python"] = abs("all.py")
	}
	if _, err := exec.LookPath("sed"); err == nil {
		out["shell"] = abs("all.sh")
	}
	return out
}

func TestEveryEventInEveryLanguage(t *testing.T) {
	if n := len(extension.EventNames()); n != 41 || len(must()) != n {
		t.Fatalf("%d events, %d in the test", n, len(must()))
	}
	for lang, file := range carriers(t) {
		t.Run(lang, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			t.Setenv("TAU_EXT_LOG", log)
			t.Setenv("TAU_EXT_EVENTS", strings.Join(extension.EventNames(), " "))
			st := newStage(t, 0, file)
			st.live()
			st.r.Shutdown(context.Background(), "quit", "")
			got := map[string]map[string]json.RawMessage{}
			eventually(t, "all events", func() bool {
				f, err := os.Open(log)
				if err != nil {
					return false
				}
				defer f.Close()
				sc := bufio.NewScanner(f)
				sc.Buffer(nil, 16<<20)
				for sc.Scan() {
					var ev map[string]json.RawMessage
					if json.Unmarshal(sc.Bytes(), &ev) != nil {
						continue
					}
					got[strings.Trim(string(ev["type"]), `"`)] = ev
				}
				return len(got) >= len(must())
			})
			for name, members := range must() {
				for _, m := range members {
					if _, ok := got[name][m]; !ok {
						t.Errorf("%s has no %s", name, m)
					}
				}
			}
			if e := st.errors(); e != "" {
				t.Error(e)
			}
		})
	}
}

func TestToolsCommandsAndBlocksInEveryLanguage(t *testing.T) {
	for lang, file := range carriers(t) {
		t.Run(lang, func(t *testing.T) {
			t.Setenv("TAU_EXT_LOG", filepath.Join(t.TempDir(), "log"))
			t.Setenv("TAU_EXT_EVENTS", "tool_call")
			st := newStage(t, 0, file)
			st.llm.will(calls("shout", `{"text":"hear me"}`), says("ok"))
			st.ask("shout")
			if got := st.lastResult(); got != "HEAR ME" {
				t.Errorf("the tool: %q", got)
			}
			st.llm.will(calls("work", `{"what":"forbidden"}`), says("ok"))
			st.ask("work")
			if got := st.lastResult(); got != "not here" {
				t.Errorf("the block: %q", got)
			}
			c, args, ok := st.r.Command("/hello you")
			if !ok || args != "you" {
				t.Fatalf("the command: %v %q", ok, args)
			}
			if err := st.r.Run(context.Background(), c, args); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the greeting", func() bool { return st.ui.said("notify info: hello you") })
			if e := st.errors(); e != "" {
				t.Error(e)
			}
		})
	}
}

func (st *stage) lastResult() string {
	for n := range st.s.Store().Back() {
		e, err := st.s.Store().Entry(n.ID)
		if err != nil {
			continue
		}
		if m, ok := store.AsMessage(e).(*ai.ToolResultMessage); ok {
			return ai.ContentText(m.Content)
		}
	}
	return ""
}

func (st *stage) has(role ai.Role, text string) bool {
	for _, n := range st.s.Store().PathTo("") {
		e, err := st.s.Store().Entry(n.ID)
		if err != nil {
			continue
		}
		switch m := store.AsMessage(e).(type) {
		case *message.Custom:
			if role == message.RoleCustom && strings.Contains(ai.ContentText(m.Blocks()), text) {
				return true
			}
		case *ai.UserMessage:
			if role == ai.RoleUser && strings.Contains(ai.ContentText(m.Content), text) {
				return true
			}
		}
	}
	return false
}

func toolContext(tool, args string) agent.ToolContext {
	return agent.ToolContext{
		Call: &ai.ToolCall{ID: "c1", Name: tool, Arguments: json.RawMessage(args)}, Args: json.RawMessage(args), SetArgs: func(json.RawMessage) {},
	}
}
