package credentials

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
)

// This file has what the command line and the dialogs do with credentials:
// log in and out, check, print a key.

// Literal writes a key so that it is taken as it is: "$" and a leading "!" have
// a meaning in configured values.
func Literal(key string) string {
	key = strings.ReplaceAll(key, "$", "$$")
	if strings.HasPrefix(key, "!") {
		key = "$" + key
	}
	return key
}

// SaveKey stores an API key that the user typed or pasted.
func (s *Store) SaveKey(ctx context.Context, provider, key string) error {
	key = strings.TrimSpace(key)
	switch {
	case key == "":
		return errors.New("the key is empty")
	case strings.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return errors.New("the key has spaces or line ends in it: it was not copied as a whole, or more than it was copied")
	}
	return s.Update(ctx, provider, func(e Entry) (Entry, error) {
		return Entry{Type: "api_key", Key: Literal(key), Env: e.Env}, nil
	})
}

// SignIn signs in by the provider's flow and stores the result.
func (s *Store) SignIn(ctx context.Context, provider string, f *Flow, way Way, guide Guide, client *http.Client) error {
	fresh, err := f.Login(ctx, way, guide, client)
	if err != nil {
		return err
	}
	return s.Update(ctx, provider, func(e Entry) (Entry, error) {
		fresh.Env = e.Env
		return fresh, nil
	})
}

// Logout removes what auth.json has for a provider. remains names the source
// that still gives credentials afterwards, "" for none.
func (r *Resolver) Logout(ctx context.Context, provider string) (removed bool, remains string, err error) {
	if r.Store != nil {
		if _, removed, err = r.Store.Get(provider); err != nil {
			return false, "", err
		}
		if removed {
			if err = r.Store.Delete(ctx, provider); err != nil {
				return false, "", err
			}
		}
	}
	for _, name := range envNames(provider) {
		if r.getenv(name) != "" {
			return removed, "$" + name, nil
		}
	}
	if source := r.ambient(provider, nil); source != "" {
		return removed, source, nil
	}
	if r.config(provider).APIKey != "" {
		return removed, "models.json", nil
	}
	return removed, "", nil
}

// Status is what is known about the credentials of a provider.
type Status struct {
	Provider string
	Auth     Auth      // what requests are sent with
	Source   string    // as in [Auth]; "" if there are none
	SignedIn bool      // by a flow, not by a key
	Expires  time.Time // of a sign-in; zero if it does not, or none is known
	Renews   bool      // it is renewed when it expires
	Err      error     // why they cannot be used
	Reason   Reason    // of Err
}

// Reason is why there are no credentials, in the words of the command line.
type Reason string

// The reasons.
const (
	NotConfigured Reason = "credentials_not_configured"
	NotAvailable  Reason = "credential_not_available" // configured, but cannot be had
	InvalidState  Reason = "invalid_state"            // auth.json cannot be read
)

// Need is what credentials have to be good for.
type Need struct {
	NoRenew bool          // leave a sign-in as it is, also an expired one
	Life    time.Duration // how long a sign-in has to be valid still
}

// Check resolves the credentials of a provider, which may run a command or
// renew a sign-in, and says what came of it. No request is made to the provider
// itself.
func (r *Resolver) Check(ctx context.Context, provider string, need Need) Status {
	s := Status{Provider: provider}
	s.Auth, s.Err = r.resolve(ctx, provider, need)
	s.Source = s.Auth.Source
	var without *missingError
	switch {
	case s.Err == nil:
	case !errors.As(s.Err, &without):
		s.Reason = InvalidState
		if r.readable() {
			s.Reason = NotAvailable // a command or variable of a header
		}
	case len(without.why) == 0:
		s.Reason = NotConfigured
	default:
		s.Reason = NotAvailable
	}
	if s.Source == "auth.json" {
		if e, ok, err := r.Store.Get(provider); ok && err == nil && e.Type == "oauth" {
			s.SignedIn, s.Renews = true, e.Refresh != "" && r.flow(provider) != nil
			if e.Expires > 0 {
				s.Expires = time.UnixMilli(e.Expires)
			}
		}
	}
	return s
}

// readable reports whether auth.json can be read.
func (r *Resolver) readable() bool {
	if r.Store == nil {
		return true
	}
	_, err := r.Store.Providers()
	return err == nil
}

// PrintKey returns the key of a provider for other programs.
func (r *Resolver) PrintKey(ctx context.Context, provider string, need Need) (string, error) {
	s := r.Check(ctx, provider, need)
	if s.Err != nil {
		return "", s.Err
	}
	if s.Auth.Key != "" {
		return s.Auth.Key, nil
	}
	if token, ok := bearer(s.Auth); ok {
		return token, nil
	}
	return "", fmt.Errorf("provider %q is used without a key (%s)", provider, s.Source)
}

// PrintToken returns the access token of a sign-in, or a configured bearer
// token, for other programs. An API key is none.
func (r *Resolver) PrintToken(ctx context.Context, provider string, need Need) (string, error) {
	s := r.Check(ctx, provider, need)
	switch {
	case s.Err != nil:
		return "", s.Err
	case s.SignedIn:
		return s.Auth.Key, nil
	}
	if token, ok := bearer(s.Auth); ok {
		return token, nil
	}
	return "", fmt.Errorf("provider %q is used with an API key (%s), not with a bearer token; tau auth print-api-key prints it", provider, s.Source)
}

func bearer(a Auth) (string, bool) { return strings.CutPrefix(a.Headers["Authorization"], "Bearer ") }

// flow is the sign-in of a provider, nil if it has none.
func (r *Resolver) flow(provider string) *Flow {
	if r.Flow != nil {
		if f := r.Flow(provider); f != nil {
			return f
		}
	}
	return BuiltinFlow(provider)
}

// renewBefore is how long before its end a sign-in is renewed, so that a
// request does not outlive it.
const renewBefore = time.Minute

func (e *Entry) valid(now time.Time) bool {
	return e.Access != "" && (e.Expires == 0 || time.UnixMilli(e.Expires).After(now))
}

// renew renews an expired sign-in under the file's lock, so that of several
// processes only one asks: providers take a refresh token once.
func (r *Resolver) renew(ctx context.Context, provider string, f *Flow, life time.Duration) (Entry, error) {
	var now Entry
	err := r.Store.Update(ctx, provider, func(e Entry) (Entry, error) {
		if e.valid(time.Now().Add(life)) {
			now = e // another process was faster
			return e, nil
		}
		fresh, err := f.Refresh(ctx, e, r.Client)
		now = fresh
		return fresh, err
	})
	return now, err
}
