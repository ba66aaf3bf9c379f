package credentials

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAuthCommands(t *testing.T) {
	env := map[string]string{}
	r := &Resolver{Store: NewStore(filepath.Join(t.TempDir(), "auth.json")), Getenv: func(name string) string { return env[name] }}
	ctx := t.Context()
	for _, bad := range []string{"", "  ", "two words", "line\nline"} {
		if err := r.Store.SaveKey(ctx, "groq", bad); err == nil {
			t.Errorf("%q was saved", bad)
		}
	}
	for _, key := range []string{"gsk_plain", "!not-a-command", "a$HOME$$b", "$X"} {
		if err := r.Store.SaveKey(ctx, "groq", " "+key+"\n"); err != nil {
			t.Fatal(err)
		}
		if got, err := r.PrintKey(ctx, "groq", Need{}); err != nil || got != key {
			t.Errorf("%q: %q %v", key, got, err)
		}
	}
	if s := r.Check(ctx, "groq", Need{}); s.Source != "auth.json" || s.SignedIn || s.Err != nil {
		t.Errorf("%+v", s)
	}
	env["GROQ_API_KEY"] = "from-env"
	if removed, remains, err := r.Logout(ctx, "groq"); !removed || remains != "$GROQ_API_KEY" || err != nil {
		t.Error(removed, remains, err)
	}
	if got, err := r.PrintKey(ctx, "groq", Need{}); err != nil || got != "from-env" {
		t.Error(got, err)
	}
	delete(env, "GROQ_API_KEY")
	if removed, remains, err := r.Logout(ctx, "groq"); removed || remains != "" || err != nil {
		t.Error(removed, remains, err)
	}
	if s := r.Check(ctx, "groq", Need{}); s.Err == nil || !strings.Contains(s.Err.Error(), "GROQ_API_KEY") {
		t.Errorf("%+v", s)
	}
	env["ANTHROPIC_AUTH_TOKEN"] = "bearer"
	if got, err := r.PrintKey(ctx, "anthropic", Need{}); err != nil || got != "bearer" {
		t.Error(got, err)
	}
	env["AWS_PROFILE"] = "work"
	if _, err := r.PrintKey(ctx, "amazon-bedrock", Need{}); err == nil || !strings.Contains(err.Error(), "without a key ($AWS_PROFILE)") {
		t.Error(err)
	}
}

// The files of the clouds' own programs count as set up.
func TestAmbientFiles(t *testing.T) {
	home := t.TempDir()
	env := map[string]string{"HOME": home, "USERPROFILE": home, "APPDATA": filepath.Join(home, ".config")}
	r := &Resolver{Getenv: func(name string) string { return env[name] }}
	for provider, file := range map[string]string{"amazon-bedrock": ".aws/credentials", "google-vertex": ".config/gcloud/application_default_credentials.json"} {
		if r.Has(provider) {
			t.Errorf("%s without anything", provider)
		}
		path := filepath.Join(home, filepath.FromSlash(file))
		os.MkdirAll(filepath.Dir(path), 0o700)
		os.WriteFile(path, []byte("x"), 0o600)
		if auth, err := r.Resolve(t.Context(), provider); err != nil || auth.Source != path || !r.Has(provider) {
			t.Errorf("%s: %+v %v", provider, auth, err)
		}
	}
}
