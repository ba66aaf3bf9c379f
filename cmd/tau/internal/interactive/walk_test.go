package interactive

import (
	"os"
	"strings"
	"testing"

	"tau/tui/key"
	"tau/tui/keymap"
)

// The walk through the program (cmd/tau/testdata/walkthrough.txt) uses every
// command, and every key that comes bound.
func TestTheWalkIsComplete(t *testing.T) {
	b, err := os.ReadFile("../../testdata/walkthrough.txt")
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	used := map[string]string{}
	typed := map[string]bool{}
	for _, line := range strings.Split(string(b), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "==":
			steps++
		case "key":
			id, name, _ := strings.Cut(rest, " ")
			used[id] = name
		case "type":
			name, _, _ := strings.Cut(rest, " ")
			typed[name] = true
		}
	}
	if steps < 60 {
		t.Errorf("%d steps", steps)
	}
	for _, c := range commands() {
		if !typed["/"+c.name] {
			t.Errorf("/%s is not in the walk", c.name)
		}
	}
	// Keys of an action that has the key of another one in front of it where the
	// walk goes: the second key is pressed, or the other action is tried.
	covered := map[string]string{
		"tui.editor.pageUp": "ctrl+pageUp is pressed", "tui.editor.pageDown": "ctrl+pageDown is pressed",
		"tui.input.copy": "the same key as app.clear", "app.exit": "the scenes leave with it",
	}
	keys := keymap.New(keymap.Defaults(keymap.Platform{}), appKeys(keymap.Platform{}))
	for _, a := range keys.Actions() {
		name, ok := used[a.ID]
		switch {
		case len(a.Keys) == 0 || covered[a.ID] != "":
		case !ok:
			t.Errorf("%s is not in the walk", a.ID)
		default:
			id, err := key.Parse(name)
			if err != nil || id != a.Keys[0] {
				t.Errorf("%s has %s, the walk presses %s (%v)", a.ID, a.Keys[0], name, err)
			}
		}
		delete(used, a.ID)
	}
	for id := range used {
		t.Errorf("the walk presses %s, which is no action", id)
	}
}
