package extension_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/session"
	"tau/session/compaction"
	"tau/session/extension"
	"tau/session/extension/ext"
	"tau/session/extension/js"
	"tau/session/extension/proc"
	"tau/session/library"
	"tau/session/message"
	"tau/session/resources"
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

// provider plays answers, and touches the options as a protocol over HTTP does.
type provider struct {
	mu      sync.Mutex
	answers []*ai.AssistantMessage
	asked   []ai.Request
	bodies  []string
}

func (p *provider) stream(ctx context.Context, m *ai.Model, req ai.Request, o ai.Options) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		body := []byte(`{"messages":[]}`)
		if o.OnPayload != nil {
			if changed := o.OnPayload(body); changed != nil {
				body = changed
			}
		}
		h := http.Header{"X-Test": {"1"}}
		if o.OnHeader != nil {
			o.OnHeader(h)
		}
		if o.OnResponse != nil {
			o.OnResponse(200, h)
		}
		if o.OnStreamEvent != nil {
			o.OnStreamEvent([]byte(`{"type":"ping"}`))
		}
		p.mu.Lock()
		p.asked, p.bodies = append(p.asked, req), append(p.bodies, string(body))
		msg := says("nothing more to say")
		if len(p.answers) > 0 {
			msg = p.answers[0]
			p.answers = p.answers[1:]
		}
		p.mu.Unlock()
		msg.API, msg.Provider, msg.Model = m.API, m.Provider, m.ID
		if !yield(ai.Event{Type: ai.EventStart, Partial: msg}) {
			return
		}
		if t := ai.ContentText(msg.Content); t != "" {
			yield(ai.Event{Type: ai.EventTextStart, Partial: msg})
			yield(ai.Event{Type: ai.EventTextDelta, Delta: t, Partial: msg})
			yield(ai.Event{Type: ai.EventTextEnd, Content: t, Partial: msg})
		}
		yield(ai.Event{Type: ai.EventDone, Reason: msg.StopReason, Message: msg})
	}
}

func (p *provider) will(answers ...*ai.AssistantMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = append(p.answers, answers...)
}

func says(s string) *ai.AssistantMessage {
	return &ai.AssistantMessage{Content: ai.TextBlocks(s), StopReason: ai.StopEnd, Usage: ai.Usage{TotalTokens: 100}}
}

func calls(name, args string) *ai.AssistantMessage {
	return &ai.AssistantMessage{Content: []ai.Block{&ai.ToolCall{ID: "c1", Name: name, Arguments: json.RawMessage(args)}}, StopReason: ai.StopToolUse, Usage: ai.Usage{TotalTokens: 100}}
}

// people is a UI that writes down what it is told and gives prepared answers.
type people struct {
	mu     sync.Mutex
	notes  []string
	choice string
}

func (u *people) add(format string, args ...any) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.notes = append(u.notes, fmt.Sprintf(format, args...))
}
func (u *people) said(s string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return strings.Contains(strings.Join(u.notes, "\n"), s)
}
func (u *people) Select(_ context.Context, title string, o []string, _ time.Duration) (string, bool) {
	u.add("select %s %v", title, o)
	return u.choice, u.choice != ""
}
func (u *people) Confirm(_ context.Context, title, m string, _ time.Duration) bool {
	u.add("confirm %s %s", title, m)
	return true
}
func (u *people) Input(_ context.Context, title, p string, _ time.Duration) (string, bool) {
	u.add("input %s %s", title, p)
	return "typed", true
}
func (u *people) Editor(_ context.Context, title, p string) (string, bool) {
	u.add("editor %s %s", title, p)
	return "", false
}
func (u *people) Notify(m, k string) { u.add("notify %s: %s", k, m) }
func (u *people) SetStatus(k string, t *string) {
	if t == nil {
		u.add("status %s -", k)
	} else {
		u.add("status %s %s", k, *t)
	}
}
func (u *people) SetWidget(k string, l *[]string, p string) {
	if l == nil {
		u.add("widget %s -", k)
	} else {
		u.add("widget %s %v %s", k, *l, p)
	}
}
func (u *people) SetTitle(t string)      { u.add("title %s", t) }
func (u *people) SetEditorText(t string) { u.add("editor text %s", t) }

// stage is a session with extensions.
type stage struct {
	t      *testing.T
	r      *extension.Runner
	s      *session.Session
	llm    *provider
	ui     *people
	lib    library.Library
	mu     sync.Mutex
	failed []extension.Failure
	model  *ai.Model
	other  *ai.Model
}

func (st *stage) errors() string {
	st.mu.Lock()
	defer st.mu.Unlock()
	var out []string
	for _, f := range st.failed {
		out = append(out, f.Event+": "+f.Err)
	}
	return strings.Join(out, "\n")
}

func load(dir string) extension.Loader {
	scripts := &js.Loader{Env: js.Env{CWD: dir, AgentDir: dir, ProjectDir: ".tau", Version: "1", Grace: 50 * time.Millisecond}}
	programs := &proc.Loader{Env: proc.Env{CWD: dir, Mode: "rpc"}}
	return func(ctx context.Context, src resources.Source, h extension.Host) (extension.Carrier, error) {
		switch filepath.Ext(src.Path) {
		case ".ts", ".js":
			return scripts.Load(ctx, src, h)
		}
		return programs.Load(ctx, src, h)
	}
}

func newStage(t *testing.T, limit time.Duration, files ...string) *stage {
	t.Helper()
	dir := t.TempDir()
	st := &stage{t: t, llm: &provider{}, ui: &people{}, lib: library.Library{Base: filepath.Join(dir, "sessions")}}
	st.model = &ai.Model{ID: "m", Provider: "p", API: "test", ContextWindow: 100_000, MaxTokens: 1000, Input: []string{"text"}, Reasoning: true}
	st.other = &ai.Model{ID: "o", Provider: "p", API: "test", ContextWindow: 100_000, MaxTokens: 1000, Input: []string{"text"}}
	set := func() *resources.Set { return &resources.Set{} }
	builtin := &agent.Tool{Name: "work", Description: "works", Snippet: "works", Parameters: json.RawMessage(`{"type":"object"}`),
		Execute: func(_ context.Context, c agent.Call, update func(agent.Result)) (agent.Result, error) {
			update(agent.TextResult("half"))
			return agent.TextResult("worked " + string(c.Args)), nil
		}}
	models := []*ai.Model{st.model, st.other}
	st.r = extension.NewRunner(extension.Options{
		Load: load(dir), UI: st.ui, Mode: "rpc", CWD: dir, Limit: limit,
		OnError: func(f extension.Failure) {
			st.mu.Lock()
			defer st.mu.Unlock()
			st.failed = append(st.failed, f)
		},
		Program: extension.Program{
			Version: "1", AgentDir: dir, Settings: func() any { return map[string]any{"theme": "dark"} }, Trusted: func() bool { return true }, Resources: set,
			Model: func(p, id string) *ai.Model {
				for _, m := range models {
					if m.Provider == p && m.ID == id {
						return m
					}
				}
				return nil
			},
			Models: func() []*ai.Model { return models }, Available: func() []*ai.Model { return models }, Stream: st.llm.stream,
			Builtin: func(name string, _ extension.BuiltinOptions) *agent.Tool {
				if name == "bash" {
					return builtin
				}
				return nil
			},
		},
	})
	var sources []resources.Source
	for _, f := range files {
		sources = append(sources, resources.Source{Path: f, Scope: resources.Temporary})
	}
	for _, f := range st.r.Load(context.Background(), sources) {
		t.Fatalf("%s: %s", f.Path, f.Err)
	}
	st.s = session.New(session.Options{
		Store: store.Create(st.lib.NewPath(dir, "test", time.Now()), store.Header{CWD: dir}), CWD: dir, Model: st.model, Stream: st.llm.stream,
		Tools: st.r.Tools([]*agent.Tool{builtin}), Hooks: st.r, Compaction: compaction.Settings{KeepRecentTokens: 1},
		Shell: func(_ context.Context, command string, delta func(string)) (session.ShellResult, error) {
			delta("ran " + command)
			code := 0
			return session.ShellResult{Output: "ran " + command, ExitCode: &code}, nil
		},
	})
	st.r.Bind(st.s)
	t.Cleanup(func() {
		if err := st.s.Close(); err != nil {
			t.Error(err)
		}
		st.r.Close()
	})
	return st
}

// ask sends a message and waits for all that comes of it.
func (st *stage) ask(text string) {
	st.t.Helper()
	if _, err := st.s.Send(ai.TextBlocks(text), session.Steer); err != nil {
		st.t.Fatal(err)
	}
	st.wait()
}

func (st *stage) wait() {
	st.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := st.s.Wait(ctx); err != nil {
		st.t.Fatal(err)
	}
}

// eventually waits for a condition that depends on other processes.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		if ok() {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: it did not come", what)
		}
		time.Sleep(5 * time.Millisecond) // of a real process
	}
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
