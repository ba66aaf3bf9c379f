package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func openText(t *testing.T, body string) *Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	text := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}` + "\n" + body
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func user(id, parent, text string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return `{"type":"message","id":"` + id + `","parentId":` + p + `,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"` + text + `","timestamp":1}}` + "\n"
}

func TestParentsThatGoInCircles(t *testing.T) {
	for _, tt := range []struct {
		name, body, want string
		problem          bool
	}{
		{"of two", user("a", "b", "A") + user("b", "a", "B"), "user:A user:B", true},
		{"of itself", user("a", "a", "A"), "user:A", true},
		{"with a tail", user("a", "c", "A") + user("b", "a", "B") + user("c", "b", "C") + user("d", "c", "D"), "user:A user:B user:C user:D", true},
		{"only late", user("b", "a", "B") + user("a", "", "A") + user("c", "b", "C"), "user:A user:B user:C", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := openText(t, tt.body)
			c, err := s.Context()
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(short(c), " "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			tree := s.Tree()
			reached := 0
			var walk func(i int32)
			walk = func(i int32) {
				for ; i >= 0; i = tree.Nodes[i].Next {
					reached++
					walk(tree.Nodes[i].First)
				}
			}
			for _, r := range tree.Roots {
				reached++
				walk(tree.Nodes[r].First)
			}
			if reached != s.Len() {
				t.Errorf("%d of %d entries can be reached", reached, s.Len())
			}
			if (len(s.Problems()) > 0) != tt.problem {
				t.Errorf("problems %v", s.Problems())
			}
		})
	}
}

func TestDuplicateIDs(t *testing.T) {
	s := openText(t, user("a", "", "A")+user("b", "a", "B")+user("b", "a", "B2")+user("c", "b", "C"))
	c, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(short(c), " "); got != "user:A user:B2 user:C" || s.Len() != 4 {
		t.Errorf("got %s of %d entries", got, s.Len())
	}
}

// A long line is not parsed when the file is opened; that it is broken must
// not keep anybody from the rest.
func TestABrokenLongLine(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	broken := strings.Replace(user("b", "a", long), `"content"`, `"content`, 1)
	s := openText(t, user("a", "", "A")+broken+user("c", "b", "C"))
	c, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(short(c), " "); got != "user:A user:C" {
		t.Errorf("got %s", got)
	}
}
