package gateway

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"tau/ai"
)

type noNetwork struct{}

func (noNetwork) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no network here")
}

// A tool that asks for strict arguments is declared so where the model can.
func TestStrictTools(t *testing.T) {
	for _, p := range protocols() {
		for _, can := range []bool{true, false} {
			m := p.model("https://x.test")
			m.Compat = json.RawMessage(`{"supportsStrictMode":true,"supportsStrictTools":true}`)
			if !can {
				m.Compat = json.RawMessage(`{"supportsStrictMode":false}`)
			}
			body := ""
			req := ai.Request{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("hi")}}, Tools: []ai.ToolDef{{Name: "ls", Strict: true}, {Name: "cat"}}}
			opts := ai.Options{APIKey: "key", Client: &http.Client{Transport: noNetwork{}}, OnPayload: func(b []byte) []byte { body = string(b); return nil }}
			for range p.stream(t.Context(), m, req, opts) {
			}
			want := 0
			if can && !strings.HasPrefix(p.api, "google") { // which has none
				want = 1
			}
			if got := strings.Count(body, `"strict":true`); got != want {
				t.Errorf("%s, can=%v: %s", p.api, can, body)
			}
		}
	}
}
