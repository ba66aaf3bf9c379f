package ai

import (
	"regexp"
	"strings"
	"sync"
)

// Classify tells from the HTTP status of a failed request (0 if there was no
// response, or the error came inside a stream) and the provider's words what
// can be done about it. Providers agree on neither status nor wording; the
// lists are what they are known to send.
func Classify(status int, text string) FailClass {
	text = strings.ToLower(text)
	limited := status == 429 || containsAny(text, rateWords)
	switch {
	case status == 413:
		return FailOverflow
	case !limited && overflows(text):
		return FailOverflow
	case status == 402 || containsAny(text, quotaWords) || quotaCode().MatchString(text):
		return FailQuota
	case status == 401 || status == 403 || status == 400 && containsAny(text, keyWords):
		return FailAuth
	case limited || status >= 500 || status == 408 || status == 409 || status == 425:
		return FailRetry
	case containsAny(text, loadWords):
		return FailRetry
	case status != 0:
		return FailFatal // words such as "timeout" may be part of what the request is blamed for
	case containsAny(text, fatalTransportWords):
		return FailFatal
	case containsAny(text, networkWords) || retryStatus().MatchString(text):
		return FailRetry
	case containsAny(text, authWords):
		return FailAuth
	}
	return FailFatal
}

// All words are lower case.
var (
	quotaWords = []string{
		"insufficient_quota", "quota exceeded", "exceeded your current quota", "out of budget", "billing",
		"available balance", "insufficient balance", "insufficient credit", "credit balance is too low",
		"monthly usage limit reached", "gousagelimiterror", "freeusagelimiterror",
		"subscription_sharing_usage_limit_exceeded", "subscription_sharing_workplace_individual_usage_limit_exceeded",
	}
	rateWords = []string{
		"rate limit", "rate_limit", "ratelimit", "too many requests", "throttl", "per minute", "please wait",
		"tokens per", "requests per",
	}
	overflowWords = []string{
		"prompt is too long", "prompt too long", "input is too long", "exceeds the context window", "exceeds context window",
		"context window exceeds", "maximum context length", "exceeds the maximum allowed input", "request_too_large",
		"maximum prompt length", "reduce the length of the messages", "longer than the model's context length",
		"available context size", "greater than the context length", "exceeded model token limit",
		"range of input length should be", "context_length_exceeded", "model_context_window_exceeded",
		"too many tokens", "token limit exceeded", "context length exceeded", "exceeds the model's context",
		"exceeded max context", "input token count exceeds", "413 request entity too large", "413 payload too large",
		"413 {", "context size has been exceeded",
	}
	loadWords = []string{
		"overloaded", "server_busy", "servers busy", "server is busy", "high demand", "at capacity", "resourceexhausted",
		"resource_exhausted", "service unavailable", "service is unavailable", "temporarily unavailable", "server error",
		"server_error", "internal error", "provider returned error", "provider returned an error",
		"exceeded request buffer limit", "unable to forward upstream", "upstream request failed",
		"upstream_stream_read_error", "upstream connect", "stream was interrupted", "retry delay",
		"you can retry your request", "try your request again", "please retry your request",
		"subscription_sharing_usage_unavailable", "subscription_sharing_user_unavailable",
	}
	networkWords = []string{
		"network error", "connection error", "network is unreachable", "no route to host", "connection refused",
		"connection lost", "connection closed", "connection was closed", "connection reset", "connection was lost",
		"other side closed", "fetch failed", "getaddrinfo", "enotfound", "eai_again", "econnreset", "econnaborted",
		"econnrefused", "etimedout", "epipe", "broken pipe", "no such host", "reset before headers", "socket hang up",
		"timed out", "timeout", "deadline exceeded", "terminated", "unexpected eof", "cut short", "ended within",
		"ended without", "ended before", "http2: ", "stream error", "no response", "pending stream", "goaway",
		"stream disconnected before completion", "websocket closed", "websocket error", "websocket connection limit",
		"server closed idle connection", "bad gateway", "gateway timeout",
	}
	fatalTransportWords = []string{"x509:", "certificate", "server gave http response to https client", "unsupported protocol scheme"}
	// Google answers 400 to a wrong key.
	keyWords  = []string{"api key not valid", "api_key_invalid", "api key expired", "invalid api key", "incorrect api key"}
	authWords = []string{
		"authentication_error", "permission_error", "invalid api key", "incorrect api key", "invalid x-api-key",
		"invalid_api_key", "unauthorized", "forbidden",
	}
)

func overflows(text string) bool {
	return containsAny(text, overflowWords) || overflowCount().MatchString(text)
}

// Numbers stand between the words of these.
var overflowCount = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`exceeds the limit of \d+|input token count.{0,40} exceeds the maximum|input length.{0,40} exceeds`)
})

var quotaCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"code"\s*:\s*"?1308\b`) })

// A status counts as a token of its own, not as digits inside an id.
var retryStatus = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[\s:("])(429|500|502|503|504|520|524|529)($|[\s:),."])`)
})

func containsAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
