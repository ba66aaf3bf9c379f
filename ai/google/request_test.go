package google

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

func conversation(m *ai.Model) []ai.Message {
	return []ai.Message{
		&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "look <here>"}, &ai.Image{Data: "AA==", MimeType: "image/png"}}},
		&ai.AssistantMessage{Provider: "google", API: API, Model: m.ID, StopReason: ai.StopToolUse, Content: []ai.Block{
			&ai.Thinking{Thinking: "hm", Signature: "s0"}, &ai.Text{Text: "ok", Signature: "s1"},
			&ai.ToolCall{ID: "own-1", Name: "ls", Arguments: json.RawMessage(`{"path":"."}`), ThoughtSignature: "s2"}, &ai.ToolCall{ID: madeID + "1", Name: "cat"},
		}},
		&ai.ToolResultMessage{ToolCallID: "own-1", ToolName: "ls", Content: []ai.Block{&ai.Image{Data: "BB==", MimeType: "image/png"}}},
		&ai.ToolResultMessage{ToolCallID: madeID + "1", ToolName: "cat", Content: ai.TextBlocks("no"), IsError: true},
		&ai.AssistantMessage{Provider: "openai", API: "openai-responses", Model: "g", StopReason: ai.StopToolUse, Content: []ai.Block{
			&ai.Thinking{Thinking: "other", Signature: "{}"}, &ai.ToolCall{ID: "call_9", Name: "ls"}}},
		&ai.ToolResultMessage{ToolCallID: "call_9", ToolName: "ls", Content: ai.TextBlocks("x")},
	}
}

func TestRequest(t *testing.T) {
	tools := []ai.ToolDef{{Name: "ls", Description: "List", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}, {Name: "x", Parameters: json.RawMessage(`{"type":"object"}`)}}
	req := ai.Request{System: "sys", Messages: conversation(model()), Tools: tools}
	got := encoded(t, model(), req, ai.Options{Thinking: "high", MaxTokens: 100})
	want := answertest.Compact(`{"systemInstruction":{"parts":[{"text":"sys"}]},
	"tools":[{"functionDeclarations":[{"name":"ls","description":"List","parametersJsonSchema":{"type":"object","properties":{"path":{"type":"string"}}}},{"name":"x","description":""}]}],
	"contents":[{"role":"user","parts":[{"text":"look <here>"},{"inlineData":{"mimeType":"image/png","data":"AA=="}}]},
	{"role":"model","parts":[{"text":"hm","thought":true,"thoughtSignature":"s0"},{"text":"ok","thoughtSignature":"s1"},
		{"functionCall":{"id":"own-1","name":"ls","args":{"path":"."}},"thoughtSignature":"s2"},{"functionCall":{"name":"cat","args":{}}}]},
	{"role":"user","parts":[{"functionResponse":{"id":"own-1","name":"ls","response":{"output":"(see the attached image)"},"parts":[{"inlineData":{"mimeType":"image/png","data":"BB=="}}]}},
		{"functionResponse":{"name":"cat","response":{"error":"no"}}}]},
	{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]},
	{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"output":"x"}}}]}],
	"generationConfig":{"maxOutputTokens":100,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"HIGH"}}}`)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// The older models take pictures beside the responses and no marker.
	old := encoded(t, older(), ai.Request{Messages: conversation(older())}, ai.Options{Thinking: "medium"})
	for _, has := range []string{
		`{"functionResponse":{"name":"cat","response":{"error":"no"}}},{"text":"The images of the tool results above:"},{"inlineData":{"mimeType":"image/png","data":"BB=="}}]}`,
		`"thinkingConfig":{"includeThoughts":true,"thinkingBudget":8192}`,
	} {
		if !strings.Contains(old, has) || strings.Contains(old, unsigned) {
			t.Errorf("%s\nhas no %s", old, has)
		}
	}
}

func TestThinking(t *testing.T) {
	pro := older()
	pro.ID = "gemini-2.5-pro"
	plain := older()
	plain.Reasoning = false
	for _, tt := range []struct {
		m    *ai.Model
		o    ai.Options
		want string
	}{
		{model(), ai.Options{}, `,"thinkingConfig":{"thinkingLevel":"LOW"}`},
		{older(), ai.Options{}, `,"thinkingConfig":{"thinkingBudget":0}`},
		{pro, ai.Options{Thinking: "off"}, `,"thinkingConfig":{"thinkingBudget":128}`},
		{older(), ai.Options{Thinking: "high", Budgets: map[ai.ThinkingLevel]int64{"high": 9}}, `,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":9}`},
		{older(), ai.Options{Thinking: "high", MaxTokens: 2000}, `,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":976}`},
		{plain, ai.Options{}, `00}}`},
	} {
		if got := encoded(t, tt.m, ai.Request{}, tt.o); !strings.Contains(got, tt.want) {
			t.Errorf("%s %+v: %s, want %s", tt.m.ID, tt.o, got, tt.want)
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
		if m.API != API && m.API != VertexAPI {
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
	if count < 40 {
		t.Errorf("%d models", count)
	}
}
