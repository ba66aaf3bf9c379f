package lookalike

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestForm(t *testing.T) {
	var f Form
	if _, ok := f.Match([]byte(`{"a":"x"}`)); ok {
		t.Error("the zero value matches")
	}
	if !f.Learn([]byte(`{"n":1,"a": "x\"y","z":null}`), "a", `x"y`) {
		t.Fatal("not learned")
	}
	for in, want := range map[string]string{
		`{"n":1,"a": "other","z":null}`:        "other",
		`{"n":1,"a": "","z":null}`:             "",
		`{"n":1,"a": "\u00e9\n","z":null}`:     "é\n",
		`{"n":1,"a": "x","a":"y","z":null}`:    "-",
		`{"n":1,"a": "x","b":{},"z":null}`:     "-",
		`{"n":1,"a": 5,"z":null}`:              "-",
		`{"n":1,"a": "x\","z":null}`:           "-",
		`{"n":2,"a": "x","z":null}`:            "-",
		`{"n":1,"a": "x","z":1}`:               "-",
		"{\"n\":1,\"a\": \"\xff\",\"z\":null}": "-",
	} {
		quoted, ok := f.Match([]byte(in))
		got := "-"
		if ok {
			if s, ok := Unquote(quoted); ok {
				got = s
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{`{"b":"x"}`, `{"a":"x","c":{"a":"x"}}`, `{"a":5}`, `{"a":"y"}`} {
		if new(Form).Learn([]byte(in), "a", "x") {
			t.Errorf("%s was learned", in)
		}
	}
}

// What matches decodes to the same document with another text.
func FuzzForm(f *testing.F) {
	f.Add(`{"a":"x"}`, `{"a":"y"}`)
	f.Add(`{"n":{"b":"x"},"a":"x"}`, `{"n":{"b":"x"},"a":"x","a":"\""}`)
	f.Fuzz(func(t *testing.T, first, second string) {
		var a, b map[string]any
		if json.Unmarshal([]byte(first), &a) != nil {
			return
		}
		text, ok := a["a"].(string)
		var form Form
		if !ok || strings.Count(first, `"a"`) != 1 || !form.Learn([]byte(first), "a", text) {
			return
		}
		quoted, ok := form.Match([]byte(second))
		if !ok {
			return
		}
		got, ok := Unquote(quoted)
		if !ok {
			return
		}
		if err := json.Unmarshal([]byte(second), &b); err != nil {
			t.Fatalf("%q matches %q: %v", second, first, err)
		}
		a["a"] = got
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%q matches %q with %q", second, first, got)
		}
	})
}

func TestMatchLoose(t *testing.T) {
	var f Form
	if !f.Learn([]byte(`{"text":"a","n":12,"m":[3]}`), "text", "a") {
		t.Fatal("not learned")
	}
	for data, want := range map[string]string{
		`{"text":"b","n":9,"m":[455]}`:        `"b"`,
		`{"text":"q\"\\\\","n":9,"m":[455]}`:  `"q\"\\\\"`,
		`{"text":"","n":0,"m":[0]}`:           `""`,
		`{"text":"b","n":9,"m":[455],"x":1}`:  "",
		`{"text":"b","n":"9","m":[455]}`:      "",
		`{"text":"b","o":9,"m":[455]}`:        "",
		`{"text":"b\","n":9,"m":[455]}`:       "",
		`{"text":`:                            "",
		`{"text":"`:                           "",
		`{"text":3,"n":9,"m":[455]}`:          "",
		`{"text":"b","n":,"m":[455]}`:         "",
		`{"text":"b","n":1,"m":[1]} trailing`: "",
	} {
		quoted, ok := f.MatchLoose([]byte(data))
		if ok != (want != "") || ok && string(quoted) != want {
			t.Errorf("%s: %s %v", data, quoted, ok)
		}
	}
}

func TestUnpadded(t *testing.T) {
	for data, want := range map[string]string{
		`{"text":"a","p":"abc"}`:         `{"text":"a"`,
		`{"text":"a","p":""}`:            `{"text":"a"`,
		`{"text":"a","obfuscation":"x"}`: `{"text":"a"`,
		`{"text":"a","p":"abc","n":1}`:   `{"text":"a","p":"abc","n":1}`,
		`{"text":"a","p":"abc","n":"1"}`: `{"text":"a","p":"abc","n":"1"}`,
		`{"text":",\"p\":\"x"}`:          `{"text":",\"p\":\"x"}`,
		`{"text":"a","p":"`:              `{"text":"a","p":"`,
		`"}`:                             `"}`,
		`,"p":"}`:                        `,"p":"}`,
	} {
		if got := string(Unpadded([]byte(data))); got != want {
			t.Errorf("%s: %s", data, got)
		}
	}
}

func TestLooseHead(t *testing.T) {
	var f Form
	if !f.Learn([]byte(`{"n":12,"text":"a"}`), "text", "a") {
		t.Fatal("not learned")
	}
	for data, want := range map[string]string{`{"n":9,"text":"b"}`: `"b"`, `{"n":x,"text":"b"}`: "", `{"n":9`: "", `{"n":99,"text":`: ""} {
		if quoted, ok := f.MatchLoose([]byte(data)); ok != (want != "") || ok && string(quoted) != want {
			t.Errorf("%s: %s %v", data, quoted, ok)
		}
	}
}

// What is taken for a lookalike says, decoded, exactly the text that was
// taken.
func FuzzMatchLoose(f *testing.F) {
	f.Add(`{"text":"a","n":1}`, `{"text":"b","n":22}`, false)
	f.Add(`{"a":{"text":"\\"},"n":[1,2]}`, `{"a":{"text":"\""},"n":[1,3]}`, true)
	f.Add(`{"x":1,"text":"a","p":"abc"}`, `{"x":1,"text":",\"p\":\"","p":"z"}`, true)
	f.Fuzz(func(t *testing.T, first, second string, padded bool) {
		text := func(doc string) (string, bool) {
			var v map[string]any
			if json.Unmarshal([]byte(doc), &v) != nil {
				return "", false
			}
			if s, ok := v["text"].(string); ok {
				return s, true
			}
			if inner, ok := v["a"].(map[string]any); ok {
				s, ok := inner["text"].(string)
				return s, ok
			}
			return "", false
		}
		was, ok := text(first)
		if !ok {
			return
		}
		a, b := []byte(first), []byte(second)
		if padded {
			a, b = Unpadded(a), Unpadded(b)
		}
		var form Form
		if !form.Learn(a, "text", was) {
			return
		}
		quoted, ok := form.MatchLoose(b)
		if !ok {
			return
		}
		got, ok := Unquote(quoted)
		if !ok || !json.Valid([]byte(second)) {
			return
		}
		if want, ok := text(second); !ok || want != got {
			t.Errorf("%s after %s: %q, want %q", second, first, got, want)
		}
	})
}
