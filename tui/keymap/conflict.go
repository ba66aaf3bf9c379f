package keymap

import (
	"slices"

	"tau/tui/key"
)

// Conflict is a key that means more than one thing at the same place.
type Conflict struct {
	Key key.ID
	IDs []string
}

// Conflicts lists the keys that several actions of one group have, where the
// user has changed at least one of them. group says where an action is at
// home; actions of different groups are never heard at the same time.
func (m *Map) Conflicts(group func(id string) string) []Conflict {
	type place struct {
		group string
		key   key.ID
	}
	at := map[place]int{}
	var out []Conflict
	changed := map[string]bool{}
	for _, a := range m.actions {
		changed[a.ID] = !slices.Equal(m.keys[a.ID], a.Keys)
		for _, k := range m.keys[a.ID] {
			p := place{group(a.ID), k}
			if i, ok := at[p]; ok {
				out[i].IDs = append(out[i].IDs, a.ID)
				continue
			}
			at[p] = len(out)
			out = append(out, Conflict{k, []string{a.ID}})
		}
	}
	return slices.DeleteFunc(out, func(c Conflict) bool {
		return len(c.IDs) < 2 || !slices.ContainsFunc(c.IDs, func(id string) bool { return changed[id] })
	})
}
