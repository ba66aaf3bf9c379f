package fakellm_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"tau/ai"
	"tau/ai/anthropic"
	"tau/ai/bedrock"
	"tau/ai/google"
	"tau/ai/internal/answertest"
	"tau/ai/internal/fakellm"
	"tau/ai/mistral"
	"tau/ai/openai"
	"tau/ai/responses"
)

// speaker is a model of one protocol.
type speaker struct {
	stream ai.StreamFunc
	model  *ai.Model
	opts   ai.Options
}

// speakers are models of all protocols, on the server at base.
func speakers(base string) []speaker {
	low, most := "low", "max"
	list := []speaker{
		{anthropic.Stream, &ai.Model{ID: "claude-x", API: anthropic.API, Provider: "anthropic", BaseURL: base}, ai.Options{}},
		{anthropic.Stream, &ai.Model{ID: "claude-adaptive", API: anthropic.API, Provider: "anthropic", BaseURL: base, Compat: json.RawMessage(`{"forceAdaptiveThinking":true}`)}, ai.Options{}},
		{openai.Completions, &ai.Model{ID: "chat-x", API: openai.CompletionsAPI, Provider: "groq", BaseURL: base + "/v1"}, ai.Options{}},
		{responses.Stream, &ai.Model{ID: "gpt-x", API: responses.API, Provider: "openai", BaseURL: base + "/v1"}, ai.Options{}},
		{responses.Azure, &ai.Model{ID: "gpt-x", API: responses.AzureAPI, Provider: "azure", BaseURL: base + "/openai/v1"}, ai.Options{}},
		{google.Stream, &ai.Model{ID: "gemini-3-x", API: google.API, Provider: "google", BaseURL: base + "/v1beta", ThinkingLevelMap: map[ai.ThinkingLevel]*string{"low": &low}}, ai.Options{}},
		{google.Vertex, &ai.Model{ID: "gemini-2.5-x", API: google.VertexAPI, Provider: "google-vertex", BaseURL: base + "/v1"}, ai.Options{APIKey: "key"}},
		{bedrock.Stream, &ai.Model{ID: "us.anthropic.claude-x-v1:0", API: bedrock.API, Provider: "amazon-bedrock", BaseURL: base}, ai.Options{APIKey: "key"}},
		{bedrock.Stream, &ai.Model{ID: "us.anthropic.claude-y-v1:0", API: bedrock.API, Provider: "amazon-bedrock", BaseURL: base, ThinkingLevelMap: map[ai.ThinkingLevel]*string{"max": &most}}, ai.Options{APIKey: "key"}},
		{mistral.Stream, &ai.Model{ID: "mistral-x", API: mistral.API, Provider: "mistral", BaseURL: base + "/mistral"}, ai.Options{}},
	}
	for i := range list {
		m := list[i].model
		m.Reasoning, m.Input, m.ContextWindow, m.MaxTokens = true, []string{"text", "image"}, 200_000, 32_000
		list[i].opts.Thinking, list[i].opts.SessionID = ai.ThinkingLow, "session-1"
	}
	return list
}

func serve(t *testing.T, log func(fakellm.Entry)) string {
	srv := httptest.NewServer(fakellm.New(fakellm.Options{Strict: true, Log: log}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// lastEntry is the newest entry of a server's log.
type lastEntry struct {
	mu sync.Mutex
	e  fakellm.Entry
}

func (l *lastEntry) set(e fakellm.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.e = e
}

func (l *lastEntry) get() fakellm.Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.e
}

func say(text string) *ai.UserMessage { return &ai.UserMessage{Content: ai.TextBlocks(text)} }

var tools = []ai.ToolDef{{Name: "read", Description: "Read a file", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}, {Name: "now", Description: "The time"}}

// One conversation goes from model to model, each of which thinks and makes a
// call, and every step is accepted. Each call is answered by the model itself
// and, as after a switch in the middle of a turn, by the next one. The second
// round finds thoughts of its own in the history.
func TestRelay(t *testing.T) {
	var last lastEntry
	list := speakers(serve(t, last.set))
	var history []ai.Message
	ask := func(s speaker, what string) *ai.AssistantMessage {
		t.Helper()
		m := answertest.Check(t, s.stream(t.Context(), s.model, ai.Request{System: "be brief", Messages: history, Tools: tools}, s.opts))
		if m.Failure != nil {
			t.Fatalf("%s, %s: %s\n%s", s.model.Ref(), what, m.ErrorMessage, last.get().Body)
		}
		return m
	}
	for round := range 2 {
		for i, s := range list {
			history = append(history, &ai.UserMessage{Content: []ai.Block{
				&ai.Text{Text: `BENCH:both name=read args={"path": "a b.txt"}`}, &ai.Image{Data: "iVBORw0KGgo=", MimeType: "image/png"}}})
			m := ask(s, "user turn")
			calls := m.ToolCalls()
			if m.StopReason != ai.StopToolUse || len(calls) != 1 || answertest.Compact(string(calls[0].Arguments)) != `{"path":"a b.txt"}` || ai.ContentText(m.Content) != "I will look." {
				t.Fatalf("round %d, %s: %+v", round, s.model.Ref(), m)
			}
			if th, ok := m.Content[0].(*ai.Thinking); !ok || th.Thinking != "I should look at it first." {
				t.Fatalf("%s: no thoughts", s.model.Ref())
			}
			if m.Usage.Input+m.Usage.CacheRead+m.Usage.CacheWrite == 0 || m.Usage.Output == 0 {
				t.Errorf("%s: usage %+v", s.model.Ref(), m.Usage)
			}
			history = append(history, m, &ai.ToolResultMessage{ToolCallID: calls[0].ID, ToolName: "read", Content: []ai.Block{
				&ai.Text{Text: "contents"}, &ai.Image{Data: "iVBORw0KGgo=", MimeType: "image/png"}}})
			ask(list[(i+1)%len(list)], "result of a call of "+s.model.Ref())
			own := ask(s, "result of its own call")
			if ai.ContentText(own.Content) != "The call has its result." {
				t.Errorf("%s: %+v", s.model.Ref(), own)
			}
			if i%2 == 0 { // the others are interrupted by the user
				history = append(history, own)
			}
		}
	}
}

// A conversation whose prompt, tools and thinking level change on the way is
// accepted, with the same beginning in each request.
func TestMidway(t *testing.T) {
	const flags = `{"supportsMidConvoSystemMessages":true,"supportsMidConvoToolChanges":true,"supportsMidConvoToolAdditions":true,"supportsAdditionalTools":true,
		"supportsMidConvoEffort":true,"forceAdaptiveThinking":true}`
	var last lastEntry
	base := serve(t, last.set)
	list := []speaker{
		{anthropic.Stream, &ai.Model{ID: "claude-adaptive", API: anthropic.API, Provider: "anthropic", BaseURL: base}, ai.Options{}},
		{openai.Completions, &ai.Model{ID: "chat-x", API: openai.CompletionsAPI, Provider: "groq", BaseURL: base + "/v1"}, ai.Options{}},
		{responses.Stream, &ai.Model{ID: "gpt-x", API: responses.API, Provider: "openai", BaseURL: base + "/v1"}, ai.Options{}},
		{responses.Codex, &ai.Model{ID: "gpt-x", API: responses.CodexAPI, Provider: "openai-codex", BaseURL: base + "/v1"}, ai.Options{}},
	}
	for _, s := range list {
		m := s.model
		m.Reasoning, m.Input, m.ContextWindow, m.MaxTokens, m.Compat = true, []string{"text"}, 200_000, 32_000, json.RawMessage(flags)
		if m.API == responses.CodexAPI {
			m.Compat = json.RawMessage(strings.Replace(flags, "supportsAdditionalTools", "supportsToolSearch", 1))
		}
		prompt := func(n string) *string { return &n }
		have := []ai.ToolDef{tools[0]}
		history := []ai.Message{&ai.SystemMessage{Sections: ai.Sections{{Name: "preamble", Text: prompt("be brief")}}, ToolsAdded: have}}
		opts := s.opts
		opts.SessionID, opts.Memo = "session-1", &ai.Memo{}
		system := "be brief"
		for round, level := range []ai.ThinkingLevel{ai.ThinkingLow, ai.ThinkingHigh, ai.ThinkingHigh, ai.ThinkingLow} {
			opts.Thinking = level
			if round > 0 {
				system = "be brief " + string(level) + string(rune('0'+round))
				more := ai.ToolDef{Name: "more" + string(rune('0'+round))}
				have = append(have, more)
				history = append(history, &ai.SystemMessage{Sections: ai.Sections{{Name: "preamble", Text: prompt(system)}}, ToolsAdded: []ai.ToolDef{more}})
			}
			history = append(history, say(`BENCH:both name=read args={"path": "a b.txt"}`))
			for {
				final := answertest.Check(t, s.stream(t.Context(), m, ai.Request{System: system, Messages: history, Tools: have}, opts))
				if final.Failure != nil {
					t.Fatalf("%s, round %d: %s\n%s", m.Ref(), round, final.ErrorMessage, last.get().Body)
				}
				if round > 0 && !strings.Contains(string(last.get().Body), `"be brief"`) {
					t.Fatalf("%s, round %d: another beginning\n%s", m.Ref(), round, last.get().Body)
				}
				history = append(history, final)
				calls := final.ToolCalls()
				if len(calls) == 0 {
					break
				}
				history = append(history, &ai.ToolResultMessage{ToolCallID: calls[0].ID, ToolName: "read", Content: ai.TextBlocks("contents")})
			}
		}
	}
}

// Three calls at once, failed results, cut answers and results that are
// missing are accepted everywhere too.
func TestBatches(t *testing.T) {
	var last lastEntry
	for _, s := range speakers(serve(t, last.set)) {
		history := []ai.Message{say("BENCH:tools n=5 parallel=3")}
		for step := 0; ; step++ {
			m := answertest.Check(t, s.stream(t.Context(), s.model, ai.Request{Messages: history, Tools: tools}, s.opts))
			if m.Failure != nil {
				t.Fatalf("%s, step %d: %s\n%s", s.model.Ref(), step, m.ErrorMessage, last.get().Body)
			}
			if m.StopReason != ai.StopToolUse {
				if got := ai.ContentText(m.Content); got != "All 5 calls are done." || step != 2 {
					t.Errorf("%s: step %d %q", s.model.Ref(), step, got)
				}
				break
			}
			history = append(history, m)
			for i, c := range m.ToolCalls() {
				if i != 1 { // its result is missing
					history = append(history, &ai.ToolResultMessage{ToolCallID: c.ID, ToolName: c.Name, Content: ai.TextBlocks("  "), IsError: i == 2})
				}
			}
		}
	}
}

// The strict server is worth its name: what it must refuse it refuses.
func TestStrict(t *testing.T) {
	srv := httptest.NewServer(fakellm.New(fakellm.Options{Strict: true}))
	defer srv.Close()
	for _, tt := range []struct{ path, body, says string }{
		{"/v1/messages", `{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}`, "max_tokens: Field required"},
		{"/v1/messages", `{"model":"m","max_tokens":5,"stream":true,"zzz":1,"messages":[{"role":"user","content":"x"}]}`, `unknown field \"zzz\"`},
		{"/v1/messages", `{"model":"m","max_tokens":5,"stream":true,"messages":[{"role":"user","content":" "}]}`, "must be non-empty"},
		{"/v1/messages", `{"model":"m","max_tokens":5,"stream":true,"messages":[{"role":"user","content":"x"},{"role":"user","content":"y"}]}`, "alternate"},
		{"/v1/messages", `{"model":"m","max_tokens":5,"stream":true,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"n","input":{}}]},{"role":"user","content":"y"}]}`, "without a result"},
		{"/v1/messages", `{"model":"m","max_tokens":5,"stream":true,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"forged"}]},{"role":"user","content":"y"}]}`, "invalid signature"},
		{"/v1/messages", `{"model":"m","max_tokens":5000,"thinking":{"type":"enabled","budget_tokens":1024},"stream":true,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"n","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"}]}]}`, "must start with a thinking block"},
		{"/v1/messages", `{"model":"m","max_tokens":5,"stream":true,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"a"},{"role":"system","content":"s"},{"role":"user","content":"y"}]}`, "must follow a user turn"},
		{"/v1/messages", `{"model":"m","max_tokens":5,"stream":true,"messages":[{"role":"user","content":"x"},{"role":"system","content":[]}]}`, "needs content or output_config"},
		{"/v1/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"a","content":"r"}]}`, "without a call"},
		{"/v1/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"` + strings.Repeat("a", 41) + `","type":"function","function":{"name":"n","arguments":"{}"}}]},{"role":"tool","tool_call_id":"` + strings.Repeat("a", 41) + `","content":"r"}]}`, "wrong form"},
		{"/mistral/v1/chat/completions", `{"model":"m","stream":true,"store":false,"messages":[{"role":"user","content":"x"}]}`, `unknown field \"store\"`},
		{"/mistral/v1/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"n","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_1","content":"r"}]}`, "wrong form"},
		{"/v1/responses", `{"model":"m","stream":true,"input":[{"role":"user","content":"x"},{"type":"function_call_output","call_id":"a","output":"r"}]}`, "without a call"},
		{"/v1beta/models/m:streamGenerateContent", `{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"name":"n","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"n","response":{}}}]}]}`, "thought_signature"},
		{"/v1beta/models/m:streamGenerateContent", `{"contents":[{"role":"assistant","parts":[{"text":"x"}]}]}`, "valid role"},
		{"/model/m/converse-stream", `{"messages":[{"role":"user","content":[{"text":"x"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"n","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"r"}]}}]}]}`, "toolConfig field must be defined"},
	} {
		resp, err := srv.Client().Post(srv.URL+tt.path, "application/json", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		if err := json.NewEncoder(&said).Encode(readJSON(t, resp.Body)); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 400 || !strings.Contains(said.String(), tt.says) {
			t.Errorf("%s %s:\n%d %s, want %s", tt.path, tt.body, resp.StatusCode, said.String(), tt.says)
		}
	}
}
