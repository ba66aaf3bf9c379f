package bedrock

import (
	"encoding/json"
	"strings"
	"testing"

	"tau/ai"
	"tau/ai/catalog"
	"tau/ai/internal/answertest"
)

func encoded(t *testing.T, m *ai.Model, req ai.Request, opts ai.Options) string {
	t.Helper()
	body, err := encode(m, &req, &opts)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func conversation() []ai.Message {
	return []ai.Message{
		&ai.UserMessage{Content: []ai.Block{&ai.Image{Data: "AA==", MimeType: "image/png"}, &ai.Image{Data: "AA==", MimeType: "image/tiff"}}},
		&ai.AssistantMessage{Provider: "amazon-bedrock", API: API, Model: model().ID, StopReason: ai.StopToolUse, Content: []ai.Block{
			&ai.Thinking{Thinking: "hm", Signature: "s0"}, &ai.Thinking{Signature: "b3A=", Redacted: true}, &ai.Thinking{Thinking: "unsigned"}, &ai.Text{Text: "ok"},
			&ai.ToolCall{ID: "call|1", Name: "ls", Arguments: json.RawMessage(`{"path":"."}`)}, &ai.ToolCall{ID: "call_2", Name: "cat"},
		}},
		&ai.ToolResultMessage{ToolCallID: "call|1", ToolName: "ls", Content: []ai.Block{&ai.Image{Data: "BB==", MimeType: "image/jpg"}}},
		&ai.ToolResultMessage{ToolCallID: "call_2", ToolName: "cat", Content: ai.TextBlocks("no"), IsError: true},
	}
}

func TestRequest(t *testing.T) {
	tools := []ai.ToolDef{{Name: "ls", Description: "List", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "x"}}
	req := ai.Request{System: "sys", Messages: conversation(), Tools: tools}
	got := encoded(t, model(), req, ai.Options{Cache: ai.CacheLong, MaxTokens: 100})
	want := answertest.Compact(`{"system":[{"text":"sys"},{"cachePoint":{"type":"default","ttl":"1h"}}],
	"toolConfig":{"tools":[{"toolSpec":{"name":"ls","description":"List","inputSchema":{"json":{"type":"object"}}}},
		{"toolSpec":{"name":"x","inputSchema":{"json":{"type":"object","properties":{}}}}},{"cachePoint":{"type":"default","ttl":"1h"}}]},
	"messages":[{"role":"user","content":[{"image":{"format":"png","source":{"bytes":"AA=="}}},{"text":"(image left out: image/tiff is not a format that the provider takes)"},{"text":"(see the image)"}]},
	{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"s0"}}},{"reasoningContent":{"redactedContent":"b3A="}},{"text":"ok"},
		{"toolUse":{"toolUseId":"call_1","name":"ls","input":{"path":"."}}},{"toolUse":{"toolUseId":"call_2","name":"cat","input":{}}}]},
	{"role":"user","content":[{"toolResult":{"toolUseId":"call_1","content":[{"image":{"format":"jpeg","source":{"bytes":"BB=="}}}],"status":"success"}},
		{"toolResult":{"toolUseId":"call_2","content":[{"text":"no"}],"status":"error"}},{"cachePoint":{"type":"default","ttl":"1h"}}]}],
	"inferenceConfig":{"maxTokens":100},"additionalModelRequestFields":{"thinking":{"type":"disabled"}}}`)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// Calls in the history want a declaration.
	req.Tools = nil
	if got := encoded(t, model(), req, ai.Options{}); !strings.Contains(got, `"toolConfig":{"tools":[{"toolSpec":{"name":"ls","description":"No longer available."`) {
		t.Error(got)
	}
}

func TestThinking(t *testing.T) {
	temp := 0.5
	for _, tt := range []struct {
		id        string
		o         ai.Options
		has, lack string
	}{
		{"anthropic.claude-haiku-4-5", ai.Options{Thinking: "medium", Temperature: &temp}, `"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":8192},"anthropic_beta":["interleaved-thinking-2025-05-14"]}`, "temperature"},
		{"anthropic.claude-haiku-4-5", ai.Options{Thinking: "medium", MaxTokens: 500}, `"maxTokens":8692`, ""},
		{"anthropic.claude-haiku-4-5", ai.Options{Temperature: &temp}, `"temperature":0.5`, "additional"},
		{"us.anthropic.claude-x", ai.Options{Thinking: "minimal"}, `"effort":"low"`, ""},
		{"us.anthropic.claude-x", ai.Options{Thinking: "max"}, `"effort":"max"`, ""},
		{"amazon.nova-2-lite", ai.Options{Thinking: "high"}, `"additionalModelRequestFields":{"reasoningConfig":{"type":"enabled","maxReasoningEffort":"high"}}`, "inferenceConfig"},
		{"amazon.nova-2-lite", ai.Options{Thinking: "low"}, `"inferenceConfig"`, ""},
		{"openai.gpt-oss-120b", ai.Options{}, `{"reasoning_effort":"low"}`, "cachePoint"},
		{"openai.gpt-6", ai.Options{}, `{"reasoning_effort":"none"}`, ""},
		{"zai.glm-5", ai.Options{Thinking: "high"}, "", "additional"},
	} {
		m := model()
		m.ID = tt.id
		if !strings.Contains(tt.id, "claude-x") {
			m.ThinkingLevelMap = nil
		}
		got := encoded(t, m, ai.Request{System: "s"}, tt.o)
		if !strings.Contains(got, tt.has) || tt.lack != "" && strings.Contains(got, tt.lack) {
			t.Errorf("%s %+v: %s\nwant %s, not %s", tt.id, tt.o, got, tt.has, tt.lack)
		}
	}
}

// Every model of the catalogue gives a request at every level it has.
func TestCatalogue(t *testing.T) {
	c, err := catalog.Open(catalog.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	req := ai.Request{System: "s", Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("hi")}}}
	count := 0
	for _, m := range c.List("") {
		if m.API != API {
			continue
		}
		count++
		for _, level := range ai.ThinkingLevels() {
			if m.Thinks(level) {
				if body := encoded(t, m, req, ai.Options{Thinking: level}); !json.Valid([]byte(body)) {
					t.Errorf("%s %s: %s", m.Ref(), level, body)
				}
			}
		}
	}
	if count < 150 {
		t.Errorf("%d models", count)
	}
}
