package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"tau/ai"
	"tau/ai/internal/answertest"
)

func encoded(t *testing.T, m *ai.Model, req ai.Request, opts ai.Options) string {
	t.Helper()
	body, err := encode(m, &req, &opts, readCompat(m))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func conversation() []ai.Message {
	return []ai.Message{
		&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "look <here>"}, &ai.Image{Data: "AA==", MimeType: "image/png"}}},
		&ai.AssistantMessage{Provider: "groq", API: CompletionsAPI, Model: "m-0", StopReason: ai.StopToolUse, Content: []ai.Block{
			&ai.Thinking{Thinking: "hm", Signature: "reasoning_content"}, &ai.Text{Text: "ok"},
			&ai.ToolCall{ID: "a", Name: "ls", Arguments: json.RawMessage(`{"path":"."}`), ThoughtSignature: `{"type":"reasoning.encrypted"}`}, &ai.ToolCall{ID: "a", Name: "ls"},
		}},
		&ai.ToolResultMessage{ToolCallID: "a", ToolName: "ls", Content: []ai.Block{&ai.Image{Data: "BB==", MimeType: "image/png"}}},
		&ai.ToolResultMessage{ToolCallID: "a", ToolName: "ls", Content: ai.TextBlocks("x")},
		&ai.UserMessage{Content: ai.TextBlocks("and now?")},
	}
}

func TestRequest(t *testing.T) {
	tools := []ai.ToolDef{{Name: "ls", Description: "List", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "x"}}
	req := ai.Request{System: "sys", Messages: conversation(), Tools: tools}
	got := encoded(t, model(), req, ai.Options{SessionID: "s"})
	want := answertest.Compact(`{"model":"m-0",
	"tools":[{"type":"function","function":{"name":"ls","description":"List","parameters":{"type":"object"}}},
		{"type":"function","function":{"name":"x","parameters":{"type":"object","properties":{}}}}],
	"messages":[{"role":"system","content":"sys"},
		{"role":"user","content":[{"type":"text","text":"look <here>"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]},
		{"role":"assistant","content":"ok","tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{\"path\":\".\"}"}},
			{"id":"a_2","type":"function","function":{"name":"ls","arguments":"{}"}}],"reasoning_content":"hm","reasoning_details":[{"type":"reasoning.encrypted"}]},
		{"role":"tool","content":"(see the attached image)","tool_call_id":"a"},
		{"role":"tool","content":"x","tool_call_id":"a_2"},
		{"role":"user","content":[{"type":"text","text":"Attached image(s) from tool result:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,BB=="}}]},
		{"role":"user","content":"and now?"}],
	"max_completion_tokens":16000,"stream":true,"stream_options":{"include_usage":true}}`)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if encoded(t, model(), req, ai.Options{SessionID: "s"}) != got {
		t.Error("two requests of one conversation differ")
	}
}

func TestFlags(t *testing.T) {
	low := "lo"
	req := ai.Request{System: "s", Messages: conversation(), Tools: []ai.ToolDef{{Name: "x"}}}
	for _, tt := range []struct {
		compat, base string
		opts         ai.Options
		has, not     string
	}{
		{``, "https://api.openai.com/v1", ai.Options{SessionID: "s"}, `"store":false,"prompt_cache_key":"s"`, "retention"},
		{``, "https://api.openai.com/v1", ai.Options{SessionID: "s", Cache: ai.CacheLong}, `"prompt_cache_key":"s","prompt_cache_retention":"24h"`, ""},
		{``, "https://api.openai.com/v1", ai.Options{SessionID: "s", Cache: ai.CacheNone}, "", "prompt_cache"},
		{`{"promptCacheKeyMode":"enabled"}`, "", ai.Options{SessionID: strings.Repeat("s", 70)}, `"prompt_cache_key":"` + strings.Repeat("s", 64) + `"`, ""},
		{`{"supportsStore":false,"promptCacheKeyMode":"disabled"}`, "https://api.openai.com/v1", ai.Options{SessionID: "s"}, "", "store"},
		{``, "https://api.openai.com/v1", ai.Options{}, `"role":"developer"`, ""},
		{`{"supportsDeveloperRole":false}`, "https://api.openai.com/v1", ai.Options{}, `"role":"system"`, ""},
		{`{"supportsUsageInStreaming":false}`, "", ai.Options{}, "", "stream_options"},
		{`{"maxTokensField":"max_tokens"}`, "", ai.Options{MaxTokens: 5}, `"max_tokens":5`, "completion_tokens"},
		{`{"requiresToolResultName":true}`, "", ai.Options{}, `"content":"x","name":"ls"`, ""},
		{`{"requiresThinkingAsText":true}`, "", ai.Options{}, `"content":"hm\nok"`, "reasoning_content"},
		{`{"requiresReasoningContentOnAssistantMessages":true}`, "", ai.Options{}, `"reasoning_content":"hm"`, ""},
		{`{"zaiToolStream":true}`, "", ai.Options{}, `"tool_stream":true`, ""},
		{`{"cacheControlFormat":"anthropic"}`, "", ai.Options{}, `{"role":"user","content":[{"type":"text","text":"and now?","cache_control":{"type":"ephemeral"}}]}]`, ""},
		{`{"openRouterRouting":{"only":["a"]}}`, "https://openrouter.ai/api/v1", ai.Options{}, `"provider":{"only":["a"]}`, ""},
		{`{"vllmPriority":3}`, "", ai.Options{}, `"priority":3`, ""},

		{``, "", ai.Options{Thinking: ai.ThinkingHigh}, `"reasoning_effort":"high"`, ""},
		{``, "", ai.Options{Thinking: ai.ThinkingLow}, `"reasoning_effort":"lo"`, ""},
		{``, "", ai.Options{Thinking: ai.ThinkingOff}, "", `"reasoning_effort"`},
		{`{"supportsReasoningEffort":false}`, "", ai.Options{Thinking: ai.ThinkingHigh}, "", `"reasoning_effort"`},
		{``, "https://openrouter.ai/api/v1", ai.Options{Thinking: ai.ThinkingHigh}, `"reasoning":{"effort":"high"}`, "reasoning_effort"},
		{``, "https://openrouter.ai/api/v1", ai.Options{}, `"reasoning":{"effort":"none"}`, ""},
		{``, "https://api.deepseek.com", ai.Options{Thinking: ai.ThinkingHigh}, `"reasoning_effort":"high","thinking":{"type":"enabled"}`, ""},
		{``, "https://api.z.ai/api/coding/paas/v4", ai.Options{}, `"thinking":{"type":"disabled"}`, ""},
		{`{"thinkingFormat":"qwen","supportsReasoningEffort":false}`, "", ai.Options{Thinking: ai.ThinkingHigh}, `"enable_thinking":true`, "effort"},
		{`{"thinkingFormat":"qwen-chat-template"}`, "", ai.Options{Thinking: ai.ThinkingHigh}, `"chat_template_kwargs":{"enable_thinking":true,"preserve_thinking":true}`, ""},
		{`{"thinkingFormat":"together","supportsReasoningEffort":false}`, "", ai.Options{Thinking: ai.ThinkingHigh}, `"reasoning":{"enabled":true}`, ""},
		{`{"thinkingFormat":"string-thinking"}`, "", ai.Options{}, `"thinking":"none"`, ""},
		{`{"thinkingFormat":"ant-ling"}`, "", ai.Options{Thinking: ai.ThinkingLow}, `"reasoning":{"effort":"lo"}`, ""},
		{`{"thinkingFormat":"baseten","chatTemplateArgs":{"enable_thinking":{"$var":"thinking.enabled"}}}`, "", ai.Options{Thinking: ai.ThinkingHigh}, `"chat_template_args":{"enable_thinking":true}`, ""},
		{`{"thinkingFormat":"chat-template","chatTemplateKwargs":{"z":1,"a":{"$var":"thinking.effort"},"b":{"$var":"thinking.budget","omitWhenOff":true}}}`, "", ai.Options{}, `"chat_template_kwargs":{"a":"","z":1}`, ""},
		{`{"supportsThinkingTokenBudget":true,"thinkingTokenBudgetField":"thinking_budget"}`, "", ai.Options{Thinking: ai.ThinkingLow}, `"thinking_budget":2048`, ""},
	} {
		m := model()
		m.Reasoning = true
		m.ThinkingLevelMap = map[ai.ThinkingLevel]*string{ai.ThinkingLow: &low}
		m.Compat = json.RawMessage(tt.compat)
		if tt.base != "" {
			m.BaseURL = tt.base
		}
		got := encoded(t, m, req, tt.opts)
		if !strings.Contains(got, tt.has) || tt.not != "" && strings.Contains(got, tt.not) {
			t.Errorf("%s %s %+v:\n%s\nwant %s, not %s", tt.compat, tt.base, tt.opts, got, tt.has, tt.not)
		}
	}
}

func TestSamplingParams(t *testing.T) {
	m, temp := model(), 0.1
	m.SamplingParams = json.RawMessage(`{"top_p":0.9,"temperature":1,"stream":false,"a":1}`)
	if got := encoded(t, m, ai.Request{}, ai.Options{Temperature: &temp}); !strings.HasSuffix(got, `"stream":true,"stream_options":{"include_usage":true},"a":1,"top_p":0.9}`) || !strings.Contains(got, `"temperature":0.1`) {
		t.Error(got)
	}
}

func TestSessionHeaders(t *testing.T) {
	m := model()
	m.Compat = []byte(`{"sendSessionAffinityHeaders":true}`)
	o := ai.Options{SessionID: "s"}
	if h := headers(m, &o, readCompat(m)); h.Get("Session_id") != "s" || h.Get("X-Session-Affinity") != "s" {
		t.Error(h)
	}
	m.BaseURL = "https://openrouter.ai/api/v1"
	if h := headers(m, &o, readCompat(m)); h.Get("X-Session-Id") != "s" || h.Get("X-Session-Affinity") != "" {
		t.Error(h)
	}
}

// What comes in must go out again: whatever a server streams, the next request
// is valid.
func TestReplayOfDuplicateIDs(t *testing.T) {
	m := answertest.Check(t, play(strings.NewReader(answertest.Record("openai-duplicate-ids.txt"))))
	got := encoded(t, model(), ai.Request{Messages: []ai.Message{m,
		&ai.ToolResultMessage{ToolCallID: "call_0", Content: ai.TextBlocks("A")}, &ai.ToolResultMessage{ToolCallID: "call_0", Content: ai.TextBlocks("B")}}}, ai.Options{})
	if !strings.Contains(got, `"content":"A","tool_call_id":"call_0"}`) || !strings.Contains(got, `"content":"B","tool_call_id":"call_0_2"}`) {
		t.Error(got)
	}
}
