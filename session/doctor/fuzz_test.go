package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tau/session/store"
)

// Whatever the bytes, a check reports and a repair gives a session without
// findings, or says why there is none.
func FuzzRepair(f *testing.F) {
	for _, body := range []string{user("a", "") + user("b", "a"), user("a", "b") + user("b", "a"), "x\r\n" + user("a", "gone") + " " + user("a", "a") + `{"type":"message","id"`} {
		f.Add(header + body)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		path := filepath.Join(dir, "s.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := Check(path)
		if err != nil {
			t.Fatal(err)
		}
		to, err := Repair(path)
		if err != nil {
			if !before.Sound() && strings.HasPrefix(text, header) {
				t.Fatalf("%v: %v", before.Findings, err)
			}
			return
		}
		after, err := Check(to)
		if err != nil || !after.Sound() || after.Entries != before.Entries {
			t.Fatalf("%+v then %+v (%v)", before, after, err)
		}
		s, err := store.Open(to)
		if err != nil || s.Len() != after.Entries || len(s.Problems()) > 0 {
			t.Fatalf("%d of %d entries, %v (%v)", s.Len(), after.Entries, s.Problems(), err)
		}
		s.Close()
	})
}
