package responses

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tau/ai"
	"tau/ai/internal/answertest"
)

func token(claims string) string {
	return "eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
}

func TestCodex(t *testing.T) {
	var header http.Header
	var body string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		header, body = r.Header, r.URL.String()+" "+string(data)
		io.WriteString(w, answertest.Record("responses-text-tool.txt"))
	}))
	defer srv.Close()
	m := model()
	m.API, m.Provider, m.BaseURL = CodexAPI, "openai-codex", srv.URL+"/backend-api"
	req := ai.Request{System: "be brief", Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("hi")}}}
	key := token(`{"https://api.openai.com/auth":{"chatgpt_account_id":"acc-1"}}`)
	final := answertest.Check(t, Codex(t.Context(), m, req, ai.Options{APIKey: key, SessionID: "s", Thinking: ai.ThinkingHigh}))
	if final.StopReason != ai.StopToolUse || final.API != CodexAPI {
		t.Errorf("%+v", final)
	}
	if header.Get("Authorization") != "Bearer "+key || header.Get("Chatgpt-Account-Id") != "acc-1" || header.Get("Originator") != "tau" || header.Get("Session_id") != "s" {
		t.Error(header)
	}
	want := `/backend-api/codex/responses {"model":"m-3","instructions":"be brief","input":[{"role":"user","content":[{"type":"input_text","text":"hi"}]}],` +
		`"reasoning":{"effort":"high","summary":"auto"},"include":["reasoning.encrypted_content"],"prompt_cache_key":"s","store":false,"stream":true}`
	if body != want {
		t.Errorf("%s\nwant\n%s", body, want)
	}
}

// A credential that is no account's token is refused before it is sent to
// ChatGPT, in a sentence.
func TestCodexNeedsAnAccount(t *testing.T) {
	m := model()
	m.API, m.Provider, m.BaseURL = CodexAPI, "openai-codex", "https://chatgpt.com/backend-api"
	for _, key := range []string{"", "sk-123456789", "a.b.c", token("[]"), token(`{"sub":"x"}`)} {
		final := answertest.Check(t, Codex(t.Context(), m, ai.Request{}, ai.Options{APIKey: key}))
		if f := final.Failure; f == nil || f.Class != ai.FailAuth || !strings.Contains(f.Message, "names no account") {
			t.Errorf("%q: %+v", key, final.Failure)
		}
	}
}

func TestCodexEndpoint(t *testing.T) {
	for base, want := range map[string]string{
		"":                                    "https://chatgpt.com/backend-api/codex/responses",
		"https://chatgpt.com/backend-api/":    "https://chatgpt.com/backend-api/codex/responses",
		"https://x.test/codex":                "https://x.test/codex/responses",
		"https://x.test/v1/codex/responses//": "https://x.test/v1/codex/responses",
	} {
		if got := codexEndpoint(base); got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}

// Calls with text, also two at a time, arrive as calls with one argument.
func TestCustomToolCalls(t *testing.T) {
	stream := body(
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"custom_tool_call","call_id":"c1","name":"patch","input":""}}`,
		`{"type":"response.output_item.added","output_index":1,"item":{"type":"custom_tool_call","call_id":"c2","name":"patch","input":""}}`,
		`{"type":"response.custom_tool_call_input.delta","output_index":0,"delta":"say \"hi\"\n"}`,
		`{"type":"response.custom_tool_call_input.delta","output_index":1,"delta":"two"}`,
		`{"type":"response.custom_tool_call_input.delta","output_index":0,"delta":"<end>"}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"custom_tool_call","call_id":"c1","name":"patch","input":"say \"hi\"\n<end>"}}`,
		`{"type":"response.output_item.done","output_index":1,"item":{"type":"custom_tool_call","call_id":"c2","name":"patch","input":"two"}}`,
		`{"type":"response.output_item.done","output_index":2,"item":{"type":"custom_tool_call","call_id":"c3","name":"other","input":"three"}}`,
		completed)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, stream) }))
	defer srv.Close()
	m := model()
	m.BaseURL, m.Compat = srv.URL, []byte(`{"supportsOpenAIGrammarTools":true}`)
	req := ai.Request{Tools: []ai.ToolDef{{Name: "patch", Grammar: &ai.Grammar{Syntax: "lark", Definition: "x", Argument: "text"}}}}
	got := brief(answertest.Check(t, Stream(t.Context(), m, req, ai.Options{APIKey: "k"})))
	want := `c1 patch{"text":"say \"hi\"\n<end>"} | c2 patch{"text":"two"} | c3 other{"input":"three"} / toolUse`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
