package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tau/agent/schema"
)

func TestTools(t *testing.T) {
	params := map[string][]string{
		"read": {"limit", "offset", "path"}, "bash": {"command", "timeout"}, "edit": {"edits", "path"}, "write": {"content", "path"},
		"grep": {"context", "glob", "ignoreCase", "limit", "literal", "path", "pattern"}, "find": {"limit", "path", "pattern"}, "ls": {"limit", "path"},
	}
	var names []string
	for _, tool := range New(Options{CWD: t.TempDir()}).All() {
		names = append(names, tool.Name)
		if _, err := schema.Compile(tool.Parameters); err != nil {
			t.Errorf("%s: %v", tool.Name, err)
		}
		var doc map[string]any
		if err := json.Unmarshal(tool.Parameters, &doc); err != nil {
			t.Fatal(err)
		}
		var got []string
		for name := range doc["properties"].(map[string]any) {
			got = append(got, name)
		}
		slices.Sort(got)
		if !slices.Equal(got, params[tool.Name]) {
			t.Errorf("%s has the parameters %v", tool.Name, got)
		}
		if tool.Snippet == "" || len(tool.Guidelines) == 0 || tool.Description == "" {
			t.Errorf("%s does not say what it is for", tool.Name)
		}
		// What needs no mending is passed on as it is; other things too.
		for _, args := range []string{`{"path":"a","pattern":"b","command":"c","content":"d","edits":[]}`, `[1]`, `nonsense`, `null`} {
			out, err := tool.Prepare(json.RawMessage(args))
			if err != nil || string(out) != args {
				t.Errorf("%s makes %s of %s, %v", tool.Name, out, args, err)
			}
		}
	}
	if want := "read bash edit write grep find ls"; strings.Join(names, " ") != want {
		t.Errorf("%v", names)
	}
}
