package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// SignIn is how one signs in to a provider that an extension has registered.
// Credentials are a JSON object with access, refresh, expires (Unix
// milliseconds) and whatever else the extension needs.
type SignIn struct {
	ext *Extension
	id  string
}

// keyLimit is how long an extension may take to say what the key is.
const keyLimit = 10 * time.Second

// Login leads the user through the sign-in, by the UI of the program. It ends
// with ctx, or when the user cancels.
func (s *SignIn) Login(ctx context.Context) (credentials json.RawMessage, err error) {
	return s.call(ctx, 0, "login", nil)
}

// Refresh returns fresh credentials.
func (s *SignIn) Refresh(ctx context.Context, credentials json.RawMessage) (json.RawMessage, error) {
	return s.call(ctx, 0, "refresh", credentials)
}

// Key returns what requests are sent with.
func (s *SignIn) Key(ctx context.Context, credentials json.RawMessage) (string, error) {
	raw, err := s.call(ctx, keyLimit, "key", credentials)
	if err != nil {
		return "", err
	}
	var key string
	if err := json.Unmarshal(raw, &key); err != nil || key == "" {
		return "", errors.New("the extension gives no key for it")
	}
	return key, nil
}

func (s *SignIn) call(ctx context.Context, limit time.Duration, step string, credentials json.RawMessage) (json.RawMessage, error) {
	in := map[string]any{"provider": s.id, "step": step}
	if credentials != nil {
		in["credentials"] = credentials
	}
	return s.ext.call(ctx, limit, MethodOAuth, in)
}

// signIn is how one signs in to a provider, nil if the extension does not say.
func (e *Extension) signIn(provider string, signs bool) *SignIn {
	if !signs {
		return nil
	}
	return &SignIn{ext: e, id: provider}
}

// oauthMethods are what an extension asks the user during a sign-in.
func oauthMethods(name string) method {
	switch name {
	case "oauth.open":
		return with(func(_ context.Context, r *Runner, _ *Extension, p struct{ URL, Instructions string }) (any, error) {
			text := "Open this address in a browser:\n" + p.URL
			if p.Instructions != "" {
				text += "\n" + p.Instructions
			}
			r.ui().Notify(text, "info")
			if r.o.Program.Browse != nil {
				r.o.Program.Browse(p.URL)
			}
			return nil, nil
		})
	case "oauth.code":
		return with(func(_ context.Context, r *Runner, _ *Extension, p struct {
			Code    string  `json:"userCode"`
			Address string  `json:"verificationUri"`
			Seconds float64 `json:"expiresInSeconds"`
		}) (any, error) {
			text := fmt.Sprintf("Open %s on any device and enter the code\n%s", p.Address, p.Code)
			if p.Seconds > 0 {
				text += fmt.Sprintf("\nIt is good for %v.", time.Duration(p.Seconds)*time.Second)
			}
			r.ui().Notify(text, "info")
			return nil, nil
		})
	case "oauth.progress":
		return tell(func(u UI, p struct{ Message string }) { u.Notify(p.Message, "info") })
	case "oauth.prompt": // null: cancelled
		return with(func(ctx context.Context, r *Runner, _ *Extension, p struct {
			Message     string `json:"message"`
			Placeholder string `json:"placeholder"`
			Empty       bool   `json:"allowEmpty"`
		}) (any, error) {
			defer r.asking("input", p.Message)()
			for {
				v, ok := r.ui().Input(ctx, p.Message, p.Placeholder, 0)
				if !ok || v != "" || p.Empty {
					return value(v, ok), nil
				}
			}
		})
	case "oauth.select": // the id of an option, or null
		return with(func(ctx context.Context, r *Runner, _ *Extension, p struct {
			Message string                       `json:"message"`
			Options []struct{ ID, Label string } `json:"options"`
		}) (any, error) {
			defer r.asking("select", p.Message)()
			labels := make([]string, len(p.Options))
			for i, o := range p.Options {
				labels[i] = o.Label
				if o.Label == "" {
					labels[i] = o.ID
				}
			}
			v, ok := r.ui().Select(ctx, p.Message, labels, 0)
			for i, l := range labels {
				if ok && l == v {
					return p.Options[i].ID, nil
				}
			}
			return nil, nil
		})
	}
	return nil
}
