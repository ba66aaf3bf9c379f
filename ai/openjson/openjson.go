// Package openjson encodes and decodes Go structs without losing the members
// that the struct does not declare.
//
// Session files and the RPC protocol are shared with other programs and with
// later versions of this one: a field that this version does not know must
// come out again as it went in. A type embeds the two calls in its own
// MarshalJSON and UnmarshalJSON:
//
//	type point struct { X int `json:"x"`; Rest openjson.Fields `json:"-"` }
//
//	func (p *point) UnmarshalJSON(b []byte) (err error) {
//		type plain point
//		p.Rest, err = openjson.Unmarshal(b, (*plain)(p))
//		return err
//	}
//	func (p point) MarshalJSON() ([]byte, error) {
//		type plain point
//		return openjson.Marshal(plain(p), p.Rest)
//	}
//
// HTML characters are never escaped: prompt caches compare bytes.
package openjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"unicode/utf8"
)

// Fields are the members of an object that the decoding struct did not
// declare. The values are the original bytes.
type Fields map[string]json.RawMessage

// Unmarshal decodes the object in data into the struct that v points at and
// returns the members that v does not declare, or nil if there are none.
func Unmarshal(data []byte, v any) (Fields, error) {
	if err := json.Unmarshal(data, v); err != nil {
		return nil, err
	}
	known := declared(reflect.TypeOf(v).Elem())
	var rest Fields
	eachMember(data, func(key string, value []byte) {
		for _, k := range known {
			// encoding/json matches names without regard to case, so must we.
			if strings.EqualFold(k, key) {
				return
			}
		}
		if rest == nil {
			rest = Fields{}
		}
		rest[key] = append(json.RawMessage(nil), value...)
	})
	return rest, nil
}

// Marshal encodes the struct v followed by rest, in order of name.
func Marshal(v any, rest Fields) ([]byte, error) {
	body, err := Encode(v)
	if err != nil || len(rest) == 0 {
		return body, err
	}
	if len(body) < 2 || body[len(body)-1] != '}' {
		return nil, fmt.Errorf("openjson: %T does not encode as an object", v)
	}
	names := make([]string, 0, len(rest))
	for name := range rest {
		names = append(names, name)
	}
	sort.Strings(names)
	out := bytes.NewBuffer(body[:len(body)-1])
	for _, name := range names {
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		key, err := Encode(name)
		if err != nil {
			return nil, err
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(rest[name])
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Encode is json.Marshal without the escaping of <, > and &.
func Encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

func declared(t reflect.Type) []string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	names := make([]string, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if f.Anonymous && tag == "" {
			names = append(names, declared(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-" || !f.IsExported():
		case name != "":
			names = append(names, name)
		default:
			names = append(names, f.Name)
		}
	}
	return names
}

// eachMember calls fn for each member of the top-level object. data is known
// to be valid JSON, which keeps this scan small.
func eachMember(data []byte, fn func(key string, value []byte)) {
	i := bytes.IndexByte(data, '{') + 1
	if i == 0 {
		return
	}
	for {
		i = skipSpace(data, i)
		if i >= len(data) || data[i] != '"' {
			return
		}
		end := skipValue(data, i)
		key := data[i:end]
		i = skipSpace(data, end) + 1 // past the colon
		i = skipSpace(data, i)
		end = skipValue(data, i)
		fn(keyText(key), data[i:end])
		i = skipSpace(data, end)
		if i >= len(data) || data[i] != ',' {
			return
		}
		i++
	}
}

func keyText(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return string(quoted)
	}
	return s
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the index after the value that starts at i.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			i++
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			if depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return min(i, len(b))
}
