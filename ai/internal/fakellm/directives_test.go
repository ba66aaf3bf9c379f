package fakellm_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"tau/ai"
	"tau/ai/internal/answertest"
	"tau/ai/internal/fakellm"
)

func readJSON(t *testing.T, r io.Reader) any {
	t.Helper()
	var v any
	if err := json.NewDecoder(r).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Every directive does over every protocol what it says, and the failures are
// read as what they are.
func TestDirectives(t *testing.T) {
	for _, s := range speakers(serve(t, nil)) {
		ask := func(text string) *ai.AssistantMessage {
			return answertest.Check(t, s.stream(t.Context(), s.model, ai.Request{Messages: []ai.Message{say(text)}, Tools: tools}, s.opts))
		}
		for _, tt := range []struct {
			text  string
			stop  ai.StopReason
			class ai.FailClass
			check func(m *ai.AssistantMessage) bool
		}{
			{"hello", ai.StopEnd, "", func(m *ai.AssistantMessage) bool { return ai.ContentText(m.Content) == "This is a fixed answer." }},
			{"BENCH:echo some 世界 words", ai.StopEnd, "", func(m *ai.AssistantMessage) bool { return ai.ContentText(m.Content) == "some 世界 words" }},
			{"BENCH:lines n=3 from=9", ai.StopEnd, "", func(m *ai.AssistantMessage) bool { return strings.HasPrefix(ai.ContentText(m.Content), "9. line") }},
			{"BENCH:stream tokens=300 stop=length", ai.StopLength, "", func(m *ai.AssistantMessage) bool { return m.Usage.Output == 300 }},
			{"BENCH:thinking think=7 tokens=9", ai.StopEnd, "", func(m *ai.AssistantMessage) bool { return len(m.Content) == 2 }},
			{"BENCH:error 529", ai.StopError, ai.FailRetry, nil},
			{"BENCH:error 429 retry_after=3", ai.StopError, ai.FailRetry, func(m *ai.AssistantMessage) bool { return m.Failure.RetryAfter == 3*time.Second }},
			{"BENCH:error 401", ai.StopError, ai.FailAuth, nil},
			{"BENCH:error 503 at=4", ai.StopError, ai.FailRetry, func(m *ai.AssistantMessage) bool { return ai.ContentText(m.Content) != "" }},
			{"BENCH:overflow", ai.StopError, ai.FailOverflow, nil},
			{"BENCH:stream tokens=50 drop=10", ai.StopError, ai.FailRetry, func(m *ai.AssistantMessage) bool { return ai.ContentText(m.Content) != "" }},
			{"BENCH:echo x in=150000", ai.StopEnd, "", func(m *ai.AssistantMessage) bool {
				return m.Usage.Input+m.Usage.CacheRead+m.Usage.CacheWrite == 150_000
			}},
		} {
			m := ask(tt.text)
			if m.StopReason != tt.stop || tt.class != "" && m.Failure.Class != tt.class || tt.check != nil && !tt.check(m) {
				t.Errorf("%s, %s: %s %q %+v %+v", s.model.Ref(), tt.text, m.StopReason, ai.ContentText(m.Content), m.Failure, m.Usage)
			}
		}
		// It fails a number of times, then works once, and so on.
		var got []string
		for range 4 {
			got = append(got, string(ask("BENCH:error 500 times=2 for="+s.model.ID+s.model.API).StopReason))
		}
		if strings.Join(got, " ") != "error error stop error" {
			t.Errorf("%s: %s", s.model.Ref(), got)
		}
	}
}

func TestHang(t *testing.T) {
	for _, s := range speakers(serve(t, nil)) {
		for _, text := range []string{"BENCH:hang after=3", "BENCH:hang at=headers"} {
			t.Run(s.model.Ref()+" "+text, func(t *testing.T) {
				t.Parallel()
				opts := s.opts
				opts.IdleTimeout = 250 * time.Millisecond
				m := answertest.Check(t, s.stream(t.Context(), s.model, ai.Request{Messages: []ai.Message{say(text)}}, opts))
				if m.Failure == nil || m.Failure.Class != ai.FailRetry || !strings.Contains(m.ErrorMessage, "sent nothing") || strings.Contains(text, "after") != (ai.ContentText(m.Content) != "") {
					t.Errorf("%+v", m.Failure)
				}
			})
		}
	}
}

// The prefix of a conversation that only grows is found again; a changed
// system prompt loses it.
func TestCachedPrefix(t *testing.T) {
	var last fakellm.Entry
	s := speakers(serve(t, func(e fakellm.Entry) { last = e }))[0]
	history := []ai.Message{say("BENCH:echo " + strings.Repeat("long ", 200))}
	ask := func(system string) *ai.AssistantMessage {
		return answertest.Check(t, s.stream(t.Context(), s.model, ai.Request{System: system, Messages: history, Tools: tools}, s.opts))
	}
	m := ask("be brief")
	if m.Usage.CacheRead != 0 || m.Usage.CacheWrite == 0 {
		t.Errorf("first: %+v", m.Usage)
	}
	history = append(history, m, say("more"))
	if m = ask("be brief"); m.Usage.CacheRead < 250 || last.Cached != int(m.Usage.CacheRead) {
		t.Errorf("grown: %+v %+v", m.Usage, last)
	}
	if m = ask("be long"); m.Usage.CacheRead > 250 {
		t.Errorf("changed: %+v", m.Usage)
	}
}
