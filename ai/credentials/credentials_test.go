package credentials

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const secret = "sk-very-secret"

func resolver(t *testing.T, auth string, env map[string]string) *Resolver {
	path := filepath.Join(t.TempDir(), "auth.json")
	if auth != "" {
		if err := os.WriteFile(path, []byte(auth), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &Resolver{Store: NewStore(path), Getenv: func(name string) string { return env[name] }}
}

func TestResolve(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	later, before := time.Now().Add(time.Hour).UnixMilli(), time.Now().Add(-time.Hour).UnixMilli()
	for _, tt := range []struct {
		name, provider, auth string
		flag                 string
		config               Config
		env                  map[string]string
		want                 Auth
		err                  string
	}{
		{name: "flag first", provider: "groq", flag: "f", auth: `{"groq":{"type":"api_key","key":"a"}}`, want: Auth{Key: "f", Source: "--api-key"}},
		{name: "then auth.json", provider: "groq", auth: `{"groq":{"type":"api_key","key":"a"}}`, config: Config{APIKey: "m"}, env: map[string]string{"GROQ_API_KEY": "e"}, want: Auth{Key: "a", Source: "auth.json"}},
		{name: "then models.json", provider: "groq", config: Config{APIKey: "m"}, env: map[string]string{"GROQ_API_KEY": "e"}, want: Auth{Key: "m", Source: "models.json"}},
		{name: "then environment", provider: "groq", env: map[string]string{"GROQ_API_KEY": "e"}, want: Auth{Key: "e", Source: "$GROQ_API_KEY"}},
		{name: "second variable", provider: "qwen-token-plan", env: map[string]string{"QWEN_TOKEN_PLAN_API_KEY": "e"}, want: Auth{Key: "e", Source: "$QWEN_TOKEN_PLAN_API_KEY"}},
		{name: "bearer", provider: "anthropic", env: map[string]string{"ANTHROPIC_AUTH_TOKEN": "t"}, want: Auth{Headers: map[string]string{"Authorization": "Bearer t"}, Source: "$ANTHROPIC_AUTH_TOKEN"}},
		{name: "nothing", provider: "groq", err: `no credentials for provider "groq": set GROQ_API_KEY, or sign in`},
		{name: "demo", provider: "demo", want: Auth{Source: "none needed"}},
		{name: "own server", provider: "box", want: Auth{Source: "none needed"}},
		{name: "cloud", provider: "amazon-bedrock", env: map[string]string{"AWS_PROFILE": "p"}, want: Auth{Source: "$AWS_PROFILE"}},
		{name: "sign-in", provider: "anthropic", auth: fmt.Sprintf(`{"anthropic":{"type":"oauth","access":"a","refresh":"r","expires":%d}}`, later), want: Auth{Key: "a", Source: "auth.json"}},
		{name: "expired sign-in", provider: "anthropic", auth: fmt.Sprintf(`{"anthropic":{"type":"oauth","access":"%s","expires":%d}}`, secret, before), err: "expired"},
		{name: "references", provider: "groq", config: Config{APIKey: "a$X-${Y}$$z$!$1$"}, env: map[string]string{"X": "x", "Y": "y"}, want: Auth{Key: "ax-y$z!$1$", Source: "models.json"}},
		{name: "escaped command", provider: "groq", config: Config{APIKey: "$!x"}, want: Auth{Key: "!x", Source: "models.json"}},
		{name: "unset reference", provider: "groq", config: Config{APIKey: "$X"}, err: "the variable X is not set. Otherwise set GROQ_API_KEY"},
		{name: "unset reference goes on", provider: "groq", config: Config{APIKey: "$X"}, env: map[string]string{"GROQ_API_KEY": "e"}, want: Auth{Key: "e", Source: "$GROQ_API_KEY"}},
		{name: "variables of the entry", provider: "groq", auth: `{"groq":{"type":"api_key","key":"$X","env":{"X":"own"}}}`, env: map[string]string{"X": "x"}, want: Auth{Key: "own", Source: "auth.json"}},
		{name: "command", provider: "groq", auth: `{"groq":{"type":"api_key","key":"!printf ' out\n'"}}`, want: Auth{Key: "out", Source: "auth.json"}},
		{name: "failing command", provider: "groq", auth: `{"groq":{"type":"api_key","key":"!echo ` + secret + `; exit 3"}}`, err: "exit status 3"},
		{name: "silent command", provider: "groq", config: Config{APIKey: "!true"}, err: "printed nothing"},
		{name: "headers", provider: "box", config: Config{APIKey: "k", AuthHeader: true, Headers: map[string]string{"X-A": "$X"}}, env: map[string]string{"X": "x"},
			want: Auth{Key: "k", Source: "models.json", Headers: map[string]string{"X-A": "x", "Authorization": "Bearer k"}}},
		{name: "header without value", provider: "box", config: Config{Headers: map[string]string{"X-A": "$X"}}, err: "X-A: the variable X is not set"},
		{name: "damaged file", provider: "groq", auth: "{\n\"groq\": {\"key\": \"" + secret + "\" oops}}", err: "auth.json:2: not valid JSON"},
		{name: "odd entry", provider: "groq", auth: `{"groq":"` + secret + `"}`, err: "wrong form"},
		{name: "odd file", provider: "groq", auth: `["` + secret + `"]`, err: "must be a JSON object"},
	} {
		r := resolver(t, tt.auth, tt.env)
		r.APIKey = tt.flag
		r.Configured = func(string) Config { return tt.config }
		got, err := r.Resolve(t.Context(), tt.provider)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), secret) {
				t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil || got.Key != tt.want.Key || got.Source != tt.want.Source || !maps.Equal(got.Headers, tt.want.Headers) {
			t.Errorf("%s: %+v, %v, want %+v", tt.name, got, err, tt.want)
		}
		if !r.Has(tt.provider) {
			t.Errorf("%s: Has is false", tt.name)
		}
	}
	if resolver(t, "", nil).Has("groq") {
		t.Error("Has without credentials")
	}
}

func TestCommandsOfTheStoreRunOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	count := filepath.Join(t.TempDir(), "count")
	r := resolver(t, `{"groq":{"type":"api_key","key":"!echo x >> `+count+`; echo key"}}`, nil)
	for range 3 {
		if a, err := r.Resolve(t.Context(), "groq"); err != nil || a.Key != "key" {
			t.Fatalf("%+v %v", a, err)
		}
	}
	if data, _ := os.ReadFile(count); string(data) != "x\n" {
		t.Errorf("ran %d times", len(data)/2)
	}
}

func TestStore(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "agent", "auth.json")
	s, ctx := NewStore(path), context.Background()
	if err := s.Set(ctx, "groq", Entry{Type: "api_key", Key: "a<b"}); err != nil {
		t.Fatal(err)
	}
	const signIn = `{"type":"oauth","access":"a","refresh":"r","expires":5,"accountId":"x","n":{"z":1,"a":2}}`
	if err := os.WriteFile(path, []byte(`{"anthropic":`+signIn+`,"groq":{"type":"api_key","key":"a<b"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Set(ctx, "openai", Entry{Type: "api_key", Key: "k"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(ctx, "groq"); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	if flat := strings.Join(strings.Fields(string(data)), ""); flat != `{"anthropic":`+signIn+`,"openai":{"type":"api_key","key":"k"}}` {
		t.Errorf("file %s", flat)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if names, err := s.Providers(); err != nil || fmt.Sprint(names) != "[anthropic openai]" {
		t.Errorf("%v %v", names, err)
	}
	if err := os.WriteFile(path, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Set(ctx, "groq", Entry{}); err == nil {
		t.Error("a damaged file was replaced")
	}
	if data, _ := os.ReadFile(path); string(data) != "{broken" {
		t.Errorf("file %s", data)
	}
}

func TestStoreAtOnce(t *testing.T) {
	s := NewStore(filepath.Join(t.TempDir(), "auth.json"))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := s.Set(t.Context(), fmt.Sprint("p", i), Entry{Type: "api_key", Key: "k"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if names, _ := s.Providers(); len(names) != 8 {
		t.Errorf("%v", names)
	}
}

func TestStoreKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "auth.json")
	if err := os.WriteFile(real, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	if err := NewStore(link).Set(t.Context(), "x", Entry{Type: "api_key", Key: "k"}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if data, _ := os.ReadFile(real); !strings.Contains(string(data), `"k"`) {
		t.Errorf("%s", data)
	}
}

func TestHasAKeyThatModelsJSONNames(t *testing.T) {
	r := &Resolver{
		Getenv:     func(name string) string { return map[string]string{"SET": "k"}[name] },
		Configured: func(provider string) Config { return Config{APIKey: provider} },
	}
	for key, want := range map[string]bool{"plain": true, "$SET": true, "$NOT_SET": false, "${NOT_SET}": false, "!echo k": true, "": true} {
		if got := r.Has(key); got != want {
			t.Errorf("%q: %v", key, got)
		}
	}
}
