package partialjson

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClose(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{``, ``},
		{`  `, ``},
		{`{`, `{}`},
		{`{"`, `{}`},
		{`{"pa`, `{}`},
		{`{"path"`, `{}`},
		{`{"path":`, `{}`},
		{`{"path":"`, `{"path":""}`},
		{`{"path":"a.g`, `{"path":"a.g"}`},
		{`{"path":"a\`, `{"path":"a"}`},
		{`{"path":"a\u00`, `{"path":"a"}`},
		{`{"path":"a\ud83d`, `{"path":"a"}`},
		{`{"path":"a\ud83d\ude00`, `{"path":"a\ud83d\ude00"}`},
		{`{"path":"a\ud83d\ud83d\ude00`, `{"path":"a` + "\ufffd" + `\ud83d\ude00"}`},
		{`{"path":"a\ud83dx`, `{"path":"a` + "\ufffd" + `x"}`},
		{`{"path":"a\ud83d"`, `{"path":"a` + "\ufffd" + `"}`},
		{`{"path":"\ude00"`, `{"path":"` + "\ufffd" + `"}`},
		{"{\"path\":\"é\xe6\x97", `{"path":"é"}`},
		{"{\"path\":\"\xe6x", `{"path":"` + "\ufffd" + `x"}`},
		{`{"a":1,`, `{"a":1}`},
		{`{"a":1,"b`, `{"a":1}`},
		{`{"a":-`, `{}`},
		{`{"a":1.`, `{"a":1}`},
		{`{"a":1.5e`, `{"a":1.5}`},
		{`{"a":1.5e+7`, `{"a":1.5e+7}`},
		{`{"a":tr`, `{"a":true}`},
		{`{"a":[1,2,`, `{"a":[1,2]}`},
		{`{"a":[{"b":"c`, `{"a":[{"b":"c"}]}`},
		{`{"a":[{"b":"c"}]} `, `{"a":[{"b":"c"}]}`},
		{`nul`, `null`},
		{`"x`, `"x"`},
		{"{\"a\":\"\\usepackage{x}\tend\\q\"}", `{"a":"\\usepackage{x}\tend\\q"}`},
		{"{\"a\":\"\\u12x\x01\"}", `{"a":"\\u12x\u0001"}`},
		{`{"a":1,"b": }`, `{"a":1}`},
		{`{"a":01}`, `{"a":0}`},
		{`{"a":[1 2]}`, `{"a":[1]}`},
	} {
		if got := string(Close(tt.in)); got != tt.want {
			t.Errorf("Close(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

var documents = []string{
	`{"path":"a.txt","edits":[{"oldText":"a\tb\u00e9\ud83d\ude00","newText":""},{}],"n":-12.5e+3,"t":true,"f":false,"z":null}`,
	`[[],{},[[1,[2]]],"日本\\","\"",0,-0.1]`,
	` { "a" : [ 1 , { "b" : "c" } ] } `,
	`"text"`, `12`, `null`,
}

func TestEveryPrefix(t *testing.T) {
	for _, doc := range documents {
		for i := 1; i <= len(doc); i++ {
			if got := Close(doc[:i]); got != nil && !json.Valid(got) {
				t.Errorf("Close(%q) = %q", doc[:i], got)
			}
		}
		var s Scanner
		s.Write(doc)
		if !s.Done() || s.Err() != nil {
			t.Errorf("%q: not done, %v", doc, s.Err())
		}
		if got := string(s.Closed()); got != strings.TrimRight(doc, " ") {
			t.Errorf("%q became %q", doc, got)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, in := range []string{`{"a":}`, `{a`, `[1,]`, `{"a":1,}`, `1 2`, `tru3`, `{"a" 1}`, `]`, `-x`, `1.x`, strings.Repeat("[", maxDepth+1)} {
		var s Scanner
		s.Write(in)
		if s.Err() == nil || s.Done() {
			t.Errorf("%.20q: no error", in)
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, doc := range documents {
		f.Add(doc, 3)
	}
	f.Fuzz(func(t *testing.T, in string, cut int) {
		var whole, pieces Scanner
		whole.Write(in)
		cut = max(1, cut%16)
		for rest := in; rest != ""; {
			n := min(cut, len(rest))
			pieces.Write(rest[:n])
			rest = rest[n:]
			if got := pieces.Closed(); got != nil && !json.Valid(got) {
				t.Fatalf("%q: closed to %q", in, got)
			}
		}
		if !reflect.DeepEqual(whole.Closed(), pieces.Closed()) || whole.Done() != pieces.Done() {
			t.Fatalf("%q: pieces of %d give %q, whole %q", in, cut, pieces.Closed(), whole.Closed())
		}
		if utf8.ValidString(in) && json.Valid([]byte(in)) {
			var a, b any
			if json.Unmarshal([]byte(in), &a) == nil {
				if err := json.Unmarshal(whole.Closed(), &b); err != nil || !whole.Done() || !reflect.DeepEqual(a, b) {
					t.Fatalf("%q became %q (%v)", in, whole.Closed(), whole.Err())
				}
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	doc := `{"path":"a.txt","content":"` + strings.Repeat(`some text of a line\n`, 50_000) + `"}`
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		var s Scanner
		for rest := doc; rest != ""; {
			n := min(12, len(rest))
			s.Write(rest[:n])
			rest = rest[n:]
		}
	}
}
