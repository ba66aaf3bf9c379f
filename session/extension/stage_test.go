package extension_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
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
	"tau/session/extension/js"
	"tau/session/extension/proc"
	"tau/session/library"
	"tau/session/resources"
	"tau/session/store"
)

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
