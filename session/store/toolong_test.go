package store

import (
	"strings"
	"testing"

	"tau/ai"
)

func TestTooLong(t *testing.T) {
	s := Create("", Header{})
	var ids []string
	for i := range 20 {
		role := ai.RoleUser
		if i%2 == 1 {
			role = ai.RoleAssistant
		}
		ids = append(ids, mustAppend(t, s, say(role, strings.Repeat("x", 1000))))
		s.nodes[i].size = 1000 // as if it was saved
	}
	for _, tt := range []struct {
		most, keep int64
		first      int
	}{{20000, 5000, -1}, {19999, 5000, 16}, {19999, 4000, 16}, {19999, 3999, 18}, {19999, 1000, -1}, {19999, 19000, 2}} {
		first, skipped, err := s.TooLong(tt.most, tt.keep)
		if err != nil {
			t.Fatal(err)
		}
		if tt.first < 0 {
			if first != "" {
				t.Errorf("%+v: cut at %s", tt, first)
			}
			continue
		}
		if first != ids[tt.first] || skipped != tt.first {
			t.Errorf("%+v: cut before %s after %d entries, want %d", tt, first, skipped, tt.first)
		}
	}
	mustAppend(t, s, &CompactionEntry{Summary: "s", FirstKeptEntryID: ids[16]})
	if first, _, err := s.TooLong(5000, 2000); err != nil || first != "" {
		t.Errorf("with a compaction: %s %v", first, err)
	}
}
