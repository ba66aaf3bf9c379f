package agent

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestValidateMendsHarmlessSlips(t *testing.T) {
	tool := &Tool{Name: "t", Parameters: json.RawMessage(`{"type":"object","required":["path"],"properties":{
		"path":{"type":"string"},"offset":{"type":"integer"},"limit":{"type":"number"},"deep":{"type":"boolean"},
		"tags":{"type":"array","items":{"type":"string"}},"edits":{"type":"array","items":{"type":"object","required":["old"],"properties":{"old":{"type":"string"}}}},
		"opt":{"type":["string","null"]},"mode":{"enum":["a","b"]}}}`)}
	for _, tt := range []struct{ in, out, err string }{
		{`{"path":"a"}`, `{"path":"a"}`, ""},
		{`{"path":"a","offset":"10"}`, `{"offset":10,"path":"a"}`, ""},
		{`{"path":"a","offset":10.0}`, `{"offset":10,"path":"a"}`, ""},
		{`{"path":"a","limit":"2.5"}`, `{"limit":2.5,"path":"a"}`, ""},
		{`{"path":"a","limit":null}`, `{"path":"a"}`, ""},
		{`{"path":"a","opt":null}`, `{"path":"a","opt":null}`, ""},
		{`{"path":"a","deep":"True"}`, `{"deep":true,"path":"a"}`, ""},
		{`{"path":"a","tags":"x"}`, `{"path":"a","tags":["x"]}`, ""},
		{`{"path":7}`, `{"path":"7"}`, ""},
		{`{"path":"a","edits":"[{\"old\":\"x\"}]"}`, `{"edits":[{"old":"x"}],"path":"a"}`, ""},
		{`{"path":"a","edits":{"old":"x"}}`, `{"edits":[{"old":"x"}],"path":"a"}`, ""},
		{`{"path":"a","extra":{"x":1}}`, `{"path":"a","extra":{"x":1}}`, ""},
		{`{"path":"<&>"}`, `{"path":"<&>"}`, ""},
		{`{}`, "", "missing propert"},
		{`{"path":"a","offset":"ten"}`, "", "offset: got string, want integer"},
		{`{"path":"a","edits":[{"old":"x"},{}]}`, "", "edits/1: missing propert"},
		{`{"path":{}}`, "", "path: got object, want string"},
		{`{"path":"a","mode":"z"}`, "", "mode: value must be one of"},
		{`[]`, "", "got array, want object"},
	} {
		out, err := schemas{}.validate(tool, json.RawMessage(tt.in))
		switch {
		case tt.err == "" && err != nil:
			t.Errorf("%s: %v", tt.in, err)
		case tt.err == "" && string(out) != tt.out:
			t.Errorf("%s: got %s want %s", tt.in, out, tt.out)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%s: error %v, want %q", tt.in, err, tt.err)
		case err != nil && strings.Contains(err.Error(), "tool:arguments"):
			t.Errorf("%s: the error shows the schema's address: %v", tt.in, err)
		}
	}
}

func FuzzValidate(f *testing.F) {
	f.Add(`{"path":"a","n":"1"}`)
	f.Add(`{"path":null,"list":"[1,{}]"}`)
	tool := &Tool{Name: "t", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"},"list":{"type":"array","items":{"type":"object"}}}}`)}
	f.Fuzz(func(t *testing.T, in string) {
		out, err := schemas{}.validate(tool, json.RawMessage(in))
		if err == nil && !json.Valid(out) {
			t.Errorf("%q gave invalid JSON %q", in, out)
		}
	})
}
