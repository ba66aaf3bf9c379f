package toolargs

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct{ in, want, err string }{
		{"", "{}", ""},
		{" \n", "{}", ""},
		{"null", "{}", ""},
		{`{"path":"."}`, `{"path":"."}`, ""},
		{"{\"path\":\"m.tex\",\"content\":\"\\usepackage{x}\tend\"}", `{"path":"m.tex","content":"\\usepackage{x}\tend"}`, ""},
		{`{"a":"\ud83d"}`, `{"a":"` + "\ufffd" + `"}`, ""},
		{`{"a":"\u00e9"}`, `{"a":"\u00e9"}`, ""},
		{"{\"a\":\"\xff\"}", `{"a":"` + "\ufffd" + `"}`, ""},
		{`"{\"path\":\"x\"}"`, `{"path":"x"}`, ""},
		{`{"command":"rm -rf build", "timeout": }`, "", "unexpected character '}'"},
		{`{"path":"big.txt","content":"aaaa`, "", "end too early"},
		{`{"a":1}{"b":2}`, "", "after the end"},
		{`[1]`, "", "not a JSON object"},
		{`"x"`, "", "not a JSON object"},
	} {
		got, err := Parse(tt.in)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("Parse(%q): error %v, want %q", tt.in, err, tt.err)
			}
			continue
		}
		if err != nil || string(got) != tt.want {
			t.Errorf("Parse(%q) = %s, %v, want %s", tt.in, got, err, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("{\"a\":\"\\usepackage\t\"}")
	f.Fuzz(func(t *testing.T, in string) {
		got, err := Parse(in)
		if err == nil && (!json.Valid(got) || got[0] != '{') {
			t.Fatalf("Parse(%q) = %q", in, got)
		}
	})
}
