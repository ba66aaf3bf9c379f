package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "models.json")
	os.WriteFile(path, []byte(`{
  "$schema": "x",
  "provider": {},
  "providers": {
    "lab": {
      "baseURL": "http://ignored",
      "baseUrl": "http://lab.test/v1", // right
      "api": "openai-completions",
      "models": [{"id": "a", "context_window": 5, "zzz": 1}]
    },
    "anthropic": {"modelOverrides": {"claude-opus-5-5": {"maxToken": 5}}, "compat": {"supportsTemperatur": true, "supportsTemperature": "yes"}},
    "groq": {"modelOverrides": {"x": {"compat": {"maxTokensField": "max_tokens", "chatTemplateKwargs": []}}}}
  }
}`), 0o600)
	c, err := Open(Options{Path: path, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`:3:3: the file: the key "provider" is not known and has no effect; did you mean "providers"?`,
		`:6:7: provider "lab": the key "baseURL" is not known and has no effect; did you mean "baseUrl"?`,
		`:9:30: provider "lab", model "a": the key "context_window" is not known and has no effect; did you mean "contextWindow"?`,
		`:9:51: provider "lab", model "a": the key "zzz" is not known and has no effect.`,
		`:11:86: provider "anthropic", compat: the key "supportsTemperatur" is not known and has no effect; did you mean "supportsTemperature"?`,
		`:11:137: provider "anthropic", compat: "supportsTemperature" must be true or false and has no effect as it is.`,
		`:11:58: provider "anthropic", model "claude-opus-5-5": the key "maxToken" is not known and has no effect; did you mean "maxTokens"?`,
		`:12:104: provider "groq", model "x", compat: "chatTemplateKwargs" must be an object and has no effect as it is.`,
	}
	got := c.Warnings()
	for i := range got {
		got[i] = strings.TrimPrefix(got[i], path)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if m, _, err := c.Find("lab/a"); err != nil || m.ContextWindow != 128_000 {
		t.Errorf("%+v %v", m, err)
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "ac", 1}, {"ac", "abc", 1}, {"kitten", "sitting", 3}, {"a", "abcdefgh", 5}} {
		if got := distance(tt.a, tt.b, 5); got != tt.want {
			t.Errorf("%s %s: %d", tt.a, tt.b, got)
		}
	}
}
