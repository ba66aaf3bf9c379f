package keymap

import (
	"slices"
	"strings"
	"testing"

	"tau/tui/key"
)

func TestDefaults(t *testing.T) {
	for _, p := range []Platform{{}, {Windows: true}, {WSL: true}} {
		seen := map[string]bool{}
		for _, a := range Defaults(p) {
			if seen[a.ID] {
				t.Errorf("%s is there twice", a.ID)
			}
			seen[a.ID] = true
			if a.Help == "" {
				t.Errorf("%s has no help", a.ID)
			}
			for _, k := range a.Keys {
				if got, err := key.Parse(string(k)); err != nil || got != k {
					t.Errorf("%s: key %q is not canonical: %q, %v", a.ID, k, got, err)
				}
			}
		}
		if len(seen) != 47 {
			t.Errorf("%d actions", len(seen))
		}
	}
	m := New(Defaults(Platform{}))
	if !m.Matches(key.Event{ID: "shift+ctrl+up"}, "tui.altScreen.previousPrompt") {
		t.Error("ctrl+shift+up does not match")
	}
	if m.Matches(key.Event{ID: "enter", Action: key.Release}, "tui.input.submit") {
		t.Error("a release matches")
	}
	if !m.Matches(key.Event{ID: "enter", Also: "ctrl+j"}, "tui.input.newLine") {
		t.Error("the second name does not match")
	}
	if got := m.Hint("tui.select.cancel"); got != "esc" {
		t.Errorf("hint %q", got)
	}
}

func TestLoad(t *testing.T) {
	m := New(Defaults(Platform{}), []Action{{"app.exit", ks("ctrl+d"), "exit", "leave"}})
	problems, err := m.Load([]byte(`{
		// my keys
		"$schema": "x",
		"submit": "ctrl+enter",
		"tui.editor.undo": ["Ctrl+Z", "ctrl+z"],
		"tui.editor.yank": [],
		"tui.editor.cursorUp": ["up", "hyper+x"],
		"tui.editor.cursorDown": 5,
		"tui.editor.cursorLeft": "banana",
		"tui.editor.pageUp": "ctrl+t",
		"tui.editor.pageDown": "ctrl+t",
		"app.exit": "ctrl+t",
		"no.such": "a",
	}`))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string][]key.ID{
		"tui.input.submit":             {"ctrl+enter"},
		"tui.editor.undo":              {"ctrl+z"},
		"tui.editor.yank":              {},
		"tui.editor.cursorUp":          {"up"},
		"tui.editor.cursorDown":        {"down"},
		"tui.editor.cursorLeft":        {"left", "ctrl+b"},
		"tui.editor.deleteCharForward": {"delete", "ctrl+d"},
		"tui.editor.pageDown":          {"ctrl+t"},
	} {
		if got := m.Keys(id); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	var all []string
	for _, p := range problems {
		all = append(all, p.String())
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{"no.such: unknown action", `"hyper" is no modifier`, "cursorDown: must be", `unknown key "banana"`, "ctrl+t is also given to tui.editor.pageDown"} {
		if !strings.Contains(text, want) {
			t.Errorf("no problem %q in\n%s", want, text)
		}
	}
	if len(problems) != 5 {
		t.Errorf("problems:\n%s", text)
	}
	if _, err := m.Load([]byte(`[1]`)); err == nil {
		t.Error("a list loads")
	}
}

func TestMigrate(t *testing.T) {
	m := New(Defaults(Platform{}))
	in := "{\n  // keep me\n  \"submit\": \"f1\", \"tui.editor.yank\": [],\n  \"yank\": \"f2\"\n}\n"
	out, changed, err := m.Migrate([]byte(in))
	want := strings.Replace(in, `"submit"`, `"tui.input.submit"`, 1)
	if err != nil || !changed || string(out) != want {
		t.Errorf("%v %v\n%s", err, changed, out)
	}
	if _, changed, _ := m.Migrate(out); changed {
		t.Error("a second run changes again")
	}
}
