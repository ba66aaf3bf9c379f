package schema

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// checkRefs refuses what the library cannot follow safely: references to what
// is outside, and those that come back to where they began without going
// deeper into the value, on which it would never end. It reports whether all
// are to definitions.
func checkRefs(doc any) (toDefs bool, err error) {
	toDefs = true
	each(doc, func(s map[string]any) {
		delete(s, "$id") // references are from the root
		for _, name := range []string{"$dynamicRef", "$recursiveRef"} {
			if s[name] != nil && err == nil {
				err = fmt.Errorf("%s is not supported", name)
			}
		}
		if ref, ok := s["$ref"].(string); ok && err == nil {
			_, err = target(doc, ref)
			if !strings.HasPrefix(ref, "#/$defs/") && !strings.HasPrefix(ref, "#/definitions/") {
				toDefs = false
			}
		}
	})
	if err != nil {
		return false, err
	}
	w := walk{doc: doc, open: map[string]bool{}}
	each(doc, func(s map[string]any) {
		if ref, ok := s["$ref"].(string); ok && err == nil {
			err = w.visit(ref)
		}
	})
	return toDefs, err
}

// walk follows references and what applies to the same value, depth first.
type walk struct {
	doc  any
	open map[string]bool // by reference: true while it is being visited, false after
}

func (w *walk) visit(ref string) error {
	if open, seen := w.open[ref]; seen {
		if open {
			return fmt.Errorf("the reference %s leads to itself", ref)
		}
		return nil
	}
	w.open[ref] = true
	to, err := target(w.doc, ref)
	if err == nil {
		err = w.same(to)
	}
	w.open[ref] = false
	return err
}

// same visits the references of a schema that apply to the value that the
// schema itself applies to.
func (w *walk) same(v any) error {
	s, _ := v.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		if err := w.visit(ref); err != nil {
			return err
		}
	}
	for _, name := range []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"} {
		var subs []any
		switch x := s[name].(type) {
		case []any:
			subs = x
		case map[string]any:
			subs = []any{x}
			if strings.HasPrefix(name, "depend") {
				subs = subs[:0]
				for _, sub := range x {
					subs = append(subs, sub)
				}
			}
		}
		for _, sub := range subs {
			if err := w.same(sub); err != nil {
				return err
			}
		}
	}
	return nil
}

// target is the part of a schema that a reference names.
func target(doc any, ref string) (any, error) {
	rest, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, fmt.Errorf("the schema refers to %s; only references within it can be followed", ref)
	}
	if rest != "" && rest[0] != '/' {
		return nil, fmt.Errorf("the schema refers to %s; only references by path (#/$defs/name) can be followed", ref)
	}
	rest, err := url.PathUnescape(rest)
	if err != nil {
		return nil, fmt.Errorf("reference %s: %w", ref, err)
	}
	at := doc
	for rest != "" {
		var name string
		name, rest, _ = strings.Cut(rest[1:], "/")
		if rest != "" {
			rest = "/" + rest
		}
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch x := at.(type) {
		case map[string]any:
			at, ok = x[name]
		case []any:
			i, err := strconv.Atoi(name)
			if ok = err == nil && i >= 0 && i < len(x); ok {
				at = x[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, fmt.Errorf("the schema refers to %s, which is not there", ref)
		}
	}
	switch at.(type) {
	case map[string]any, bool:
		return at, nil
	}
	return nil, errors.New("the schema refers to " + ref + ", which is no schema")
}
