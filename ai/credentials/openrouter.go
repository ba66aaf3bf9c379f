package credentials

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// BuiltinFlow returns the sign-in that comes with tau for a provider, nil if
// there is none.
func BuiltinFlow(provider string) *Flow {
	if provider == "openrouter" {
		return openRouter("https://openrouter.ai")
	}
	return nil
}

// openRouter is the flow of OpenRouter, which is open to any program: it has no
// client ids, and gives a key instead of tokens.
func openRouter(base string) *Flow {
	return &Flow{
		Name:         "OpenRouter",
		RedirectPort: 3000, // the one that it allows for programs on the user's machine
		address: func(redirect, state, challenge string) string {
			// It returns the query of the callback's address as it was.
			q := url.Values{"callback_url": {redirect + "?state=" + url.QueryEscape(state)}, "code_challenge": {challenge}, "code_challenge_method": {"S256"}}
			return base + "/auth?" + q.Encode()
		},
		exchange: func(ctx context.Context, client *http.Client, code, verifier string) (Entry, error) {
			return openRouterKey(ctx, client, base+"/api/v1/auth/keys", code, verifier)
		},
	}
}

func openRouterKey(ctx context.Context, client *http.Client, address, code, verifier string) (Entry, error) {
	body, err := json.Marshal(map[string]string{"code": code, "code_verifier": verifier, "code_challenge_method": "S256"})
	if err != nil {
		return Entry{}, fmt.Errorf("sign in: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return Entry{}, fmt.Errorf("sign in: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return Entry{}, tokenError("sign in", err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return Entry{}, fmt.Errorf("sign in: %w", err)
	}
	var answer struct {
		Key   string `json:"key"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &answer) != nil || answer.Key == "" {
		if said := cleaned(answer.Error.Message); said != "" {
			return Entry{}, fmt.Errorf("sign in: OpenRouter answered %s: %s", resp.Status, said)
		}
		if resp.StatusCode == http.StatusOK {
			return Entry{}, errors.New("sign in: OpenRouter gave no key")
		}
		return Entry{}, fmt.Errorf("sign in: OpenRouter answered %s", resp.Status)
	}
	return Entry{Type: "api_key", Key: Literal(answer.Key)}, nil
}
