package anthropic

import (
	"encoding/json"
	"strings"
	"testing"

	"tau/ai"
	"tau/ai/internal/answertest"
)

func conversation() []ai.Message {
	same := func(m *ai.AssistantMessage) *ai.AssistantMessage {
		m.Provider, m.API, m.Model = "anthropic", API, "m-1"
		return m
	}
	return []ai.Message{
		&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "look <here>"}, &ai.Image{Data: "AA==", MimeType: "image/png"}}},
		same(&ai.AssistantMessage{StopReason: ai.StopToolUse, Content: []ai.Block{
			&ai.Thinking{Thinking: "t", Signature: "s"}, &ai.Thinking{Signature: "e"}, &ai.Thinking{Signature: "r", Redacted: true},
			&ai.ToolCall{ID: "a", Name: "ls", Arguments: json.RawMessage(`{"path":"."}`)}, &ai.ToolCall{ID: "b", Name: "ls"},
		}}),
		&ai.ToolResultMessage{ToolCallID: "a", Content: ai.TextBlocks("x")},
		&ai.ToolResultMessage{ToolCallID: "b", Content: []ai.Block{&ai.Image{Data: "BB==", MimeType: "image/png"}}, IsError: true},
		&ai.UserMessage{Content: ai.TextBlocks("and now?")},
		&ai.UserMessage{Content: ai.TextBlocks("well?")},
	}
}

func encoded(t *testing.T, m *ai.Model, req ai.Request, opts ai.Options) string {
	t.Helper()
	body, _, err := encode(m, &req, &opts, readCompat(m))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestRequest(t *testing.T) {
	tools := []ai.ToolDef{{Name: "ls", Description: "List", Parameters: json.RawMessage(`{"type":"object", "properties":{}}`)}, {Name: "x"}}
	got := encoded(t, model(), ai.Request{System: "sys", Messages: conversation(), Tools: tools}, ai.Options{Thinking: ai.ThinkingMedium, Cache: ai.CacheLong})
	want := answertest.Compact(`{"model":"m-1",
	"system":[{"type":"text","text":"sys","cache_control":{"type":"ephemeral","ttl":"1h"}}],
	"tools":[{"name":"ls","description":"List","input_schema":{"type":"object","properties":{}},"eager_input_streaming":true},
		{"name":"x","input_schema":{"type":"object","properties":{}},"eager_input_streaming":true,"cache_control":{"type":"ephemeral","ttl":"1h"}}],
	"messages":[
		{"role":"user","content":[{"type":"text","text":"look <here>"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},
		{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"thinking","thinking":"","signature":"e"},{"type":"redacted_thinking","data":"r"},
			{"type":"tool_use","id":"a","name":"ls","input":{"path":"."}},{"type":"tool_use","id":"b","name":"ls","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"x"}]},
			{"type":"tool_result","tool_use_id":"b","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"BB=="}}],"is_error":true},
			{"type":"text","text":"and now?"},{"type":"text","text":"well?","cache_control":{"type":"ephemeral","ttl":"1h"}}]}],
	"thinking":{"type":"enabled","budget_tokens":8192},"max_tokens":64000,"stream":true}`)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if again := encoded(t, model(), ai.Request{System: "sys", Messages: conversation(), Tools: tools}, ai.Options{Thinking: ai.ThinkingMedium, Cache: ai.CacheLong}); again != got {
		t.Error("two requests of one conversation differ")
	}
}

func TestReplayToAnotherModel(t *testing.T) {
	m := model()
	m.ID = "m-9"
	got := encoded(t, m, ai.Request{Messages: conversation()}, ai.Options{})
	for _, bad := range []string{"signature", "redacted", `"thinking":"t"`, "<think"} {
		if strings.Contains(got, bad) {
			t.Errorf("%s in %s", bad, got)
		}
	}
}

func TestFlags(t *testing.T) {
	temp, low := 0.5, "lowest"
	hi := ai.Request{System: "s", Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("hi")}}, Tools: []ai.ToolDef{{Name: "x"}}}
	for _, tt := range []struct {
		name     string
		change   func(m *ai.Model)
		opts     ai.Options
		has, not string
	}{
		{"no cache", nil, ai.Options{Cache: ai.CacheNone}, "", "cache_control"},
		{"no long cache", func(m *ai.Model) { m.Compat = []byte(`{"supportsLongCacheRetention":false}`) }, ai.Options{Cache: ai.CacheLong}, "cache_control", "ttl"},
		{"no cache on tools", func(m *ai.Model) { m.Compat = []byte(`{"supportsCacheControlOnTools":false}`) }, ai.Options{}, `"eager_input_streaming":true}],`, ""},
		{"no eager input", func(m *ai.Model) { m.Compat = []byte(`{"supportsEagerToolInputStreaming":false}`) }, ai.Options{}, "", "eager"},
		{"off", nil, ai.Options{Thinking: ai.ThinkingOff, Temperature: &temp}, `"thinking":{"type":"disabled"},"temperature":0.5`, ""},
		{"off is not there", func(m *ai.Model) { m.ThinkingLevelMap = map[ai.ThinkingLevel]*string{ai.ThinkingOff: nil} }, ai.Options{}, "", `"thinking"`},
		{"no temperature", func(m *ai.Model) { m.Compat = []byte(`{"supportsTemperature":false}`) }, ai.Options{Temperature: &temp}, "", "temperature"},
		{"no temperature while thinking", nil, ai.Options{Temperature: &temp, Thinking: ai.ThinkingLow}, `"budget_tokens":2048`, "temperature"},
		{"budget of the caller", nil, ai.Options{Thinking: ai.ThinkingLow, Budgets: map[ai.ThinkingLevel]int64{ai.ThinkingLow: 3000}}, `"budget_tokens":3000`, ""},
		{"budget leaves an answer", func(m *ai.Model) { m.MaxTokens = 8192 }, ai.Options{Thinking: ai.ThinkingHigh}, `"budget_tokens":7168},"max_tokens":8192`, ""},
		{"no room to think", func(m *ai.Model) { m.MaxTokens = 1500 }, ai.Options{Thinking: ai.ThinkingHigh}, `"thinking":{"type":"disabled"},"max_tokens":1500`, ""},
		{"limit of the caller", nil, ai.Options{MaxTokens: 100, Thinking: ai.ThinkingMinimal}, `"budget_tokens":1024`, "nothing"},
		{"adaptive", func(m *ai.Model) { m.Compat = []byte(`{"forceAdaptiveThinking":true}`) }, ai.Options{Thinking: ai.ThinkingHigh}, `"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}`, "budget"},
		{"adaptive by the map", func(m *ai.Model) {
			m.Compat = []byte(`{"forceAdaptiveThinking":true}`)
			m.ThinkingLevelMap = map[ai.ThinkingLevel]*string{ai.ThinkingLow: &low}
		}, ai.Options{Thinking: ai.ThinkingLow}, `"effort":"lowest"`, ""},
		{"no reasoning", func(m *ai.Model) { m.Reasoning = false }, ai.Options{Thinking: ai.ThinkingHigh}, "", `"thinking"`},
	} {
		m := model()
		if tt.change != nil {
			tt.change(m)
		}
		got := encoded(t, m, hi, tt.opts)
		if !strings.Contains(got, tt.has) || tt.not != "" && strings.Contains(got, tt.not) {
			t.Errorf("%s: %s\nwant %q, not %q", tt.name, got, tt.has, tt.not)
		}
	}
}

func TestConversationBeginsWithTheUser(t *testing.T) {
	got := encoded(t, model(), ai.Request{Messages: []ai.Message{&ai.AssistantMessage{Content: ai.TextBlocks("x")}}}, ai.Options{})
	if !strings.Contains(got, `"messages":[{"role":"user"`) {
		t.Error(got)
	}
}
