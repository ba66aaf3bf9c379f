// Package anthropic speaks the Anthropic Messages protocol, "anthropic-messages".
//
// [Stream] is the [ai.StreamFunc]. It works against api.anthropic.com and the
// many servers that imitate it; the model's compat flags say how they differ
// (see compat.go). Requests are byte-stable: a conversation that has grown is
// sent with the same bytes for its beginning, and the prompt cache markers are
// on the system prompt, the last tool and the last content of the user's side.
package anthropic

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
const API = "anthropic-messages"

// Stream asks the model. See [ai.StreamFunc] for the contract.
func Stream(ctx context.Context, model *ai.Model, req ai.Request, opts ai.Options) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		b := answer.New(model, &opts, yield)
		flags := readCompat(model)
		body, toolChanges, err := encode(model, &req, &opts, flags)
		httpstream.Ask(ctx, b, httpstream.Request{
			URL: endpoint(model.BaseURL), Header: headers(model, &req, &opts, flags, toolChanges), Body: body, Secret: opts.APIKey, Options: &opts,
		}, err, func(resp *httpstream.Body) { parse(resp, b, flags, resp.Failure) })
	}
}

// endpoint joins the path to a base URL, with which or without /v1.
func endpoint(base string) string {
	if base == "" {
		base = "https://api.anthropic.com"
	}
	base = strings.TrimRight(base, "/")
	switch {
	case strings.HasSuffix(base, "/messages"):
		return base
	case strings.HasSuffix(base, "/v1"):
		return base + "/messages"
	}
	return base + "/v1/messages"
}

func headers(model *ai.Model, req *ai.Request, opts *ai.Options, flags compat, toolChanges bool) http.Header {
	h := http.Header{}
	h.Set("Anthropic-Version", "2023-06-01")
	var betas []string
	bearer := strings.HasPrefix(opts.APIKey, "sk-ant-oat")
	switch {
	case opts.APIKey == "":
	case bearer:
		h.Set("Authorization", "Bearer "+opts.APIKey)
		betas = append(betas, "oauth-2025-04-20")
	case model.Provider == "github-copilot", model.Provider == "openrouter":
		h.Set("Authorization", "Bearer "+opts.APIKey)
	default:
		h.Set("X-Api-Key", opts.APIKey)
	}
	if flags.MidConvoEffort && model.Reasoning && opts.Thinking != "" && opts.Thinking != ai.ThinkingOff {
		betas = append(betas, "mid-conversation-output-config-2026-07-01", "thinking-binding-controls-2026-08-01")
	}
	if toolChanges {
		betas = append(betas, "mid-conversation-tool-changes-2026-07-01", "inline-tools-2026-09-15")
	}
	if len(flags.AllowedFallbackModels) > 0 {
		betas = append(betas, "server-side-fallback-2026-07-01")
	}
	if len(req.Tools) > 0 && !on(flags.EagerToolInputStreaming, true) {
		betas = append(betas, "fine-grained-tool-streaming-2025-05-14")
	}
	if model.Reasoning && !flags.ForceAdaptiveThinking {
		betas = append(betas, "interleaved-thinking-2025-05-14")
	}
	if len(betas) > 0 {
		h.Set("Anthropic-Beta", strings.Join(betas, ","))
	}
	if flags.SendSessionAffinityHeaders && opts.SessionID != "" && opts.Cache != ai.CacheNone {
		if flags.SessionAffinityFormat == "openrouter" {
			h.Set("X-Session-Id", opts.SessionID)
		} else {
			h.Set("X-Session-Affinity", opts.SessionID)
		}
	}
	for _, more := range []map[string]string{model.Headers, opts.Headers} {
		for name, value := range more {
			switch {
			case value == "":
				h.Del(name)
			case strings.EqualFold(name, "anthropic-beta") && h.Get(name) != "":
				h.Set(name, h.Get(name)+","+value)
			default:
				h.Set(name, value)
			}
			if strings.EqualFold(name, "authorization") && value != "" {
				h.Del("X-Api-Key")
			}
		}
	}
	return h
}

// parse reads the events of an answer into b. failure types the error of a
// read.
func parse(body io.Reader, b *answer.Builder, flags compat, failure func(error) *ai.Failure) {
	s := state{flags: flags}
	httpstream.Events(body, b, failure, func(ev sse.Event) bool { return s.event(b, ev) }, func(f *ai.Failure) {
		if f == nil {
			f = &ai.Failure{Class: ai.FailRetry, Message: "the provider's answer ended before message_stop."}
		}
		b.Fail(f)
	})
}
