package credentials

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"golang.org/x/oauth2"
)

// Flow is how to sign in to a provider by OAuth. A provider entry of the user's
// models.json configures one (see [ParseFlow]); [BuiltinFlow] has those that
// come with tau.
//
// Two ways exist. With a browser, the provider sends a code to a loopback
// address that tau listens at, or the user pastes it; PKCE (RFC 7636) proves
// that the one who asked is the one who got it. Without a browser on the
// machine, the user types a short code on another device (RFC 8628).
type Flow struct {
	Name         string            `json:"name"` // for people
	ClientID     string            `json:"clientId"`
	ClientSecret string            `json:"clientSecret"` // of public clients none, or no secret
	AuthURL      string            `json:"authUrl"`
	TokenURL     string            `json:"tokenUrl"`
	DeviceURL    string            `json:"deviceUrl"` // "": no device codes
	Scopes       []string          `json:"scopes"`
	RedirectPort int               `json:"redirectPort"` // 0: any that is free
	RedirectPath string            `json:"redirectPath"` // "": /callback
	Params       map[string]string `json:"params"`       // more, for the authorization address

	// Own takes the place of all that, for a provider that signs in by itself.
	Own *Own `json:"-"`

	// A provider whose flow is not quite OAuth replaces these steps.
	address  func(redirect, state, challenge string) string
	exchange func(ctx context.Context, client *http.Client, code, verifier string) (Entry, error)
}

// Own is a sign-in that is not tau's: that of an extension. Entries may have
// members that only it knows; they are kept.
type Own struct {
	Login func(ctx context.Context) (Entry, error)
	// Renew makes an expired entry a fresh one. It is called while auth.json is
	// locked, and must end with ctx.
	Renew func(ctx context.Context, e Entry) (Entry, error)
	// Key is what requests are sent with.
	Key func(ctx context.Context, e Entry) (string, error)
}

// renews reports whether the flow can renew a sign-in.
func (f *Flow) renews() bool { return f != nil && (f.TokenURL != "" || f.Own != nil) }

// ParseFlow reads the flow that a provider entry configures.
func ParseFlow(raw json.RawMessage) (*Flow, error) {
	f := &Flow{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if err := dec.Decode(f); err != nil {
		return nil, errors.New("oauth must be an object with clientId, authUrl and tokenUrl")
	}
	switch {
	case f.ClientID == "":
		return nil, errors.New("oauth: clientId is missing")
	case f.TokenURL == "":
		return nil, errors.New("oauth: tokenUrl is missing")
	case f.AuthURL == "" && f.DeviceURL == "":
		return nil, errors.New("oauth: authUrl or deviceUrl is missing")
	}
	for name, address := range map[string]string{"authUrl": f.AuthURL, "tokenUrl": f.TokenURL, "deviceUrl": f.DeviceURL} {
		if address == "" {
			continue
		}
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "https" && !loopback(u.Hostname()) {
			return nil, fmt.Errorf("oauth: %s must be an https address", name)
		}
	}
	return f, nil
}

func loopback(host string) bool {
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, host)
}

// Way is one of the ways to sign in.
type Way string

// The ways.
const (
	Browser Way = "browser"
	Device  Way = "device"
)

// Ways returns the ways that the flow has, the better first.
func (f *Flow) Ways() []Way {
	var ways []Way
	if f.AuthURL != "" || f.address != nil || f.Own != nil {
		ways = append(ways, Browser)
	}
	if f.DeviceURL != "" {
		ways = append(ways, Device)
	}
	return ways
}

// Guide leads the user through a sign-in. Its methods are called from one
// goroutine each.
type Guide interface {
	// Browse asks the user to open address in a browser. It does not wait.
	Browse(address string)
	// Paste waits for what the user pastes: the address that the browser ended
	// at, or the code in it. It returns when ctx ends, which is when the code
	// came by itself.
	Paste(ctx context.Context) (string, error)
	// ShowCode asks the user to open address on any device and to type code. It
	// does not wait.
	ShowCode(code, address string, until time.Time)
}

// Login signs in and returns the entry for auth.json. client may be nil.
func (f *Flow) Login(ctx context.Context, way Way, guide Guide, client *http.Client) (Entry, error) {
	if !slices.Contains(f.Ways(), way) {
		return Entry{}, fmt.Errorf("this provider has no sign-in by %s", way)
	}
	if f.Own != nil {
		return f.Own.Login(ctx)
	}
	ctx = f.withClient(ctx, client)
	if way == Device {
		return f.device(ctx, guide)
	}
	return f.browser(ctx, guide)
}

// Refresh returns the entry with a new access token.
func (f *Flow) Refresh(ctx context.Context, e Entry, client *http.Client) (Entry, error) {
	if f.Own != nil {
		limited, cancel := context.WithTimeout(ctx, tokenLimit)
		defer cancel()
		fresh, err := f.Own.Renew(limited, e)
		if err != nil {
			return Entry{}, fmt.Errorf("refresh the sign-in: %w", err)
		}
		fresh.Env = e.Env
		if fresh.Refresh == "" {
			fresh.Refresh = e.Refresh
		}
		return fresh, nil
	}
	ctx = f.withClient(ctx, client)
	token, err := f.config("").TokenSource(ctx, &oauth2.Token{RefreshToken: e.Refresh}).Token()
	if err != nil {
		return Entry{}, tokenError("refresh the sign-in", err)
	}
	fresh := entryOf(token)
	fresh.Env, fresh.Rest = e.Env, e.Rest
	if fresh.Refresh == "" {
		fresh.Refresh = e.Refresh
	}
	return fresh, nil
}

func (f *Flow) config(redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: f.ClientID, ClientSecret: f.ClientSecret, Scopes: f.Scopes, RedirectURL: redirect,
		Endpoint: oauth2.Endpoint{AuthURL: f.AuthURL, TokenURL: f.TokenURL, DeviceAuthURL: f.DeviceURL, AuthStyle: oauth2.AuthStyleInParams},
	}
}

// tokenLimit bounds a request for tokens. Others may wait for the lock
// meanwhile.
const tokenLimit = 20 * time.Second

func (f *Flow) withClient(ctx context.Context, client *http.Client) context.Context {
	limited := http.Client{Timeout: tokenLimit}
	if client != nil {
		limited.Transport = client.Transport
	}
	return context.WithValue(ctx, oauth2.HTTPClient, &limited)
}

func clientOf(ctx context.Context) *http.Client {
	client, ok := ctx.Value(oauth2.HTTPClient).(*http.Client)
	if !ok {
		return http.DefaultClient
	}
	return client
}

func entryOf(t *oauth2.Token) Entry {
	e := Entry{Type: "oauth", Access: t.AccessToken, Refresh: t.RefreshToken}
	if !t.Expiry.IsZero() {
		e.Expires = t.Expiry.UnixMilli()
	}
	return e
}

// ErrSignInAgain is wrapped by errors of a refresh that the provider refused.
var ErrSignInAgain = errors.New("sign in again")

// tokenError makes an error of a token request readable, without the tokens
// that its body may repeat.
func tokenError(what string, err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err // the address may hold a code
		}
		return fmt.Errorf("%s: %w", what, err)
	}
	said := cleaned(refused.ErrorDescription)
	if said == "" {
		said = cleaned(refused.ErrorCode)
	}
	if said == "" && refused.Response != nil {
		said = refused.Response.Status
	}
	if refused.ErrorCode == "invalid_grant" || refused.Response != nil && refused.Response.StatusCode == http.StatusUnauthorized {
		return fmt.Errorf("%s: the provider refused it (%s): %w", what, said, ErrSignInAgain)
	}
	return fmt.Errorf("%s: the provider refused it (%s)", what, said)
}
