// Package schema checks JSON values against a JSON Schema (draft 2020-12 or
// draft-07) and names every fault at once, each with its place, so that a model
// can mend all of them in one try.
package schema

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is a compiled JSON Schema. It may be used by several goroutines.
type Schema struct {
	root   *jsonschema.Schema
	whole  *jsonschema.Resolved
	toDefs bool // its references are to definitions only
}

// Compile reads a schema. One that refers to what is outside of it, whose types
// are none, or with an expression that Go's regexp does not know is an error.
func Compile(raw []byte) (*Schema, error) {
	return compile(raw, func(map[string]any) {})
}

// CompileTool reads the schema of a tool that others wrote: expressions that
// only the engine of another language knows (look-ahead, say) are not checked,
// since a call that might be right is better let through than refused.
func CompileTool(raw []byte) (*Schema, error) {
	return compile(raw, func(s map[string]any) {
		if p, ok := s["pattern"].(string); ok && !valid(p) {
			delete(s, "pattern")
		}
		named, _ := s["patternProperties"].(map[string]any)
		for p := range named {
			if !valid(p) {
				delete(named, p)
			}
		}
	})
}

func compile(raw []byte, mend func(map[string]any)) (*Schema, error) {
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	var wrong error
	each(doc, func(s map[string]any) {
		mend(s)
		for _, name := range Names(s["type"]) {
			if !known(name) && wrong == nil {
				wrong = fmt.Errorf("there is no type %q", name)
			}
		}
	})
	if wrong != nil {
		return nil, wrong
	}
	s := &Schema{root: new(jsonschema.Schema)}
	var err error
	if s.toDefs, err = checkRefs(doc); err != nil {
		return nil, err
	}
	if raw, err = json.Marshal(doc); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, s.root); err != nil {
		return nil, err
	}
	s.whole, err = s.root.Resolve(nil)
	return s, err
}

func valid(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil
}

// each calls fn for every object of a schema that may be a schema itself.
func each(v any, fn func(map[string]any)) {
	switch x := v.(type) {
	case []any:
		for _, item := range x {
			each(item, fn)
		}
	case map[string]any:
		fn(x)
		for name, item := range x {
			switch name {
			case "enum", "const", "default", "examples":
			default:
				each(item, fn)
			}
		}
	}
}

// Names returns the strings that a keyword such as type or required gives: one,
// or those of a list.
func Names(v any) []string {
	switch x := v.(type) {
	case string:
		return []string{x}
	case []any:
		var out []string
		for _, item := range x {
			if s, ok := item.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

func known(name string) bool {
	switch name {
	case "null", "boolean", "object", "array", "number", "string", "integer":
		return true
	}
	return false
}

// Fault is one thing that is wrong with a value.
type Fault struct {
	Path string // the names and numbers on the way to it, joined by /; empty for the value itself
	Text string
}

// Faults is everything that is wrong with a value.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = "/" + one.Path + ": " + one.Text
	}
	return strings.Join(lines, "; ")
}

// Check returns nil or Faults. The value is of the kinds that encoding/json
// decodes into, numbers as float64.
func (s *Schema) Check(value any) error {
	err := s.whole.Validate(value)
	if err == nil {
		return nil
	}
	var all Faults
	s.collect(s.root, value, "", &all)
	if len(all) == 0 { // behind a reference or a condition: it is told as a whole
		all = Faults{{Text: plain(err)}}
	}
	return all
}
