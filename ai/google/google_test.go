package google

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
	low, high := "low", "high"
	return &ai.Model{ID: "gemini-3-x", API: API, Provider: "google", Reasoning: true, Input: []string{"text", "image"},
		ContextWindow: 1_000_000, MaxTokens: 64_000, Cost: ai.ModelCost{Rates: ai.Rates{Input: 1, Output: 2, CacheRead: 3}},
		ThinkingLevelMap: map[ai.ThinkingLevel]*string{"off": nil, "minimal": nil, "low": &low, "high": &high}}
}

func older() *ai.Model {
	m := model()
	m.ID, m.ThinkingLevelMap = "gemini-2.5-flash", nil
	return m
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
		says   string
	}{
		{"STOP", ai.StopEnd, "", ""},
		{"MAX_TOKENS", ai.StopLength, "", ""},
		{"SAFETY", ai.StopError, ai.FailFatal, "safety filter (SAFETY): why"},
		{"RECITATION", ai.StopError, ai.FailFatal, "known source"},
		{"MALFORMED_FUNCTION_CALL", ai.StopError, ai.FailRetry, "could not read (MALFORMED_FUNCTION_CALL)"},
		{"MISSING_THOUGHT_SIGNATURE", ai.StopError, ai.FailFatal, ""},
		{"OTHER", ai.StopError, ai.FailRetry, "without a reason (OTHER): why."},
	} {
		body := `data: {"candidates":[{"content":{"parts":[{"text":"x"}]}}]}` + "\n\n" +
			`data: {"candidates":[{"finishReason":"` + tt.reason + `","finishMessage":"why"}],"modelVersion":"gemini-3-x-001","responseId":"r1"}` + "\n\n"
		m := answertest.Check(t, play(strings.NewReader(body)))
		if m.StopReason != tt.want || m.RawStopReason != tt.reason || m.ResponseID != "r1" || m.ResponseModel != "gemini-3-x-001" ||
			tt.class != "" && m.Failure.Class != tt.class || !strings.Contains(m.ErrorMessage, tt.says) {
			t.Errorf("%s: %s %q %v", tt.reason, m.StopReason, m.ErrorMessage, m.Failure)
		}
	}
}

func TestStreams(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"blocked prompt", `data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":4}}`, `error fatal`},
		{"no finish", `data: {"candidates":[{"content":{"parts":[{"text":"x"}]}}]}`, `x error retry`},
		{"error in the stream", "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"x\"}]}}]}\n\ndata: {\"error\":{\"code\":503,\"message\":\"The model is overloaded.\",\"status\":\"UNAVAILABLE\"}}", `x error retry`},
		{"not JSON", "data: {oops\n\n", `error retry`},
		{"signature in an empty part", "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hi\"}]}}]}\n\ndata: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\",\"thoughtSignature\":\"c2ln\"}]},\"finishReason\":\"STOP\"}]}", `hi[c2ln] stop`},
		{"late error after the reason", "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hi\"}]},\"finishReason\":\"STOP\"}]}\n\ndata: {\"usa", `hi stop`},
	} {
		m := answertest.Check(t, play(strings.NewReader(tt.body+"\n\n")))
		if tt.name == "late error after the reason" {
			m = answertest.Check(t, play(strings.NewReader(tt.body)))
		}
		var s []string
		for _, b := range m.Content {
			if b, ok := b.(*ai.Text); ok {
				text := b.Text
				if b.Signature != "" {
					text += "[" + b.Signature + "]"
				}
				s = append(s, text)
			}
		}
		s = append(s, string(m.StopReason))
		if m.Failure != nil {
			s = append(s, string(m.Failure.Class))
		}
		if got := strings.Join(s, " "); got != tt.want {
			t.Errorf("%s: %s, want %s (%s)", tt.name, got, tt.want, m.ErrorMessage)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for _, tt := range []struct{ base, id, want string }{
		{"", "gemini-x", "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:streamGenerateContent?alt=sse"},
		{"https://x.test/v1beta/", "models/gemini-x", "https://x.test/v1beta/models/gemini-x:streamGenerateContent?alt=sse"},
		{"https://x.test", "tunedModels/a", "https://x.test/v1beta/tunedModels/a:streamGenerateContent?alt=sse"},
		{"https://x.test/google/v1", "a/../b", "https://x.test/google/v1/models/a%2F..%2Fb:streamGenerateContent?alt=sse"},
	} {
		if got := endpoint(&ai.Model{BaseURL: tt.base, ID: tt.id}); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.base, got, tt.want)
		}
	}
}

func TestStream(t *testing.T) {
	var path, body string
	var header http.Header
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		path, body, header = r.URL.String(), string(data), r.Header
		io.WriteString(w, answertest.Record("google-two-calls.txt"))
	}))
	defer srv.Close()
	m := model()
	m.BaseURL = srv.URL + "/v1beta"
	m.Headers = map[string]string{"X-Extra": "1"}
	req := ai.Request{System: "be <kind>", Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("hi")}}}
	final := answertest.Check(t, Stream(t.Context(), m, req, ai.Options{APIKey: "key-123456", Client: srv.Client(), Thinking: "low"}))
	if final.StopReason != ai.StopToolUse || len(final.ToolCalls()) != 2 || final.ThinkingLevel != "low" {
		t.Errorf("final %+v", final)
	}
	if u := final.Usage; u.TotalTokens != 48 || u.Reasoning != 2 || fmt.Sprintf("%.6f", u.Cost.Total) != "0.000072" {
		t.Errorf("usage %+v", u)
	}
	if path != "/v1beta/models/gemini-3-x:streamGenerateContent?alt=sse" || header.Get("X-Goog-Api-Key") != "key-123456" || header.Get("X-Extra") != "1" {
		t.Errorf("%s %v", path, header)
	}
	want := answertest.Compact(`{"systemInstruction":{"parts":[{"text":"be <kind>"}]},"contents":[{"role":"user","parts":[{"text":"hi"}]}],
		"generationConfig":{"maxOutputTokens":64000,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"LOW"}}}`)
	if body != want {
		t.Errorf("body %s", body)
	}
}

func TestFailureBeforeTheFirstByte(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(429)
		io.WriteString(w, `[{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}]}}]`)
	}))
	defer srv.Close()
	m := model()
	m.BaseURL = srv.URL
	final := answertest.Check(t, Stream(t.Context(), m, ai.Request{}, ai.Options{Client: srv.Client()}))
	if f := final.Failure; f.Class != ai.FailRetry || f.RetryAfter != 7*time.Second || f.Status != 429 || !strings.Contains(f.Message, "Resource exhausted") {
		t.Errorf("%+v", f)
	}
}

func TestAbort(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Par\"}]}}]}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
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
}

func longAnswer(n int, usage bool) string {
	var s strings.Builder
	for i := range n {
		s.WriteString(`data: {"candidates":[{"content":{"parts":[{"text":" word\n"}],"role":"model"},"index":0}]`)
		if usage {
			fmt.Fprintf(&s, `,"usageMetadata":{"promptTokenCount":40,"candidatesTokenCount":%d,"totalTokenCount":%d,"promptTokensDetails":[{"modality":"TEXT","tokenCount":40}]}`, i, i+40)
		}
		s.WriteString(`,"modelVersion":"gemini-3-x","responseId":"abc"}` + "\n\n")
	}
	s.WriteString(`data: {"candidates":[{"finishReason":"STOP"}]}` + "\n\n")
	return s.String()
}

func BenchmarkDeltas(b *testing.B) {
	for _, n := range []int{5_000, 50_000} {
		for _, usage := range []bool{false, true} {
			body := longAnswer(n, usage)
			b.Run(fmt.Sprintf("%d/usage=%v", n, usage), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					for range play(strings.NewReader(body)) {
					}
				}
			})
		}
	}
}

// Whatever a server sends, the events keep the contract.
func FuzzParse(f *testing.F) {
	for _, name := range answertest.Names("google-") {
		f.Add(answertest.Record(name))
	}
	f.Fuzz(func(t *testing.T, body string) { answertest.Check(t, play(strings.NewReader(body))) })
}
