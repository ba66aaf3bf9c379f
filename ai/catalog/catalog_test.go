package catalog

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tau/ai"
	"tau/ai/demo"
)

func open(t testing.TB, file string, env map[string]string, credentials ...string) (*Catalog, error) {
	t.Helper()
	path := ""
	if file != "" {
		path = filepath.Join(t.TempDir(), "models.json")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Open(Options{Path: path, Getenv: func(name string) string { return env[name] }, HasCredentials: func(p string) bool {
		for _, c := range credentials {
			if c == p {
				return true
			}
		}
		return false
	}})
}

func TestEmbeddedData(t *testing.T) {
	c, err := open(t, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	all := c.List("")
	if len(all) < 1600 {
		t.Errorf("%d models", len(all))
	}
	seen := map[string]bool{}
	for _, m := range all {
		if m.ID == "" || m.API == "" || m.Provider == "" || m.ContextWindow <= 0 || m.MaxTokens <= 0 || len(m.Input) == 0 || seen[m.Ref()] {
			t.Errorf("%+v", m)
		}
		seen[m.Ref()] = true
	}
	for _, p := range c.Providers() {
		id, listed := defaultModels[p.ID]
		if !listed {
			t.Errorf("no default for %s", p.ID)
		}
		if m := c.Default(p.ID); m == nil || m.ID != id {
			t.Errorf("%s: the default %q is not in the catalogue", p.ID, id)
		}
	}
	m, ok := c.Model("anthropic", "claude-sonnet-4-6")
	if !ok || m.Name != "Claude Sonnet 4.6" || m.Cost.Output != 15 || !m.Thinks(ai.ThinkingMax) || !m.Sees() || !strings.Contains(string(m.Compat), "forceAdaptiveThinking") {
		t.Errorf("%+v", m)
	}
}

func TestDemoModelIsTheProtocolsOwn(t *testing.T) {
	if got, want := demoModel(), demo.Model(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestFind(t *testing.T) {
	c, err := open(t, `{"providers":{"my/lab":{"baseUrl":"http://localhost:1/v1","api":"openai-completions","models":[{"id":"q:7b"},{"id":"claude-opus-5-5"}]}}}`, nil, "anthropic", "openrouter")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		pattern, want string
		level         ai.ThinkingLevel
		err           string
	}{
		{"anthropic/claude-opus-5-5", "anthropic/claude-opus-5-5", "", ""},
		{"anthropic/claude-opus-5-5:high", "anthropic/claude-opus-5-5", "high", ""},
		{"Anthropic/claude-opus-5-5", "anthropic/claude-opus-5-5", "", ""},
		{"claude-opus-5-5", "anthropic/claude-opus-5-5", "", ""},
		{"claude-opus-5-5:loud", "", "", "no model matches"},
		{"my/lab/q:7b", "my/lab/q:7b", "", ""},
		{"my/lab/q:7b:low", "my/lab/q:7b", "low", ""},
		{"q:7b", "my/lab/q:7b", "", ""},
		{"my/lab/other", "my/lab/other", "", ""},
		{"anthropic/sonnet 4", "anthropic/claude-sonnet-4-6", "", ""},
		{"anthropic/haiku:off", "anthropic/claude-haiku-5-5", "off", ""},
		{"anthropic/claude-opus-99", "anthropic/claude-opus-99", "", ""},
		{"moonshotai/kimi-k2.7-code", "moonshotai/kimi-k2.7-code", "", ""},
		{"groq:low", "groq/openai/gpt-oss-120b", "low", ""},
		{"demo", "demo/demo", "", ""},
		{"demo/script:/tmp/a b.json", "demo/script:/tmp/a b.json", "", ""},
		{"openai-codex/gpt-6.2-sol", "openai-codex/gpt-6.2-sol", "", ""},
		{"nothing like this", "", "", "no model matches"},
		{"", "", "", "no model was named"},
		{"openai/gpt-6.2-sol", "openai/gpt-6.2-sol", "", ""},
	} {
		m, level, err := c.Find(tt.pattern)
		switch {
		case tt.err != "":
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: error %v, want %q", tt.pattern, err, tt.err)
			}
		case err != nil:
			t.Errorf("%q: %v", tt.pattern, err)
		case m.Ref() != tt.want || level != tt.level:
			t.Errorf("%q: %s %q, want %s %q", tt.pattern, m.Ref(), level, tt.want, tt.level)
		}
	}
	poor, _ := open(t, "", nil)
	if _, _, err := poor.Find("claude-opus-5-5"); err == nil || !strings.Contains(err.Error(), "--provider") {
		t.Errorf("several providers without credentials: %v", err)
	}
	custom, _, _ := c.Find("anthropic/claude-opus-99")
	if def := c.Default("anthropic"); custom.API != def.API || custom.BaseURL != def.BaseURL || custom.Name != "claude-opus-99" || def.ID == custom.ID {
		t.Errorf("custom %+v", custom)
	}
}

func TestUserFile(t *testing.T) {
	c, err := open(t, `{
	// comments are fine
	"$schema": "x",
	"later": [1],
	"providers": {
		"anthropic": {"baseUrl": "https://proxy.test", "apiKey": "$KEY", "headers": {"X-A": "1"}, "compat": {"supportsTemperature": false},
			"models": [{"id": "claude-new", "maxTokens": 5}],
			"modelOverrides": {"claude-sonnet-4-6": {"cost": {"input": 9}, "name": "Mine", "compat": {"extra": 1}}}},
		"local": {"name": "My box", "baseUrl": "http://localhost:8080/v1", "api": "openai-completions", "authHeader": true,
			"models": [{"id": "a", "new": {"kept": true}}, {"id": "b", "reasoning": true, "baseUrl": "http://other/v1", "input": ["text", "image"],},],
			"modelOverrides": {"a": {"contextWindow": 7}},},
	},
}`, map[string]string{"ANTHROPIC_BASE_URL": "https://env.test"})
	if err != nil {
		t.Fatal(err)
	}
	m, _ := c.Model("anthropic", "claude-sonnet-4-6")
	if m.Name != "Mine" || m.Cost.Input != 9 || m.Cost.Output != 15 || m.BaseURL != "https://proxy.test" ||
		!strings.Contains(string(m.Compat), `"supportsTemperature":false`) || !strings.Contains(string(m.Compat), `"extra":1`) || !strings.Contains(string(m.Compat), `"forceAdaptiveThinking":true`) {
		t.Errorf("override %+v %s", m, m.Compat)
	}
	if m, ok := c.Model("anthropic", "claude-new"); !ok || m.API != "anthropic-messages" || m.BaseURL != "https://proxy.test" || m.MaxTokens != 5 || m.ContextWindow != 128_000 {
		t.Errorf("addition %+v", m)
	}
	if a, ok := c.Model("local", "a"); !ok || a.ContextWindow != 7 || a.Name != "a" || a.API != "openai-completions" || string(a.Rest["new"]) != `{"kept":true}` || a.Sees() {
		t.Errorf("own %+v", a)
	}
	if b, ok := c.Model("local", "b"); !ok || b.BaseURL != "http://other/v1" || !b.Sees() || !b.Reasoning {
		t.Errorf("own %+v", b)
	}
	if p := c.Provider("anthropic"); p.APIKey != "$KEY" || p.Headers["X-A"] != "1" {
		t.Errorf("%+v", p)
	}
	if p := c.Provider("local"); p.Name != "My box" || !p.AuthHeader {
		t.Errorf("%+v", p)
	}
	if got := c.List("local zzz"); len(got) != 0 {
		t.Errorf("found %v", got)
	}
	if got := c.List("local b"); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}

// A model of a protocol that tau does not speak can be described, and says so
// in a sentence when it is chosen.
func TestUnspokenProtocol(t *testing.T) {
	c, err := open(t, `{"providers": {"radius": {"baseUrl": "https://radius.test/v1", "api": "pi-messages", "models": [{"id": "balanced"}]}}}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Find("radius/balanced"); err == nil || err.Error() != `model radius/balanced needs the protocol "pi-messages", which tau does not speak yet` {
		t.Error(err)
	}
	for _, m := range c.List("") {
		if m.Provider != "radius" && !Spoken(m) {
			t.Errorf("%s: %s is not spoken", m.Ref(), m.API)
		}
	}
}

func TestUserFileErrors(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"{\n  \"providers\": {\n    \"x\" {}\n}}", ":3:"},
		{"{\"providers\": []}", ":1:15: providers must be an object"},
		{"[]", ":1:1: the file must be an object"},
		{"{\"providers\": {\n  \"x\": {\"baseUrl\": 5}}}", `:2:20: provider "x": "baseUrl" cannot be a number`},
		{"{\"providers\": {\n  \"x\": {\"baseUrl\": \"u\",\n \"models\": [{\"id\": \"m\"}]}}}", `:3:13: provider "x", model "m": api is missing`},
		{"{\"providers\": {\n  \"x\": {\"api\": \"u\",\n \"models\": [{\"id\": \"m\"}]}}}", "baseUrl is missing"},
		{"{\"providers\": {\"x\": {\"baseUrl\": \"u\", \"models\": {}}}}", "models must be a list"},
		{"{\"providers\": {\"x\": {\"baseUrl\": \"u\", \"models\": [{}]}}}", "needs an id"},
		{"{\"providers\": {\"x\": {}}}", "needs baseUrl, api and models"},
		{"{\"providers\": {\"anthropic\": {\"models\": [\n{\"id\": \"m\", \"contextWindow\": \"big\"}]}}}", `:2:34: provider "anthropic": "contextWindow" cannot be a string`},
		{"{\"providers\": {\"anthropic\": {\"modelOverrides\": {\"m\": {\"input\": 1}}}}}", `model "m": "input" cannot be a number`},
	} {
		c, err := open(t, tt.file, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s:\n got %v\nwant %s", tt.file, err, tt.want)
		}
		if c == nil || c.Default("anthropic") == nil {
			t.Error("no catalogue after an error in the user's file")
		}
	}
	if _, err := Open(Options{Path: filepath.Join(t.TempDir(), "none.json")}); err != nil {
		t.Errorf("a missing file: %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	c, _ := open(t, "", map[string]string{"ANTHROPIC_BASE_URL": "http://a.test", "OPENAI_BASE_URL": "http://o.test/v1",
		"CLOUDFLARE_ACCOUNT_ID": "acc", "CLOUDFLARE_GATEWAY_ID": "gw", "AZURE_OPENAI_RESOURCE_NAME": "res"})
	for provider, want := range map[string]string{
		"anthropic": "http://a.test", "openai": "http://o.test/v1", "cloudflare-workers-ai": "https://api.cloudflare.com/client/v4/accounts/acc/ai/v1",
		"azure": "https://res.openai.azure.com/openai/v1",
	} {
		if got := c.Models(provider)[0].BaseURL; got != want {
			t.Errorf("%s: %s, want %s", provider, got, want)
		}
	}
}

func BenchmarkFindExact(b *testing.B) {
	for b.Loop() {
		c, _ := open(b, "", nil)
		if _, _, err := c.Find("anthropic/claude-opus-5-5"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkList(b *testing.B) {
	for b.Loop() {
		c, _ := open(b, "", nil)
		c.List("")
	}
}
