package anthropic

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tau/ai"
	"tau/ai/internal/answertest"
)

// Changes go directly before the next answer or to the end, after the user's
// turn: results have to follow their calls. The cache marker stays with the
// user.
func TestChangesGoAfterTheUsersTurn(t *testing.T) {
	text := func(s string) *string { return &s }
	m := model()
	m.Compat = []byte(`{"supportsMidConvoSystemMessages":true,"supportsMidConvoToolChanges":true,"supportsMidConvoEffort":true,"forceAdaptiveThinking":true}`)
	said := func(level ai.ThinkingLevel, stop ai.StopReason, blocks ...ai.Block) ai.Message {
		return &ai.AssistantMessage{Provider: m.Provider, API: API, Model: m.ID, ThinkingLevel: level, StopReason: stop, Content: blocks}
	}
	msgs := []ai.Message{
		&ai.SystemMessage{Sections: ai.Sections{{Name: "cwd", Text: text("/a")}}, ToolsAdded: []ai.ToolDef{{Name: "ls"}}},
		&ai.UserMessage{Content: ai.TextBlocks("1")},
		said("low", ai.StopToolUse, &ai.ToolCall{ID: "a", Name: "ls"}),
		&ai.SystemMessage{Sections: ai.Sections{{Name: "cwd", Text: text("/b")}}},
		&ai.ToolResultMessage{ToolCallID: "a", ToolName: "ls", Content: ai.TextBlocks("x")},
		said("high", ai.StopEnd, &ai.Text{Text: "done"}),
		&ai.SystemMessage{ToolsRemoved: []ai.ToolName{{Name: "ls"}}},
		&ai.UserMessage{Content: ai.TextBlocks("2")},
	}
	got := encoded(t, m, ai.Request{System: "<cwd>\n/b\n</cwd>", Messages: msgs}, ai.Options{Thinking: ai.ThinkingHigh})
	want := answertest.Compact(`{"model":"m-1","system":[{"type":"text","text":"<cwd>\n/a\n</cwd>","cache_control":{"type":"ephemeral"}}],
	"tools":[{"name":"ls","input_schema":{"type":"object","properties":{}},"eager_input_streaming":true,"cache_control":{"type":"ephemeral"}}],
	"messages":[
		{"role":"user","content":[{"type":"text","text":"1"}]},
		{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ls","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"x"}]}]},
		{"role":"system","content":[{"type":"text","text":"The system prompt has changed. Each part below is new or takes the place of the part of the same name:\n\n<cwd>\n/b\n</cwd>"}],"output_config":{"effort":"high"}},
		{"role":"assistant","content":[{"type":"text","text":"done"}]},
		{"role":"user","content":[{"type":"text","text":"2","cache_control":{"type":"ephemeral"}}]},
		{"role":"system","content":[{"type":"tool_removal","tool":{"type":"tool_reference","name":"ls"}}]}],
	"thinking":{"type":"adaptive","display":"summarized","block_binding":{"prefix_mismatch_behavior":"drop_block"}},"output_config":{"effort":"low"},"max_tokens":64000,"stream":true}`)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What another model answered in the asked one's place is priced by that
// model, and its mark goes back where it was.
func TestFallback(t *testing.T) {
	const mark = `{"type":"fallback","from":{"model":"m-1"},"to":{"model":"m-0-20260101"},"trigger":{"category":"cyber"}}`
	stream := `data: {"type":"message_start","message":{"id":"x","model":"m-1","usage":{"input_tokens":1000000}}}` + "\n\n" +
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"hm","signature":"s1"}}` + "\n\n" +
		`data: {"type":"content_block_stop","index":0}` + "\n\n" +
		`data: {"type":"content_block_start","index":1,"content_block":` + mark + `}` + "\n\n" +
		`data: {"type":"content_block_stop","index":1}` + "\n\n" +
		`data: {"type":"content_block_start","index":2,"content_block":{"type":"text","text":"hello"}}` + "\n\n" +
		`data: {"type":"content_block_stop","index":2}` + "\n\n" +
		`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":0}}` + "\n\n" +
		`data: {"type":"message_stop"}` + "\n\n"
	var beta, body string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		beta, body = r.Header.Get("Anthropic-Beta"), string(data)
		io.WriteString(w, stream)
	}))
	defer srv.Close()
	m := model()
	m.BaseURL = srv.URL
	m.Compat = []byte(`{"allowedFallbackModels":[{"provider":"anthropic","model":"m-0","cost":{"input":7,"output":9}}]}`)
	ask := func(msgs ...ai.Message) (final *ai.AssistantMessage) {
		for ev := range Stream(t.Context(), m, ai.Request{Messages: msgs}, ai.Options{APIKey: "k"}) {
			final = ev.Message
		}
		return final
	}
	hi := &ai.UserMessage{Content: ai.TextBlocks("hi")}
	final := ask(hi)
	if final.Failure != nil || final.ResponseModel != "m-0-20260101" || final.Usage.Cost.Total != 7 || len(final.Content) != 3 {
		t.Fatalf("%+v", final)
	}
	if !strings.Contains(beta, "server-side-fallback-2026-07-01") || !strings.Contains(body, `"fallbacks":[{"model":"m-0"}]`) {
		t.Error(beta, body)
	}
	stored, err := json.Marshal(final)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ai.UnmarshalMessage(stored)
	if err != nil {
		t.Fatal(err)
	}
	ask(hi, again, hi)
	if !strings.Contains(body, `{"type":"thinking","thinking":"hm","signature":"s1"},`+mark+`,{"type":"text","text":"hello"}`) {
		t.Error(body)
	}
}

func TestSamplingParams(t *testing.T) {
	m := model()
	m.SamplingParams = []byte(`{"top_k":5,"model":"not-mine"}`)
	m.SamplingParamsByThinkingLevel = map[ai.ThinkingLevel]json.RawMessage{ai.ThinkingHigh: []byte(`{"top_k":9}`), ai.ThinkingOff: []byte(`{"top_p":0.5}`)}
	hi := ai.Request{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("hi")}}}
	for level, want := range map[ai.ThinkingLevel]string{"": `"stream":true,"top_k":5,"top_p":0.5}`, ai.ThinkingLow: `"stream":true,"top_k":5}`, ai.ThinkingHigh: `"stream":true,"top_k":9}`} {
		if got := encoded(t, m, hi, ai.Options{Thinking: level}); !strings.HasSuffix(got, want) || strings.Contains(got, "not-mine") {
			t.Errorf("%q: %s", level, got)
		}
	}
}
