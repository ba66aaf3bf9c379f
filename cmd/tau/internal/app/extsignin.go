package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"tau/ai/credentials"
	"tau/session/extension"
)

// setSignIn takes how one signs in to a provider of an extension; nil: not at
// all.
func (a *App) setSignIn(provider string, s *extension.SignIn) {
	a.ext.mu.Lock()
	defer a.ext.mu.Unlock()
	if s == nil {
		delete(a.ext.signins, provider)
		return
	}
	if a.ext.signins == nil {
		a.ext.signins = map[string]*extension.SignIn{}
	}
	a.ext.signins[provider] = s
}

// ownSignIn is the sign-in that an extension brings for a provider, or nil.
func (a *App) ownSignIn(provider string) *credentials.Own {
	a.ext.mu.Lock()
	s := a.ext.signins[provider]
	a.ext.mu.Unlock()
	if s == nil {
		return nil
	}
	return &credentials.Own{
		Login: func(ctx context.Context) (credentials.Entry, error) {
			return readEntry(s.Login(ctx))
		},
		Renew: func(ctx context.Context, e credentials.Entry) (credentials.Entry, error) {
			raw, err := writeEntry(e)
			if err != nil {
				return credentials.Entry{}, err
			}
			return readEntry(s.Refresh(ctx, raw))
		},
		Key: func(ctx context.Context, e credentials.Entry) (string, error) {
			raw, err := writeEntry(e)
			if err != nil {
				return "", err
			}
			return s.Key(ctx, raw)
		},
	}
}

// browse opens an address where there is a screen; elsewhere nobody sits before
// this machine, perhaps.
func (a *App) browse(address string) {
	if a.Front.Mode == "tui" {
		OpenLink(address)
	}
}

// writeEntry is an entry as extensions see it.
func writeEntry(e credentials.Entry) (json.RawMessage, error) {
	e.Env = nil
	b, err := json.Marshal(e)
	if err != nil {
		return nil, errors.New("the sign-in cannot be written as JSON")
	}
	return b, nil
}

// readEntry is what an extension gives as credentials, as pi stores them: with
// all members, and the type.
func readEntry(raw json.RawMessage, err error) (credentials.Entry, error) {
	if err != nil {
		return credentials.Entry{}, err
	}
	var e credentials.Entry
	if err := json.Unmarshal(raw, &e); err != nil {
		// The decoder's words may quote a token.
		return credentials.Entry{}, errors.New("the extension gives credentials of a wrong form: there must be the texts access and refresh, and the number expires")
	}
	if e.Access == "" {
		return credentials.Entry{}, fmt.Errorf("the extension gives credentials without access")
	}
	e.Type, e.Env = "oauth", nil
	return e, nil
}
