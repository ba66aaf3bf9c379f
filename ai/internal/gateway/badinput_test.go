package gateway

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"tau/ai"
	"tau/ai/anthropic"
	"tau/ai/bedrock"
	"tau/ai/google"
	"tau/ai/internal/answertest"
	"tau/ai/mistral"
	"tau/ai/openai"
	"tau/ai/responses"
)

// protocol is one wire protocol, with how it writes an answer of a single
// text.
type protocol struct {
	api    string
	stream ai.StreamFunc
	answer func(text string) string // text is JSON, without its quotes
}

func sse(events ...string) string { return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n" }

func protocols() []protocol {
	chat := func(text string) string {
		return sse(`{"choices":[{"delta":{"content":"`+text+`"}}]}`, `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, "[DONE]")
	}
	message := func(text string) string {
		return sse(`{"type":"response.output_text.delta","output_index":0,"delta":"`+text+`"}`, `{"type":"response.completed","response":{"status":"completed"}}`)
	}
	gemini := func(text string) string {
		return sse(`{"candidates":[{"content":{"parts":[{"text":"`+text+`"}]}}]}`, `{"candidates":[{"finishReason":"STOP"}]}`)
	}
	return []protocol{
		{anthropic.API, anthropic.Stream, func(text string) string {
			return sse(`{"type":"message_start","message":{"id":"x"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`+text+`"}}`, `{"type":"message_stop"}`)
		}},
		{openai.CompletionsAPI, openai.Completions, chat},
		{responses.API, responses.Stream, message},
		{responses.AzureAPI, responses.Azure, message},
		{responses.CodexAPI, responses.Codex, message},
		{google.API, google.Stream, gemini},
		{google.VertexAPI, google.Vertex, gemini},
		{bedrock.API, bedrock.Stream, func(text string) string {
			return frame("contentBlockDelta", `{"delta":{"text":"`+text+`"}}`) + frame("messageStop", `{"stopReason":"end_turn"}`)
		}},
		{mistral.API, mistral.Stream, chat},
	}
}

func frame(name, payload string) string {
	var out bytes.Buffer
	h := eventstream.Headers{}
	h.Set(":event-type", eventstream.StringValue(name))
	h.Set(":message-type", eventstream.StringValue("event"))
	if err := eventstream.NewEncoder().Encode(&out, eventstream.Message{Headers: h, Payload: []byte(payload)}); err != nil {
		panic(err)
	}
	return out.String()
}

func (p *protocol) model(base string) *ai.Model {
	return &ai.Model{ID: "model-x", API: p.api, Provider: "lab", BaseURL: base, Input: []string{"text"}, ContextWindow: 100_000, MaxTokens: 10_000}
}

func (p *protocol) ask(t *testing.T, base string, client *http.Client) *ai.AssistantMessage {
	req := ai.Request{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("hi")}}, Tools: []ai.ToolDef{{Name: "ls"}}}
	return answertest.Check(t, p.stream(t.Context(), p.model(base), req, ai.Options{APIKey: "sk-secret-key-1", Client: client}))
}

func TestBadInput(t *testing.T) {
	const page = "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body>sk-secret-key-1</body></html>"
	for _, tt := range []struct {
		name   string
		status int
		header string
		body   string
		class  ai.FailClass
		says   []string
	}{
		{"wrong key", 401, "", `{"error":{"message":"Incorrect API key provided: sk-secret-key-1","code":"invalid_api_key"}}`, ai.FailAuth, []string{"401", "Incorrect API key", "Check the provider's API key, or sign in again."}},
		{"expired token", 401, "", `{"error":{"message":"Token has expired","type":"authentication_error"}}`, ai.FailAuth, []string{"expired", "sign in again"}},
		{"forbidden", 403, "", ``, ai.FailAuth, []string{"403 Forbidden", "sign in again"}},
		{"wrong base URL", 404, "", ``, ai.FailFatal, []string{"404 Not Found", "Check the provider's base URL and the model's name."}},
		{"HTML error page", 404, "", page, ai.FailFatal, []string{`a web page ("Welcome")`, "Check the provider's base URL"}},
		{"HTML instead of an answer", 200, "", page, ai.FailFatal, []string{`a web page ("Welcome")`, "Check the provider's base URL"}},
		{"HTML of a gateway", 502, "", page, ai.FailRetry, []string{"502 Bad Gateway", "a web page"}},
		{"redirect", 302, "https://login.test/\x1b[31m", ``, ai.FailFatal, []string{"302 Found", "https://login.test/", "Check the provider's base URL."}},
		{"unknown model", 404, "", `{"error":{"message":"The model 'model-x' does not exist"}}`, ai.FailFatal, []string{"does not exist", "Check the model's name."}},
		{"unknown model, 400", 400, "", `{"message":"The provided model identifier is invalid."}`, ai.FailFatal, []string{"identifier is invalid", "Check the model's name."}},
		{"no tools", 400, "", `{"error":{"message":"model-x does not support tools"}}`, ai.FailFatal, []string{"does not support tools", "Choose a model that can use tools."}},
		{"no tools at a router", 404, "", `{"error":{"message":"No endpoints found that support tool use.","code":404}}`, ai.FailFatal, []string{"Choose a model that can use tools."}},
		{"no money", 402, "", `{"error":{"message":"Insufficient credits"}}`, ai.FailQuota, []string{"Insufficient credits", "Check plan and billing"}},
		{"an answer that is no stream", 200, "", `{"error":{"message":"model is loading"}}`, ai.FailFatal, []string{"did not stream its answer", "model is loading"}},
		{"nothing", 200, "", ``, ai.FailRetry, []string{"ended before"}},
		{"controls in the words", 400, "", `{"error":{"message":"a\u001b[2Jb\nc\u0007"}}`, ai.FailFatal, []string{"a [2Jb c"}},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if tt.header != "" {
				w.Header().Set("Location", strings.ReplaceAll(tt.header, "\x1b", ""))
			}
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.body)
		}))
		for _, p := range protocols() {
			if tt.name == "an answer that is no stream" && p.api == bedrock.API {
				continue // its streams are known by their checksums
			}
			m := p.ask(t, srv.URL, srv.Client())
			readable(t, p.api+", "+tt.name, m, tt.class, tt.says...)
		}
		srv.Close()
	}
}

// readable checks that a failure is one bounded line without secrets or
// control characters, and says what it should.
func readable(t *testing.T, what string, m *ai.AssistantMessage, class ai.FailClass, says ...string) {
	t.Helper()
	f := m.Failure
	if f == nil {
		t.Errorf("%s: no failure", what)
		return
	}
	if f.Class != class && class != "" {
		t.Errorf("%s: class %s, want %s (%s)", what, f.Class, class, f.Message)
	}
	for _, s := range says {
		if !strings.Contains(f.Message, s) {
			t.Errorf("%s: %q does not say %q", what, f.Message, s)
		}
	}
	if strings.ContainsFunc(f.Message, unicode.IsControl) || len(f.Message) > 2000 || f.Message == "" || strings.Contains(f.Message, "sk-secret") || !utf8.ValidString(f.Message) {
		t.Errorf("%s: %q is no readable sentence", what, f.Message)
	}
}

func TestBadConnections(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	secure.Config.ErrorLog = nil
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := closed.Addr().String()
	closed.Close()
	proxy := &http.Client{Transport: &http.Transport{Proxy: func(*http.Request) (*url.URL, error) { return url.Parse("http://" + nobody) }}}
	direct := &http.Client{Transport: &http.Transport{}}
	for _, p := range protocols() {
		for _, tt := range []struct {
			name, base string
			client     *http.Client
			class      ai.FailClass
			says       []string
		}{
			{"TLS error", secure.URL, direct, ai.FailFatal, []string{"TLS certificate", "SSL_CERT_FILE"}},
			{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1), direct, ai.FailFatal, []string{"does not speak TLS", "http:// instead of https://"}},
			{"proxy refused", "https://api.test", proxy, ai.FailRetry, []string{"through the proxy", "HTTPS_PROXY"}},
			{"nothing listens", "http://" + nobody, direct, ai.FailRetry, []string{"connection refused", "Check that the server runs"}},
			{"no such host", "https://no-such-host.invalid", direct, ai.FailRetry, []string{"could not find the host no-such-host.invalid"}},
			{"no address at all", "http://[::1", direct, ai.FailFatal, []string{"base URL cannot be used"}},
		} {
			readable(t, p.api+", "+tt.name, p.ask(t, tt.base, tt.client), tt.class, tt.says...)
		}
	}
}

// One event of ten megabytes arrives whole, and bytes that are no UTF-8 become
// replacement characters, in the text and in what is sent back.
func TestOddAnswers(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 640<<10)
	for _, p := range protocols() {
		for name, tt := range map[string]struct{ text, want string }{
			"10 MB event":    {big, big},
			"invalid UTF-8":  {"a\xff\xfeb", "a\ufffd\ufffdb"},
			"half surrogate": {`a\ud83db`, "a\ufffdb"},
			"controls":       {`a\u001b[31m\u0000b`, "a\x1b[31m\x00b"}, // the screen deals with them
		} {
			if len(tt.text) > 1000 && p.api != openai.CompletionsAPI && p.api != bedrock.API {
				continue // there are two framings, and it takes its time with the race detector
			}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, p.answer(tt.text)) }))
			var m *ai.AssistantMessage
			if len(tt.text) < 1000 {
				m = p.ask(t, srv.URL, srv.Client())
			} else { // the whole check of so much takes its time
				for ev := range p.stream(t.Context(), p.model(srv.URL), ai.Request{}, ai.Options{APIKey: "key", Client: srv.Client()}) {
					m = ev.Message
				}
			}
			srv.Close()
			got := ai.ContentText(m.Content)
			if m.Failure != nil || got != tt.want {
				t.Errorf("%s, %s: %v, %d bytes, %.40q", p.api, name, m.Failure, len(got), got)
			}
		}
	}
}

func TestMessagesOfTheWrongProtocol(t *testing.T) {
	for _, p := range protocols() {
		for _, q := range protocols() {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, q.answer("hi")) }))
			m := p.ask(t, srv.URL, srv.Client())
			srv.Close()
			if m.Failure != nil {
				readable(t, fmt.Sprintf("%s reads %s", p.api, q.api), m, "")
			} else if ai.ContentText(m.Content) != "hi" && m.Content != nil {
				t.Errorf("%s reads %s: %+v", p.api, q.api, m)
			}
		}
	}
}
