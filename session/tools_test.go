package session

import (
	"context"
	"encoding/json"
	"testing"

	"tau/agent"
	"tau/ai"
)

func named(name string) *agent.Tool {
	return &agent.Tool{Name: name, Parameters: json.RawMessage(`{"type":"object"}`), Execute: func(context.Context, agent.Call, func(agent.Result)) (agent.Result, error) {
		return agent.TextResult(name + " ran"), nil
	}}
}

// A tool that a call brings can be called in the next request of the same run,
// and the conversation says when it came.
func TestToolsThatAppearDuringARun(t *testing.T) {
	var s *Session
	bring := work(func(context.Context) { s.SetTools(append(s.Tools(), named("late"))) })
	m := &model{answers: []reply{
		calls("a"),
		func(context.Context, ai.Request) *ai.AssistantMessage {
			return &ai.AssistantMessage{StopReason: ai.StopToolUse, Content: []ai.Block{&ai.ToolCall{ID: "b", Name: "late", Arguments: json.RawMessage(`{}`)}}}
		},
		says("done"), says("again"),
	}}
	waited := 0
	s = New(Options{Model: &ai.Model{ID: "m", Provider: "p"}, Stream: m.stream, Tools: []*agent.Tool{bring}, Ready: func(context.Context) { waited++ }})
	defer s.Close()
	if _, err := s.Ask(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if n := len(m.requests[0].Tools); n != 1 {
		t.Errorf("%d tools at first", n)
	}
	if n := len(m.requests[1].Tools); n != 2 {
		t.Errorf("%d tools after the call", n)
	}
	var added, results []string
	for _, msg := range s.agent.State().Context.Messages {
		switch msg := msg.(type) {
		case *ai.SystemMessage:
			for _, d := range msg.ToolsAdded {
				added = append(added, d.Name)
			}
		case *ai.ToolResultMessage:
			results = append(results, ai.ContentText(msg.Content))
		}
	}
	if len(added) != 2 || added[1] != "late" {
		t.Errorf("the conversation says %v were added", added)
	}
	if len(results) != 2 || results[1] != "late ran" {
		t.Errorf("results %v", results)
	}
	s.SetTools([]*agent.Tool{named("late")})
	if _, err := s.Ask(t.Context(), "more"); err != nil {
		t.Fatal(err)
	}
	if last := m.requests[len(m.requests)-1]; len(last.Tools) != 1 || last.Tools[0].Name != "late" {
		t.Errorf("tools of the second run: %v", last.Tools)
	}
	if waited != 2 {
		t.Errorf("Ready was called %d times for 2 runs", waited)
	}
}
