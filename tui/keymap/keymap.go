// Package keymap binds keys to actions by id, such as "tui.input.submit", and
// lets users change the bindings.
//
// A [Map] starts from tables of [Action]: those of the library ([Defaults]) and
// those of the program. [Map.Load] lays a user's file over them: an entry
// replaces the keys of its id only, an empty list disables it, and nothing a
// user binds takes a key away from another id. What is wrong with the file is
// reported, never fatal. Code asks [Map.Matches].
//
// A Map is filled by one goroutine and then only read.
package keymap

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"tau/tui/key"
)

// Action is one thing that keys can do.
type Action struct {
	ID   string
	Keys []key.ID // the defaults
	// Legacy is the name of the action in old files without name spaces,
	// or empty.
	Legacy string
	Help   string // one short phrase, for a list of keys
}

// Map holds the bindings. The zero value has none; see [New].
type Map struct {
	actions []Action
	index   map[string]int
	keys    map[string][]key.ID
}

// New returns a map with the defaults of all tables. A later table replaces an
// action of an earlier one.
func New(tables ...[]Action) *Map {
	m := &Map{index: map[string]int{}, keys: map[string][]key.ID{}}
	for _, table := range tables {
		for _, a := range table {
			if i, ok := m.index[a.ID]; ok {
				m.actions[i] = a
			} else {
				m.index[a.ID] = len(m.actions)
				m.actions = append(m.actions, a)
			}
			m.keys[a.ID] = slices.Clone(a.Keys)
		}
	}
	return m
}

// Matches reports whether ev is a press (or repeat) of a key bound to id.
func (m *Map) Matches(ev key.Event, id string) bool {
	if ev.Action == key.Release {
		return false
	}
	for _, k := range m.keys[id] {
		if ev.Is(k) {
			return true
		}
	}
	return false
}

// Keys returns the keys bound to id. The slice is read-only.
func (m *Map) Keys(id string) []key.ID { return m.keys[id] }

// Hint returns the first key of id for a help line, or "" if it has none.
func (m *Map) Hint(id string) string {
	if k := m.keys[id]; len(k) > 0 {
		return Label(k[0])
	}
	return ""
}

// Label writes a key as help lines show it.
func Label(id key.ID) string {
	mods, name := id.Split()
	switch name {
	case "escape":
		name = "esc"
	case "up":
		name = "↑"
	case "down":
		name = "↓"
	case "left":
		name = "←"
	case "right":
		name = "→"
	case "pageUp":
		name = "pgup"
	case "pageDown":
		name = "pgdn"
	}
	return string(key.Make(mods, name))
}

// Actions returns all actions in the order of the tables. The slice is
// read-only.
func (m *Map) Actions() []Action { return m.actions }

// Bind sets the keys of id.
func (m *Map) Bind(id string, keys ...key.ID) { m.keys[id] = keys }

// A Problem is something in a user's file that had to be left out, or that
// will surprise.
type Problem struct {
	ID  string // the entry
	Msg string
}

func (p Problem) String() string {
	if p.ID == "" {
		return p.Msg
	}
	return p.ID + ": " + p.Msg
}

// Load lays a user's file over the defaults: a JSON object (comments allowed)
// from ids to a key or a list of keys. Old names count as the ids they became.
// The error is for a file that is not such an object; bad entries are problems
// and leave the defaults of their id.
func (m *Map) Load(data []byte) ([]Problem, error) {
	std, err := hujson.Standardize(data)
	if err != nil {
		return nil, fmt.Errorf("read key bindings: %w", err)
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(std, &file); err != nil {
		return nil, fmt.Errorf("read key bindings: %w", err)
	}
	var problems []Problem
	legacy := m.legacy()
	byUser := map[string]string{} // scope and key
	names := make([]string, 0, len(file))
	for name := range file {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.HasPrefix(name, "$") {
			continue
		}
		id := name
		if now, ok := legacy[name]; ok {
			if _, both := file[now]; both {
				problems = append(problems, Problem{name, "old name of " + now + ", which is also set; ignored"})
				continue
			}
			id = now
		}
		if _, ok := m.index[id]; !ok {
			problems = append(problems, Problem{name, "unknown action; ignored"})
			continue
		}
		keys, bad := parseKeys(file[name])
		for _, msg := range bad {
			problems = append(problems, Problem{name, msg})
		}
		if keys == nil {
			continue
		}
		m.keys[id] = keys
		for _, k := range keys {
			claim := scope(id) + string(k)
			if other, ok := byUser[claim]; ok {
				problems = append(problems, Problem{name, fmt.Sprintf("%s is also given to %s", k, other)})
			} else {
				byUser[claim] = id
			}
		}
	}
	return problems, nil
}

// parseKeys reads the value of one entry. It returns nil if no default should
// be replaced.
func parseKeys(raw json.RawMessage) (keys []key.ID, bad []string) {
	var list []string
	var one string
	if err := json.Unmarshal(raw, &one); err == nil {
		list = []string{one}
	} else if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return nil, []string{"must be a key or a list of keys"}
	}
	keys = []key.ID{}
	for _, s := range list {
		k, err := key.Parse(s)
		if err != nil {
			bad = append(bad, err.Error())
			continue
		}
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 && len(list) > 0 {
		return nil, bad
	}
	return keys, bad
}

// scope is the place where an action listens: two actions of one scope with
// one key are a conflict.
func scope(id string) string { return id[:strings.LastIndexByte(id, '.')+1] }

func (m *Map) legacy() map[string]string {
	out := map[string]string{}
	for _, a := range m.actions {
		if a.Legacy != "" {
			out[a.Legacy] = a.ID
		}
	}
	return out
}

// Migrate returns data with old names replaced by the ids they became, leaving
// all else (comments, order, spacing) as it is, and whether anything changed.
func (m *Map) Migrate(data []byte) ([]byte, bool, error) {
	v, err := hujson.Parse(data)
	if err != nil {
		return nil, false, fmt.Errorf("read key bindings: %w", err)
	}
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, false, fmt.Errorf("read key bindings: not an object")
	}
	legacy, have := m.legacy(), map[string]bool{}
	name := func(mem hujson.ObjectMember) string {
		lit, _ := mem.Name.Value.(hujson.Literal)
		return lit.String()
	}
	for _, mem := range obj.Members {
		have[name(mem)] = true
	}
	changed := false
	for i, mem := range obj.Members {
		if now, ok := legacy[name(mem)]; ok && !have[now] {
			obj.Members[i].Name.Value = hujson.String(now)
			changed = true
		}
	}
	if !changed {
		return data, false, nil
	}
	return v.Pack(), true, nil
}

// Reset takes the defaults of all actions again.
func (m *Map) Reset() {
	for _, a := range m.actions {
		m.keys[a.ID] = slices.Clone(a.Keys)
	}
}
