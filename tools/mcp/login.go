package mcp

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// Guide leads a user through a sign-in.
type Guide interface {
	// Browse shows an address that is to be opened in a browser.
	Browse(address string)
	// Paste waits for the address at which the browser ended, for those whose
	// browser is on another machine. It may wait until ctx ends.
	Paste(ctx context.Context) (string, error)
}

// signIn is a sign-in under way.
type signIn struct {
	handler *auth.AuthorizationCodeHandler
	done    bool // a token was stored
}

// Login signs in at a service: the browser is led there, and comes back to an
// address of this machine. The end of ctx ends the wait. The hub connects anew
// with what it got.
func (h *Hub) Login(ctx context.Context, name string, guide Guide) error {
	s, err := h.find(name)
	if err != nil {
		return err
	}
	if s.cfg.URL == "" {
		return fmt.Errorf("%s is a program that runs here; it has no sign-in", name)
	}
	if s.cfg.OAuth.Off || s.cfg.Provider != "" {
		return fmt.Errorf("mcp.json says that %s has no sign-in of its own", name)
	}
	address, err := expand(s.cfg.URL)
	if err != nil {
		return fmt.Errorf("url: %w", err)
	}
	back, err := newReceiver(s.cfg.OAuth)
	if err != nil {
		return err
	}
	defer back.close()
	sign := &signIn{}
	if sign.handler, err = h.handler(s.cfg.OAuth, address, back, guide, sign); err != nil {
		return fmt.Errorf("sign in at %s: %w", name, err)
	}
	cs, err := s.connectService(ctx, sign)
	if cs != nil {
		_ = cs.Close()
	}
	switch {
	case sign.done:
	case err != nil:
		return fmt.Errorf("sign in at %s: %w", name, err)
	default:
		return fmt.Errorf("%s wants no sign-in", name)
	}
	s.drop()
	s.mu.Lock()
	disabled := s.cfg.Disabled
	s.mu.Unlock()
	if !disabled {
		s.begin()
	}
	return nil
}

// Logout forgets the sign-in at a service. It reports whether there was one.
func (h *Hub) Logout(ctx context.Context, name string) (bool, error) {
	s, err := h.find(name)
	if err != nil {
		return false, err
	}
	if s.cfg.URL == "" {
		return false, nil
	}
	address, err := expand(s.cfg.URL)
	if err != nil {
		return false, fmt.Errorf("url: %w", err)
	}
	unlock, err := lockRecords(ctx, h.o.AuthPath)
	if err != nil {
		return false, err
	}
	defer unlock()
	r, err := loadRecord(h.o.AuthPath, address)
	if err != nil || r == nil {
		return false, err
	}
	if err := writeRecord(h.o.AuthPath, address, nil); err != nil {
		return false, err
	}
	s.mu.Lock()
	was := s.state != Disabled
	s.mu.Unlock()
	s.drop()
	if was {
		s.set(NeedsLogin, &loginError{name})
	}
	return true, nil
}

func (h *Hub) handler(o OAuth, address string, back *receiver, guide Guide, sign *signIn) (*auth.AuthorizationCodeHandler, error) {
	if o.AuthServerMetadataURL != "" {
		return nil, errors.New("oauth.authServerMetadataUrl is not supported: what the service says of itself is used")
	}
	cfg := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: back.url, RequestRefreshToken: true, AcceptUnadvertisedIss: true,
		Client:                   &http.Client{Timeout: 30 * time.Second},
		AuthorizationCodeFetcher: back.fetch(guide),
		NewTokenSource: func(ctx context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			unlock, err := lockRecords(ctx, h.o.AuthPath)
			if err != nil {
				return nil, err
			}
			defer unlock()
			r := recordOf(c, t)
			if err := writeRecord(h.o.AuthPath, address, &r); err != nil {
				return nil, err
			}
			sign.done = true
			return oauth2.StaticTokenSource(t), nil
		},
	}
	had, err := loadRecord(h.o.AuthPath, address)
	if err != nil {
		return nil, err
	}
	cfg.ScopeFilter = func(discovered []string) []string {
		if o.Scope != "" {
			discovered = strings.Fields(o.Scope)
		}
		if had != nil && len(had.Wanted) > 0 {
			discovered = union(union(discovered, had.Scopes), had.Wanted)
		}
		return discovered
	}
	isURL := strings.HasPrefix(o.ClientID, "https://")
	switch {
	case isURL && o.ClientRegistration != "dcr":
		cfg.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: o.ClientID}
	case o.ClientRegistration == "cimd":
		return nil, errors.New(`oauth.clientRegistration is "cimd", which needs an https address as oauth.clientId`)
	case o.ClientID != "":
		cfg.PreregisteredClient = &oauthex.ClientCredentials{ClientID: o.ClientID}
		if o.ClientSecret != "" {
			secret, err := expand(o.ClientSecret)
			if err != nil {
				return nil, fmt.Errorf("oauth.clientSecret: %w", err)
			}
			cfg.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: secret}
		}
	}
	if o.ClientID == "" || isURL && o.ClientRegistration != "cimd" {
		name := o.ClientName
		if name == "" {
			name = "tau"
		}
		cfg.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: name, RedirectURIs: []string{back.url}, GrantTypes: []string{"authorization_code", "refresh_token"},
			ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: "none", Scope: o.Scope,
		}}
	}
	return auth.NewAuthorizationCodeHandler(cfg)
}

// receiver is the address of this machine to which the browser comes back.
type receiver struct {
	url    string
	path   string
	server *http.Server
	got    chan url.Values
}

func newReceiver(o OAuth) (*receiver, error) {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", o.CallbackPort))
	if err != nil {
		return nil, fmt.Errorf("wait for the browser: %w", err)
	}
	r := &receiver{url: o.CallbackURL, path: "/callback", got: make(chan url.Values, 1)}
	if r.url == "" {
		r.url = "http://" + l.Addr().String() + r.path
	} else if u, err := url.Parse(r.url); err == nil && u.Path != "" {
		r.path = u.Path
	}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = r.server.Serve(l) }() // until close
	return r, nil
}

func (r *receiver) close() { _ = r.server.Close() }

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	if req.URL.Path != r.path || q.Get("code") == "" && q.Get("error") == "" {
		http.NotFound(w, req)
		return
	}
	select {
	case r.got <- q:
	default:
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	text := "Signed in. You can close this page."
	if e := q.Get("error"); e != "" {
		text = "The sign-in failed: " + e
	}
	_, _ = io.WriteString(w, "<!doctype html><title>tau</title><p>"+html.EscapeString(text))
}

// fetch leads the user to the sign-in and waits for the browser to come back.
func (r *receiver) fetch(guide Guide) auth.AuthorizationCodeFetcher {
	return func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
		// The SDK asks with the context of one request.
		guide.Browse(args.URL)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		pasted := make(chan url.Values, 1)
		go func() {
			text, err := guide.Paste(ctx)
			if err != nil {
				return
			}
			if u, err := url.Parse(strings.TrimSpace(text)); err == nil {
				pasted <- u.Query()
			}
		}()
		var q url.Values
		select {
		case q = <-r.got:
		case q = <-pasted:
		case <-ctx.Done():
			return nil, fmt.Errorf("nobody came back from the browser: %w", ctx.Err())
		}
		if e := q.Get("error"); e != "" {
			return nil, fmt.Errorf("%s %s", plain(clip(e, 100)), plain(clip(q.Get("error_description"), 300)))
		}
		if q.Get("code") == "" {
			return nil, errors.New("that address has no code in it")
		}
		return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
	}
}
