package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tau/session/store"
)

const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}` + "\n"

func user(id, parent string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"%s","timestamp":1}}`, id, p, id) + "\n"
}

func TestCheckAndRepair(t *testing.T) {
	torn := strings.TrimSuffix(user("t", "a"), "}}\n")
	for _, tt := range []struct {
		name, file string
		want       []Kind
		path       string // of the repaired session, as ids
	}{
		{"sound", header + user("a", "") + user("b", "a"), nil, ""},
		{"unknown types are fine", header + user("a", "") + `{"type":"future","id":"f","parentId":"a","timestamp":"x"}` + "\n", nil, ""},
		{"torn", header + user("a", "") + torn, []Kind{Torn}, "a"},
		{"broken in the middle", header + user("a", "") + "garbage\n\x00\x00\n[1]\n\n" + user("b", "a"), []Kind{Broken, Broken, Broken}, "a b"},
		{"glued", header + user("a", "") + torn + user("b", "a") + user("c", "b"), []Kind{Broken}, "a b c"},
		{"missing parent", header + user("a", "") + user("c", "b") + user("d", "c"), []Kind{MissingParent}, "a c d"},
		{"missing first", header + user("c", "b") + user("d", "c"), []Kind{MissingParent}, "c d"},
		{"duplicate", header + user("a", "") + user("b", "a") + user("b", "a") + user("c", "b"), []Kind{Duplicate}, "a b c"},
		{"circle", header + user("a", "c") + user("b", "a") + user("c", "b"), []Kind{Cycle}, "a b c"},
		{"not a session", "{}\n", []Kind{NotSession}, ""},
		{"empty", "", []Kind{NotSession}, ""},
		{"old", `{"type":"session","id":"s","timestamp":"x","cwd":"/w"}` + "\n", []Kind{OldVersion}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Check(path)
			if err != nil {
				t.Fatal(err)
			}
			var got []Kind
			for _, f := range r.Findings {
				got = append(got, f.Kind)
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("found %v, want %v", r.Findings, tt.want)
			}
			to, err := Repair(path)
			if after, _ := os.ReadFile(path); string(after) != tt.file {
				t.Error("the file was changed")
			}
			if tt.path == "" {
				if err == nil || len(tt.want) == 0 && !errors.Is(err, ErrSound) {
					t.Errorf("repair: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r, err := Check(to); err != nil || len(r.Findings) > 0 {
				t.Errorf("the repaired session has %v %v", r, err)
			}
			s, err := store.Open(to)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var ids []string
			for _, n := range s.PathTo("") {
				ids = append(ids, n.ID)
			}
			if got := strings.Join(ids, " "); got != tt.path || len(s.Problems()) > 0 || s.Header().ParentSession != path || s.Header().ID == "s" {
				t.Errorf("path %s, want %s; header %+v", got, tt.path, s.Header())
			}
		})
	}
}

func TestLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(header+user("a", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Acquire(); err != nil {
		t.Fatal(err)
	}
	if r, _ := Check(path); len(r.Findings) != 1 || r.Findings[0].Kind != InUse || !r.Sound() {
		t.Errorf("in use: %v", r.Findings)
	}
	s.Close()
	if err := os.WriteFile(path+".lock", []byte("999999\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, _ := Check(path); len(r.Findings) != 1 || r.Findings[0].Kind != StaleLock {
		t.Errorf("stale: %v", r.Findings)
	}
	if r, _ := Check(path); len(r.Findings) != 0 {
		t.Errorf("afterwards: %v", r.Findings)
	}
}
