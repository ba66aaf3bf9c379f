package components

import (
	"runtime"

	"tau/tui/key"
	"tau/tui/keymap"
)

// Bindings says which keys stand for an action such as
// "tui.editor.cursorLeft". *keymap.Map is one.
type Bindings interface {
	Matches(ev key.Event, action string) bool
}

// DefaultBindings returns the usual keys of the text fields and lists, those
// of Emacs and readline.
func DefaultBindings() *keymap.Map {
	return keymap.New(keymap.Defaults(keymap.Platform{Windows: runtime.GOOS == "windows"}))
}

// unshifted takes Shift off the deleting keys. The Kitty protocol tells them
// apart, and somebody who types capitals holds Shift a little longer.
func unshifted(ev key.Event) key.Event {
	switch ev.ID {
	case "shift+backspace":
		ev.ID = "backspace"
	case "shift+delete":
		ev.ID = "delete"
	}
	return ev
}
