package settings

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestLoad(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		theme    string
		problem  string // after the path
	}{
		{"plain", `{"theme":"dark"}`, "dark", ""},
		{"comments and trailing comma", "{\n// mine\n\"theme\":\"dark\", /* x */\n}", "dark", ""},
		{"BOM", "\ufeff{\"theme\":\"dark\"}", "dark", ""},
		{"unknown keys", `{"x":{"y":1},"theme":"dark"}`, "dark", ""},
		{"syntax", "{\n  \"theme\": \"dark\"\n  \"x\": 1\n}", "", ":3:3: "},
		{"array", `[1]`, "", ":1:2: the file must not be an array"},
		{"wrong type keeps the rest", "{\n  \"retry\": {\"maxRetries\": \"three\"},\n  \"theme\": \"dark\"\n}", "dark", ":2:34: retry.maxRetries must not be a string"},
		{"empty", "", "", ": the file is empty"},
		{"cut", `{"theme":"da`, "", ":1:"},
		{"old name", `{"queueMode":"all","theme":"dark"}`, "dark", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			if err := os.WriteFile(path, []byte(tt.in), 0o600); err != nil {
				t.Fatal(err)
			}
			s, problems := Load(path)
			if s.Theme != tt.theme {
				t.Errorf("theme %q, want %q", s.Theme, tt.theme)
			}
			got := ""
			if len(problems) > 0 {
				got = strings.TrimPrefix(problems[0].Error(), path)
			}
			if tt.problem == "" && got != "" || !strings.HasPrefix(got, tt.problem) {
				t.Errorf("problem %q, want %q", got, tt.problem)
			}
			if tt.name == "old name" && s.SteeringMode != "all" {
				t.Errorf("steering mode %q", s.SteeringMode)
			}
		})
	}
	if _, problems := Load(filepath.Join(t.TempDir(), "none")); problems != nil {
		t.Errorf("missing file: %v", problems)
	}
}

func TestSetKeepsTheRest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "settings.json")
	if err := Set(path, "/retry/maxRetries", 5); err != nil {
		t.Fatal(err)
	}
	if s, p := Load(path); p != nil || Or(s.Retry.MaxRetries, 0) != 5 {
		t.Errorf("%v %v", s.Retry, p)
	}
	if err := os.WriteFile(path, []byte("{\n\t// mine\n\t\"unknown\": {\"a\": [1]},\n\t\"theme\": \"dark\",\n}\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Set(path, "/theme", "light"); err != nil {
		t.Fatal(err)
	}
	if err := Set(path, "/compaction/enabled", false); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(path)
	for _, want := range []string{"// mine", `{"a": [1]}`, `"light"`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%q is missing in\n%s", want, b)
		}
	}
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", st.Mode())
	}
	if err := os.WriteFile(path, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Set(path, "/theme", "x"); err == nil {
		t.Error("a broken file was written to")
	}
	if b, _ := os.ReadFile(path); string(b) != "{broken" {
		t.Errorf("the broken file became %s", b)
	}
}

func TestRemove(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	if was, err := Remove(path, "/x"); was || err != nil {
		t.Errorf("a file that is not there: %v %v", was, err)
	}
	if err := os.WriteFile(path, []byte("{\n\t// mine\n\t\"s\": {\"a/b\": 1, \"c\": 2},\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if was, err := Remove(path, Pointer("s", "a/b")); !was || err != nil {
		t.Errorf("%v %v", was, err)
	}
	if was, err := Remove(path, Pointer("s", "a/b")); was || err != nil {
		t.Errorf("once more: %v %v", was, err)
	}
	b, _ := os.ReadFile(path)
	if s := string(b); strings.Contains(s, "a/b") || !strings.Contains(s, "// mine") || !strings.Contains(s, `"c": 2`) {
		t.Error(s)
	}
}

func TestConcurrentSets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	var wg sync.WaitGroup
	keys := []string{"/theme", "/defaultModel", "/defaultProvider", "/tuiMode", "/a", "/b", "/c", "/d"}
	for _, k := range keys {
		wg.Go(func() {
			if err := Set(path, k, "v"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	b, _ := os.ReadFile(path)
	if n := strings.Count(string(b), `"v"`); n != len(keys) {
		t.Errorf("%d of %d fields are there:\n%s", n, len(keys), b)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"retry":{"maxRetries":1},/**/"theme":"x",}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s Settings
		if p := Decode("f", b, &s); p != nil && p.Text == "" {
			t.Error("a problem without words")
		}
	})
}
