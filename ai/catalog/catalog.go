// Package catalog knows the models: those that come with tau, changed and
// extended by the user's models.json.
//
// [Open] reads the user's file; nothing of the built-in data is unpacked
// before it is asked for, and then only the providers that the question
// touches. [Catalog.Find] turns what a user types into a model,
// [Catalog.List] is for pickers, [Catalog.Default] is what a provider offers
// first.
//
// Models are shared and must not be changed. A Catalog is safe for concurrent
// use.
package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"tau/ai"
)

// Catalog is the set of known models.
type Catalog struct {
	opts Options
	user *userFile

	mu     sync.Mutex
	order  []string // provider ids: built-in ones, the user's own, local servers
	loaded map[string][]*ai.Model
	local  map[string]LocalServer // by provider id
	store  *openStore             // nil before it is asked for
	// Of extensions, see Extend and Add.
	extended map[string]*userProvider
	added    map[string][]*ai.Model
}

// Options configure a catalogue.
type Options struct {
	// Path is the user's models.json; it need not exist.
	Path string
	// Store is where [Refresh] keeps newer descriptions of the built-in models,
	// models-store.jsonl of the agent's folder; it need not exist.
	Store string
	// Getenv reads the environment; nil means os.Getenv.
	Getenv func(string) string
	// HasCredentials tells which providers can be used. It decides between
	// models of one name; nil means none can.
	HasCredentials func(provider string) bool
}

// Open reads the user's file. If the file has an error the catalogue is still
// good, without that file; the error names line and column.
func Open(opts Options) (*Catalog, error) {
	if opts.Getenv == nil {
		opts.Getenv = os.Getenv
	}
	if opts.HasCredentials == nil {
		opts.HasCredentials = func(string) bool { return false }
	}
	c := &Catalog{opts: opts, user: &userFile{}, loaded: make(map[string][]*ai.Model)}
	for _, s := range packed().index {
		c.order = append(c.order, s.Provider)
	}
	c.order = append(c.order, demoProvider)
	if opts.Path == "" {
		return c, nil
	}
	data, err := os.ReadFile(opts.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("read models: %w", err)
	}
	user, err := parseUser(data, c.order)
	if err != nil {
		return c, fmt.Errorf("%s:%w", opts.Path, err)
	}
	c.user = user
	for _, p := range user.providers {
		if !slices.Contains(c.order, p.ID) {
			c.order = append(c.order, p.ID)
		}
	}
	return c, nil
}

// Warnings are what of the user's file has no effect, such as keys that are not
// known, as "path:line:column: sentence", and a store of models that turned out
// to be damaged.
func (c *Catalog) Warnings() []string {
	var list []string
	for _, w := range c.user.warnings {
		list = append(list, c.opts.Path+":"+w)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.store != nil && c.store.err != nil {
		list = append(list, c.store.err.Error())
	}
	return list
}

// Provider is what the catalogue knows of a provider beside its models.
type Provider struct {
	ID   string
	Name string
	// What the user's file says. APIKey and the values of Headers may refer to
	// the environment or a command; see package credentials.
	APIKey     string
	Headers    map[string]string
	AuthHeader bool // the key goes into an Authorization header
	// OAuth is the sign-in that the user's file configures, nil for none; see
	// package credentials for its form.
	OAuth json.RawMessage
}

// Providers returns all providers, the built-in ones first.
func (c *Catalog) Providers() []Provider {
	order := c.providers()
	list := make([]Provider, 0, len(order))
	for _, id := range order {
		list = append(list, c.Provider(id))
	}
	return list
}

func (c *Catalog) providers() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order
}

// Provider returns one provider; an unknown one has an id only.
func (c *Catalog) Provider(id string) Provider {
	p := Provider{ID: id, Name: id}
	c.mu.Lock()
	if s, ok := c.local[id]; ok {
		p.Name = s.Name
	}
	ext := c.extended[id]
	c.mu.Unlock()
	for _, u := range []*userProvider{c.user.provider(id), ext} {
		if u == nil {
			continue
		}
		p.APIKey, p.Headers, p.AuthHeader = u.APIKey, u.Headers, u.AuthHeader
		if len(u.OAuth) > 0 && u.OAuth[0] == '{' {
			p.OAuth = u.OAuth
		}
		if u.Name != "" {
			p.Name = u.Name
		}
	}
	return p
}

// Models returns the models of a provider.
func (c *Catalog) Models(provider string) []*ai.Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	if models, ok := c.loaded[provider]; ok {
		return models
	}
	if c.store == nil {
		c.store = findStore(c.opts.Store)
	}
	models, ok := c.store.models(provider)
	if !ok {
		models = packed().models(provider)
	}
	if provider == demoProvider {
		models = []*ai.Model{demoModel()}
	}
	if u := c.user.provider(provider); u != nil {
		models = u.apply(models)
	}
	if u := c.extended[provider]; u != nil {
		if len(u.models) > 0 {
			models = nil // its own take the place of all
		}
		models = u.apply(models)
	}
	models = append(models[:len(models):len(models)], c.added[provider]...)
	for _, m := range models {
		c.fromEnvironment(m)
	}
	c.loaded[provider] = models
	return models
}

// Model returns the model with exactly this id.
func (c *Catalog) Model(provider, id string) (*ai.Model, bool) {
	for _, m := range c.Models(provider) {
		if m.ID == id {
			return m, true
		}
	}
	return nil, false
}

// List returns the models whose provider, id or name has all words of search,
// in any case; all models if it is empty.
func (c *Catalog) List(search string) []*ai.Model {
	words := strings.Fields(strings.ToLower(search))
	var list []*ai.Model
	for _, provider := range c.providers() {
		for _, m := range c.Models(provider) {
			if hasWords(m, words) {
				list = append(list, m)
			}
		}
	}
	return list
}

func hasWords(m *ai.Model, words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(m.Ref() + " " + m.Name)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// Spoken reports whether tau speaks the protocol of the model.
func Spoken(m *ai.Model) bool {
	switch m.API {
	case "anthropic-messages", "openai-completions", "openai-responses", "azure-openai-responses", "openai-codex-responses",
		"google-generative-ai", "google-vertex", "bedrock-converse-stream", "mistral-conversations", "demo":
		return true
	}
	return false
}

// Usable returns an error that says why a model cannot be used, or nil.
func Usable(m *ai.Model) error {
	if !Spoken(m) {
		return fmt.Errorf("model %s needs the protocol %q, which tau does not speak yet", m.Ref(), m.API)
	}
	return nil
}

// The offline model that needs no key. Its protocol is package ai/demo.
const demoProvider = "demo"

func demoModel() *ai.Model {
	return &ai.Model{
		ID: "demo", Name: "demo (offline)", API: "demo", Provider: demoProvider,
		Input: []string{"text"}, ContextWindow: 128_000, MaxTokens: 16_384,
	}
}

func mustDecode(data []byte, v any) {
	if err := json.Unmarshal(data, v); err != nil {
		panic("catalog: the embedded data is damaged: " + err.Error()) // held by a test
	}
}
