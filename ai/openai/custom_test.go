package openai

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tau/ai"
	"tau/ai/internal/answertest"
)

// Calls with text arrive as calls with one argument, however they are cut.
func TestCustomToolCalls(t *testing.T) {
	chunk := func(delta string) string { return "data: {\"choices\":[{\"delta\":" + delta + "}]}\n\n" }
	stream := chunk(`{"tool_calls":[{"index":0,"id":"c1","type":"custom","custom":{"name":"patch","input":"say "}}]}`) +
		chunk(`{"tool_calls":[{"index":0,"custom":{"input":"\"hi\"\n<end>"}}]}`) +
		chunk(`{"tool_calls":[{"index":1,"id":"c2","type":"function","function":{"name":"ls","arguments":"{}"}}]}`) +
		chunk(`{"tool_calls":[{"index":2,"id":"c3","type":"custom","custom":{"name":"patch","input":"two"}}]}`) +
		"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, stream) }))
	defer srv.Close()
	m := &ai.Model{ID: "m", API: CompletionsAPI, Provider: "lab", BaseURL: srv.URL + "/v1", Compat: []byte(`{"supportsOpenAIGrammarTools":true}`)}
	req := ai.Request{Tools: []ai.ToolDef{{Name: "ls"}, {Name: "patch", Grammar: &ai.Grammar{Syntax: "lark", Definition: "x", Argument: "text"}}}}
	final := answertest.Check(t, Completions(t.Context(), m, req, ai.Options{APIKey: "k"}))
	var got []string
	for _, c := range final.ToolCalls() {
		got = append(got, c.ID+" "+c.Name+string(c.Arguments)+c.ArgumentsError)
	}
	want := `c1 patch{"text":"say \"hi\"\n<end>"} | c2 ls{} | c3 patch{"text":"two"}`
	if strings.Join(got, " | ") != want || final.StopReason != ai.StopToolUse {
		t.Errorf("%q %s", got, final.StopReason)
	}
}

// A call with text that the output limit cut is never run.
func TestCustomToolCallCut(t *testing.T) {
	stream := `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","type":"custom","custom":{"name":"patch","input":"half"}}]}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{},"finish_reason":"length"}]}` + "\n\ndata: [DONE]\n\n"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, stream) }))
	defer srv.Close()
	m := &ai.Model{ID: "m", API: CompletionsAPI, Provider: "lab", BaseURL: srv.URL + "/v1"}
	final := answertest.Check(t, Completions(t.Context(), m, ai.Request{}, ai.Options{}))
	if calls := final.ToolCalls(); len(calls) != 1 || calls[0].ArgumentsError == "" || final.StopReason != ai.StopLength {
		t.Errorf("%+v", final)
	}
}
