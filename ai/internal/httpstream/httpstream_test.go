package httpstream

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tau/ai"
)

func TestPost(t *testing.T) {
	var seen *http.Request
	var sent string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen, sent = r, string(body)
		w.Header().Set("X-Request-Id", "7")
		io.WriteString(w, "data: x\n\n")
	}))
	defer srv.Close()
	status := 0
	b, f := Post(t.Context(), Request{URL: srv.URL, Header: http.Header{"X-Api-Key": {"k"}}, Body: []byte("{}"), Options: &ai.Options{
		Client:     srv.Client(),
		OnPayload:  func(body []byte) []byte { return append(body, '\n') },
		OnResponse: func(s int, h http.Header) { status = s + len(h.Get("X-Request-Id")) },
	}})
	if f != nil {
		t.Fatal(f)
	}
	defer b.Close()
	if text, err := io.ReadAll(b); string(text) != "data: x\n\n" || err != nil {
		t.Errorf("body %q, %v", text, err)
	}
	if sent != "{}\n" || status != 201 {
		t.Errorf("payload %q, status %d", sent, status)
	}
	for name, want := range map[string]string{"Accept": "text/event-stream", "Accept-Encoding": "identity", "X-Api-Key": "k", "Content-Type": "application/json", "Idempotency-Key": ""} {
		if got := seen.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !strings.HasPrefix(seen.UserAgent(), "tau/") {
		t.Errorf("user agent %q", seen.UserAgent())
	}
}

func TestRefusals(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.Error("the redirect was followed") }))
	defer other.Close()
	for _, tt := range []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request)
		class  ai.FailClass
		want   string
	}{
		{"status", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(529)
			io.WriteString(w, `{"error":{"type":"overloaded_error","message":"Overloaded"}}`)
		}, ai.FailRetry, "answered 529: Overloaded."},
		{"key in the words", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			fmt.Fprintf(w, "wrong key %s here", r.Header.Get("X-Api-Key"))
		}, ai.FailAuth, "wrong key … here"},
		{"redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) }, ai.FailFatal, "Check the provider's base URL"},
		{"web page", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html><title>Home</title></html>") }, ai.FailFatal, `web page ("Home")`},
		{"error with 200", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, `{"error":"server busy, high demand"}`)
		}, ai.FailRetry, "high demand"},
		{"huge error", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			for range 1000 {
				io.WriteString(w, strings.Repeat("x", 1000))
			}
		}, ai.FailRetry, "xxx"},
	} {
		srv := httptest.NewServer(http.HandlerFunc(tt.answer))
		_, f := Post(t.Context(), Request{URL: srv.URL, Secret: "secret-key", Header: http.Header{"X-Api-Key": {"secret-key"}}, Options: &ai.Options{Client: srv.Client()}})
		srv.Close()
		if f == nil || f.Class != tt.class || !strings.Contains(f.Message, tt.want) || strings.Contains(f.Message, "secret-key") || len(f.Message) > 2000 {
			t.Errorf("%s: %+v", tt.name, f)
		} else if tt.name == "status" && f.RetryAfter != 3*time.Second {
			t.Errorf("retry after %v", f.RetryAfter)
		}
	}
	if _, f := Post(t.Context(), Request{URL: "http://bad host/"}); f == nil || f.Class != ai.FailFatal {
		t.Errorf("bad address: %v", f)
	}
}

// pipeClient talks to serve over a pipe, inside the bubble of synctest.
func pipeClient(serve func(w io.Writer)) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			buf := make([]byte, 4096)
			far.Read(buf)
			serve(far)
			io.Copy(io.Discard, far)
		}()
		return near, nil
	}}}
}

func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := pipeClient(func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			for range 5 {
				time.Sleep(200 * time.Second) // in the bubble, no time passes
				io.WriteString(w, "2\r\n:\n\r\n")
			}
		})
		start := time.Now()
		b, f := Post(t.Context(), Request{URL: "http://x.test/", Options: &ai.Options{Client: c}})
		if f != nil {
			t.Fatal(f)
		}
		text, err := io.ReadAll(b)
		f = b.Failure(err)
		b.Close()
		if len(text) != 10 || f.Class != ai.FailRetry || !strings.Contains(f.Message, "nothing for 5m0s") || time.Since(start) != 1300*time.Second {
			t.Errorf("%d bytes, %v, after %v", len(text), f, time.Since(start))
		}
		c.CloseIdleConnections()
	})
	synctest.Test(t, func(t *testing.T) {
		c := pipeClient(func(w io.Writer) {})
		if _, f := Post(t.Context(), Request{URL: "http://x.test/", Options: &ai.Options{Client: c, IdleTimeout: time.Second}}); f == nil || !strings.Contains(f.Message, "nothing for 1s") {
			t.Errorf("no first byte: %v", f)
		}
	})
}

// The answer may take longer to begin than to go on.
func TestFirstByte(t *testing.T) {
	for _, tt := range []struct {
		first, idle time.Duration
		wait        time.Duration // of the server, before the first byte
		want        string        // of the failure, "" for none
		after       time.Duration
	}{
		{600 * time.Second, time.Second, 500 * time.Second, "nothing for 1s", 501 * time.Second},
		{-1, time.Second, 9000 * time.Second, "nothing for 1s", 9001 * time.Second},
		{2 * time.Second, 100 * time.Second, 50 * time.Second, "nothing for 2s", 2 * time.Second},
		{2 * time.Second, -1, time.Second, "", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			end := make(chan struct{})
			c := pipeClient(func(w io.Writer) {
				time.Sleep(tt.wait) // in the bubble, no time passes
				io.WriteString(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n:\n\r\n")
				if tt.want == "" {
					time.Sleep(time.Hour)
					io.WriteString(w, "0\r\n\r\n")
				}
				close(end)
			})
			start := time.Now()
			b, f := Post(t.Context(), Request{URL: "http://x.test/", Options: &ai.Options{Client: c, FirstByteTimeout: tt.first, IdleTimeout: tt.idle}})
			if f == nil {
				_, err := io.ReadAll(b)
				if err != nil {
					f = b.Failure(err)
				}
				b.Close()
			}
			if (f == nil) != (tt.want == "") || f != nil && (!strings.Contains(f.Message, tt.want) || time.Since(start) != tt.after) {
				t.Errorf("%v %v: %v after %v", tt.first, tt.idle, f, time.Since(start))
			}
			<-end
			c.CloseIdleConnections()
		})
	}
}

func TestAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := pipeClient(func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n:\n\r\n")
		})
		b, f := Post(ctx, Request{URL: "http://x.test/", Options: &ai.Options{Client: c}})
		if f != nil {
			t.Fatal(f)
		}
		time.AfterFunc(time.Second, cancel)
		_, err := io.ReadAll(b)
		if f := b.Failure(err); f.Class != ai.FailAborted {
			t.Errorf("%v", f)
		}
		b.Close()
	})
}
