package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"tau/ai"
	"tau/ai/openjson"
)

// userFile is the user's models.json: JSON with comments and trailing commas.
// Unknown keys are tolerated, with a warning.
type userFile struct {
	providers []*userProvider
	warnings  []string // with "line:column: " before them
}

type userProvider struct {
	ID         string            `json:"-"`
	Name       string            `json:"name"`
	BaseURL    string            `json:"baseUrl"`
	APIKey     string            `json:"apiKey"`
	API        string            `json:"api"`
	OAuth      json.RawMessage   `json:"oauth"` // the name of a flow, or the flow
	Headers    map[string]string `json:"headers"`
	Compat     json.RawMessage   `json:"compat"`
	AuthHeader bool              `json:"authHeader"`

	models    []json.RawMessage
	overrides map[string]json.RawMessage
}

func (f *userFile) provider(id string) *userProvider {
	for _, p := range f.providers {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// positionError is an error at a place of the file, as "line:column: text".
type positionError struct {
	data   []byte
	offset int
	text   string
}

func (e *positionError) Error() string {
	before := e.data[:min(max(e.offset, 0), len(e.data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%d:%d: %s", line, column, e.text)
}

// parseUser reads the file. builtin are the providers that need no baseUrl.
func parseUser(data []byte, builtin []string) (*userFile, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	f := &userFile{}
	if len(bytes.TrimSpace(data)) == 0 {
		return f, nil
	}
	root, err := hujson.Parse(data)
	if err != nil {
		return nil, syntaxError(err)
	}
	root.Standardize() // which keeps the offsets
	p := &userParser{data: data, text: root.Pack()}
	top, err := p.object(&root, "the file")
	if err != nil {
		return nil, err
	}
	p.look(top, "the file", topKeys())
	providers := member(top, "providers")
	if providers == nil {
		f.warnings = p.warnings
		return f, nil
	}
	list, err := p.object(providers, "providers")
	if err != nil {
		return nil, err
	}
	for i := range list.Members {
		m := &list.Members[i]
		provider, err := p.provider(name(m), &m.Value, slices.Contains(builtin, name(m)))
		if err != nil {
			return nil, err
		}
		f.providers = append(f.providers, provider)
	}
	f.warnings = p.warnings
	return f, nil
}

// syntaxError puts hujson's position into our form.
func syntaxError(err error) error {
	var line, column int
	text := err.Error()
	if _, scanErr := fmt.Sscanf(text, "hujson: line %d, column %d:", &line, &column); scanErr == nil {
		_, rest, _ := strings.Cut(text, "column ")
		_, rest, _ = strings.Cut(rest, ": ")
		return fmt.Errorf("%d:%d: %s", line, column, rest)
	}
	return fmt.Errorf(" %w", err)
}

type userParser struct {
	data []byte // as the user wrote it
	text []byte // standard JSON with the same offsets

	warnings []string
}

func (p *userParser) errorf(v *hujson.Value, format string, args ...any) error {
	return &positionError{p.data, v.StartOffset, fmt.Sprintf(format, args...)}
}

func (p *userParser) raw(v *hujson.Value) json.RawMessage {
	return json.RawMessage(p.text[v.StartOffset:v.EndOffset])
}

func (p *userParser) object(v *hujson.Value, what string) (*hujson.Object, error) {
	if obj, ok := v.Value.(*hujson.Object); ok {
		return obj, nil
	}
	return nil, p.errorf(v, "%s must be an object", what)
}

func name(m *hujson.ObjectMember) string {
	lit, _ := m.Name.Value.(hujson.Literal)
	return lit.String()
}

func member(obj *hujson.Object, key string) *hujson.Value {
	for i := range obj.Members {
		if name(&obj.Members[i]) == key {
			return &obj.Members[i].Value
		}
	}
	return nil
}

// decode reads v, and finds the place of a value of a wrong type.
func (p *userParser) decode(v *hujson.Value, into any, what string) error {
	var err error
	if m, ok := into.(*ai.Model); ok {
		err = m.UnmarshalJSON(p.raw(v)) // directly, for the offset in the error
	} else {
		err = json.Unmarshal(p.raw(v), into)
	}
	if err == nil {
		return nil
	}
	offset, text := v.StartOffset, err.Error()
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		offset += int(wrong.Offset) - 1
		text = fmt.Sprintf("%q cannot be a %s", wrong.Field, wrong.Value)
	}
	return &positionError{p.data, offset, what + ": " + text}
}

func (p *userParser) provider(id string, v *hujson.Value, builtin bool) (*userProvider, error) {
	what := fmt.Sprintf("provider %q", id)
	obj, err := p.object(v, what)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, p.errorf(v, "a provider needs a name")
	}
	p.look(obj, what, providerKeys())
	u := &userProvider{ID: id, overrides: make(map[string]json.RawMessage)}
	if err := p.decode(v, u, what); err != nil {
		return nil, err
	}
	if compat := member(obj, "compat"); compat != nil {
		if _, err := p.object(compat, what+": compat"); err != nil {
			return nil, err
		}
		p.lookCompat(compat, what, u.API)
	}
	if oauth := member(obj, "oauth"); oauth != nil && u.OAuth[0] != '{' && u.OAuth[0] != '"' {
		return nil, p.errorf(oauth, "%s: oauth must be an object or a name", what)
	}
	models, listed := member(obj, "models"), 0
	if models != nil {
		list, ok := models.Value.(*hujson.Array)
		if !ok {
			return nil, p.errorf(models, "%s: models must be a list", what)
		}
		listed = len(list.Elements)
		for i := range list.Elements {
			if err := p.model(u, &list.Elements[i], builtin); err != nil {
				return nil, err
			}
		}
	}
	if !builtin && u.BaseURL == "" && listed == 0 {
		return nil, p.errorf(v, "%s is not one of tau's own: it needs baseUrl, api and models", what)
	}
	if over := member(obj, "modelOverrides"); over != nil {
		list, err := p.object(over, what+": modelOverrides")
		if err != nil {
			return nil, err
		}
		for i := range list.Members {
			m := &list.Members[i]
			over := fmt.Sprintf("%s, model %q", what, name(m))
			if err := p.decode(&m.Value, &ai.Model{}, over); err != nil {
				return nil, err
			}
			if obj, ok := m.Value.Value.(*hujson.Object); ok {
				p.look(obj, over, modelKeys())
				if compat := member(obj, "compat"); compat != nil {
					p.lookCompat(compat, over, u.API)
				}
			}
			u.overrides[name(m)] = p.raw(&m.Value)
		}
	}
	return u, nil
}

func (p *userParser) model(u *userProvider, v *hujson.Value, builtin bool) error {
	what := fmt.Sprintf("provider %q", u.ID)
	obj, err := p.object(v, what+": a model")
	if err != nil {
		return err
	}
	if kind := member(obj, "type"); kind != nil && string(p.raw(kind)) != `"chat"` {
		return nil // it makes pictures, or sorts: nothing to talk to
	}
	var m ai.Model
	if err := p.decode(v, &m, what); err != nil {
		return err
	}
	p.look(obj, fmt.Sprintf("%s, model %q", what, m.ID), modelKeys())
	if compat := member(obj, "compat"); compat != nil {
		api := m.API
		if api == "" {
			api = u.API
		}
		p.lookCompat(compat, fmt.Sprintf("%s, model %q", what, m.ID), api)
	}
	switch {
	case m.ID == "":
		return p.errorf(v, "%s: a model needs an id", what)
	case !builtin && m.API == "" && u.API == "":
		return p.errorf(v, "%s, model %q: api is missing, in the model or in the provider (for example \"openai-completions\")", what, m.ID)
	case !builtin && m.BaseURL == "" && u.BaseURL == "":
		return p.errorf(v, "%s, model %q: baseUrl is missing, in the model or in the provider", what, m.ID)
	}
	u.models = append(u.models, p.raw(v))
	return nil
}

// apply changes the built-in models of the provider and adds the user's.
func (u *userProvider) apply(builtin []*ai.Model) []*ai.Model {
	out := make([]*ai.Model, 0, len(builtin)+len(u.models))
	var first *ai.Model
	for _, m := range builtin {
		if first == nil {
			first = m
		}
		if u.BaseURL == "" && len(u.Compat) == 0 && u.overrides[m.ID] == nil {
			out = append(out, m)
			continue
		}
		change := map[string]json.RawMessage{}
		if u.BaseURL != "" {
			change["baseUrl"] = quoted(u.BaseURL)
		}
		base := merge(encode(m), encode(change))
		out = append(out, u.finish(merge(base, u.overrides[m.ID])))
	}
	for _, raw := range u.models {
		base := map[string]any{"provider": u.ID, "reasoning": false, "input": []string{"text"}, "contextWindow": 128_000, "maxTokens": 16_384, "api": u.API, "baseUrl": u.BaseURL}
		if first != nil && u.API == "" {
			base["api"] = first.API
		}
		if first != nil && u.BaseURL == "" {
			base["baseUrl"] = first.BaseURL
		}
		m := u.finish(merge(encode(base), raw))
		m = u.finish(merge(encode(m), u.overrides[m.ID]))
		if at := slices.IndexFunc(out, func(o *ai.Model) bool { return o.ID == m.ID }); at >= 0 {
			out[at] = m
		} else {
			out = append(out, m)
		}
	}
	return out
}

// finish decodes a merged description. The parser has checked every part.
func (u *userProvider) finish(raw json.RawMessage) *ai.Model {
	m := &ai.Model{}
	if err := json.Unmarshal(raw, m); err != nil {
		return &ai.Model{ID: "unreadable", Name: err.Error(), Provider: u.ID}
	}
	m.Provider = u.ID
	if m.Name == "" {
		m.Name = m.ID
	}
	if len(u.Compat) > 0 {
		m.Compat = merge(u.Compat, m.Compat)
	}
	return m
}

// merge lays the members of over on those of base, and objects into objects.
func merge(base, over json.RawMessage) json.RawMessage {
	if len(over) == 0 {
		return base
	}
	var a, b map[string]json.RawMessage
	if json.Unmarshal(base, &a) != nil || json.Unmarshal(over, &b) != nil || a == nil || b == nil {
		return over
	}
	for key, value := range b {
		a[key] = merge(a[key], value)
	}
	return encode(a)
}

func encode(v any) json.RawMessage {
	data, err := openjson.Encode(v)
	if err != nil {
		return nil // nothing that cannot be encoded comes here
	}
	return data
}

func quoted(s string) json.RawMessage { return encode(s) }
