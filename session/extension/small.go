package extension

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tau/agent"
	"tau/session/store"
)

func now() int64 { return time.Now().UnixMilli() }

func lower(s string) string { return strings.ToLower(s) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// orNull is an id, or null for none.
func orNull(id string) any {
	if id == "" {
		return nil
	}
	return id
}

// later does something on a goroutine of its own, in order: a change that an
// extension makes must not wait for the handlers that are told of it.
func (r *Runner) later(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if r.changes == nil {
		r.changes = agent.NewMailbox(func(do func()) { do() })
	}
	r.changes.Post(do)
}

// listen gives a function a name under which an extension can call it.
func (r *Runner) listen(f func(json.RawMessage)) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := len(r.calls); ; n++ {
		id := strconv.Itoa(n)
		if r.calls[id] == nil {
			r.calls[id] = f
			return id
		}
	}
}

func (r *Runner) unlisten(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.calls, id)
}

// entry returns the JSON of an entry of the session, or nil.
func (r *Runner) entry(id string) json.RawMessage {
	s := r.session
	if s == nil || id == "" {
		return nil
	}
	e, err := s.Store().Entry(id)
	if err != nil {
		return nil
	}
	line, err := store.EncodeEntry(e)
	if err != nil {
		return nil
	}
	return line
}

// branch returns the entries from the root to id, or to the leaf.
func (r *Runner) branch(id string) []json.RawMessage {
	out := []json.RawMessage{}
	if r.session == nil {
		return out
	}
	for _, n := range r.session.Store().PathTo(id) {
		if line := r.entry(n.ID); line != nil {
			out = append(out, line)
		}
	}
	return out
}
