package responses

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"iter"
	"net/http"
	"strings"

	"tau/ai"
	"tau/ai/internal/httpstream"
)

// CodexAPI is the name of the protocol that ChatGPT's backend speaks.
const CodexAPI = "openai-codex-responses"

// Codex asks a model through an account of ChatGPT. See [ai.StreamFunc] for the
// contract.
//
// The key is the account's access token, a JSON web token that names the
// account. tau has no client id to get one with: it is what auth.json has, or
// what a sign-in that models.json configures gives. The system prompt goes into
// instructions, and an output limit is not accepted.
func Codex(ctx context.Context, model *ai.Model, req ai.Request, opts ai.Options) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		header := http.Header{}
		header.Set("Authorization", "Bearer "+opts.APIKey)
		header.Set("OpenAI-Beta", "responses=experimental")
		header.Set("Originator", "tau")
		flags := readCompat(model)
		affinity(header, &opts, flags)
		if account := accountOf(opts.APIKey); account != "" {
			header.Set("Chatgpt-Account-Id", account)
		}
		httpstream.AddHeaders(header, model.Headers, opts.Headers)
		address := codexEndpoint(model.BaseURL)
		if header.Get("Chatgpt-Account-Id") == "" && strings.HasPrefix(address, "https://chatgpt.com/") {
			ai.Fail(model, &ai.Failure{Class: ai.FailAuth, Message: "the credential of provider " + model.Provider +
				" is not the access token of a ChatGPT account (it names no account). Put such a token into auth.json, or use the provider openai with an API key."})(yield)
			return
		}
		flags.instructions = true
		if flags.MaxOutputTokens == nil {
			flags.MaxOutputTokens = new(bool) // it refuses the member
		}
		ask(ctx, model, model.ID, &req, &opts, flags, address, header, yield)
	}
}

func codexEndpoint(base string) string {
	if base == "" {
		base = "https://chatgpt.com/backend-api"
	}
	base = strings.TrimRight(base, "/")
	switch {
	case strings.HasSuffix(base, "/responses"):
		return base
	case strings.HasSuffix(base, "/codex"):
		return base + "/responses"
	}
	return base + "/codex/responses"
}

// accountOf reads the account's id from the claims of an access token. The
// token is not verified: that is the server's business.
func accountOf(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return ""
	}
	var claims struct {
		Auth struct {
			Account string `json:"chatgpt_account_id"`
		} `json:"https://api.openai.com/auth"`
	}
	if json.Unmarshal(data, &claims) != nil {
		return ""
	}
	return claims.Auth.Account
}
