package credentials

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/oauth2"
)

// idp is a provider that gives tokens.
type idp struct {
	*httptest.Server
	mu        sync.Mutex
	grants    []string
	challenge string // of the last authorization
	refuse    string // body of a refusal, "" for none
	pending   int    // times that a device code is not yet known
}

func newIDP(t *testing.T) *idp {
	p := &idp{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		r.ParseForm()
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/device":
			io.WriteString(w, `{"device_code":"dev","user_code":"ABCD-EFGH","verification_uri":"https://idp.test/go","expires_in":60,"interval":1}`)
			return
		case "/api/v1/auth/keys":
			var in struct{ Code, Code_verifier string }
			json.NewDecoder(r.Body).Decode(&in)
			if oauth2.S256ChallengeFromVerifier(in.Code_verifier) != p.challenge || in.Code != "good" {
				w.WriteHeader(403)
				io.WriteString(w, `{"error":{"code":403,"message":"Invalid code"}}`)
				return
			}
			io.WriteString(w, `{"key":"sk-or-$x","user_id":"u"}`)
			return
		}
		p.grants = append(p.grants, r.Form.Get("grant_type"))
		switch {
		case p.refuse != "":
			w.WriteHeader(400)
			io.WriteString(w, p.refuse)
		case p.pending > 0 && strings.Contains(r.Form.Get("grant_type"), "device"):
			p.pending--
			w.WriteHeader(400)
			io.WriteString(w, `{"error":"authorization_pending"}`)
		case r.Form.Get("grant_type") == "authorization_code" && (r.Form.Get("code") != "good" || oauth2.S256ChallengeFromVerifier(r.Form.Get("code_verifier")) != p.challenge):
			w.WriteHeader(400)
			io.WriteString(w, `{"error":"invalid_grant","error_description":"bad \u001b[31mcode"}`)
		default:
			fmt.Fprintf(w, `{"access_token":"access-%d","refresh_token":"refresh-%d","expires_in":3600,"token_type":"Bearer"}`, len(p.grants), len(p.grants))
		}
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *idp) flow() *Flow {
	return &Flow{ClientID: "tau", AuthURL: "https://idp.test/auth", TokenURL: p.URL + "/token", DeviceURL: p.URL + "/device", Scopes: []string{"a", "b"}, Params: map[string]string{"x": "y"}}
}

// guide is a user, who does what the fields say.
type guide struct {
	t       *testing.T
	idp     *idp
	browser func(redirect *url.URL, state string) // opens the address
	paste   func(redirect *url.URL, state string) string
	shown   chan string

	address chan *url.URL
}

func newGuide(t *testing.T, p *idp) *guide {
	return &guide{t: t, idp: p, shown: make(chan string, 1), address: make(chan *url.URL, 1)}
}

func (g *guide) Browse(address string) {
	u, err := url.Parse(address)
	if err != nil {
		g.t.Error(err)
		return
	}
	q := u.Query()
	g.idp.mu.Lock()
	g.idp.challenge = q.Get("code_challenge")
	g.idp.mu.Unlock()
	redirect := q.Get("redirect_uri")
	if redirect == "" {
		redirect = q.Get("callback_url")
	}
	r, err := url.Parse(redirect)
	if err != nil {
		g.t.Error(err)
		return
	}
	state := q.Get("state")
	if state == "" {
		state = r.Query().Get("state")
	}
	if q.Get("code_challenge_method") != "S256" || state == "" {
		g.t.Errorf("address %s", address)
	}
	u.Fragment = state // carried along for Paste
	u.Path = r.String()
	g.address <- u
	if g.browser != nil {
		go g.browser(r, state)
	}
}

func (g *guide) Paste(ctx context.Context) (string, error) {
	if g.paste == nil {
		<-ctx.Done()
		return "", ctx.Err()
	}
	u := <-g.address
	r, _ := url.Parse(u.Path)
	return g.paste(r, u.Fragment), nil
}

func (g *guide) ShowCode(code, address string, until time.Time) {
	g.shown <- code + " " + address
}

func open(t *testing.T, redirect *url.URL, query url.Values) string {
	all := redirect.Query()
	for k, v := range query {
		all[k] = v
	}
	u := *redirect
	u.Host = strings.Replace(u.Host, "localhost", "127.0.0.1", 1)
	u.RawQuery = all.Encode()
	resp, err := http.Get(u.String())
	if err != nil {
		t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return fmt.Sprint(resp.StatusCode, " ", string(body))
}

func TestBrowser(t *testing.T) {
	for _, tt := range []struct {
		name    string
		browser func(t *testing.T, r *url.URL, state string)
		paste   func(r *url.URL, state string) string
		want    string // of the error, "" for none
	}{
		{name: "loopback", browser: func(t *testing.T, r *url.URL, state string) {
			if got := open(t, r, url.Values{"code": {"evil"}, "state": {"forged"}}); !strings.HasPrefix(got, "400") {
				t.Error(got)
			}
			if got := open(t, r, url.Values{"code": {"good"}, "state": {state}}); !strings.Contains(got, "Signed in") {
				t.Error(got)
			}
		}},
		{name: "refused", want: "the provider refused the sign-in: user <said> no", browser: func(t *testing.T, r *url.URL, state string) {
			if got := open(t, r, url.Values{"error": {"access_denied"}, "error_description": {"user\n<said> no"}, "state": {state}}); !strings.Contains(got, "refused") || strings.Contains(got, "said") {
				t.Error(got)
			}
		}},
		{name: "wrong code", want: "bad [31mcode", browser: func(t *testing.T, r *url.URL, state string) {
			open(t, r, url.Values{"code": {"bad"}, "state": {state}})
		}},
		{name: "pasted address", paste: func(r *url.URL, state string) string { return " " + r.String() + "?code=good&state=" + state + "\n" }},
		{name: "pasted code", paste: func(*url.URL, string) string { return "good" }},
		{name: "pasted pair", paste: func(_ *url.URL, state string) string { return "good#" + state }},
		{name: "pasted query", paste: func(_ *url.URL, state string) string { return "?code=good&state=" + state }},
		{name: "pasted other", want: "another sign-in", paste: func(*url.URL, string) string { return "good#other" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newIDP(t)
			g := newGuide(t, p)
			g.paste = tt.paste
			if tt.browser != nil {
				g.browser = func(r *url.URL, state string) { tt.browser(t, r, state) }
			}
			e, err := p.flow().Login(t.Context(), Browser, g, nil)
			switch {
			case tt.want != "":
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %s", err, tt.want)
				}
			case err != nil || e.Type != "oauth" || e.Access != "access-1" || e.Refresh != "refresh-1" || !e.valid(time.Now().Add(50*time.Minute)):
				t.Errorf("%+v %v", e, err)
			}
		})
	}
	// The user gives up.
	ctx, cancel := context.WithCancel(t.Context())
	g := newGuide(t, newIDP(t))
	g.browser = func(*url.URL, string) { cancel() }
	if _, err := g.idp.flow().Login(ctx, Browser, g, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestDevice(t *testing.T) {
	p := newIDP(t)
	p.pending = 1
	g := newGuide(t, p)
	e, err := p.flow().Login(t.Context(), Device, g, nil)
	if err != nil || e.Access != "access-2" || <-g.shown != "ABCD-EFGH https://idp.test/go" {
		t.Errorf("%+v %v", e, err)
	}
	if _, err := (&Flow{AuthURL: "x"}).Login(t.Context(), Device, g, nil); err == nil {
		t.Error("a way that the flow has not")
	}
}

func TestOpenRouter(t *testing.T) {
	p := newIDP(t)
	for _, code := range []string{"good", "bad"} {
		g := newGuide(t, p)
		f := openRouter(p.URL)
		f.RedirectPort = 0
		g.browser = func(r *url.URL, state string) { open(t, r, url.Values{"code": {code}}) }
		e, err := f.Login(t.Context(), Browser, g, nil)
		if code == "good" && (err != nil || e.Type != "api_key" || e.Key != "sk-or-$$x") {
			t.Errorf("%+v %v", e, err)
		}
		if code == "bad" && (err == nil || !strings.Contains(err.Error(), "403 Forbidden: Invalid code")) {
			t.Error(err)
		}
	}
}

func TestRenewal(t *testing.T) {
	p := newIDP(t)
	path := filepath.Join(t.TempDir(), "auth.json")
	past := time.Now().Add(-time.Minute).UnixMilli()
	os.WriteFile(path, fmt.Appendf(nil, `{"lab":{"type":"oauth","access":"old","refresh":"r0","expires":%d,"accountId":"keep"}}`, past), 0o600)
	resolver := func() *Resolver {
		return &Resolver{Store: NewStore(path), Flow: func(string) *Flow { return p.flow() }, Getenv: func(string) string { return "" }}
	}
	// Two processes at once: one of them asks.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if auth, err := resolver().Resolve(t.Context(), "lab"); err != nil || auth.Key != "access-1" {
				t.Errorf("%+v %v", auth, err)
			}
		})
	}
	wg.Wait()
	if len(p.grants) != 1 || p.grants[0] != "refresh_token" {
		t.Error(p.grants)
	}
	data, _ := os.ReadFile(path)
	if !strings.Contains(string(data), `"accountId": "keep"`) || !strings.Contains(string(data), `"refresh": "refresh-1"`) {
		t.Error(string(data))
	}
	s := resolver().Check(t.Context(), "lab", Need{})
	if s.Err != nil || !s.SignedIn || !s.Renews || time.Until(s.Expires) < 50*time.Minute {
		t.Errorf("%+v", s)
	}
	// A refused renewal says what to do, repeats no token, and keeps the entry.
	os.WriteFile(path, fmt.Appendf(nil, `{"lab":{"type":"oauth","access":"old-secret","refresh":"r0-secret","expires":%d}}`, past), 0o600)
	p.refuse = `{"error":"invalid_grant","error_description":"Refresh token expired","token":"r0-secret"}`
	_, err := resolver().Resolve(t.Context(), "lab")
	if err == nil || !strings.Contains(err.Error(), "Refresh token expired") || !strings.Contains(err.Error(), "sign in again") || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	if data, _ := os.ReadFile(path); !strings.Contains(string(data), "r0-secret") {
		t.Error("the entry is gone")
	}
}

func TestParseFlow(t *testing.T) {
	for raw, want := range map[string]string{
		`{"clientId":"a","authUrl":"https://x.test/a","tokenUrl":"https://x.test/t","scopes":["s"],"redirectPort":1455}`: "",
		`{"clientId":"a","deviceUrl":"https://x.test/a","tokenUrl":"http://localhost:1/t"}`:                              "",
		`{"clientId":"a","authUrl":"http://x.test/a","tokenUrl":"https://x.test/t"}`:                                     "authUrl must be an https address",
		`{"authUrl":"https://x.test/a","tokenUrl":"https://x.test/t"}`:                                                   "clientId is missing",
		`{"clientId":"a","authUrl":"https://x.test/a"}`:                                                                  "tokenUrl is missing",
		`{"clientId":"a","tokenUrl":"https://x.test/t"}`:                                                                 "authUrl or deviceUrl is missing",
		`"radius"`: "must be an object",
	} {
		if _, err := ParseFlow([]byte(raw)); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
