package acp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tau/agent"
	"tau/ai"
	"tau/cmd/tau/internal/wire"
	"tau/session"
)

func TestSaid(t *testing.T) {
	for _, tt := range []struct{ in, want, err string }{
		{`[{"type":"text","text":"a"},{"type":"text","text":" b"}]`, "a b", ""},
		{`[{"type":"text","text":"see "},{"type":"resource_link","name":"x","uri":"file:///w/a%20b.txt"}]`, "see /w/a b.txt", ""},
		{`[{"type":"resource_link","name":"x","uri":"https://example.com/x?y"}]`, "https://example.com/x?y", ""},
		{`[{"type":"resource","resource":{"uri":"file:///w/a","text":"AAA"}}]`, "\n<file name=\"/w/a\">\nAAA\n</file>\n", ""},
		{`[{"type":"text","text":"look"},{"type":"image","data":"AA==","mimeType":"image/png"}]`, "look[image/png]", ""},
		{`[{"type":"resource","resource":{"uri":"u","blob":"AA==","mimeType":"image/gif"}}]`, "[image/gif]", ""},
		{`[{"type":"resource","resource":{"uri":"u","blob":"AA==","mimeType":"application/zip"}}]`, "", "neither text nor an image"},
		{`[{"type":"resource"}]`, "", "without one"},
		{`[{"type":"image","mimeType":"image/png"}]`, "", "without data"},
		{`[{"type":"audio","data":"AA=="}]`, "", "is not taken"},
		{`[]`, "", "empty"},
		{`[{"type":"text","text":" \n"}]`, "", "empty"},
	} {
		var prompt []content
		if err := json.Unmarshal([]byte(tt.in), &prompt); err != nil {
			t.Fatal(err)
		}
		blocks, err := said(prompt)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: error %v, want %q", tt.in, err, tt.err)
			}
			continue
		}
		got := ""
		for _, b := range blocks {
			switch b := b.(type) {
			case *ai.Text:
				got += b.Text
			case *ai.Image:
				got += "[" + b.MimeType + "]"
			}
		}
		if err != nil || got != tt.want {
			t.Errorf("%s: %q %v, want %q", tt.in, got, err, tt.want)
		}
	}
}

// What only some tools and sessions lead to; the rest is in package acptest.
func TestUpdates(t *testing.T) {
	var buf bytes.Buffer
	out := wire.NewOutput(&buf)
	tr := newTranslator("s", "/w", newPeer(out))
	of := func(ev agent.Event) session.Event { return session.Event{Type: session.EventType(ev.Type), Agent: ev} }
	tr.event(of(agent.Event{Type: agent.ToolExecutionStart, ToolCallID: "1", ToolName: "todo", Args: json.RawMessage(`{"x":1}`)}))
	tr.event(of(agent.Event{Type: agent.ToolExecutionEnd, ToolCallID: "1", ToolName: "todo", Result: &agent.Result{
		Content: ai.TextBlocks("ok"), Details: json.RawMessage(`{"plan":[{"content":"look","priority":"high","status":"completed"}]}`),
	}}))
	tr.event(session.Event{Type: session.CompactionStart})
	tr.event(session.Event{Type: session.CompactionEnd, Compaction: session.Compaction{Error: "no"}})
	tr.event(session.Event{Type: session.RetryStart, Retry: session.Retry{Attempt: 1, Max: 3, Delay: 1e9, Reason: "busy"}})
	tr.event(of(agent.Event{Type: agent.MessageUpdate, Stream: &ai.Event{Type: ai.EventToolCallStart, ToolCall: &ai.ToolCall{ID: "2", Name: "bash"}}}))
	tr.event(of(agent.Event{Type: agent.AgentEnd}))
	if err := out.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"sessionUpdate":"tool_call","toolCallId":"1","title":"todo","kind":"other","status":"pending"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"1","title":"todo","kind":"other","status":"in_progress","rawInput":{"x":1}}`,
		`{"sessionUpdate":"plan","entries":[{"content":"look","priority":"high","status":"completed"}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"ok"}}],"rawOutput":{"plan":[{"content":"look","priority":"high","status":"completed"}]}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"compaction-1","title":"Summarise the conversation","kind":"think","status":"in_progress"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"compaction-1","status":"failed","content":[{"type":"content","content":{"type":"text","text":"no"}}]}`,
		`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"busy; trying again in 1s (1 of 3)\n"}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"2","title":"bash","kind":"execute","status":"pending"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"2","status":"failed"}`,
	}
	got := strings.Split(strings.TrimSpace(buf.String()), "\n")
	for i, w := range want {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}`, w)
		if i >= len(got) || got[i] != line {
			t.Fatalf("%d:\n got  %s\n want %s", i, got[min(i, len(got)-1)], line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d updates, want %d", len(got), len(want))
	}
}

// Any line is answered, or is no request; none of them breaks the connection.
func FuzzServe(f *testing.F) {
	f.Setenv("TAU_AGENT_DIR", f.TempDir())
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"x","prompt":[]}}`,
		`{"jsonrpc":"2.0","id":3,"method":"session/set_config_option","params":{"sessionId":7}}`,
		`{"jsonrpc":"2.0","id":null,"method":"nonesuch"}`, `{"jsonrpc":"2.0","method":"session/cancel"}`, `[1]`, `{"id":1,"result":{}}`, `{`,
		`{"jsonrpc":"2.0","id":4,"method":"session/list","params":{"cursor":"-1"}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "session/new") {
			return // would open sessions in folders that the fuzzer thinks of
		}
		var out bytes.Buffer
		if status := Serve(Config{Version: "test"}, strings.NewReader(line+"\n"), &out, &out); status != 0 {
			t.Errorf("%q: status %d", line, status)
		}
		for l := range strings.Lines(out.String()) {
			if !json.Valid([]byte(l)) {
				t.Errorf("%q: answered with %q", line, l)
			}
		}
	})
}
