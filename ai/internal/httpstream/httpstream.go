// Package httpstream sends a request to a provider and hands out the streamed
// body of the answer. It is the part that all wire protocols over HTTP share.
//
// [Post] returns a [Body] or the typed failure. A body that stays silent for
// too long ends with [ErrIdle]; silence is measured in bytes, so that a server
// which only sends keep-alive comments counts as alive. Cancelling the context
// ends everything at once. [Body.Close] must be called; it releases the
// connection and leaves no goroutine behind.
package httpstream

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"tau/ai"
)

// DefaultIdle is how long a server may send nothing, before the first byte or
// between two.
const DefaultIdle = 300 * time.Second

// maxErrorBody bounds what is kept of an error answer.
const maxErrorBody = 64 << 10

// ErrIdle is why a body ended that sent nothing for too long.
var ErrIdle = errors.New("timed out: the server sent nothing")

// Request is one POST.
type Request struct {
	URL     string
	Header  http.Header
	Body    []byte
	Secret  string // never shown in a failure
	Options *ai.Options
	// Sign, if not nil, completes the request when nothing of it will change any
	// more.
	Sign func(req *http.Request, body []byte) error
}

// AddHeaders lays headers on h, the later ones on the earlier. An empty value
// removes the header.
func AddHeaders(h http.Header, more ...map[string]string) {
	for _, headers := range more {
		for name, value := range headers {
			if value == "" {
				h.Del(name)
			} else {
				h.Set(name, value)
			}
		}
	}
}

// Body is the streamed body of a successful answer.
type Body struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	url    string
	secret string
	resp   *http.Response
	head   *bufio.Reader
	idle   time.Duration
	first  time.Duration // limit of the first byte
	begun  bool          // a byte has come
	event  func(data []byte)
	timer  *time.Timer
	pace   pacer
	from   gatherer // what the answer comes over, if it can gather
}

// Post sends the request and returns the body of a 2xx answer that streams
// events.
func Post(ctx context.Context, r Request) (*Body, *ai.Failure) {
	opts := r.Options
	if opts == nil {
		opts = &ai.Options{}
	}
	if opts.OnPayload != nil {
		if changed := opts.OnPayload(r.Body); changed != nil {
			r.Body = changed
		}
	}
	b := &Body{url: r.URL, secret: r.Secret, idle: opts.IdleTimeout, event: opts.OnStreamEvent}
	if b.idle == 0 {
		b.idle = DefaultIdle
	}
	b.ctx, b.cancel = context.WithCancelCause(ctx)
	b.first = opts.FirstByteTimeout
	if b.first == 0 {
		b.first = b.idle
	}
	if b.first > 0 || b.idle > 0 {
		first := b.first
		if first < 0 {
			first = math.MaxInt64 // until the first byte
		}
		b.timer = time.AfterFunc(first, func() { b.cancel(ErrIdle) })
	}
	req, err := http.NewRequestWithContext(b.traced(b.ctx), http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		b.Close()
		return nil, &ai.Failure{Class: ai.FailFatal, Message: b.hide(fmt.Sprintf("the provider's base URL cannot be used: %v", err))}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Accept-Encoding", "identity") // a compressing proxy would hold events back
	req.Header.Set("User-Agent", userAgent())
	for name, values := range r.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if opts.OnHeader != nil {
		opts.OnHeader(req.Header)
	}
	if r.Sign != nil {
		if err := r.Sign(req, r.Body); err != nil {
			b.Close()
			return nil, &ai.Failure{Class: ai.FailAuth, Message: b.hide(fmt.Sprintf("the request could not be signed: %v", err))}
		}
	}
	// An empty list is not sent, but tells net/http that the request may be sent
	// again if a kept-alive connection turns out to be closed.
	req.Header["Idempotency-Key"] = nil
	resp, err := client(opts.Client).Do(req)
	if err != nil {
		f := b.Failure(err)
		b.Close()
		return nil, f
	}
	b.resp = resp
	b.pace.from, b.pace.shared = b.from, resp.ProtoMajor > 1
	if opts.OnResponse != nil {
		opts.OnResponse(resp.StatusCode, resp.Header)
	}
	if resp.StatusCode/100 != 2 {
		body, _ := io.ReadAll(io.LimitReader(b, maxErrorBody))
		f := ai.HTTPFailure(r.URL, resp.StatusCode, resp.Header, body)
		if ctx.Err() != nil {
			f = ai.Aborted()
		}
		b.Close()
		f.Message = b.hide(f.Message)
		return nil, f
	}
	if f := b.look(); f != nil {
		b.Close()
		return nil, f
	}
	return b, nil
}

// traced has the connection of a request taken over as the source of b.
func (b *Body) traced(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		c := info.Conn
		if t, ok := c.(*tls.Conn); ok {
			c = t.NetConn()
		}
		b.from, _ = c.(gatherer)
	}})
}

// look refuses a successful answer that is no event stream. The content type
// says too little: there are servers that send events without one.
func (b *Body) look() *ai.Failure {
	b.head = bufio.NewReaderSize(readerFunc(b.read), 4096)
	first, err := b.head.Peek(1)
	if err != nil {
		if err == io.EOF {
			return nil // the protocol says what is missing
		}
		return b.Failure(err)
	}
	if first[0] != '<' && first[0] != '{' {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(b, maxErrorBody))
	if b.ctx.Err() != nil {
		return b.Failure(b.ctx.Err())
	}
	if first[0] == '<' {
		f := ai.HTTPFailure(b.url, b.resp.StatusCode, b.resp.Header, body)
		f.Class = ai.FailFatal
		f.Message = b.hide(f.Message)
		return f
	}
	words, detail := ai.ErrorWords(body)
	f := ai.StreamFailure(0, words, detail)
	f.Message = b.hide("the provider did not stream its answer but said: " + f.Message)
	return f
}

// Read reads the body. Errors are to be given to Failure.
func (b *Body) Read(p []byte) (int, error) {
	if b.head != nil {
		return b.head.Read(p)
	}
	return b.read(p)
}

func (b *Body) read(p []byte) (int, error) {
	b.pace.wait(b.ctx)
	n, err := b.resp.Body.Read(p)
	if err != nil {
		b.pace.from = nil // the connection may serve another request already
	}
	if n > 0 {
		b.pace.came(n)
		b.begun = true
		switch {
		case b.timer == nil:
		case b.idle > 0:
			b.timer.Reset(b.idle)
		default:
			b.timer.Stop()
		}
	}
	return n, err
}

// Failure makes err, which reading the body gave, a typed failure.
func (b *Body) Failure(err error) *ai.Failure {
	if errors.Is(context.Cause(b.ctx), ErrIdle) {
		limit := b.idle
		if !b.begun {
			limit = b.first
		}
		return &ai.Failure{Class: ai.FailRetry, Message: fmt.Sprintf("timed out: the provider sent nothing for %v.", limit)}
	}
	f := ai.TransportFailure(b.ctx, b.url, err)
	f.Message = b.hide(f.Message)
	return f
}

// Hide removes the request's secret from text.
func (b *Body) Hide(text string) string { return b.hide(text) }

func (b *Body) hide(text string) string {
	if len(b.secret) < 8 {
		return text // dummy keys of local servers; hiding "x" would garble every word
	}
	return strings.ReplaceAll(text, b.secret, "…")
}

// Close releases the connection.
func (b *Body) Close() error {
	if b.timer != nil {
		b.timer.Stop()
	}
	b.pace.end()
	b.cancel(context.Canceled)
	if b.resp != nil {
		return b.resp.Body.Close()
	}
	return nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Client is the client that requests of a protocol beside its stream are made
// with, such as those for tokens: c, or the shared one.
func Client(c *http.Client) *http.Client { return client(c) }

// client returns c or the shared one, changed so that redirects are not
// followed: a POST would become a GET, and keys in headers that net/http does
// not know would be sent to the other host.
func client(c *http.Client) *http.Client {
	if c == nil {
		return shared()
	}
	same := *c
	same.CheckRedirect = stay
	return &same
}

func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// shared keeps connections alive between requests.
var shared = sync.OnceValue(func() *http.Client {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{
		CheckRedirect: stay,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				c, err := dialer.DialContext(ctx, network, address)
				if err != nil {
					return nil, err
				}
				return newConn(c), nil
			},
			TLSHandshakeTimeout: 30 * time.Second,
			ForceAttemptHTTP2:   true,
			DisableCompression:  true,
			MaxIdleConnsPerHost: 8,
			IdleConnTimeout:     90 * time.Second,
		},
	}
})

var userAgent = sync.OnceValue(func() string {
	version := "dev"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = strings.TrimPrefix(info.Main.Version, "v")
	}
	return "tau/" + version
})
