// Package google speaks the Gemini protocol, streamGenerateContent, in its two
// forms: "google-generative-ai" of the Gemini API and "google-vertex" of
// Google Cloud.
//
// [Stream] and [Vertex] are the [ai.StreamFunc]s. Both write the same request
// and read the same answer; they differ in address and in how they prove who
// asks. Vertex takes an API key or, without one, the application default
// credentials of the machine: a service account or user file, or the metadata
// server (see adc.go).
//
// Thought signatures go back where they came from. Newer models refuse calls
// without one, so a call of another model's answer is sent with the marker
// that Google documents for this case.
package google

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"tau/ai"
	"tau/ai/internal/answer"
	"tau/ai/internal/httpstream"
	"tau/ai/internal/sse"
)

// The names of the protocols in model descriptions.
const (
	API       = "google-generative-ai"
	VertexAPI = "google-vertex"
)

// Stream asks a model of the Gemini API. See [ai.StreamFunc] for the contract.
func Stream(ctx context.Context, model *ai.Model, req ai.Request, opts ai.Options) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		header := http.Header{}
		if opts.APIKey != "" {
			header.Set("X-Goog-Api-Key", opts.APIKey)
		}
		ask(ctx, model, &req, &opts, endpoint(model), header, opts.APIKey, yield)
	}
}

// ask sends the request to address and reads the answer.
func ask(ctx context.Context, model *ai.Model, req *ai.Request, opts *ai.Options, address string, header http.Header, secret string, yield func(ai.Event) bool) {
	b := answer.New(model, opts, yield)
	body, err := encode(model, req, opts)
	httpstream.AddHeaders(header, model.Headers, opts.Headers)
	httpstream.Ask(ctx, b, httpstream.Request{URL: address, Header: header, Body: body, Secret: secret, Options: opts}, err, func(resp *httpstream.Body) {
		parse(resp, b, resp.Failure)
	})
}

// endpoint is the address of the Gemini API for the model. The version is part
// of the base URL by custom; it is added only to a bare host.
func endpoint(model *ai.Model) string {
	base := strings.TrimRight(model.BaseURL, "/")
	if base == "" {
		base = "https://generativelanguage.googleapis.com"
	}
	if _, host, _ := strings.Cut(base, "://"); !strings.Contains(host, "/") {
		base += "/v1beta"
	}
	return base + "/" + resource(model.ID) + ":streamGenerateContent?alt=sse"
}

// resource is the path of a model, which is its id unless that is a path
// already.
func resource(id string) string {
	if strings.HasPrefix(id, "models/") || strings.HasPrefix(id, "tunedModels/") {
		kind, name, _ := strings.Cut(id, "/")
		return kind + "/" + url.PathEscape(name)
	}
	return "models/" + url.PathEscape(id)
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
			s.fail(httpstream.Truncated("no finishReason"))
		default:
			s.fail(f)
		}
	})
}
