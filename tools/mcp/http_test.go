package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func service(t *testing.T, wrap func(http.Handler) http.Handler) *httptest.Server {
	t.Helper()
	s := testServer()
	var h http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	if wrap != nil {
		h = wrap(h)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv
}

func remoteServer(url string) Server {
	return Server{Name: "web", URL: url, Exposure: Direct, Timeout: 10 * time.Second}
}

func TestCallsOfAService(t *testing.T) {
	t.Setenv("MCP_TOKEN", "secret")
	var mu sync.Mutex
	var seen []string
	srv := service(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			seen = append(seen, r.Header.Get("Authorization"))
			mu.Unlock()
			h.ServeHTTP(w, r)
		})
	})
	cfg := remoteServer(srv.URL)
	cfg.Headers = map[string]string{"Authorization": "Bearer ${MCP_TOKEN}"}
	h := newHub(t, cfg)
	b := h.Toolbox(nil, nil)
	b.Wait(t.Context())
	if got, _, err := call(t, find(t, b, "mcp__web__echo"), `{"text":"x"}`); got != "echo: x" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, a := range seen {
		if a != "Bearer secret" {
			t.Errorf("a request had the header %q", a)
		}
	}
}

// Requests that only ask are repeated, calls are not.
func TestTransientErrors(t *testing.T) {
	var mu sync.Mutex
	fail := map[string]int{"server/discover": 1, "initialize": 1, "tools/list": 2, "tools/call": 1}
	count := map[string]int{}
	srv := service(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			var msg struct {
				Method string `json:"method"`
			}
			_ = json.Unmarshal(b, &msg)
			mu.Lock()
			count[msg.Method]++
			bad := fail[msg.Method] > 0
			fail[msg.Method]--
			mu.Unlock()
			if bad {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			r.Body = io.NopCloser(strings.NewReader(string(b)))
			h.ServeHTTP(w, r)
		})
	})
	h := newHub(t, remoteServer(srv.URL))
	b := h.Toolbox(nil, nil)
	b.Wait(t.Context())
	if _, _, err := call(t, find(t, b, "mcp__web__echo"), `{"text":"x"}`); err == nil {
		t.Error("a call that failed was repeated")
	}
	mu.Lock()
	if count["tools/call"] != 1 || count["tools/list"] < 3 {
		t.Errorf("requests: %v", count)
	}
	mu.Unlock()
	if got, _, err := call(t, find(t, b, "mcp__web__echo"), `{"text":"x"}`); got != "echo: x" || err != nil {
		t.Errorf("the next call: %q %v", got, err)
	}
}

// A redirection to another host does not get the headers.
func TestHeadersStayWithTheirHost(t *testing.T) {
	var got string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("X-Key")
		w.WriteHeader(http.StatusTeapot)
	}))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer first.Close()
	cfg := remoteServer(first.URL)
	cfg.Headers = map[string]string{"X-Key": "secret"}
	h := newHub(t, cfg)
	h.WaitConnected(t.Context())
	if got != "" {
		t.Errorf("another host was sent %q", got)
	}
	if st := h.Status()[0]; st.State != Failed {
		t.Errorf("%s", st.State)
	}
}

// idp is a service with an authorization server of its own.
type idp struct {
	*httptest.Server
	mu        sync.Mutex
	access    string // the token that is good
	refresh   string
	count     int
	challenge string
	renewals  int
	reject    bool   // refuse every refresh
	scope     string // that the last sign-in asked for
	lacks     string // scope without which nothing works
}

func newIDP(t *testing.T) *idp {
	t.Helper()
	p := &idp{}
	s := testServer()
	mcp := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	mux := http.NewServeMux()
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	reply := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		ok := p.access != "" && r.Header.Get("Authorization") == "Bearer "+p.access
		p.mu.Unlock()
		p.mu.Lock()
		lacks := ok && p.lacks != "" && !strings.Contains(p.scope, p.lacks)
		p.mu.Unlock()
		if lacks {
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+p.lacks+`", resource_metadata="`+p.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+p.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		mcp.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"resource": p.URL + "/mcp", "authorization_servers": []string{p.URL}, "scopes_supported": []string{"tools"}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "registration_endpoint": p.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
		})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		_ = json.NewDecoder(r.Body).Decode(&in)
		in["client_id"] = "registered"
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(in)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		p.mu.Lock()
		p.challenge, p.scope = q.Get("code_challenge"), q.Get("scope")
		p.mu.Unlock()
		back, _ := url.Parse(q.Get("redirect_uri"))
		back.RawQuery = url.Values{"code": {"the-code"}, "state": {q.Get("state")}}.Encode()
		http.Redirect(w, r, back.String(), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		p.mu.Lock()
		defer p.mu.Unlock()
		bad := func() {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":"invalid_grant"}`)
		}
		switch r.Form.Get("grant_type") {
		case "authorization_code":
			sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
			if r.Form.Get("code") != "the-code" || base64.RawURLEncoding.EncodeToString(sum[:]) != p.challenge {
				bad()
				return
			}
		case "refresh_token":
			if p.reject || r.Form.Get("refresh_token") != p.refresh {
				bad()
				return
			}
			p.renewals++
		}
		p.count++
		p.access, p.refresh = fmt.Sprintf("access-%d", p.count), fmt.Sprintf("refresh-%d", p.count)
		reply(w, map[string]any{"access_token": p.access, "refresh_token": p.refresh, "token_type": "Bearer", "expires_in": 3600})
	})
	return p
}

// browser follows the address it is led to.
type browser struct{ t *testing.T }

func (b browser) Browse(address string) {
	go func() {
		res, err := http.Get(address)
		if err != nil {
			b.t.Error(err)
			return
		}
		defer res.Body.Close()
		if page, _ := io.ReadAll(res.Body); !strings.Contains(string(page), "Signed in") {
			b.t.Errorf("the browser ended at %s: %s", res.Request.URL, page)
		}
	}()
}

func (browser) Paste(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

func TestSignIn(t *testing.T) {
	p := newIDP(t)
	h := newHub(t, remoteServer(p.URL+"/mcp"))
	h.WaitConnected(t.Context())
	if st := h.Status()[0]; st.State != NeedsLogin || !strings.Contains(st.Err, "tau mcp login web") {
		t.Fatalf("before the sign-in: %s, %s", st.State, st.Err)
	}
	if err := h.Login(t.Context(), "web", browser{t}); err != nil {
		t.Fatal(err)
	}
	b := h.Toolbox(nil, nil)
	h.WaitConnected(t.Context())
	works := func(when string) {
		t.Helper()
		if got, _, err := call(t, find(t, b, "mcp__web__echo"), `{"text":"x"}`); got != "echo: x" || err != nil {
			t.Errorf("%s: %q %v", when, got, err)
		}
	}
	works("after the sign-in")
	if st, err := os.Stat(h.o.AuthPath); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mcp-auth.json: %v %v", st, err)
	}

	// The service forgets the token in mid-session: it is renewed.
	p.mu.Lock()
	p.access = "gone"
	p.mu.Unlock()
	works("after the token was withdrawn")
	p.mu.Lock()
	if p.renewals != 1 {
		t.Errorf("%d renewals", p.renewals)
	}
	p.mu.Unlock()

	// It has run out by the clock: it is renewed before it is used.
	r, err := loadRecord(h.o.AuthPath, p.URL+"/mcp")
	if err != nil {
		t.Fatal(err)
	}
	r.Expires = time.Now().Add(-time.Minute).UnixMilli()
	if err := writeRecord(h.o.AuthPath, p.URL+"/mcp", r); err != nil {
		t.Fatal(err)
	}
	works("after the token ran out")

	// A call wants more than was agreed to: the next sign-in asks for that too.
	p.mu.Lock()
	p.lacks = "write"
	p.mu.Unlock()
	if _, _, err := call(t, find(t, b, "mcp__web__echo"), `{"text":"x"}`); err == nil || !strings.Contains(err.Error(), "does not allow this") {
		t.Errorf("a call without its scope: %v", err)
	}
	if err := h.Login(t.Context(), "web", browser{t}); err != nil {
		t.Fatal(err)
	}
	h.WaitConnected(t.Context())
	works("after the second sign-in")
	p.mu.Lock()
	if scopes := strings.Fields(p.scope); len(scopes) != 2 || !slices.Contains(scopes, "tools") || !slices.Contains(scopes, "write") {
		t.Errorf("it asked for %q", p.scope)
	}
	p.mu.Unlock()

	// Nothing can be renewed any more: the user is told what to do.
	p.mu.Lock()
	p.access, p.reject = "gone", true
	p.mu.Unlock()
	if _, _, err := call(t, find(t, b, "mcp__web__echo"), `{"text":"x"}`); err == nil {
		t.Error("a call without a sign-in worked")
	}
	if err := h.Reconnect(t.Context(), "web"); err == nil || !strings.Contains(err.Error(), "sign-in") {
		t.Errorf("%v", err)
	}
	if st := h.Status()[0]; st.State != NeedsLogin {
		t.Errorf("it is %s", st.State)
	}

	if was, err := h.Logout(t.Context(), "web"); !was || err != nil {
		t.Errorf("logout: %v %v", was, err)
	}
	if was, err := h.Logout(t.Context(), "web"); was || err != nil {
		t.Errorf("logout once more: %v %v", was, err)
	}
	if b, _ := os.ReadFile(h.o.AuthPath); strings.Contains(string(b), "access-") {
		t.Errorf("after the logout there is still %s", b)
	}
}

func TestSignInThatNobodyMakes(t *testing.T) {
	p := newIDP(t)
	h := newHub(t, remoteServer(p.URL+"/mcp"), local("here", "good", Direct))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := h.Login(ctx, "web", nobody{}); err == nil {
		t.Error("signed in")
	}
	if err := h.Login(t.Context(), "here", nobody{}); err == nil || !strings.Contains(err.Error(), "program that runs here") {
		t.Errorf("%v", err)
	}
	open := service(t, nil)
	h2 := newHub(t, remoteServer(open.URL))
	if err := h2.Login(t.Context(), "web", nobody{}); err == nil || !strings.Contains(err.Error(), "wants no sign-in") {
		t.Errorf("%v", err)
	}
}

type nobody struct{}

func (nobody) Browse(string) {}
func (nobody) Paste(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}
