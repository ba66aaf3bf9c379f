// Package responses speaks the OpenAI Responses protocol: "openai-responses",
// "azure-openai-responses" as Azure serves it, and "openai-codex-responses" as
// it is served to accounts of ChatGPT.
//
// [Stream], [Azure] and [Codex] are the [ai.StreamFunc]s; they differ in
// address, headers and little else. Nothing is stored at the provider: each
// request carries the whole conversation, with the encrypted reasoning that
// came with earlier answers of the same model, so that the model can go on
// with its own thoughts.
package responses

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
	"tau/ai/internal/toolargs"
)

// API is the name of the protocol in model descriptions.
const API = "openai-responses"

// Stream asks the model. See [ai.StreamFunc] for the contract.
func Stream(ctx context.Context, model *ai.Model, req ai.Request, opts ai.Options) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		flags := readCompat(model)
		ask(ctx, model, model.ID, &req, &opts, flags, endpoint(model.BaseURL), headers(model, &opts, flags), yield)
	}
}

// ask sends the request, in which the model is called name, and reads the
// answer.
func ask(ctx context.Context, model *ai.Model, name string, req *ai.Request, opts *ai.Options, flags compat, address string, header http.Header, yield func(ai.Event) bool) {
	b := answer.New(model, opts, yield)
	body, err := encode(model, name, req, opts, flags)
	httpstream.Ask(ctx, b, httpstream.Request{URL: address, Header: header, Body: body, Secret: opts.APIKey, Options: opts}, err, func(resp *httpstream.Body) {
		parse(resp, b, plainTools(req, flags), resp.Failure)
	})
}

// endpoint joins the path to a base URL, which by this API's custom includes
// the version; it is added only to a bare host.
func endpoint(base string) string {
	if base == "" {
		base = "https://api.openai.com/v1"
	}
	base, query, hasQuery := strings.Cut(base, "?")
	base = strings.TrimRight(base, "/")
	if !strings.HasSuffix(base, "/responses") {
		_, host, _ := strings.Cut(base, "://")
		if !strings.Contains(host, "/") && !strings.HasSuffix(host, "githubcopilot.com") {
			base += "/v1"
		}
		base += "/responses"
	}
	if hasQuery {
		base += "?" + query
	}
	return base
}

func headers(model *ai.Model, opts *ai.Options, flags compat) http.Header {
	h := http.Header{}
	if opts.APIKey != "" {
		h.Set("Authorization", "Bearer "+opts.APIKey)
	}
	affinity(h, opts, flags)
	httpstream.AddHeaders(h, model.Headers, opts.Headers)
	return h
}

// affinity names the session, so that its requests reach the machine that has
// their beginning in its cache.
func affinity(h http.Header, opts *ai.Options, flags compat) {
	id := opts.SessionID
	if id == "" || opts.Cache == ai.CacheNone {
		return
	}
	switch flags.SessionAffinityFormat {
	case "openrouter":
		h.Set("X-Session-Id", id)
	case "openai-nosession":
		h.Set("X-Client-Request-Id", id)
	default:
		h.Set("X-Client-Request-Id", id)
		h.Set("Session_id", id)
	}
}

// parse reads the events of an answer into b. failure types the error of a
// read.
func parse(body io.Reader, b *answer.Builder, plain toolargs.Plain, failure func(error) *ai.Failure) {
	s := &state{b: b, open: -1, args: map[int]*pending{}, plain: plain}
	httpstream.Events(body, b, failure, func(ev sse.Event) bool { return s.event(ev.Data) }, func(f *ai.Failure) {
		if f == nil {
			f = httpstream.Truncated("no response.completed")
		}
		b.Fail(f)
	})
}
