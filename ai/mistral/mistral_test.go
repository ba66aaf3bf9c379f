package mistral

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tau/ai"
	"tau/ai/catalog"
	"tau/ai/internal/answer"
	"tau/ai/internal/answertest"
)

func model() *ai.Model {
	none, high := "none", "high"
	return &ai.Model{ID: "mistral-x", API: API, Provider: "mistral", Reasoning: true, Input: []string{"text", "image"},
		ContextWindow: 200_000, MaxTokens: 64_000, Cost: ai.ModelCost{Rates: ai.Rates{Input: 1, Output: 2, CacheRead: 3}},
		ThinkingLevelMap: map[ai.ThinkingLevel]*string{"off": &none, "minimal": nil, "low": nil, "medium": nil, "high": &high}}
}

func play(body io.Reader) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		parse(body, answer.New(model(), &ai.Options{}, yield), func(err error) *ai.Failure {
			return ai.TransportFailure(context.Background(), "https://x.test", err)
		})
	}
}

func TestRecords(t *testing.T) { answertest.Run(t, API, play) }

func TestFinishReasons(t *testing.T) {
	for _, tt := range []struct {
		reason string
		want   ai.StopReason
		class  ai.FailClass
	}{
		{"stop", ai.StopEnd, ""}, {"length", ai.StopLength, ""}, {"model_length", ai.StopLength, ""}, {"error", ai.StopError, ai.FailRetry}, {"content_filter", ai.StopError, ai.FailFatal},
	} {
		m := answertest.Check(t, play(strings.NewReader(`data: {"choices":[{"delta":{"content":"x"},"finish_reason":"`+tt.reason+`"}]}`+"\n\n")))
		if m.StopReason != tt.want || m.RawStopReason != tt.reason || tt.class != "" && m.Failure.Class != tt.class {
			t.Errorf("%s: %s %v", tt.reason, m.StopReason, m.Failure)
		}
	}
}

func TestFailuresInTheStream(t *testing.T) {
	const first = `data: {"choices":[{"delta":{"content":"Par"}}]}` + "\n\n"
	for name, tt := range map[string]struct {
		body  string
		class ai.FailClass
	}{
		"cut":      {first, ai.FailRetry},
		"done":     {first + "data: [DONE]\n\n", ai.FailRetry},
		"error":    {first + `data: {"object":"error","message":"Service unavailable.","type":"unreachable_backend","code":"1100"}` + "\n\n", ai.FailRetry},
		"not JSON": {first + "data: {oops\n\n", ai.FailRetry},
	} {
		if m := answertest.Check(t, play(strings.NewReader(tt.body))); m.Failure == nil || m.Failure.Class != tt.class || ai.ContentText(m.Content) != "Par" {
			t.Errorf("%s: %+v", name, m.Failure)
		}
	}
}

func encoded(t *testing.T, m *ai.Model, req ai.Request, opts ai.Options) string {
	t.Helper()
	body, err := encode(m, &req, &opts)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestRequest(t *testing.T) {
	req := ai.Request{System: "sys", Tools: []ai.ToolDef{{Name: "ls", Description: "List", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "x"}}, Messages: []ai.Message{
		&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "look <here>"}, &ai.Image{Data: "AA==", MimeType: "image/png"}}},
		&ai.AssistantMessage{Provider: "mistral", API: API, Model: "mistral-x", StopReason: ai.StopToolUse, Content: []ai.Block{
			&ai.Thinking{Thinking: "hm"}, &ai.Text{Text: "ok"}, &ai.ToolCall{ID: "D681PevKs", Name: "ls", Arguments: json.RawMessage(`{"path":"."}`)}, &ai.ToolCall{ID: "toolu_01", Name: "ls"}}},
		&ai.ToolResultMessage{ToolCallID: "D681PevKs", ToolName: "ls", Content: []ai.Block{&ai.Text{Text: "t"}, &ai.Image{Data: "BB==", MimeType: "image/png"}}},
		&ai.ToolResultMessage{ToolCallID: "toolu_01", ToolName: "ls", Content: ai.TextBlocks("no"), IsError: true},
		&ai.UserMessage{Content: ai.TextBlocks("and now?")},
	}}
	got := encoded(t, model(), req, ai.Options{Thinking: "high"})
	want := answertest.Compact(`{"model":"mistral-x",
	"tools":[{"type":"function","function":{"name":"ls","description":"List","parameters":{"type":"object"}}},{"type":"function","function":{"name":"x","parameters":{"type":"object","properties":{}}}}],
	"messages":[{"role":"system","content":"sys"},
	{"role":"user","content":[{"type":"text","text":"look <here>"},{"type":"image_url","image_url":"data:image/png;base64,AA=="}]},
	{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"ok"}],
		"tool_calls":[{"id":"D681PevKs","type":"function","function":{"name":"ls","arguments":"{\"path\":\".\"}"}},{"id":"4a2c05d81","type":"function","function":{"name":"ls","arguments":"{}"}}]},
	{"role":"tool","content":[{"type":"text","text":"t"},{"type":"image_url","image_url":"data:image/png;base64,BB=="}],"tool_call_id":"D681PevKs","name":"ls"},
	{"role":"tool","content":"[tool error] no","tool_call_id":"4a2c05d81","name":"ls"},
	{"role":"assistant","content":"I have the results of the tools."},
	{"role":"user","content":"and now?"}],"reasoning_effort":"high","max_tokens":64000,"stream":true}`)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	first := model()
	first.ThinkingLevelMap = nil
	for _, tt := range []struct {
		m    *ai.Model
		o    ai.Options
		want string
	}{
		{model(), ai.Options{}, `"reasoning_effort":"none"`}, {first, ai.Options{Thinking: "low"}, `"prompt_mode":"reasoning"`}, {first, ai.Options{MaxTokens: 7}, `],"max_tokens":7`},
	} {
		if got := encoded(t, tt.m, ai.Request{Messages: req.Messages[:1]}, tt.o); !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %s", tt.o, got)
		}
	}
}

func TestStream(t *testing.T) {
	var path string
	var header http.Header
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, header = r.URL.Path, r.Header
		if r.Header.Get("X-Fail") != "" {
			w.WriteHeader(422)
			io.WriteString(w, `{"detail":[{"type":"extra_forbidden","loc":["body","x"],"msg":"Extra inputs are not permitted"}]}`)
			return
		}
		io.WriteString(w, answertest.Record("mistral-thinking-calls.txt"))
	}))
	defer srv.Close()
	m := model()
	m.BaseURL = srv.URL
	final := answertest.Check(t, Stream(t.Context(), m, ai.Request{}, ai.Options{APIKey: "key-123456", SessionID: "s1"}))
	if final.StopReason != ai.StopToolUse || path != "/v1/chat/completions" || header.Get("Authorization") != "Bearer key-123456" || header.Get("X-Affinity") != "s1" ||
		fmt.Sprintf("%.6f", final.Usage.Cost.Total) != "0.000096" {
		t.Errorf("%+v %s %v", final, path, header)
	}
	final = answertest.Check(t, Stream(t.Context(), m, ai.Request{}, ai.Options{Headers: map[string]string{"X-Fail": "1"}}))
	if f := final.Failure; f == nil || f.Class != ai.FailFatal || !strings.Contains(f.Message, "Extra inputs are not permitted") {
		t.Errorf("%+v", f)
	}
	for base, want := range map[string]string{"": "https://api.mistral.ai/v1/chat/completions", "https://x.test/v1/": "https://x.test/v1/chat/completions", "https://x.test/v1/chat/completions": "https://x.test/v1/chat/completions"} {
		if got := endpoint(base); got != want {
			t.Error(got)
		}
	}
}

// Every model of the catalogue gives a request at every level it has.
func TestCatalogue(t *testing.T) {
	c, err := catalog.Open(catalog.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, m := range c.List("") {
		if m.API != API {
			continue
		}
		count++
		for _, level := range ai.ThinkingLevels() {
			if m.Thinks(level) && !json.Valid([]byte(encoded(t, m, ai.Request{System: "s"}, ai.Options{Thinking: level}))) {
				t.Errorf("%s %s", m.Ref(), level)
			}
		}
	}
	if count < 30 {
		t.Errorf("%d models", count)
	}
}

func BenchmarkDeltas(b *testing.B) {
	for _, n := range []int{5_000, 50_000} {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, `data: {"id":"c1","object":"chat.completion.chunk","created":1764000000,"model":"mistral-x","choices":[{"index":0,"delta":{"content":" word\n"},"finish_reason":null}],"p":"%s"}`+"\n\n", "abcdefghijklmnopqrstuvwxyz"[:i%26])
		}
		s.WriteString("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		body := s.String()
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for range play(strings.NewReader(body)) {
				}
			}
		})
	}
}

// Whatever a server sends, the events keep the contract.
func FuzzParse(f *testing.F) {
	for _, name := range append(answertest.Names("mistral-"), answertest.Names("openai-")...) {
		f.Add(answertest.Record(name))
	}
	f.Fuzz(func(t *testing.T, body string) { answertest.Check(t, play(strings.NewReader(body))) })
}
