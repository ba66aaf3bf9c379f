package responses

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
	return &ai.Model{ID: "m-3", API: API, Provider: "openai", BaseURL: "https://x.test/v1", Input: []string{"text", "image"},
		Reasoning: true, ContextWindow: 128_000, MaxTokens: 16_000, Cost: ai.ModelCost{Rates: ai.Rates{Input: 1, Output: 2}}}
}

func play(body io.Reader) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		parse(body, answer.New(model(), &ai.Options{}, yield), nil, func(err error) *ai.Failure {
			return ai.TransportFailure(context.Background(), "https://x.test", err)
		})
	}
}

func TestRecords(t *testing.T) { answertest.Run(t, API, play) }

func body(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "data: %s\n\n", e)
	}
	return b.String()
}

const completed = `{"type":"response.completed","response":{"id":"r","status":"completed","model":"m-3","usage":{"input_tokens":5,"output_tokens":2,"total_tokens":7}}}`

// brief writes a message in one line.
func brief(m *ai.AssistantMessage) string {
	var parts []string
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			parts = append(parts, b.Text)
		case *ai.Thinking:
			parts = append(parts, "<"+b.Thinking+" "+b.Signature+">")
		case *ai.ToolCall:
			parts = append(parts, b.ID+" "+b.Name+string(b.Arguments))
		}
	}
	return strings.Join(parts, " | ") + " / " + string(m.StopReason)
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []string
		want   string
	}{
		{"reasoning with a summary in two parts", []string{
			`{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs"}}`,
			`{"type":"response.reasoning_summary_part.added","output_index":0}`,
			`{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"One"}`,
			`{"type":"response.reasoning_summary_part.added","output_index":0}`,
			`{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"two"}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs","encrypted_content":"e"}}`,
			`{"type":"response.output_text.delta","output_index":1,"delta":"Done"}`, completed,
		}, `<One` + "\n\n" + `two {"type":"reasoning","id":"rs","encrypted_content":"e"}> | Done / stop`},
		{"reasoning without a summary", []string{
			`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"e"}}`,
			`{"type":"response.output_text.delta","output_index":1,"delta":"Done"}`, completed,
		}, `< {"type":"reasoning","id":"rs","summary":[],"encrypted_content":"e"}> | Done / stop`},
		{"two calls that interleave", []string{
			`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"a","name":"ls"}}`,
			`{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"b","name":"ls"}}`,
			`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"x\":"}`,
			`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"y\":1}"}`,
			`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"2}"}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"a","name":"ls","arguments":"{\"y\":1}"}}`,
			`{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"b","name":"ls","arguments":"{\"x\":2}"}}`, completed,
		}, `a ls{"y":1} | b ls{"x":2} / toolUse`},
		{"a call whole at its end", []string{
			`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"a","name":"ls","arguments":"{}"}}`, completed,
		}, `a ls{} / toolUse`},
		{"a message whole at its end", []string{
			`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"Hi"}]}}`, completed,
		}, `Hi / stop`},
		{"refusal", []string{`{"type":"response.refusal.delta","output_index":0,"delta":"No."}`, completed}, `No. / stop`},
		{"output limit", []string{
			`{"type":"response.output_text.delta","output_index":0,"delta":"Cu"}`,
			`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`,
		}, `Cu / length`},
		{"filter", []string{`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}`}, ` / error`},
		{"cut", []string{`{"type":"response.output_text.delta","output_index":0,"delta":"Cu"}`}, `Cu / error`},
		{"error event", []string{`{"type":"error","code":"rate_limit_exceeded","message":"Slow down"}`}, ` / error`},
		{"unknown events", []string{`{"type":"response.new_thing","x":{}}`, `[DONE]`, `{"type":"response.output_text.delta","output_index":0,"delta":"ok"}`, completed}, `ok / stop`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := answertest.Check(t, play(strings.NewReader(body(tt.events...))))
			if got := brief(m); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestRequest(t *testing.T) {
	high := "high"
	m := model()
	m.ThinkingLevelMap = map[ai.ThinkingLevel]*string{ai.ThinkingHigh: &high}
	req := ai.Request{
		System: "Be kind.",
		Messages: []ai.Message{
			&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "look"}, &ai.Image{Data: "AA==", MimeType: "image/png"}}},
			&ai.AssistantMessage{API: API, Provider: "openai", Model: "m-3", StopReason: ai.StopToolUse, Content: []ai.Block{
				&ai.Thinking{Thinking: "hm", Signature: `{"type":"reasoning","id":"rs","encrypted_content":"e"}`},
				&ai.Text{Text: "I will."}, &ai.ToolCall{ID: "c1", Name: "ls", Arguments: json.RawMessage(`{"path":"."}`)},
			}},
			&ai.ToolResultMessage{ToolCallID: "c1", ToolName: "ls", Content: ai.TextBlocks("a.go")},
		},
		Tools: []ai.ToolDef{{Name: "ls", Description: "list", Parameters: json.RawMessage(`{"type":"object"}`)}},
	}
	got, err := encode(m, m.ID, &req, &ai.Options{Thinking: ai.ThinkingHigh, SessionID: "s", Cache: ai.CacheLong}, readCompat(m))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"m-3","tools":[{"type":"function","name":"ls","description":"list","parameters":{"type":"object"},"strict":false}],"input":[` +
		`{"role":"developer","content":"Be kind."},` +
		`{"role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:image/png;base64,AA==","detail":"auto"}]},` +
		`{"type":"reasoning","id":"rs","encrypted_content":"e"},` +
		`{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"I will.","annotations":[]}]},` +
		`{"type":"function_call","call_id":"c1","name":"ls","arguments":"{\"path\":\".\"}"},` +
		`{"type":"function_call_output","call_id":"c1","output":"a.go"}],` +
		`"reasoning":{"effort":"high","summary":"auto"},"include":["reasoning.encrypted_content"],"prompt_cache_key":"s","prompt_cache_retention":"24h","max_output_tokens":16000,"store":false,"stream":true}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	other := *m
	other.ID = "m-4"
	got, err = encode(&other, other.ID, &req, &ai.Options{Thinking: ai.ThinkingOff}, readCompat(&other))
	if err != nil || strings.Contains(string(got), "encrypted_content\":\"e") || !strings.Contains(string(got), `"effort":"none"`) {
		t.Errorf("another model gets %s (%v)", got, err)
	}
}

func TestOverHTTP(t *testing.T) {
	var path, auth string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, auth = r.URL.Path, r.Header.Get("Authorization")
		fmt.Fprint(w, body(`{"type":"response.output_text.delta","output_index":0,"delta":"Hi"}`, completed))
	}))
	defer srv.Close()
	m := model()
	m.BaseURL = srv.URL + "/v1"
	got := answertest.Check(t, Stream(context.Background(), m, ai.Request{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("x")}}}, ai.Options{APIKey: "key"}))
	if brief(got) != "Hi / stop" || path != "/v1/responses" || auth != "Bearer key" || got.Usage.Input != 5 {
		t.Errorf("%s, path %s, auth %s, usage %+v", brief(got), path, auth, got.Usage)
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
			if !m.Thinks(level) {
				continue
			}
			if b, err := encode(m, m.ID, &req, &ai.Options{Thinking: level}, readCompat(m)); err != nil || !json.Valid(b) {
				t.Errorf("%s %s: %v", m.Ref(), level, err)
			}
		}
	}
	if count < 50 {
		t.Errorf("%d models", count)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range answertest.Names("responses") {
		f.Add(answertest.Record(name))
	}
	f.Fuzz(func(t *testing.T, s string) { answertest.Check(t, play(strings.NewReader(s))) })
}

// The ids and phases of texts come back as they were given; a text of another
// model gets an id by its place.
func TestTextsKeepTheirPhase(t *testing.T) {
	said := answertest.Check(t, play(strings.NewReader(body(
		`{"type":"response.output_text.delta","output_index":0,"delta":"I look."}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"msg_abc","phase":"commentary","content":[{"type":"output_text","text":"I look."}]}}`,
		`{"type":"response.completed","response":{"status":"completed"}}`))))
	m := model()
	req := ai.Request{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("hi")}, said,
		&ai.AssistantMessage{API: API, Provider: "other", Model: "x", StopReason: ai.StopEnd, Content: []ai.Block{&ai.Text{Text: "No.", Signature: `{"v":1,"id":"msg_foreign"}`}}}}}
	got, err := encode(m, m.ID, &req, &ai.Options{}, readCompat(m))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"type":"message","id":"msg_abc","role":"assistant","status":"completed","content":[{"type":"output_text","text":"I look.","annotations":[]}],"phase":"commentary"}`,
		`{"type":"message","id":"msg_2","role":"assistant"`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s has no %s", got, want)
		}
	}
}

func BenchmarkDeltas(b *testing.B) {
	for _, n := range []int{5_000, 50_000} {
		var s strings.Builder
		s.WriteString("event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"sequence_number\":1,\"output_index\":0,\"item\":{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"in_progress\",\"role\":\"assistant\",\"content\":[]}}\n\n")
		for i := range n {
			fmt.Fprintf(&s, "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":%d,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\" word\\n\",\"logprobs\":[],\"obfuscation\":\"%s\"}\n\n", i+2, "abcdefghijklmnop"[:i%16])
		}
		s.WriteString("event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n")
		text := s.String()
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for range play(strings.NewReader(text)) {
				}
			}
		})
	}
}
