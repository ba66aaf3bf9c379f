package openai

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tau/ai"
	"tau/ai/internal/answer"
	"tau/ai/internal/answertest"
)

func model() *ai.Model {
	return &ai.Model{ID: "m-0", API: CompletionsAPI, Provider: "groq", BaseURL: "https://x.test/v1", Input: []string{"text", "image"},
		ContextWindow: 128_000, MaxTokens: 16_000, Cost: ai.ModelCost{Rates: ai.Rates{Input: 1, Output: 2, CacheRead: 3}}}
}

func play(body io.Reader) iter.Seq[ai.Event] { return playModel(model(), body) }

func playModel(m *ai.Model, body io.Reader) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		parse(body, answer.New(m, &ai.Options{}, yield), readCompat(m), nil, func(err error) *ai.Failure {
			return ai.TransportFailure(context.Background(), "https://x.test", err)
		})
	}
}

// chunks makes a body of deltas, each the inside of a delta object; the last
// of the arguments is the finish reason.
func chunks(deltas ...string) string {
	var s strings.Builder
	n := len(deltas) - 1
	for _, d := range deltas[:n] {
		fmt.Fprintf(&s, "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":null}]}\n\n", d)
	}
	fmt.Fprintf(&s, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", deltas[n])
	return s.String()
}

func TestRecords(t *testing.T) { answertest.Run(t, CompletionsAPI, play) }

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
			text := b.ID + " " + b.Name + string(b.Arguments)
			if b.ArgumentsError != "" {
				text += "!" + b.ArgumentsText
			}
			if b.ThoughtSignature != "" {
				text += " signed"
			}
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " | ") + " / " + string(m.StopReason)
}

func TestDialects(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"every call has index 0", chunks(
			`"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]`,
			`"tool_calls":[{"index":0,"id":"b","function":{"name":"ls","arguments":"{\"x\":1}"}}]`, "tool_calls"), `a ls{} | b ls{"x":1} / toolUse`},
		{"id in every fragment", chunks(
			`"tool_calls":[{"id":"a","function":{"name":"ls","arguments":"{\"x\""}}]`,
			`"tool_calls":[{"id":"a","function":{"arguments":":1}"}}]`, "tool_calls"), `a ls{"x":1} / toolUse`},
		{"stop although there are calls", chunks(`"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]`, "stop"), `a ls{} / toolUse`},
		{"arguments as an object", chunks(`"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":{"x":1}}}]`, "tool_calls"), `a ls{"x":1} / toolUse`},
		{"text inside a call waits", chunks(
			`"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"x\":"}}]`, `"content":"note"`,
			`"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]`, "tool_calls"), `a ls{"x":1} | note / toolUse`},
		{"text after a call", chunks(`"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]`, `"content":"note"`, "tool_calls"), `a ls{} | note / toolUse`},
		{"a call goes on after its end", chunks(`"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]`, `"content":"note"`,
			`"tool_calls":[{"index":0,"function":{"arguments":",\"x\":1}"}}]`, "tool_calls"), `a ls{}!{},"x":1} | note / toolUse`},
		{"two cut calls", chunks(`"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{"}},{"index":1,"id":"b","function":{"name":"ls","arguments":"{"}}]`, "length"), `a ls{}!{ | b ls{}!{ / length`},
		{"reasoning", chunks(`"reasoning":"hm"`, `"content":"x"`, "stop"), `<hm reasoning> | x / stop`},
		{"reasoning twice", chunks(`"reasoning":"hm","reasoning_content":"hm"`, `"reasoning":"!","reasoning_content":"!"`, "stop"), `<hm! reasoning_content> / stop`},
		{"reasoning text", chunks(`"reasoning_text":"hm"`, "stop"), `<hm reasoning_text> / stop`},
		{"content in parts", chunks(`"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]`, "stop"), `ab / stop`},
		{"halves of characters", chunks(`"content":"a\ud83d"`, `"content":""`, `"content":"\ude00b\ud83d"`, `"content":"\ude00"`, `"content":"c\\ud83d"`, `"content":"\ud83d"`, "stop"), "a😀b😀c\\ud83d / stop"},
		{"refusal", chunks(`"refusal":"no"`, "stop"), `no / stop`},
		{"encrypted reasoning", chunks(`"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]`,
			`"reasoning_details":[{"type":"reasoning.encrypted","id":"a","data":"x"}]`, "tool_calls"), `a ls{} signed / toolUse`},
		{"done without a reason", "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: [DONE]\n\n", `x / stop`},
		{"done without anything", "data: [DONE]\n\n", ` / error`},
		{"content filter", chunks(`"content":"x"`, "content_filter"), `x / error`},
		{"end lost after the reason", strings.TrimSuffix(chunks(`"content":"x"`, "stop"), "data: [DONE]\n\n") + "data: {\"usa", `x / stop`},
		{"error as object", "data: {\"object\":\"error\",\"message\":\"too bad\"}\n\n", ` / error`},
	} {
		if got := brief(answertest.Check(t, play(strings.NewReader(tt.body)))); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		provider, usage string
		want            ai.Usage
	}{
		{"groq", `{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110,"prompt_tokens_details":{"cached_tokens":40,"cache_write_tokens":5},"completion_tokens_details":{"reasoning_tokens":3}}`,
			ai.Usage{Input: 55, CacheRead: 40, CacheWrite: 5, Output: 10, Reasoning: 3, TotalTokens: 110}},
		{"deepseek", `{"prompt_tokens":100,"completion_tokens":10,"prompt_cache_hit_tokens":90}`, ai.Usage{Input: 10, CacheRead: 90, Output: 10, TotalTokens: 110}},
		{"openrouter", `{"prompt_tokens":100,"completion_tokens":10,"cost":0.5}`, ai.Usage{Input: 100, Output: 10, TotalTokens: 110}},
	} {
		m := model()
		m.Provider = tt.provider
		body := strings.Replace(chunks(`"content":"x"`, "stop"), "data: [DONE]", `data: {"choices":[],"usage":`+tt.usage+"}\n\ndata: [DONE]", 1)
		got := answertest.Check(t, playModel(m, strings.NewReader(body))).Usage
		if cost := got.Cost; tt.provider == "openrouter" && cost.Total != 0.5 || tt.provider == "groq" && fmt.Sprintf("%.6f", cost.Total) != "0.000195" {
			t.Errorf("%s: cost %+v", tt.provider, cost)
		}
		got.Cost = ai.Cost{}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.provider, got, tt.want)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for base, want := range map[string]string{
		"":                                     "https://api.openai.com/v1/chat/completions",
		"https://x.test/v1/":                   "https://x.test/v1/chat/completions",
		"http://127.0.0.1:8080":                "http://127.0.0.1:8080/v1/chat/completions",
		"https://api.deepseek.com":             "https://api.deepseek.com/chat/completions",
		"https://x.test/v1/chat/completions":   "https://x.test/v1/chat/completions",
		"https://x.test/openai?api-version=v1": "https://x.test/openai/chat/completions?api-version=v1",
	} {
		if got := endpoint(base); got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}

func TestStream(t *testing.T) {
	var path, body string
	var header http.Header
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		path, body, header = r.URL.Path, string(data), r.Header
		io.WriteString(w, answertest.Record("openai-tools-interleaved.txt"))
	}))
	defer srv.Close()
	m := model()
	m.BaseURL = srv.URL
	req := ai.Request{System: "be <kind>", Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("hi")}}}
	final := answertest.Check(t, Completions(t.Context(), m, req, ai.Options{APIKey: "key-123456", Client: srv.Client()}))
	if final.StopReason != ai.StopToolUse || len(final.ToolCalls()) != 2 || final.Provider != "groq" || final.ResponseModel != "m-1" || final.Timestamp == 0 {
		t.Errorf("final %+v", final)
	}
	if path != "/v1/chat/completions" || header.Get("Authorization") != "Bearer key-123456" {
		t.Errorf("%s %v", path, header)
	}
	want := `{"model":"m-0","messages":[{"role":"system","content":"be <kind>"},{"role":"user","content":"hi"}],"max_tokens":16000,"stream":true,"stream_options":{"include_usage":true}}`
	if body != want {
		t.Errorf("body %s", body)
	}
	srv.CloseClientConnections()
}

func TestAbort(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, answertest.Record("openai-no-finish.txt"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer srv.Close()
	m := model()
	m.BaseURL = srv.URL
	ctx, cancel := context.WithCancel(t.Context())
	final := answertest.Check(t, func(yield func(ai.Event) bool) {
		for ev := range Completions(ctx, m, ai.Request{}, ai.Options{Client: srv.Client()}) {
			if ev.Type == ai.EventTextDelta && ev.Delta == " forty" {
				cancel()
			}
			if !yield(ev) {
				return
			}
		}
	})
	if got := brief(final); got != "The answer is forty / aborted" {
		t.Error(got)
	}
}

func TestLargeDelta(t *testing.T) {
	big := strings.Repeat("é", 600_000)
	if m := answertest.Check(t, play(strings.NewReader(chunks(`"content":"a"`, `"content":"`+big+`"`, `"content":"b"`, "stop")))); ai.ContentText(m.Content) != "a"+big+"b" {
		t.Errorf("%d bytes", len(ai.ContentText(m.Content)))
	}
}

func BenchmarkDeltas(b *testing.B) {
	for _, n := range []int{5_000, 50_000} {
		body := chunks(append(strings.Split(strings.Repeat("\"content\":\" word\\n\"\x00", n), "\x00")[:n], "stop")...)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				for range play(strings.NewReader(body)) {
				}
			}
		})
	}
}

// Whatever a server sends, the events keep the contract.
func FuzzParse(f *testing.F) {
	for _, name := range answertest.Names("openai-") {
		f.Add(answertest.Record(name))
	}
	f.Fuzz(func(t *testing.T, body string) { answertest.Check(t, play(strings.NewReader(body))) })
}
