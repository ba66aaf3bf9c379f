package bedrock

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"tau/ai"
	"tau/ai/internal/answer"
	"tau/ai/internal/answertest"
)

func model() *ai.Model {
	most := "max"
	return &ai.Model{ID: "us.anthropic.claude-x-v1:0", API: API, Provider: "amazon-bedrock", Reasoning: true, Input: []string{"text", "image"},
		ContextWindow: 200_000, MaxTokens: 64_000, Cost: ai.ModelCost{Rates: ai.Rates{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}},
		ThinkingLevelMap: map[ai.ThinkingLevel]*string{"max": &most}}
}

// framed is the body of a record: lines of an event's name and its payload. A
// name that begins with ! is an exception. AWS's own encoder is the judge of
// what a frame is.
func framed(record string) string {
	var out bytes.Buffer
	enc := eventstream.NewEncoder()
	for _, line := range strings.Split(strings.TrimSpace(record), "\n") {
		name, payload, _ := strings.Cut(line, " ")
		h := eventstream.Headers{}
		if exception, ok := strings.CutPrefix(name, "!"); ok {
			h.Set(":exception-type", eventstream.StringValue(exception))
			h.Set(":message-type", eventstream.StringValue("exception"))
		} else {
			h.Set(":event-type", eventstream.StringValue(name))
			h.Set(":message-type", eventstream.StringValue("event"))
		}
		h.Set(":content-type", eventstream.StringValue("application/json"))
		h.Set(":retries", eventstream.Int32Value(3)) // one of another kind, to be skipped
		if err := enc.Encode(&out, eventstream.Message{Headers: h, Payload: []byte(payload)}); err != nil {
			panic(err)
		}
	}
	return out.String()
}

func play(body io.Reader) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		parse(body, answer.New(model(), &ai.Options{}, yield), func(err error) *ai.Failure {
			return ai.TransportFailure(context.Background(), "https://x.test", err)
		})
	}
}

func TestRecords(t *testing.T) { answertest.RunEncoded(t, API, framed, play) }

func TestStopReasons(t *testing.T) {
	for _, tt := range []struct {
		reason string
		want   ai.StopReason
		class  ai.FailClass
	}{
		{"end_turn", ai.StopEnd, ""}, {"stop_sequence", ai.StopEnd, ""}, {"max_tokens", ai.StopLength, ""},
		{"guardrail_intervened", ai.StopError, ai.FailFatal}, {"content_filtered", ai.StopError, ai.FailFatal},
		{"malformed_tool_use", ai.StopError, ai.FailRetry}, {"model_context_window_exceeded", ai.StopError, ai.FailOverflow},
	} {
		m := answertest.Check(t, play(strings.NewReader(framed("messageStart {}\nmessageStop {\"stopReason\":\""+tt.reason+"\"}"))))
		if m.StopReason != tt.want || m.RawStopReason != tt.reason || tt.class != "" && m.Failure.Class != tt.class {
			t.Errorf("%s: %s %v", tt.reason, m.StopReason, m.Failure)
		}
	}
}

func TestExceptions(t *testing.T) {
	for name, want := range map[string]ai.FailClass{
		"throttlingException": ai.FailRetry, "modelStreamErrorException": ai.FailRetry, "internalServerException": ai.FailRetry,
		"serviceUnavailableException": ai.FailRetry, "validationException": ai.FailFatal,
	} {
		m := answertest.Check(t, play(strings.NewReader(framed(`contentBlockDelta {"delta":{"text":"Par"}}`+"\n!"+name+` {"message":"some words"}`))))
		if m.Failure == nil || m.Failure.Class != want || ai.ContentText(m.Content) != "Par" || m.ErrorMessage != "some words" {
			t.Errorf("%s: %+v", name, m.Failure)
		}
	}
}

func TestDamage(t *testing.T) {
	body := framed("messageStart {}\n" + `contentBlockDelta {"delta":{"text":"Par"}}` + "\n" + `contentBlockDelta {"delta":{"text":"tial"}}`)
	for i := range body {
		for _, bad := range []string{body[:i], body[:i] + string(body[i]^0x40) + body[i+1:]} {
			m := answertest.Check(t, play(strings.NewReader(bad)))
			if m.Failure == nil || m.Failure.Class != ai.FailRetry || !strings.HasPrefix("Partial", ai.ContentText(m.Content)) {
				t.Fatalf("damage at %d: %q %+v", i, ai.ContentText(m.Content), m.Failure)
			}
		}
	}
}

func TestPlace(t *testing.T) {
	t.Setenv("AWS_CONFIG_FILE", "/nowhere")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	const us, eu = "https://bedrock-runtime.us-east-1.amazonaws.com", "https://bedrock-runtime.eu-central-1.amazonaws.com"
	for _, tt := range []struct{ id, base, region, wantRegion, wantBase string }{
		{"x.y", us, "", "us-east-1", us},
		{"x.y", us, "ap-south-1", "ap-south-1", "https://bedrock-runtime.ap-south-1.amazonaws.com"},
		{"eu.x", eu, "us-west-2", "eu-central-1", eu},
		{"eu.x", eu, "eu-west-1", "eu-west-1", "https://bedrock-runtime.eu-west-1.amazonaws.com"},
		{"us.x", us, "ca-central-1", "ca-central-1", "https://bedrock-runtime.ca-central-1.amazonaws.com"},
		{"global.x", us, "eu-west-3", "eu-west-3", "https://bedrock-runtime.eu-west-3.amazonaws.com"},
		{"arn:aws:bedrock:us-west-2:1:inference-profile/x", us, "eu-west-1", "us-west-2", "https://bedrock-runtime.us-west-2.amazonaws.com"},
		{"x.y", "https://vpce-1.test/b/", "eu-west-1", "eu-west-1", "https://vpce-1.test/b"},
		{"x.y", "", "cn-north-1", "cn-north-1", "https://bedrock-runtime.cn-north-1.amazonaws.com.cn"},
	} {
		region, base := place(&ai.Model{ID: tt.id, BaseURL: tt.base}, newEnvironment(&ai.Options{Env: map[string]string{"AWS_REGION": tt.region}}))
		if region != tt.wantRegion || base != tt.wantBase {
			t.Errorf("%s %s: %s %s", tt.id, tt.region, region, base)
		}
	}
}

// bedrock is a server that answers with a record.
func server(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) *ai.Model {
	srv := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(srv.Close)
	m := model()
	m.BaseURL = srv.URL
	return m
}

func TestStream(t *testing.T) {
	var path, body string
	var header http.Header
	m := server(t, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		path, body, header = r.URL.EscapedPath(), string(data), r.Header
		io.WriteString(w, framed(answertest.Record("bedrock-thinking-tool.txt")))
	})
	m.Headers = map[string]string{"X-Extra": "1"}
	req := ai.Request{System: "be <kind>", Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("hi")}}}
	final := answertest.Check(t, Stream(t.Context(), m, req, ai.Options{APIKey: "key-123456", Thinking: "low"}))
	if final.StopReason != ai.StopToolUse || len(final.ToolCalls()) != 1 || final.ThinkingLevel != "low" {
		t.Errorf("final %+v", final)
	}
	if path != "/model/us.anthropic.claude-x-v1%3A0/converse-stream" || header.Get("Authorization") != "Bearer key-123456" || header.Get("X-Extra") != "1" {
		t.Errorf("%s %v", path, header)
	}
	want := answertest.Compact(`{"system":[{"text":"be <kind>"},{"cachePoint":{"type":"default"}}],
		"messages":[{"role":"user","content":[{"text":"hi"},{"cachePoint":{"type":"default"}}]}],"inferenceConfig":{"maxTokens":64000},
		"additionalModelRequestFields":{"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}}}`)
	if body != want {
		t.Errorf("body %s", body)
	}
}

func TestAbort(t *testing.T) {
	m := server(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, framed(`contentBlockDelta {"delta":{"text":"Par"}}`))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	final := answertest.Check(t, func(yield func(ai.Event) bool) {
		for ev := range Stream(ctx, m, ai.Request{}, ai.Options{APIKey: "k"}) {
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

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		class  ai.FailClass
		says   string
	}{
		{400, `{"message":"Invocation of model ID x with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model."}`, ai.FailFatal, "prefix such as us."},
		{400, `{"message":"Input is too long for requested model."}`, ai.FailOverflow, "too long"},
		{403, `{"message":"The security token included in the request is expired"}`, ai.FailAuth, "aws sso login"},
		{429, `{"message":"Too many requests, please wait before trying again."}`, ai.FailRetry, "Too many"},
	} {
		m := server(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.body)
		})
		final := answertest.Check(t, Stream(t.Context(), m, ai.Request{}, ai.Options{APIKey: "k"}))
		if f := final.Failure; f == nil || f.Class != tt.class || !strings.Contains(f.Message, tt.says) {
			t.Errorf("%d: %+v", tt.status, f)
		}
	}
}

func longAnswer(n int) string {
	var s strings.Builder
	s.WriteString("messageStart {\"p\":\"abc\",\"role\":\"assistant\"}\n")
	const padding = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	for i := range n {
		fmt.Fprintf(&s, `contentBlockDelta {"contentBlockIndex":0,"delta":{"text":" word\n"},"p":"%s"}`+"\n", padding[:1+i%60])
	}
	s.WriteString("contentBlockStop {\"contentBlockIndex\":0}\nmessageStop {\"stopReason\":\"end_turn\"}\n")
	return framed(s.String())
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
	for _, name := range answertest.Names("bedrock-") {
		f.Add(answertest.Record(name), false)
		f.Add(framed(answertest.Record(name)), true)
	}
	f.Fuzz(func(t *testing.T, body string, raw bool) {
		if !raw {
			body = framed(body)
		}
		answertest.Check(t, play(strings.NewReader(body)))
	})
}

// The two decoders on the same body: ours must be worth having.
func BenchmarkFrames(b *testing.B) {
	body := longAnswer(5_000)
	b.Run("own", func(b *testing.B) {
		for b.Loop() {
			f := newFrames(strings.NewReader(body))
			for {
				if _, err := f.next(); err != nil {
					break
				}
			}
		}
	})
	b.Run("aws", func(b *testing.B) {
		for b.Loop() {
			dec, r := eventstream.NewDecoder(), strings.NewReader(body)
			buf := make([]byte, 1024)
			for {
				if _, err := dec.Decode(r, buf[:0]); err != nil {
					break
				}
			}
		}
	})
}
