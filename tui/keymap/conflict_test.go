package keymap

import (
	"fmt"
	"strings"
	"testing"

	"tau/tui/key"
)

func TestConflicts(t *testing.T) {
	m := New([]Action{
		{ID: "a.one", Keys: []key.ID{"ctrl+a"}}, {ID: "a.two", Keys: []key.ID{"ctrl+b"}},
		{ID: "a.same", Keys: []key.ID{"ctrl+b"}}, {ID: "b.one", Keys: []key.ID{"ctrl+a"}},
	})
	group := func(id string) string { return id[:strings.IndexByte(id, '.')] }
	if c := m.Conflicts(group); len(c) != 0 {
		t.Errorf("as it comes: %v", c)
	}
	if _, err := m.Load([]byte(`{"a.two":"ctrl+a"}`)); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(m.Conflicts(group)); got != "[{ctrl+a [a.one a.two]}]" {
		t.Errorf("%s", got)
	}
	m.Reset()
	if c := m.Conflicts(group); len(c) != 0 {
		t.Errorf("after a reset: %v", c)
	}
}
