package catalog

import (
	"encoding/json"
	"fmt"
	"slices"

	"tau/ai"
)

// Extend adds a provider, or changes one that is there, as an entry of the
// user's file would; config is the value of such an entry. It is not kept.
// Extending a provider again takes the place of the last time.
func (c *Catalog) Extend(id string, config json.RawMessage) error {
	doc, err := json.Marshal(map[string]any{"providers": map[string]json.RawMessage{id: config}})
	if err != nil {
		return fmt.Errorf("provider %q: %w", id, err)
	}
	var builtin []string
	for _, s := range packed().index {
		builtin = append(builtin, s.Provider)
	}
	f, err := parseUser(doc, builtin)
	if err != nil {
		return fmt.Errorf("provider %q:%w", id, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.extended == nil {
		c.extended = map[string]*userProvider{}
	}
	c.extended[id] = f.provider(id)
	c.orderLocked(id)
	delete(c.loaded, id)
	return nil
}

// Add adds a model that is described whole. It is not kept.
func (c *Catalog) Add(m *ai.Model) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.added == nil {
		c.added = map[string][]*ai.Model{}
	}
	list := slices.DeleteFunc(slices.Clone(c.added[m.Provider]), func(o *ai.Model) bool { return o.ID == m.ID })
	c.added[m.Provider] = append(list, m)
	c.orderLocked(m.Provider)
	delete(c.loaded, m.Provider)
}

// Retract undoes what Extend and Add have done to a provider; with an id, only
// what Add has done to that model.
func (c *Catalog) Retract(provider, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id == "" {
		delete(c.extended, provider)
		delete(c.added, provider)
	} else {
		c.added[provider] = slices.DeleteFunc(slices.Clone(c.added[provider]), func(o *ai.Model) bool { return o.ID == id })
	}
	delete(c.loaded, provider)
}

func (c *Catalog) orderLocked(id string) {
	if !slices.Contains(c.order, id) {
		c.order = append(slices.Clone(c.order), id)
	}
}
