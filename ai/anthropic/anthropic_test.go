package anthropic

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tau/ai"
	"tau/ai/internal/answer"
	"tau/ai/internal/answertest"
)

func model() *ai.Model {
	return &ai.Model{ID: "m-1", API: API, Provider: "anthropic", Reasoning: true, Input: []string{"text", "image"},
		ContextWindow: 200_000, MaxTokens: 64_000, Cost: ai.ModelCost{Rates: ai.Rates{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}}}
}

func play(body io.Reader) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		parse(body, answer.New(model(), &ai.Options{}, yield), compat{}, func(err error) *ai.Failure {
			return ai.TransportFailure(context.Background(), "https://x.test", err)
		})
	}
}

func TestRecords(t *testing.T) { answertest.Run(t, API, play) }

func TestStopReasons(t *testing.T) {
	for _, tt := range []struct {
		reason string
		want   ai.StopReason
		class  ai.FailClass
	}{
		{"end_turn", ai.StopEnd, ""}, {"stop_sequence", ai.StopEnd, ""}, {"pause_turn", ai.StopEnd, ""}, {"max_tokens", ai.StopLength, ""},
		{"refusal", ai.StopError, ai.FailFatal}, {"model_context_window_exceeded", ai.StopError, ai.FailOverflow},
	} {
		body := `data: {"type":"message_start","message":{"id":"x","model":"m-1"}}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"` + tt.reason + `"}}` + "\n\ndata: {\"type\":\"message_stop\"}\n\n"
		m := answertest.Check(t, play(strings.NewReader(body)))
		if m.StopReason != tt.want || m.RawStopReason != tt.reason || tt.class != "" && m.Failure.Class != tt.class {
			t.Errorf("%s: %s %v", tt.reason, m.StopReason, m.Failure)
		}
	}
}

func TestCallCutByTheLimit(t *testing.T) {
	for _, args := range []string{`{\"path\":\"big`, ""} {
		body := `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"1","name":"write","input":{}}}` + "\n\n"
		if args != "" {
			body += `data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"` + args + `"}}` + "\n\n"
		}
		body += `data: {"type":"message_delta","delta":{"stop_reason":"max_tokens"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"
		if m := answertest.Check(t, play(strings.NewReader(body))); m.StopReason != ai.StopLength || args != "" && m.ToolCalls()[0].ArgumentsError == "" {
			t.Errorf("%q: %s %+v", args, m.StopReason, m.ToolCalls()[0])
		}
	}
}

func TestEndpoint(t *testing.T) {
	for base, want := range map[string]string{
		"":                                 "https://api.anthropic.com/v1/messages",
		"https://api.anthropic.com":        "https://api.anthropic.com/v1/messages",
		"https://x.test/":                  "https://x.test/v1/messages",
		"https://x.test/anthropic/v1/":     "https://x.test/anthropic/v1/messages",
		"https://x.test/a/v1/messages":     "https://x.test/a/v1/messages",
		"https://api.minimax.io/anthropic": "https://api.minimax.io/anthropic/v1/messages",
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
		io.WriteString(w, answertest.Record("anthropic-tool-fragments.txt"))
	}))
	defer srv.Close()
	m := model()
	m.BaseURL = srv.URL
	m.Headers = map[string]string{"X-Extra": "1"}
	req := ai.Request{System: "be <kind>", Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("hi")}}}
	final := answertest.Check(t, Stream(t.Context(), m, req, ai.Options{APIKey: "key-123456", Client: srv.Client(), Thinking: "low"}))
	if final.StopReason != ai.StopToolUse || len(final.ToolCalls()) != 2 || final.Provider != "anthropic" || final.ResponseModel != "m-2" ||
		final.ResponseID != "msg_1" || final.Timestamp == 0 || final.ThinkingLevel != "low" {
		t.Errorf("final %+v", final)
	}
	u := final.Usage
	if u.Input != 20 || u.Output != 9 || u.TotalTokens != 134 || fmt.Sprintf("%.6f", u.Cost.Total) != "0.000358" {
		t.Errorf("usage %+v", u)
	}
	if path != "/v1/messages" || header.Get("X-Api-Key") != "key-123456" || header.Get("Anthropic-Version") != "2023-06-01" || header.Get("X-Extra") != "1" {
		t.Errorf("%s %v", path, header)
	}
	if !strings.Contains(body, `"text":"be <kind>"`) || !strings.Contains(body, `"stream":true`) {
		t.Errorf("body %s", body)
	}
}

func TestHeaders(t *testing.T) {
	get := func(m *ai.Model, o ai.Options) http.Header {
		return headers(m, &ai.Request{}, &o, readCompat(m), false)
	}
	h := get(model(), ai.Options{APIKey: "sk-ant-oat01-x"})
	if h.Get("Authorization") != "Bearer sk-ant-oat01-x" || h.Get("X-Api-Key") != "" || !strings.Contains(h.Get("Anthropic-Beta"), "oauth-2025-04-20") {
		t.Errorf("oauth: %v", h)
	}
	h = get(model(), ai.Options{APIKey: "k", Headers: map[string]string{"authorization": "Bearer t", "anthropic-beta": "more"}})
	if h.Get("Authorization") != "Bearer t" || h.Get("X-Api-Key") != "" || h.Get("Anthropic-Beta") != "interleaved-thinking-2025-05-14,more" {
		t.Errorf("bearer: %v", h)
	}
	m := model()
	m.Compat = []byte(`{"sendSessionAffinityHeaders":true,"forceAdaptiveThinking":true}`)
	if h = get(m, ai.Options{SessionID: "s"}); h.Get("X-Session-Affinity") != "s" || h.Get("Anthropic-Beta") != "" {
		t.Errorf("affinity: %v", h)
	}
}

func TestFailureBeforeTheFirstByte(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "2")
		w.WriteHeader(429)
		io.WriteString(w, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`)
	}))
	defer srv.Close()
	m := model()
	m.BaseURL = srv.URL
	n := 0
	for ev := range Stream(t.Context(), m, ai.Request{}, ai.Options{Client: srv.Client()}) {
		n++
		if f := ev.Message.Failure; ev.Type != ai.EventError || f.Class != ai.FailRetry || f.RetryAfter != 2*time.Second || f.Status != 429 {
			t.Errorf("%+v", ev)
		}
	}
	if n != 1 {
		t.Errorf("%d events", n)
	}
}

func TestAbortKeepsWhatHadCome(t *testing.T) {
	done := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		record := answertest.Record("anthropic-overloaded-midstream.txt")
		io.WriteString(w, record[:strings.Index(record, "event: error")])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(done)
	}))
	defer srv.Close()
	m := model()
	m.BaseURL = srv.URL
	ctx, cancel := context.WithCancel(t.Context())
	final := answertest.Check(t, func(yield func(ai.Event) bool) {
		for ev := range Stream(ctx, m, ai.Request{}, ai.Options{Client: srv.Client()}) {
			if ev.Type == ai.EventTextDelta {
				cancel()
			}
			if !yield(ev) {
				return
			}
		}
	})
	if final.StopReason != ai.StopAborted || ai.ContentText(final.Content) != "Par" {
		t.Errorf("%+v", final)
	}
	<-done

	// A consumer that stops listening ends the request.
	done = make(chan struct{})
	for range Stream(t.Context(), m, ai.Request{}, ai.Options{Client: srv.Client()}) {
		break
	}
	<-done
}

func longAnswer(n int) string {
	var s strings.Builder
	s.WriteString("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m-1\"}}\n\n")
	for range n {
		s.WriteString("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" word\\n\"}}\n\n")
	}
	s.WriteString("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
	return s.String()
}

func TestLargeDelta(t *testing.T) {
	big := strings.Repeat("é", 600_000)
	body := strings.Replace(longAnswer(3), " word\\n", big, 1)
	if m := answertest.Check(t, play(strings.NewReader(body))); len(ai.ContentText(m.Content)) != len(big)+12 {
		t.Errorf("%d bytes", len(ai.ContentText(m.Content)))
	}
}

func BenchmarkDeltas(b *testing.B) {
	for _, n := range []int{5_000, 50_000} {
		body := longAnswer(n)
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
	for _, name := range answertest.Names("anthropic-") {
		f.Add(answertest.Record(name))
	}
	f.Fuzz(func(t *testing.T, body string) { answertest.Check(t, play(strings.NewReader(body))) })
}
