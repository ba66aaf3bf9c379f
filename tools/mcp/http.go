package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// connectService speaks to a service over streamable HTTP.
func (s *server) connectService(ctx context.Context, sign *signIn) (*sdk.ClientSession, error) {
	address, err := expand(s.cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the address %q cannot be used", s.cfg.URL)
	}
	headers, err := expandAll(s.cfg.Headers)
	if err != nil {
		return nil, fmt.Errorf("headers: %w", err)
	}
	rt := &roundTripper{host: u.Host, scheme: u.Scheme, headers: headers, bearer: s.hub.o.Bearer, provider: s.cfg.Provider}
	t := &sdk.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: rt}}
	own := s.cfg.Provider != "" || s.cfg.OAuth.Off
	for k := range headers {
		own = own || strings.EqualFold(k, "Authorization")
	}
	var stored *storedTokens
	switch {
	case own:
	case sign != nil:
		t.OAuthHandler = sign.handler
	default:
		stored = &storedTokens{path: s.hub.o.AuthPath, url: address, server: s.cfg.Name}
		t.OAuthHandler = stored
	}
	cs, err := s.client().Connect(ctx, t, nil)
	if err != nil && stored != nil && stored.refused.Load() {
		return nil, &loginError{s.cfg.Name}
	}
	return cs, err
}

// loginError says that a service wants a sign-in.
type loginError struct{ server string }

func (e *loginError) Error() string {
	return "it wants a sign-in: /mcp login " + e.server + ", or tau mcp login " + e.server
}

// roundTripper adds the configured headers and repeats what may be repeated.
type roundTripper struct {
	host, scheme string
	headers      map[string]string
	bearer       func(ctx context.Context, provider string) (string, error)
	provider     string
}

// Repetitions of requests that failed for reasons that pass.
const (
	maxRepeats  = 2
	repeatPause = 250 * time.Millisecond
)

func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	// A redirection elsewhere must not get what is for this service.
	if req.URL.Host == t.host && req.URL.Scheme == t.scheme {
		req = req.Clone(req.Context())
		for k, v := range t.headers {
			req.Header.Set(k, v)
		}
		if t.provider != "" && t.bearer != nil {
			token, err := t.bearer(req.Context(), t.provider)
			if err != nil {
				return nil, err
			}
			req.Header.Set("Authorization", "Bearer "+token)
		}
	}
	repeatable := t.repeatable(req)
	for n := 0; ; n++ {
		res, err := http.DefaultTransport.RoundTrip(req)
		if !repeatable || n >= maxRepeats || req.Context().Err() != nil || err == nil && !transient(res.StatusCode) {
			return res, err
		}
		if res != nil {
			_, _ = io.CopyN(io.Discard, res.Body, 64<<10)
			_ = res.Body.Close()
		}
		timer := time.NewTimer(repeatPause << n)
		select {
		case <-timer.C:
		case <-req.Context().Done():
			timer.Stop()
			return nil, req.Context().Err()
		}
		if req.GetBody != nil {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			req.Body = body
		}
	}
}

// repeatable reports whether a request does nothing but ask: calls of tools
// are sent once.
func (t *roundTripper) repeatable(req *http.Request) bool {
	if req.Method != http.MethodPost {
		return req.Method == http.MethodGet && req.Header.Get("Accept") != "text/event-stream"
	}
	if req.GetBody == nil {
		return false
	}
	body, err := req.GetBody()
	if err != nil {
		return false
	}
	defer body.Close()
	b, err := io.ReadAll(io.LimitReader(body, 1<<20))
	if err != nil || !bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		return false
	}
	var msg struct {
		Method string `json:"method"`
	}
	if json.Unmarshal(b, &msg) != nil {
		return false
	}
	switch msg.Method {
	case "initialize", "server/discover", "ping", "tools/list", "resources/list", "resources/templates/list", "resources/read", "prompts/list", "notifications/initialized":
		return true
	}
	return false
}

func transient(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "windows" && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
