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
	Source   string    // as in [Auth]; "" if there are none
	SignedIn bool      // by a flow, not by a key
	Expires  time.Time // of a sign-in; zero if it does not, or none is known
	Renews   bool      // it is renewed when it expires
	Err      error     // why they cannot be used
}

// Check resolves the credentials of a provider, which may run a command or
// renew a sign-in, and says what came of it. No request is made to the provider
// itself.
func (r *Resolver) Check(ctx context.Context, provider string) Status {
	s := Status{Provider: provider}
	auth, err := r.Resolve(ctx, provider)
	s.Source, s.Err = auth.Source, err
	if r.Store != nil && auth.Source == "auth.json" {
		if e, ok, err := r.Store.Get(provider); ok && err == nil && e.Type == "oauth" {
			s.SignedIn, s.Renews = true, e.Refresh != "" && r.flow(provider) != nil
			if e.Expires > 0 {
				s.Expires = time.UnixMilli(e.Expires)
			}
		}
	}
	return s
}

// PrintKey returns the key of a provider for other programs.
func (r *Resolver) PrintKey(ctx context.Context, provider string) (string, error) {
	auth, err := r.Resolve(ctx, provider)
	if err != nil {
		return "", err
	}
	if auth.Key != "" {
		return auth.Key, nil
	}
	if token, ok := strings.CutPrefix(auth.Headers["Authorization"], "Bearer "); ok {
		return token, nil
	}
	return "", fmt.Errorf("provider %q is used without a key (%s)", provider, auth.Source)
}

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
func (r *Resolver) renew(ctx context.Context, provider string, f *Flow) (Entry, error) {
	var now Entry
	err := r.Store.Update(ctx, provider, func(e Entry) (Entry, error) {
		if e.valid(time.Now().Add(renewBefore)) {
			now = e // another process was faster
			return e, nil
		}
		fresh, err := f.Refresh(ctx, e, r.Client)
		now = fresh
		return fresh, err
	})
	return now, err
}
