// Package credentials finds the key of a provider and keeps the user's
// auth.json.
//
// A [Resolver] answers [Resolver.Resolve] by the first source that has
// something: the --api-key flag, auth.json, apiKey of models.json, the
// provider's environment variables. A [Store] is the file: readable by its
// owner only, changed under a lock and replaced in one step, so that neither a
// crash nor another process can spoil it. Entries of kinds that this version
// does not change, such as sign-ins, stay as they are.
//
// No error of this package contains a key, the output of a command or a line
// of auth.json. Resolver and Store are safe for concurrent use.
package credentials

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// Auth is how to prove to a provider who is asking.
type Auth struct {
	Key     string
	Headers map[string]string // to be sent beside, may be nil
	Env     map[string]string // values that auth.json has for the provider's variables, may be nil
	Source  string            // "--api-key", "auth.json", "models.json", "$NAME" or "none needed"
}

// Config is what the user's models.json says about a provider.
type Config struct {
	APIKey     string
	Headers    map[string]string
	AuthHeader bool // send the key as Authorization: Bearer too
}

// Resolver finds keys. Its fields are set before first use.
type Resolver struct {
	Store *Store // nil: no auth.json
	// APIKey is that of the --api-key flag, for whatever provider is used.
	APIKey string
	// Configured returns what models.json says; nil: nothing.
	Configured func(provider string) Config
	// Flow returns the sign-in that models.json configures for a provider, nil
	// for none; nil: none at all. Those of [BuiltinFlow] are always known.
	Flow func(provider string) *Flow
	// Client is used to renew sign-ins; nil means http.DefaultClient's transport.
	Client *http.Client
	// Getenv reads the environment; nil means os.Getenv.
	Getenv func(string) string

	mu       sync.Mutex
	commands map[string]string // outputs of the commands of auth.json
}

// Resolve returns the credentials of a provider. The error says what the user
// can do.
func (r *Resolver) Resolve(ctx context.Context, provider string) (Auth, error) {
	return r.resolve(ctx, provider, Need{})
}

func (r *Resolver) resolve(ctx context.Context, provider string, need Need) (Auth, error) {
	config := r.config(provider)
	auth, err := r.key(ctx, provider, config, need)
	if err != nil {
		return Auth{}, err
	}
	if auth.Headers, err = r.headers(ctx, provider, config, auth); err != nil {
		return Auth{}, err
	}
	return auth, nil
}

// Has reports whether Resolve is likely to succeed, without running commands
// or saying why not.
func (r *Resolver) Has(provider string) bool {
	if r.APIKey != "" || free(provider) {
		return true
	}
	configured := r.config(provider).APIKey
	if configured != "" {
		if strings.HasPrefix(configured, "!") {
			return true
		}
		if key, err := r.expand(context.Background(), configured, nil, true); err == nil && key != "" {
			return true // a variable that is set, or a key as it stands
		}
	}
	if r.Store != nil {
		if e, ok, err := r.Store.Get(provider); ok && err == nil && (e.Key != "" || e.Access != "") {
			return true
		}
	}
	for _, name := range envNames(provider) {
		if r.getenv(name) != "" {
			return true
		}
	}
	return r.ambient(provider, nil) != "" || !known(provider) && configured == "" && !r.signsIn(provider)
}

// signsIn reports whether a provider has a sign-in of its own.
func (r *Resolver) signsIn(provider string) bool {
	f := r.flow(provider)
	return f != nil && f.Own != nil
}

func (r *Resolver) key(ctx context.Context, provider string, config Config, need Need) (Auth, error) {
	if r.APIKey != "" {
		return Auth{Key: r.APIKey, Source: "--api-key"}, nil
	}
	var entry Entry
	var why []string
	if r.Store != nil {
		e, ok, err := r.Store.Get(provider)
		if err != nil {
			return Auth{}, err
		}
		entry = e
		switch {
		case ok && e.Type == "oauth":
			flow, life := r.flow(provider), max(renewBefore, need.Life)
			if e.Refresh != "" && flow.renews() && !need.NoRenew && !e.valid(time.Now().Add(life)) {
				fresh, err := r.renew(ctx, provider, flow, life)
				switch {
				case err == nil:
					e = fresh
				case ctx.Err() != nil:
					return Auth{}, ctx.Err()
				case !e.valid(time.Now()):
					why = append(why, err.Error())
				}
			}
			if e.valid(time.Now().Add(need.Life)) {
				key := e.Access
				if flow != nil && flow.Own != nil {
					if key, err = flow.Own.Key(ctx, e); err != nil {
						return Auth{}, fmt.Errorf("the sign-in to %s: %w", provider, err)
					}
				}
				return Auth{Key: key, Env: e.Env, Source: "auth.json"}, nil
			}
			if len(why) == 0 && e.valid(time.Now()) {
				why = append(why, "the sign-in in auth.json is good until "+time.UnixMilli(e.Expires).Format(time.DateTime)+", which is less than was asked for")
			}
			if len(why) == 0 {
				why = append(why, "the sign-in in auth.json has expired: sign in again")
			}
		case ok && e.Key != "":
			value, err := r.expand(ctx, e.Key, e.Env, true)
			if err == nil && value != "" {
				return Auth{Key: value, Env: e.Env, Source: "auth.json"}, nil
			}
			why = append(why, because("the key in auth.json", err))
		}
	}
	if config.APIKey != "" {
		value, err := r.expand(ctx, config.APIKey, entry.Env, false)
		if err == nil && value != "" {
			return Auth{Key: value, Env: entry.Env, Source: "models.json"}, nil
		}
		why = append(why, because("apiKey in models.json", err))
	}
	for _, name := range envNames(provider) {
		value := entry.Env[name]
		if value == "" {
			value = r.getenv(name)
		}
		if value == "" {
			continue
		}
		auth := Auth{Key: value, Env: entry.Env, Source: "$" + name}
		if name == "ANTHROPIC_AUTH_TOKEN" { // by its SDK's rule always a bearer token
			auth.Key, auth.Headers = "", map[string]string{"Authorization": "Bearer " + value}
		}
		return auth, nil
	}
	if source := r.ambient(provider, entry.Env); source != "" {
		return Auth{Env: entry.Env, Source: source}, nil
	}
	if len(why) == 0 && (free(provider) || !known(provider) && !r.signsIn(provider)) {
		return Auth{Env: entry.Env, Source: "none needed"}, nil // the user's own server
	}
	return Auth{}, missing(provider, why)
}

func because(what string, err error) string {
	if err == nil {
		return what + " is empty"
	}
	return what + " cannot be used: " + err.Error()
}

// missingError says that a provider has no credentials that can be used.
type missingError struct {
	text string
	why  []string // what was configured, and why it is of no use
}

func (e *missingError) Error() string { return e.text }

func missing(provider string, why []string) error {
	hint := "sign in with /login, or put the key into auth.json"
	if names := envNames(provider); len(names) > 0 {
		hint = "set " + names[0] + ", or " + hint
	}
	if len(why) > 0 {
		hint = strings.Join(why, "; ") + ". Otherwise " + hint
	}
	return &missingError{fmt.Sprintf("no credentials for provider %q: %s", provider, hint), why}
}

func (r *Resolver) headers(ctx context.Context, provider string, config Config, auth Auth) (map[string]string, error) {
	headers, err := r.Expand(ctx, config.Headers, auth.Env)
	if err != nil {
		return nil, fmt.Errorf("headers of provider %q in models.json: %w", provider, err)
	}
	for name, value := range auth.Headers {
		if headers == nil {
			headers = make(map[string]string)
		}
		headers[name] = value
	}
	if config.AuthHeader && auth.Key != "" {
		if headers == nil {
			headers = make(map[string]string)
		}
		headers["Authorization"] = "Bearer " + auth.Key
	}
	return headers, nil
}

// Expand fills in references and commands in header values; see [Resolver]
// and expand.go for the notation. env goes before the environment.
func (r *Resolver) Expand(ctx context.Context, values, env map[string]string) (map[string]string, error) {
	if len(values) == 0 {
		return nil, nil
	}
	out := make(map[string]string, len(values))
	for name, value := range values {
		text, err := r.expand(ctx, value, env, false)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = text
	}
	return out, nil
}

func (r *Resolver) config(provider string) Config {
	if r.Configured == nil {
		return Config{}
	}
	return r.Configured(provider)
}

func (r *Resolver) getenv(name string) string {
	if r.Getenv == nil {
		return os.Getenv(name)
	}
	return r.Getenv(name)
}
