package ai

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

func TestClassify(t *testing.T) {
	data, err := os.ReadFile("testdata/failures.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Status  *int
		Message string
		Class   string
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 20 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		status := 0
		if c.Status != nil {
			status = *c.Status
		}
		got := Classify(status, c.Message)
		coarse := got
		if got == FailAuth || got == FailQuota {
			coarse = FailFatal
		}
		if string(coarse) != c.Class {
			t.Errorf("Classify(%d, %q) = %s, want %s", status, c.Message, got, c.Class)
		}
	}
}

func TestClassifyMore(t *testing.T) {
	for _, c := range []struct {
		status int
		text   string
		want   FailClass
	}{
		{401, "invalid x-api-key", FailAuth},
		{402, "", FailQuota},
		{429, "insufficient_quota", FailQuota},
		{429, `{"code":1308}`, FailQuota},
		{400, "schema: timeout must be a number", FailFatal},
		{0, "status 503 from upstream", FailRetry},
		{0, "id a503b", FailFatal},
		{0, "context_length_exceeded", FailOverflow},
		{500, "the request exceeds the available context size", FailOverflow},
		{0, "x509: certificate signed by unknown authority", FailFatal},
		{0, "authentication_error", FailAuth},
		{0, "Rate limit reached", FailRetry},
		{0, "something else", FailFatal},
	} {
		if got := Classify(c.status, c.text); got != c.want {
			t.Errorf("Classify(%d, %q) = %s, want %s", c.status, c.text, got, c.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		key, value string
		want       time.Duration
	}{
		{"retry-after", "2", 2 * time.Second},
		{"retry-after", "1.5", 1500 * time.Millisecond},
		{"retry-after-ms", "300", 300 * time.Millisecond},
		{"retry-after", now.Add(7 * time.Second).Format(http.TimeFormat), 7 * time.Second},
		{"retry-after", now.Add(-time.Hour).Format(http.TimeFormat), 0},
		{"retry-after", "soon", 0},
		{"retry-after", "NaN", 0},
		{"retry-after", "-3", 0},
		{"retry-after", "99999", 99999 * time.Second},
		{"other", "1", 0},
	} {
		h := http.Header{}
		h.Set(c.key, c.value)
		if got := RetryAfter(h, now); got != c.want {
			t.Errorf("%s: %s gives %v, want %v", c.key, c.value, got, c.want)
		}
	}
}

func TestHTTPFailureMessages(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   string
		class  FailClass
	}{
		{401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, "api.test answered 401 Unauthorized: invalid x-api-key. Check the provider's API key, or sign in again.", FailAuth},
		{429, `{"error":{"message":"You exceeded your quota.","type":"insufficient_quota","code":"insufficient_quota"}}`, "api.test answered 429 Too Many Requests: You exceeded your quota. Check plan and billing at the provider, or choose another model.", FailQuota},
		{404, "", "api.test answered 404 Not Found. Check the provider's base URL and the model's name.", FailFatal},
		{404, "<!DOCTYPE html><html><head><title>Not\x1b[2J here</title>", `api.test answered 404 Not Found with a web page ("Not [2J here") instead of an API reply. Check the provider's base URL (https://api.test/v1/messages) and any proxy in between.`, FailFatal},
		{502, "<html><body>Bad Gateway</body></html>", "api.test answered 502 Bad Gateway with a web page instead of an API reply.", FailRetry},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "api.test answered 529: Overloaded.", FailRetry},
		{400, `{"error":"bad model"}`, "api.test answered 400 Bad Request: bad model.", FailFatal},
		{400, `[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT"}}]`, "api.test answered 400 Bad Request: API key not valid. Check the provider's API key, or sign in again.", FailAuth},
		{500, `{"error":{"message":"Sorry about that!"}}`, "api.test answered 500 Internal Server Error: Sorry about that!", FailRetry},
		{400, `{"error":"invalid_grant","error_description":"Token expired"}`, "api.test answered 400 Bad Request: Token expired.", FailFatal},
		{400, `{"detail":[{"msg":"x"}]}`, `api.test answered 400 Bad Request: [{"msg":"x"}].`, FailFatal},
		{502, `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"{\"error\":{\"message\":\"deep\"}}"}}}`, "api.test answered 502 Bad Gateway: Provider returned error (deep).", FailRetry},
		{500, "plain\nwords", "api.test answered 500 Internal Server Error: plain words.", FailRetry},
	} {
		f := HTTPFailure("https://api.test/v1/messages?key=secret", c.status, http.Header{}, []byte(c.body))
		if f.Message != c.want || f.Class != c.class || f.Status != c.status {
			t.Errorf("%d %s:\n got %s %q\nwant %s %q", c.status, c.body, f.Class, f.Message, c.class, c.want)
		}
	}
	long := HTTPFailure("https://api.test", 400, http.Header{}, []byte(strings.Repeat("é", 5000)))
	if len(long.Message) > maxWords+100 {
		t.Errorf("message of %d bytes", len(long.Message))
	}
}

func TestTransportFailures(t *testing.T) {
	ctx := t.Context()
	tlsServer := httptest.NewTLSServer(http.NotFoundHandler())
	tlsServer.Config.ErrorLog = nil
	defer tlsServer.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	get := func(address string, client *http.Client) error {
		resp, err := client.Get(address)
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	proxied := &http.Client{Transport: &http.Transport{Proxy: func(*http.Request) (*url.URL, error) { return url.Parse(closed.URL) }}}
	for _, c := range []struct {
		name  string
		err   error
		want  string
		class FailClass
	}{
		{"refused", get(closed.URL, &http.Client{Transport: &http.Transport{}}), "nothing listens at", FailRetry},
		{"certificate", get(tlsServer.URL, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{}}}), "TLS certificate", FailFatal},
		{"no tls", get(strings.Replace(plain.URL, "http:", "https:", 1), &http.Client{Transport: &http.Transport{}}), "does not speak TLS", FailFatal},
		{"proxy", get("https://api.test/", proxied), "through the proxy", FailRetry},
		{"dns", &url.Error{Op: "Post", URL: "https://x.test?key=secret", Err: &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "x.test"}}}, "could not find the host x.test", FailRetry},
		{"cut", fmt.Errorf("read: %w", io.ErrUnexpectedEOF), "was lost", FailRetry},
		{"timeout", context.DeadlineExceeded, "timed out", FailRetry},
		{"other", &url.Error{Op: "Post", URL: "https://x.test?key=secret", Err: errors.New("http2: stream closed")}, "failed: http2: stream closed.", FailRetry},
	} {
		f := TransportFailure(ctx, "https://api.test/v1?key=secret", c.err)
		if f.Class != c.class || !strings.Contains(f.Message, c.want) || strings.Contains(f.Message, "secret") {
			t.Errorf("%s: %s %q, want %s %q (from %v)", c.name, f.Class, f.Message, c.class, c.want, c.err)
		}
	}
	gone, cancel := context.WithCancelCause(ctx)
	cancel(errors.New("the user pressed escape"))
	if f := TransportFailure(gone, "", io.EOF); f.Class != FailAborted {
		t.Errorf("cancelled: %v", f)
	}
}
