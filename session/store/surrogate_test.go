package store

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestWholeSurrogates(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`"plain é \u00e9"`, `"plain é \u00e9"`},
		{`"a\ud83d b"`, `"a b"`},
		{`"a\uD83D\uDE00b"`, `"a\uD83D\uDE00b"`},
		{`"\ude00\ud83d"`, `""`},
		{`"\ud83d\ud83d\ude00"`, `"\ud83d\ude00"`},
		{`"\\ud83d"`, `"\\ud83d"`},
		{`"\\\ud83d"`, `"\\"`},
		{`"\ud83d\n"`, `"\n"`},
		{`\ud83`, `\ud83`},
		{`"\udzzz"`, `"\udzzz"`},
	} {
		if got := string(wholeSurrogates([]byte(tt.in))); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

func FuzzWholeSurrogates(f *testing.F) {
	f.Add([]byte(`{"a":"x\ud83d\\ud83d\ude00"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		out := wholeSurrogates(line)
		if !json.Valid(line) {
			return
		}
		var v string
		if !json.Valid(out) {
			t.Fatalf("%q became %q, which is no JSON", line, out)
		}
		if utf8.Valid(line) && json.Unmarshal(out, &v) == nil && len(wholeSurrogates(out)) != len(out) {
			t.Errorf("%q: halves are left in %q", line, out)
		}
	})
}
