package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// collect adds what is wrong with a value at a path. What most slips are is
// looked at here, one by one; the rest of each schema is left to the library,
// which stops at the first fault.
func (s *Schema) collect(sub *jsonschema.Schema, value any, path string, all *Faults) {
	if sub == nil || len(*all) >= 50 {
		return
	}
	if want := types(sub); len(want) > 0 && !fits(value, want) {
		*all = append(*all, Fault{path, fmt.Sprintf("got %s, want %s", kind(value), strings.Join(want, " or "))})
		return
	}
	rest := *sub
	rest.Type, rest.Types = "", nil
	if s.root != sub { // references begin at the root
		if rest.Defs == nil {
			rest.Defs = s.root.Defs
		}
		if rest.Definitions == nil {
			rest.Definitions = s.root.Definitions
		}
	}
	switch x := value.(type) {
	case map[string]any:
		rest.Required, rest.Properties = nil, nil
		var missing []string
		for _, name := range sub.Required {
			if _, ok := x[name]; !ok {
				missing = append(missing, "'"+name+"'")
			}
		}
		switch len(missing) {
		case 0:
		case 1:
			*all = append(*all, Fault{path, "missing property " + missing[0]})
		default:
			*all = append(*all, Fault{path, "missing properties " + strings.Join(missing, ", ")})
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			s.collect(sub.Properties[name], x[name], under(path, name), all)
		}
		// What these say depends on the properties that are declared.
		rest.AdditionalProperties, rest.UnevaluatedProperties = nil, nil
		if only := sub.AdditionalProperties; only != nil && len(sub.PatternProperties) == 0 {
			for _, name := range slices.Sorted(maps.Keys(x)) {
				if sub.Properties[name] != nil {
					continue
				}
				if never(only) {
					*all = append(*all, Fault{path, fmt.Sprintf("there is no property '%s'%s", name, among(sub))})
				} else {
					s.collect(only, x[name], under(path, name), all)
				}
			}
		}
	case []any:
		if sub.Items != nil && len(sub.PrefixItems) == 0 {
			rest.Items = nil
			for i, item := range x {
				s.collect(sub.Items, item, under(path, strconv.Itoa(i)), all)
			}
		}
	}
	if len(sub.Enum) > 0 {
		rest.Enum = nil
		if !slices.ContainsFunc(sub.Enum, func(e any) bool { return reflect.DeepEqual(e, value) }) {
			*all = append(*all, Fault{path, "value must be one of " + list(sub.Enum)})
		}
	}
	if !s.toDefs {
		return // in a copy a reference to the root would be one to the copy
	}
	resolved, err := rest.Resolve(nil)
	if err != nil {
		return // it refers to places that are not in this copy
	}
	if err := resolved.Validate(value); err != nil {
		*all = append(*all, Fault{path, plain(err)})
	}
}

func under(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}

func types(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

// never reports whether a schema is the one that nothing fits.
func never(s *jsonschema.Schema) bool {
	b, err := s.MarshalJSON()
	return err == nil && string(b) == "false"
}

func among(s *jsonschema.Schema) string {
	if len(s.Properties) == 0 || len(s.Properties) > 20 {
		return ""
	}
	return "; there are '" + strings.Join(slices.Sorted(maps.Keys(s.Properties)), "', '") + "'"
}

func kind(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if x == math.Trunc(x) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func fits(v any, want []string) bool {
	k := kind(v)
	return slices.Contains(want, k) || k == "integer" && slices.Contains(want, "number")
}

func list(values []any) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == 30 {
			b.WriteString("…")
			break
		}
		if s, ok := v.(string); ok {
			b.WriteString("'" + s + "'")
			continue
		}
		raw, _ := json.Marshal(v) // it was read from JSON
		b.Write(raw)
	}
	return b.String()
}

// plain takes the library's own path off an error, and its end if it repeats a
// large value.
func plain(err error) string {
	text := err.Error()
	for strings.HasPrefix(text, "validating ") {
		_, after, ok := strings.Cut(text, ": ")
		if !ok {
			break
		}
		text = after
	}
	if strings.HasPrefix(text, "not: validated against <") { // what false is to the library
		return "a part of it is not allowed"
	}
	const most = 300
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
