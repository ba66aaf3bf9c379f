package schema

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, tt := range []struct{ name, schema, value, want string }{
		{"any", `{}`, `7`, ""},
		{"yes", `true`, `7`, ""},
		{"types", `{"type":["string","null"]}`, `7`, "/: got integer, want string or null"},
		{"whole numbers", `{"type":"integer"}`, `7.0`, ""},
		{"parts", `{"type":"integer"}`, `7.5`, "/: got number, want integer"},
		{"every fault", `{"type":"object","required":["a","b","c"],"properties":{"c":{"type":"string"},"d":{"type":"array","items":{"type":"object","required":["e"]}}}}`,
			`{"c":1,"d":[{},{"e":1},2]}`, "/: missing properties 'a', 'b'; /c: got integer, want string; /d/0: missing property 'e'; /d/2: got integer, want object"},
		{"unknown", `{"properties":{"path":{}},"additionalProperties":false}`, `{"file":"x"}`, "/: there is no property 'file'; there are 'path'"},
		{"others", `{"additionalProperties":{"type":"string"}}`, `{"file":1}`, "/file: got integer, want string"},
		{"others by pattern", `{"patternProperties":{"^x":{}},"additionalProperties":false}`, `{"x1":1,"y":2}`, "y"},
		{"choice", `{"properties":{"m":{"enum":["a",2,null]}}}`, `{"m":"z"}`, "/m: value must be one of 'a', 2, null"},
		{"choice of lists that look alike", `{"enum":[["1"]]}`, `[1]`, "/: value must be one of [\"1\"]"},
		{"choice of lists", `{"enum":[[1,2]]}`, `[1,2]`, ""},
		{"constant", `{"const":"a"}`, `"b"`, "const"},
		{"limits", `{"properties":{"n":{"minimum":3,"maximum":5},"s":{"minLength":2},"l":{"maxItems":1}}}`, `{"n":9,"s":"x","l":[1,2]}`, "/l: maxItems"},
		{"limits, all", `{"properties":{"n":{"minimum":3,"maximum":5},"s":{"minLength":2},"l":{"maxItems":1}}}`, `{"n":9,"s":"x","l":[1,2]}`, "/s: minLength"},
		{"union", `{"properties":{"v":{"anyOf":[{"type":"string"},{"type":"object","required":["x"]}]}}}`, `{"v":{}}`, "/v: anyOf"},
		{"union held", `{"properties":{"v":{"anyOf":[{"type":"string"},{"type":"object","required":["x"]}]}}}`, `{"v":{"x":1}}`, ""},
		{"reference", `{"$defs":{"n":{"type":"integer"}},"properties":{"v":{"$ref":"#/$defs/n"}}}`, `{"v":"x"}`, "/v: type: x has type"},
		{"old reference", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"type":"integer"}},"properties":{"v":{"$ref":"#/definitions/n"}}}`, `{"v":"x"}`, "/v: type: x has type"},
		{"reference to itself", `{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, `{"next":{"next":{"other":1}}}`, "other"},
		{"tuple", `{"prefixItems":[{"type":"string"},{"type":"integer"}]}`, `["a","b"]`, "type"},
		{"old tuple", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`, `["a","b"]`, "not allowed"},
		{"condition", `{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, "missing properties"},
		{"dependency", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, "b"},
		{"pattern", `{"pattern":"^a+$"}`, `"b"`, "pattern"},
		{"never", `{"properties":{"a":false}}`, `{"a":1}`, "/a: "},
	} {
		s, err := Compile([]byte(tt.schema))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var v any
		if err := json.Unmarshal([]byte(tt.value), &v); err != nil {
			t.Fatal(err)
		}
		err = s.Check(v)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "validating ") && !strings.Contains(tt.name, "union") {
			t.Errorf("%s: the error shows the library's own path: %v", tt.name, err)
		}
	}
}

func TestCompile(t *testing.T) {
	for schema, want := range map[string]string{
		`{`:                                     "unexpected end",
		`[]`:                                    "cannot unmarshal",
		`{"type":7}`:                            "type",
		`{"type":"strin"}`:                      `no type "strin"`,
		`{"$ref":"https://example.com/s.json"}`: "the schema refers to https://example.com/s.json",
		`{"$ref":"#/$defs/none"}`:               "none",
		`{"$ref":"#"}`:                          "leads to itself",
		`{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`: "leads to itself",
		`{"properties":{"a":{"$ref":"#a"}},"$anchor":"a"}`:                                  "only references by path",
		`{"required":["a"],"properties":{"a":{"$ref":"#/required/0"}}}`:                     "no schema",
		`{"pattern":"(?=x)"}`: "regexp",
	} {
		if _, err := Compile([]byte(schema)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", schema, err, want)
		}
	}
}

// A tool whose schema has an expression of another language can be called.
func TestForeignPatterns(t *testing.T) {
	s, err := CompileTool([]byte(`{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x)"},"pattern":{"type":"string"}},"patternProperties":{"(?=y)":{"type":"null"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(map[string]any{"a": "x", "pattern": "p"}); err != nil {
		t.Error(err)
	}
	if err := s.Check(map[string]any{"a": 1.0}); err == nil {
		t.Error("the type is not checked any more")
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"a":{"a":1}}`)
	f.Add(`{"anyOf":[{"type":"string"},{"enum":[1]}],"$defs":{"x":{}}}`, `2`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		var v any
		if json.Unmarshal([]byte(value), &v) != nil || len(schema) > 2000 {
			return
		}
		if s, err := CompileTool([]byte(schema)); err == nil {
			_ = s.Check(v)
		}
	})
}
