package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// record is a sign-in at a service, as mcp-auth.json has it by the address of
// the service: a server of the same name elsewhere must not get the token.
type record struct {
	ClientID     string   `json:"clientId"`
	ClientSecret string   `json:"clientSecret,omitempty"`
	TokenURL     string   `json:"tokenUrl"`
	AuthURL      string   `json:"authUrl,omitempty"`
	AuthStyle    int      `json:"authStyle,omitempty"` // of oauth2
	RedirectURL  string   `json:"redirectUrl,omitempty"`
	Scopes       []string `json:"scopes,omitempty"`
	Wanted       []string `json:"wanted,omitempty"` // scopes that a call has lacked, for the next sign-in
	AccessToken  string   `json:"accessToken"`
	RefreshToken string   `json:"refreshToken,omitempty"`
	TokenType    string   `json:"tokenType,omitempty"`
	Expires      int64    `json:"expires,omitempty"` // ms since 1970; 0 is never
}

func recordOf(cfg *oauth2.Config, t *oauth2.Token) record {
	r := record{
		ClientID: cfg.ClientID, ClientSecret: cfg.ClientSecret, TokenURL: cfg.Endpoint.TokenURL, AuthURL: cfg.Endpoint.AuthURL,
		AuthStyle: int(cfg.Endpoint.AuthStyle), RedirectURL: cfg.RedirectURL, Scopes: cfg.Scopes,
	}
	r.take(t)
	return r
}

func (r *record) take(t *oauth2.Token) {
	r.AccessToken, r.TokenType, r.Expires = t.AccessToken, t.TokenType, 0
	if t.RefreshToken != "" {
		r.RefreshToken = t.RefreshToken
	}
	if !t.Expiry.IsZero() {
		r.Expires = t.Expiry.UnixMilli()
	}
}

// valid reports whether the token is good for a while still.
func (r *record) valid() bool {
	return r.AccessToken != "" && (r.Expires == 0 || time.Until(time.UnixMilli(r.Expires)) > 30*time.Second)
}

func (r *record) config() *oauth2.Config {
	return &oauth2.Config{
		ClientID: r.ClientID, ClientSecret: r.ClientSecret, RedirectURL: r.RedirectURL, Scopes: r.Scopes,
		Endpoint: oauth2.Endpoint{TokenURL: r.TokenURL, AuthURL: r.AuthURL, AuthStyle: oauth2.AuthStyle(r.AuthStyle)},
	}
}

// readRecords reads the file; one that is not there is empty.
func readRecords(path string) (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read sign-ins: %w", err)
	}
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, fmt.Errorf("%s is not valid and was left alone: %w", path, err)
	}
	return all, nil
}

// lockRecords keeps other processes from changing the file.
func lockRecords(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("keep sign-ins: %w", err)
	}
	lock := flock.New(path + ".lock")
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second) // a renewal may be under way
	defer cancel()
	if ok, err := lock.TryLockContext(ctx, 20*time.Millisecond); !ok {
		return nil, fmt.Errorf("%s is locked by another process: %w", path, err)
	}
	return func() { _ = lock.Close() }, nil
}

// writeRecord changes one entry in one step; nil removes it. The caller holds
// the lock.
func writeRecord(path, url string, r *record) error {
	all, err := readRecords(path)
	if err != nil {
		return err
	}
	delete(all, url)
	if r != nil {
		if all[url], err = json.Marshal(r); err != nil {
			return fmt.Errorf("keep sign-ins: %w", err)
		}
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("keep sign-ins: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".mcp-auth-*") // 0600
	if err != nil {
		return fmt.Errorf("keep sign-ins: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(b, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("keep sign-ins: %w", err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("keep sign-ins: %w", err)
	}
	return nil
}

func loadRecord(path, url string) (*record, error) {
	all, err := readRecords(path)
	if err != nil || len(all[url]) == 0 {
		return nil, err
	}
	var r record
	if err := json.Unmarshal(all[url], &r); err != nil {
		return nil, fmt.Errorf("the sign-in at %s: %w", url, err)
	}
	return &r, nil
}

// storedTokens uses the sign-in that is kept for a service and renews it. It
// never asks the user for one. It implements auth.OAuthHandler.
type storedTokens struct {
	path, url string
	server    string
	refused   atomic.Bool // the service wants a sign-in that there is not
}

// TokenSource implements auth.OAuthHandler.
func (t *storedTokens) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	r, err := loadRecord(t.path, t.url)
	if err != nil || r == nil {
		return nil, err
	}
	if !r.valid() && r.RefreshToken != "" {
		if renewed, err := t.renew(ctx, r.AccessToken); err == nil {
			r = renewed
		}
		// Otherwise the service says what it thinks of the old one.
	}
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: r.AccessToken, TokenType: r.TokenType}), nil
}

// Authorize implements auth.OAuthHandler: it renews what the service refused.
func (t *storedTokens) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	_ = resp.Body.Close()
	sent, _ := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	if sent != "" && resp.StatusCode == http.StatusUnauthorized {
		if _, err := t.renew(ctx, sent); err == nil {
			return nil
		}
	}
	if resp.StatusCode == http.StatusForbidden {
		scopes, ok := lacking(resp)
		if !ok {
			return nil // forbidden for another reason: the answer stands
		}
		t.want(ctx, scopes)
		return fmt.Errorf("the sign-in does not allow this. %w", &loginError{t.server})
	}
	t.refused.Store(true)
	return &loginError{t.server}
}

// lacking returns the scopes that a service says a token lacks.
func lacking(resp *http.Response) (scopes []string, ok bool) {
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return nil, false
	}
	for _, c := range challenges {
		if c.Scheme == "bearer" && c.Params["error"] == "insufficient_scope" {
			return strings.Fields(c.Params["scope"]), true
		}
	}
	return nil, false
}

// want has the next sign-in ask for more scopes.
func (t *storedTokens) want(ctx context.Context, scopes []string) {
	unlock, err := lockRecords(ctx, t.path)
	if err != nil {
		return // the user is told in any case
	}
	defer unlock()
	if r, err := loadRecord(t.path, t.url); err == nil && r != nil {
		r.Wanted = union(r.Wanted, scopes)
		_ = writeRecord(t.path, t.url, r) // likewise
	}
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// renew gets a token in the place of an old one, unless another process has
// done so meanwhile: refresh tokens are often good for one use only.
func (t *storedTokens) renew(ctx context.Context, old string) (*record, error) {
	unlock, err := lockRecords(ctx, t.path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	r, err := loadRecord(t.path, t.url)
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return nil, errors.New("there is no sign-in")
	case r.AccessToken != old && r.valid():
		return r, nil
	case r.RefreshToken == "":
		return nil, errors.New("the sign-in cannot be renewed")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	fresh, err := r.config().TokenSource(ctx, &oauth2.Token{RefreshToken: r.RefreshToken}).Token()
	if err != nil {
		return nil, fmt.Errorf("renew the sign-in: %w", err)
	}
	r.take(fresh)
	return r, writeRecord(t.path, t.url, r)
}
