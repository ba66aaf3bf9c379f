// Package mistral speaks Mistral's chat protocol, "mistral-conversations".
//
// [Stream] is the [ai.StreamFunc]. The protocol resembles OpenAI's Chat
// Completions but is stricter and has content of its own: unknown members of a
// request are refused, ids of calls are nine letters and digits, thoughts are
// parts of the content and go back as such.
package mistral

import (
	"context"
	"io"
	"iter"
	"net/http"
	"strings"

	"tau/ai"
	"tau/ai/internal/answer"
	"tau/ai/internal/httpstream"
	"tau/ai/internal/sse"
)

// API is the name of the protocol in model descriptions.
const API = "mistral-conversations"

// Stream asks the model. See [ai.StreamFunc] for the contract.
func Stream(ctx context.Context, model *ai.Model, req ai.Request, opts ai.Options) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		b := answer.New(model, &opts, yield)
		body, err := encode(model, &req, &opts)
		httpstream.Ask(ctx, b, httpstream.Request{
			URL: endpoint(model.BaseURL), Header: headers(model, &opts), Body: body, Secret: opts.APIKey, Options: &opts,
		}, err, func(resp *httpstream.Body) { parse(resp, b, resp.Failure) })
	}
}

// endpoint joins the path to a base URL, with which or without /v1.
func endpoint(base string) string {
	if base == "" {
		base = "https://api.mistral.ai"
	}
	base = strings.TrimRight(base, "/")
	switch {
	case strings.HasSuffix(base, "/chat/completions"):
		return base
	case strings.HasSuffix(base, "/v1"):
		return base + "/chat/completions"
	}
	return base + "/v1/chat/completions"
}

func headers(model *ai.Model, opts *ai.Options) http.Header {
	h := http.Header{}
	if opts.APIKey != "" {
		h.Set("Authorization", "Bearer "+opts.APIKey)
	}
	if opts.SessionID != "" && opts.Cache != ai.CacheNone {
		h.Set("X-Affinity", opts.SessionID) // to the machine that has the prompt in its cache
	}
	httpstream.AddHeaders(h, model.Headers, opts.Headers)
	return h
}

// parse reads the chunks of an answer into b. failure types the error of a
// read.
func parse(body io.Reader, b *answer.Builder, failure func(error) *ai.Failure) {
	s := &state{b: b}
	httpstream.Events(body, b, failure, func(ev sse.Event) bool { return s.chunk(ev.Data) }, func(f *ai.Failure) {
		switch {
		case s.finish != "":
			s.end() // what was lost after the reason is at most the usage
		case f == nil:
			s.fail(httpstream.Truncated("no finish_reason"))
		default:
			s.fail(f)
		}
	})
}
