package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"tau/agent/schema"
	"tau/ai/openjson"
)

// schemas keeps the compiled schema of each tool that was called in a run.
type schemas map[*Tool]*schema.Schema

// validate checks args against the tool's schema. Slips that models often make
// and that lose nothing are mended first (see coerce). The error lists every
// fault with its place, so that the model can repair all at once.
func (known schemas) validate(t *Tool, args json.RawMessage) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", t.Name, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("arguments of %s: there is more than one JSON value", t.Name)
	}
	if len(t.Parameters) == 0 {
		return args, nil
	}
	var shape any
	if err := json.Unmarshal(t.Parameters, &shape); err != nil {
		return nil, fmt.Errorf("schema of tool %s: %w", t.Name, err)
	}
	mended := coerce(value, shape)
	if !reflect.DeepEqual(value, mended) {
		b, err := openjson.Encode(mended)
		if err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", t.Name, err)
		}
		args = b
	}
	compiled := known[t]
	if compiled == nil {
		var err error
		if compiled, err = schema.CompileTool(t.Parameters); err != nil {
			return nil, fmt.Errorf("schema of tool %s: %w", t.Name, err)
		}
		known[t] = compiled
	}
	var plain any // with numbers as the check takes them
	if err := json.Unmarshal(args, &plain); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", t.Name, err)
	}
	if err := compiled.Check(plain); err != nil {
		return nil, faults(t.Name, err, args)
	}
	return args, nil
}

func faults(tool string, err error, args json.RawMessage) error {
	var all schema.Faults
	if !errors.As(err, &all) {
		return fmt.Errorf("arguments of %s: %w", tool, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Invalid arguments for tool %s:", tool)
	for _, f := range all {
		at := f.Path
		if at == "" {
			at = "(arguments)"
		}
		fmt.Fprintf(&b, "\n- %s: %s", at, f.Text)
	}
	const most = 2000
	sent := string(args)
	if len(sent) > most {
		sent = strings.ToValidUTF8(sent[:most], "") + "…"
	}
	fmt.Fprintf(&b, "\nReceived: %s", sent)
	return errors.New(b.String())
}

// coerce mends harmless slips: numbers and booleans in quotes, a JSON text
// where an object or list is wanted, one value for a list of one, a number for
// a text, null for something optional. It returns a new value where it changed
// anything.
func coerce(v, shape any) any {
	s, ok := shape.(map[string]any)
	if !ok {
		return v
	}
	want := schema.Names(s["type"])
	if len(want) > 0 && !matches(v, want) {
		v = convert(v, want)
	}
	switch x := v.(type) {
	case map[string]any:
		props, _ := s["properties"].(map[string]any)
		required := schema.Names(s["required"])
		out := make(map[string]any, len(x))
		for k, item := range x {
			sub, declared := props[k]
			if item == nil && declared && !slices.Contains(required, k) && !matches(nil, schema.Names(typeOf(sub))) {
				continue
			}
			out[k] = coerce(item, sub)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = coerce(item, s["items"])
		}
		return out
	}
	return v
}

func typeOf(shape any) any {
	s, _ := shape.(map[string]any)
	return s["type"]
}

func convert(v any, want []string) any {
	for _, w := range want {
		switch x := v.(type) {
		case string:
			t := strings.TrimSpace(x)
			switch w {
			case "integer":
				if _, err := strconv.ParseInt(t, 10, 64); err == nil {
					return json.Number(t)
				}
			case "number":
				if f, err := strconv.ParseFloat(t, 64); err == nil && f == f && f-f == 0 {
					return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
				}
			case "boolean":
				switch strings.ToLower(t) {
				case "true":
					return true
				case "false":
					return false
				}
			case "object", "array":
				dec := json.NewDecoder(strings.NewReader(t))
				dec.UseNumber()
				var inner any
				if dec.Decode(&inner) == nil && matches(inner, []string{w}) && !dec.More() {
					return inner
				}
			}
		case json.Number:
			switch w {
			case "string":
				return x.String()
			case "integer":
				if f, err := x.Float64(); err == nil && f == float64(int64(f)) {
					return json.Number(strconv.FormatInt(int64(f), 10))
				}
			}
		case bool:
			if w == "string" {
				return strconv.FormatBool(x)
			}
		}
	}
	if slices.Contains(want, "array") && v != nil {
		return []any{v}
	}
	return v
}

func matches(v any, types []string) bool {
	if len(types) == 0 {
		return true
	}
	for _, t := range types {
		switch v := v.(type) {
		case nil:
			if t == "null" {
				return true
			}
		case bool:
			if t == "boolean" {
				return true
			}
		case string:
			if t == "string" {
				return true
			}
		case json.Number:
			if t == "number" || t == "integer" && !strings.ContainsAny(v.String(), ".eE") {
				return true
			}
		case []any:
			if t == "array" {
				return true
			}
		case map[string]any:
			if t == "object" {
				return true
			}
		}
	}
	return false
}
