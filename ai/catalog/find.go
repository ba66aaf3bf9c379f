package catalog

import (
	"fmt"
	"sort"
	"strings"

	"tau/ai"
)

// Find returns the model that pattern means, and the thinking level if pattern
// ends in ":level" (else ""). It tries, in this order:
//
//  1. provider/id, exactly
//  2. id, exactly
//  3. provider/part of an id or a name
//  4. a provider alone, for its default
//  5. part of an id or a name
//
// An unknown id of a known provider is a new model like the provider's
// default. Among several models of step 3 and 5, an alias wins over a dated
// id, and then the highest in the order of strings. If several providers
// offer the model, the one with credentials wins; otherwise the error names
// the choices.
func (c *Catalog) Find(pattern string) (*ai.Model, ai.ThinkingLevel, error) {
	pattern = strings.TrimSpace(pattern)
	if pattern == "" {
		return nil, "", fmt.Errorf("no model was named")
	}
	base, level := splitLevel(pattern)
	// Ids may end in a colon and a word themselves.
	m, err := c.exact(pattern)
	if m != nil || err != nil {
		return found(m, "", err)
	}
	if level != "" {
		if m, err = c.exact(base); m != nil || err != nil {
			return found(m, level, err)
		}
	}
	m, err = c.fuzzy(base)
	return found(m, level, err)
}

func found(m *ai.Model, level ai.ThinkingLevel, err error) (*ai.Model, ai.ThinkingLevel, error) {
	if err == nil {
		err = Usable(m)
	}
	if err != nil {
		return nil, "", err
	}
	return m, level, nil
}

func splitLevel(pattern string) (string, ai.ThinkingLevel) {
	if at := strings.LastIndexByte(pattern, ':'); at > 0 {
		if level := ai.ThinkingLevel(pattern[at+1:]); level.Valid() {
			return pattern[:at], level
		}
	}
	return pattern, ""
}

func (c *Catalog) exact(pattern string) (*ai.Model, error) {
	if provider, id := c.splitProvider(pattern); provider != "" {
		if m, ok := c.Model(provider, id); ok {
			return m, nil
		}
	}
	var same []*ai.Model
	for _, provider := range c.providers() {
		for _, m := range c.Models(provider) {
			if strings.EqualFold(m.ID, pattern) {
				same = append(same, m)
			}
		}
	}
	return c.choose(pattern, same)
}

// splitProvider takes the longest known provider off the pattern.
func (c *Catalog) splitProvider(pattern string) (provider, rest string) {
	for _, id := range c.providers() {
		if len(id) > len(provider) && len(pattern) > len(id)+1 && pattern[len(id)] == '/' && strings.EqualFold(pattern[:len(id)], id) {
			provider, rest = id, pattern[len(id)+1:]
		}
	}
	return provider, rest
}

func (c *Catalog) fuzzy(pattern string) (*ai.Model, error) {
	if provider, rest := c.splitProvider(pattern); provider != "" {
		if m := best(matches(c.Models(provider), rest)); m != nil {
			return m, nil
		}
		// Routers have ids with slashes, so that this may be one of theirs.
		if m, err := c.fuzzyAll(pattern); m != nil && err == nil {
			return m, nil
		}
		return c.custom(provider, rest)
	}
	if m := c.Default(pattern); m != nil {
		return m, nil
	}
	m, err := c.fuzzyAll(pattern)
	if m == nil && err == nil {
		err = fmt.Errorf("no model matches %q; tau --list-models shows what there is", pattern)
	}
	return m, err
}

func (c *Catalog) fuzzyAll(pattern string) (*ai.Model, error) {
	var all []*ai.Model
	for _, provider := range c.providers() {
		all = append(all, matches(c.Models(provider), pattern)...)
	}
	all = c.preferred(all)
	top := best(all)
	if top == nil {
		return nil, nil
	}
	var same []*ai.Model
	for _, m := range all {
		if m.ID == top.ID {
			same = append(same, m)
		}
	}
	return c.choose(pattern, same)
}

// preferred keeps the models that can be used, as far as there are any.
func (c *Catalog) preferred(list []*ai.Model) []*ai.Model {
	credentials := map[string]bool{}
	for _, keep := range []func(m *ai.Model) bool{Spoken, func(m *ai.Model) bool {
		has, known := credentials[m.Provider]
		if !known {
			has = c.opts.HasCredentials(m.Provider)
			credentials[m.Provider] = has
		}
		return has
	}} {
		var kept []*ai.Model
		for _, m := range list {
			if keep(m) {
				kept = append(kept, m)
			}
		}
		if len(kept) > 0 {
			list = kept
		}
	}
	return list
}

// choose decides between equal models of several providers.
func (c *Catalog) choose(pattern string, same []*ai.Model) (*ai.Model, error) {
	same = c.preferred(same)
	switch len(same) {
	case 0:
		return nil, nil
	case 1:
		return same[0], nil
	}
	var refs []string
	for _, m := range same {
		refs = append(refs, m.Ref())
	}
	const shown = 6
	if len(refs) > shown {
		refs = append(refs[:shown], "…")
	}
	return nil, fmt.Errorf("%q is offered by several providers: name one with --provider or write %s", pattern, strings.Join(refs, ", "))
}

// matches are the models that have all words of pattern in id or name.
func matches(models []*ai.Model, pattern string) []*ai.Model {
	words := strings.Fields(strings.ToLower(pattern))
	var list []*ai.Model
	for _, m := range models {
		text := strings.ToLower(m.ID + " " + m.Name)
		all := true
		for _, w := range words {
			all = all && strings.Contains(text, w)
		}
		if all {
			list = append(list, m)
		}
	}
	return list
}

// best is an alias if there is one, and the highest id.
func best(list []*ai.Model) *ai.Model {
	if len(list) == 0 {
		return nil
	}
	sorted := append([]*ai.Model(nil), list...)
	sort.SliceStable(sorted, func(i, j int) bool {
		a, b := sorted[i], sorted[j]
		if alias(a.ID) != alias(b.ID) {
			return alias(a.ID)
		}
		return a.ID > b.ID
	})
	return sorted[0]
}

// alias reports whether the id has no date at its end.
func alias(id string) bool {
	if strings.HasSuffix(id, "-latest") {
		return true
	}
	digits := 0
	for i := len(id) - 1; i >= 0 && id[i] >= '0' && id[i] <= '9'; i-- {
		digits++
	}
	return digits != 8 || len(id) == 8 || id[len(id)-9] != '-'
}

// custom is a model that the catalogue does not know.
func (c *Catalog) custom(provider, id string) (*ai.Model, error) {
	def := c.Default(provider)
	if def == nil {
		return nil, fmt.Errorf("provider %q has no models, so that %q cannot be guessed; describe it in models.json", provider, id)
	}
	m := *def
	m.ID, m.Name = id, id
	return &m, nil
}
