package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestMembers(t *testing.T) {
	show := func(s string) string {
		var b strings.Builder
		ok := members([]byte(s), func(name, value []byte) bool { fmt.Fprintf(&b, "%s=%s;", name, value); return true })
		return fmt.Sprint(b.String(), ok)
	}
	for _, tt := range []struct{ in, want string }{
		{`{}`, "true"},
		{` { "a" : 1 , "b":"x\"},{" } `, `a=1;b="x\"},{";true`},
		{`{"a":{"b":[1,{"c":"}"}]},"d":null}`, `a={"b":[1,{"c":"}"}]};d=null;true`},
		{`{"a":"\\"}`, `a="\\";true`},
		{`[1]`, "false"}, {`{"a":1`, "a=1;false"}, {`{"a"}`, "false"}, {`{"a":1,}`, "a=1;false"}, {`{} x`, "false"}, {``, "false"}, {`{"a":[}`, "a=[};false"},
	} {
		if got := show(tt.in); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestAnyHead(t *testing.T) {
	for _, tt := range []struct {
		in, want string
	}{
		{`{"id":"a","message":{"content":[{"role":"no"}],"role":"user"},"parentId":null,"type":"message"}`, `message a "" user true`},
		{`{"parentId":"p","x":{"id":"no"},"type":"label","id":"b"}`, `label b "p"  true`},
		{`{"id":"a\u0062","type":"t"}`, "decode"},
		{`{"\u0069d":"a","id":"b","type":"t"}`, "decode"},
		{`{"id":1,"type":"t"}`, "decode"},
		{`{"type":"t"}`, "decode"},
	} {
		got := "decode"
		if h, who, ok := anyHead([]byte(tt.in)); ok {
			got = fmt.Sprintf("%s %s %q %s %v", h.typ, h.id, h.parent, who, ok)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.in, got, tt.want)
		}
	}
}

// What is read without decoding is what decoding gives.
func FuzzAnyHead(f *testing.F) {
	for _, s := range []string{`{"id":"a","type":"t","parentId":"p"}`, `{"type":"message","message":{"role":"user"},"id":"x","parentId":null}`, `{"id":"a","id":"b","type":"t"}`, `{"message":{"role":"a"},"message":{},"id":"x","type":"y"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		h, _, ok := anyHead([]byte(s))
		if !ok || !json.Valid([]byte(s)) {
			return
		}
		var e struct {
			Type     string  `json:"type"`
			ID       string  `json:"id"`
			ParentID *string `json:"parentId"`
		}
		if json.Unmarshal([]byte(s), &e) != nil {
			return
		}
		// Decoding also takes names in another case, which no writer uses.
		if strings.ContainsAny(strings.ReplaceAll(s, "parentId", ""), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			return
		}
		parent := ""
		if e.ParentID != nil {
			parent = *e.ParentID
		}
		if string(h.typ) != e.Type || string(h.id) != e.ID || string(h.parent) != parent {
			t.Errorf("%q: %q %q %q, want %q %q %q", s, h.typ, h.id, h.parent, e.Type, e.ID, parent)
		}
	})
}
