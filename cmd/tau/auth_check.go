package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"tau/ai/credentials"
	"tau/ai/openjson"
	"tau/cmd/tau/internal/app"
	"tau/tui/text"
)

// checked is the result of "tau auth check" in the form of --json.
type checked struct {
	Status      string             `json:"status"`
	Provider    string             `json:"provider"`
	AuthType    string             `json:"authType,omitempty"`
	Reason      credentials.Reason `json:"reason,omitempty"`
	Source      string             `json:"source,omitempty"`
	Expires     string             `json:"expires,omitempty"`
	Credentials *secrets           `json:"credentials,omitempty"`
}

type secrets struct {
	APIKey      string            `json:"apiKey,omitempty"`
	AccessToken string            `json:"accessToken,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"`
	Env         map[string]string `json:"env,omitempty"`
}

// providerNotFound is the reason for a provider or model that nobody knows.
const providerNotFound credentials.Reason = "provider_not_found"

func check(ctx context.Context, a *app.App, o authArgs, need credentials.Need) int {
	provider := o.provider
	if o.model != "" {
		m, _, err := a.Catalog.Find(o.model)
		if err != nil {
			return report(o, checked{Status: "invalid", Reason: providerNotFound}, err)
		}
		provider = m.Provider
	}
	if !slices.Contains(a.Providers(), provider) {
		return report(o, checked{Status: "invalid", Provider: provider, Reason: providerNotFound}, fmt.Errorf("no provider %q; tau --list-models shows them", provider))
	}
	st := a.Keys.Check(ctx, provider, need)
	c := checked{Status: "ready", Provider: provider, Source: st.Source}
	switch {
	case st.Reason == credentials.InvalidState:
		c.Status, c.Reason = "invalid", st.Reason
	case st.Err != nil:
		c.Status, c.Reason = "not_ready", st.Reason
	case st.SignedIn:
		c.AuthType = "oauth"
	case st.Auth.Key != "" || len(st.Auth.Headers) > 0:
		c.AuthType = "api_key"
	case st.Source == "none needed":
		c.AuthType = "none"
	default:
		c.AuthType = "ambient" // a cloud's own ways
	}
	if !st.Expires.IsZero() {
		c.Expires = st.Expires.UTC().Format(time.RFC3339)
	}
	if o.credentials && st.Err == nil {
		c.Credentials = &secrets{APIKey: st.Auth.Key, Headers: st.Auth.Headers, Env: st.Auth.Env}
		if st.SignedIn {
			c.Credentials.APIKey, c.Credentials.AccessToken = "", st.Auth.Key
		}
	}
	return report(o, c, st.Err)
}

// report prints the result and returns its exit status. What a person needs to
// know beside the word goes to standard error.
func report(o authArgs, c checked, err error) int {
	if o.json {
		out, encodeErr := openjson.Encode(c)
		if encodeErr != nil {
			return fail(2, encodeErr)
		}
		fmt.Println(string(out))
	} else {
		line := c.Status
		if c.Source != "" {
			line += ": " + c.Source
		}
		fmt.Println(text.Sanitize(line))
		if s := c.Credentials; s != nil {
			fmt.Println(s.APIKey + s.AccessToken)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tau:", text.Sanitize(err.Error()))
	}
	return map[string]int{"ready": 0, "not_ready": 1, "invalid": 2}[c.Status]
}
