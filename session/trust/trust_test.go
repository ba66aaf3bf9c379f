package trust

import (
	"os"
	"path/filepath"
	"testing"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDecide(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		name    string
		files   map[string]string // below the folder; saved is a key of trust.json
		saved   map[string]bool   // by folder relative to the top
		q       Question
		trusted bool
		ask     bool
	}{
		{"nothing to trust", map[string]string{"AGENTS.md": "x"}, nil, Question{}, true, false},
		{"a bare project folder", map[string]string{".tau/notes": "x"}, nil, Question{}, true, false},
		{"settings", map[string]string{".tau/settings.json": "{}"}, nil, Question{}, false, true},
		{"skills of .agents", map[string]string{".agents/skills/a/SKILL.md": "x"}, nil, Question{}, false, true},
		{"always", map[string]string{".tau/mcp.json": "{}"}, nil, Question{Default: "always"}, true, false},
		{"never", map[string]string{".tau/mcp.json": "{}"}, nil, Question{Default: "never"}, false, false},
		{"flag for", map[string]string{".tau/SYSTEM.md": "x"}, nil, Question{Given: &yes}, true, false},
		{"flag against", map[string]string{".tau/SYSTEM.md": "x"}, map[string]bool{"p": true}, Question{Given: &no}, false, false},
		{"saved for", map[string]string{".tau/SYSTEM.md": "x"}, map[string]bool{"p": true}, Question{Default: "never"}, true, false},
		{"saved against", map[string]string{".tau/SYSTEM.md": "x"}, map[string]bool{"p": false}, Question{Default: "always"}, false, false},
		{"parent saved", map[string]string{".tau/SYSTEM.md": "x"}, map[string]bool{".": true}, Question{}, true, false},
		{"nearest counts", map[string]string{".tau/SYSTEM.md": "x"}, map[string]bool{".": true, "p": false}, Question{}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			top := t.TempDir()
			put(t, filepath.Join(top, ".git", "HEAD"), "x")
			cwd := filepath.Join(top, "p")
			if err := os.Mkdir(cwd, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range tt.files {
				put(t, filepath.Join(cwd, name), text)
			}
			s := Store{Dir: t.TempDir()}
			for dir, v := range tt.saved {
				if err := s.Save(filepath.Join(top, dir), cwd, ".tau", v); err != nil {
					t.Fatal(err)
				}
			}
			q := tt.q
			q.CWD, q.ProjectDir = cwd, ".tau"
			if d := s.Decide(q); d.Trusted != tt.trusted || d.Ask != tt.ask {
				t.Errorf("%+v", d)
			}
		})
	}
}

func TestChangedFilesAskAgain(t *testing.T) {
	cwd := t.TempDir()
	put(t, filepath.Join(cwd, ".git", "HEAD"), "x")
	skill := filepath.Join(cwd, ".tau", "skills", "a", "SKILL.md")
	put(t, skill, "one")
	s := Store{Dir: t.TempDir()}
	q := Question{CWD: cwd, ProjectDir: ".tau"}
	if err := s.Save(cwd, cwd, ".tau", true); err != nil {
		t.Fatal(err)
	}
	same := func(want bool) {
		t.Helper()
		if d := s.Decide(q); d.Trusted != want || d.Changed == want {
			t.Errorf("%+v", d)
		}
	}
	same(true)
	put(t, skill, "two")
	same(false)
	if err := s.Save(cwd, cwd, ".tau", true); err != nil {
		t.Fatal(err)
	}
	same(true)
	put(t, filepath.Join(cwd, ".tau", "mcp.json"), "{}")
	same(false)
	if err := os.Remove(filepath.Join(cwd, ".tau", "mcp.json")); err != nil {
		t.Fatal(err)
	}
	same(true)
	put(t, filepath.Join(cwd, "src", "main.go"), "anything else does not matter")
	same(true)
}

// Another program's trust.json says only true: what is there then counts.
func TestTrustedElsewhere(t *testing.T) {
	cwd, dir := t.TempDir(), t.TempDir()
	put(t, filepath.Join(cwd, ".git", "HEAD"), "x")
	put(t, filepath.Join(cwd, ".tau", "settings.json"), "{}")
	put(t, filepath.Join(dir, "trust.json"), `{"`+canonical(cwd)+`": true, "/x": false}`)
	s := Store{Dir: dir}
	q := Question{CWD: cwd, ProjectDir: ".tau"}
	if d := s.Decide(q); !d.Trusted {
		t.Errorf("%+v", d)
	}
	put(t, filepath.Join(cwd, ".tau", "settings.json"), `{"shellPath":"/tmp/x"}`)
	if d := s.Decide(q); d.Trusted || !d.Changed {
		t.Errorf("%+v", d)
	}
	put(t, filepath.Join(dir, "trust.json"), "{broken")
	if d := s.Decide(q); d.Trusted || !d.Ask {
		t.Errorf("%+v", d)
	}
	if err := s.Save(cwd, cwd, ".tau", true); err == nil {
		t.Error("a broken file was written to")
	}
}
