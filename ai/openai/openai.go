// Package openai speaks the OpenAI Chat Completions protocol,
// "openai-completions".
//
// [Completions] is the [ai.StreamFunc]. Dozens of providers and local servers speak
// dialects of this protocol; the model's compat flags, and where they are
// silent its base URL, say which (see compat.go). Answers are read leniently:
// fragments of tool calls with and without index, reasoning in any of its
// fields, usage in any chunk. Requests are byte-stable, so that prompt caches
// find the beginning of a conversation again.
package openai

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
	"tau/ai/internal/toolcalls"
)

// CompletionsAPI is the name of the protocol in model descriptions.
const CompletionsAPI = "openai-completions"

// Completions asks the model. See [ai.StreamFunc] for the contract.
func Completions(ctx context.Context, model *ai.Model, req ai.Request, opts ai.Options) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		b := answer.New(model, &opts, yield)
		flags := readCompat(model)
		body, err := encode(model, &req, &opts, flags)
		httpstream.Ask(ctx, b, httpstream.Request{
			URL: endpoint(model.BaseURL), Header: headers(model, &opts, flags), Body: body, Secret: opts.APIKey, Options: &opts,
		}, err, func(resp *httpstream.Body) { parse(resp, b, flags, plainTools(&req, flags), resp.Failure) })
	}
}

// endpoint joins the path to a base URL. The version is part of the base URL
// by this API's custom; it is added only to a bare host.
func endpoint(base string) string {
	if base == "" {
		base = "https://api.openai.com/v1"
	}
	base, query, hasQuery := strings.Cut(base, "?")
	base = strings.TrimRight(base, "/")
	if !strings.HasSuffix(base, "/chat/completions") {
		_, host, _ := strings.Cut(base, "://")
		if !strings.Contains(host, "/") && !strings.HasSuffix(host, "deepseek.com") && !strings.HasSuffix(host, "githubcopilot.com") {
			base += "/v1"
		}
		base += "/chat/completions"
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
	if model.Provider == "azure" && opts.APIKey != "" {
		h.Set("Api-Key", opts.APIKey)
	}
	if id := opts.SessionID; id != "" && opts.Cache != ai.CacheNone && flags.SendSessionAffinityHeaders {
		switch flags.SessionAffinityFormat {
		case "openrouter":
			h.Set("X-Session-Id", id)
		case "openai-nosession":
			h.Set("X-Client-Request-Id", id)
			h.Set("X-Session-Affinity", id)
		default:
			h.Set("Session_id", id)
			h.Set("X-Client-Request-Id", id)
			h.Set("X-Session-Affinity", id)
		}
	}
	for _, more := range []map[string]string{model.Headers, opts.Headers} {
		for name, value := range more {
			if value == "" {
				h.Del(name)
			} else {
				h.Set(name, value)
			}
		}
	}
	return h
}

// parse reads the chunks of an answer into b. failure types the error of a
// read.
func parse(body io.Reader, b *answer.Builder, flags compat, plain toolargs.Plain, failure func(error) *ai.Failure) {
	s := &state{b: b, calls: toolcalls.List{Plain: plain}}
	httpstream.Events(body, b, failure, func(ev sse.Event) bool { return s.chunk(ev.Data) }, func(f *ai.Failure) {
		switch {
		case s.finish != "", f == nil && !on(flags.FinishReason, true) && !b.Empty():
			s.end() // what was lost after the end is at most the usage
		case f == nil:
			s.fail(httpstream.Truncated("no finish_reason"))
		default:
			s.fail(f)
		}
	})
}
