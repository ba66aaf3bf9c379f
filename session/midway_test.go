package session

import (
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"

	"tau/agent"
	"tau/ai"
	"tau/session/store"
)

// A prompt and tools that have changed since the session was stored do not
// change the beginning of what a capable model is sent, also after the session
// was read from disk.
func TestChangedPromptKeepsTheBeginning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	md := &ai.Model{ID: "m", Provider: "p", API: "anthropic-messages", Reasoning: true,
		Compat: json.RawMessage(`{"supportsMidConvoSystemMessages":true,"supportsMidConvoToolChanges":true}`)}
	section := func(text string) func([]*agent.Tool) ai.Sections {
		return func([]*agent.Tool) ai.Sections { return ai.Sections{{Name: "preamble", Text: &text}} }
	}
	m := &model{answers: []reply{says("one"), says("two"), says("three")}}
	run := func(prompt string, tools ...*agent.Tool) *ai.Prepared {
		t.Helper()
		st := store.Create(path, store.Header{CWD: "/w"})
		if old, err := store.Open(path); err == nil {
			st = old
		}
		s := New(Options{Store: st, CWD: "/w", Model: md, Thinking: ai.ThinkingMedium, Stream: m.stream, Tools: tools, Prompt: section(prompt)})
		ask(t, s, "go on")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		req := m.requests[len(m.requests)-1]
		if req.System != prompt || len(req.Tools) != len(tools) {
			t.Errorf("the request says %q with %d tools", req.System, len(req.Tools))
		}
		return ai.Prepare(md, &req, &ai.Options{Thinking: ai.ThinkingMedium})
	}
	read := &agent.Tool{Name: "read", Parameters: json.RawMessage(`{ "type": "object" }`), Execute: func(context.Context, agent.Call, func(agent.Result)) (agent.Result, error) {
		return agent.TextResult("x"), nil
	}}
	grep := *read
	grep.Name = "grep"
	first := run("be brief", read)
	second := run("be long", read, &grep)
	third := run("be long", &grep)
	for i, p := range []*ai.Prepared{second, third} {
		if p.System != "be brief" || len(p.Tools) != 1 || p.Tools[0].Name != "read" || !reflect.DeepEqual(p.Messages[0], first.Messages[0]) {
			t.Errorf("%d: %q, tools %v", i, p.System, p.Tools)
		}
	}
	change := func(p *ai.Prepared, n int) *ai.Change {
		for _, m := range p.Messages {
			if c, ok := m.(*ai.Change); ok {
				if n--; n < 0 {
					return c
				}
			}
		}
		return &ai.Change{}
	}
	if c := change(third, 0); len(c.Add) != 1 || c.Add[0].Name != "grep" || c.Text == "" {
		t.Errorf("%+v", c)
	}
	if c := change(third, 1); len(c.Remove) != 1 || c.Remove[0] != "read" || c.Text != "" {
		t.Errorf("%+v", c)
	}
	// Another model gets it all at the beginning.
	req := m.requests[2]
	if p := ai.Prepare(&ai.Model{ID: "n", API: "anthropic-messages"}, &req, &ai.Options{}); p.System != "be long" || len(p.Tools) != 1 || p.Tools[0].Name != "grep" {
		t.Errorf("%q %v", p.System, p.Tools)
	}
}
