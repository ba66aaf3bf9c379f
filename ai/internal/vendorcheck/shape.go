package vendorcheck

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// kind is what JSON value a shape takes.
type kind int

const (
	anything kind = iota
	object
	union // one of several shapes
	list
	dictionary
	text
	number
	boolean
)

// shape is what a vendor takes at some place of a request.
type shape struct {
	name   string
	kind   kind
	fields map[string]*field // of an object
	open   bool              // an object that takes other members too
	one    []*shape          // of a union
	exact  bool              // a union that is an object with exactly one member
	item   *shape            // of a list or dictionary
	values []string          // of a text; empty: any
}

type field struct {
	shape    *shape
	required bool
}

// check returns what is wrong with a value.
func (s *shape) check(path string, v any) []string {
	bad := func(format string, args ...any) []string {
		return []string{fmt.Sprintf("%s (%s): ", path, s.name) + fmt.Sprintf(format, args...)}
	}
	switch s.kind {
	case object:
		m, ok := v.(map[string]any)
		if !ok {
			return bad("want an object, is %s", brief(v))
		}
		return s.checkObject(path, m)
	case union:
		var best []string
		for _, variant := range s.one {
			wrong := variant.check(path, v)
			if len(wrong) == 0 {
				return nil
			}
			if !variant.fits(v) {
				continue // its faults say nothing
			}
			if best == nil || len(wrong) < len(best) || discriminated(variant, v) {
				best = wrong
			}
		}
		return append(bad("none of the %d forms fits %s", len(s.one), brief(v)), best...)
	case list:
		items, ok := v.([]any)
		if !ok {
			return bad("want a list, is %s", brief(v))
		}
		var wrong []string
		for i, item := range items {
			wrong = append(wrong, s.item.check(fmt.Sprintf("%s[%d]", path, i), item)...)
		}
		return wrong
	case dictionary:
		if _, ok := v.(map[string]any); !ok {
			return bad("want an object, is %s", brief(v))
		}
	case text:
		t, ok := v.(string)
		if !ok {
			return bad("want a string, is %s", brief(v))
		}
		if len(s.values) > 0 && !slices.Contains(s.values, t) {
			return bad("%q is none of %q", t, s.values)
		}
	case number:
		if _, ok := v.(float64); !ok {
			return bad("want a number, is %s", brief(v))
		}
	case boolean:
		if _, ok := v.(bool); !ok {
			return bad("want a truth value, is %s", brief(v))
		}
	}
	return nil
}

func (s *shape) checkObject(path string, m map[string]any) (wrong []string) {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		f := s.fields[key]
		switch {
		case f != nil:
			wrong = append(wrong, f.shape.check(path+"."+key, m[key])...)
		case !s.open:
			wrong = append(wrong, fmt.Sprintf("%s (%s): unknown member %q", path, s.name, key))
		}
	}
	for name, f := range s.fields {
		if _, ok := m[name]; f.required && !ok {
			wrong = append(wrong, fmt.Sprintf("%s (%s): required member %q is missing", path, s.name, name))
		}
	}
	if s.exact && len(m) != 1 {
		wrong = append(wrong, fmt.Sprintf("%s (%s): %d members, want one", path, s.name, len(m)))
	}
	sort.Strings(wrong)
	return wrong
}

// fits reports whether v is the kind of value that the shape takes.
func (s *shape) fits(v any) bool {
	switch v.(type) {
	case map[string]any:
		return s.kind == object || s.kind == dictionary || s.kind == union
	case []any:
		return s.kind == list || s.kind == union
	case string:
		return s.kind == text
	}
	return true
}

// discriminated reports whether the type or role of v is that of the variant,
// so that its faults are the ones to be told.
func discriminated(s *shape, v any) bool {
	m, ok := v.(map[string]any)
	if !ok || s.kind != object {
		return false
	}
	for _, key := range []string{"type", "role"} {
		if f := s.fields[key]; f != nil && len(f.shape.values) == 1 && m[key] == any(f.shape.values[0]) {
			return true
		}
	}
	return false
}

func brief(v any) string {
	data, _ := json.Marshal(v) // it was JSON
	if len(data) > 120 {
		return string(data[:120]) + "…"
	}
	return strings.TrimSpace(string(data))
}
