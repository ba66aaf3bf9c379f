package components

import (
	"slices"

	"tau/tui/key"
)

// Bindings says which keys stand for an action such as
// "tui.editor.cursorLeft".
type Bindings interface {
	Matches(ev key.Event, action string) bool
}

// Keymap is a table of actions and their keys.
type Keymap map[string][]key.ID

// Matches implements Bindings.
func (m Keymap) Matches(ev key.Event, action string) bool { return slices.Contains(m[action], ev.ID) }

// DefaultBindings returns the usual keys of the text fields and lists, those
// of Emacs and readline. The ids are those of keybindings.json.
func DefaultBindings() Keymap {
	return Keymap{
		"tui.editor.cursorUp":           {"up"},
		"tui.editor.cursorDown":         {"down"},
		"tui.editor.historyPrevious":    nil,
		"tui.editor.historyNext":        nil,
		"tui.editor.cursorLeft":         {"left", "ctrl+b"},
		"tui.editor.cursorRight":        {"right", "ctrl+f"},
		"tui.editor.cursorWordLeft":     {"alt+left", "ctrl+left", "alt+b"},
		"tui.editor.cursorWordRight":    {"alt+right", "ctrl+right", "alt+f"},
		"tui.editor.cursorLineStart":    {"home", "ctrl+a"},
		"tui.editor.cursorLineEnd":      {"end", "ctrl+e"},
		"tui.editor.jumpForward":        {"ctrl+]"},
		"tui.editor.jumpBackward":       {"ctrl+alt+]"},
		"tui.editor.pageUp":             {"pageUp", "ctrl+pageUp"},
		"tui.editor.pageDown":           {"pageDown", "ctrl+pageDown"},
		"tui.editor.deleteCharBackward": {"backspace", "shift+backspace"},
		"tui.editor.deleteCharForward":  {"delete", "ctrl+d", "shift+delete"},
		"tui.editor.deleteWordBackward": {"ctrl+w", "alt+backspace"},
		"tui.editor.deleteWordForward":  {"alt+d", "alt+delete"},
		"tui.editor.deleteToLineStart":  {"ctrl+u"},
		"tui.editor.deleteToLineEnd":    {"ctrl+k"},
		"tui.editor.yank":               {"ctrl+y"},
		"tui.editor.yankPop":            {"alt+y"},
		"tui.editor.undo":               {"ctrl+-", "ctrl+_"},
		"tui.input.newLine":             {"shift+enter", "ctrl+j"},
		"tui.input.submit":              {"enter"},
		"tui.input.tab":                 {"tab"},
		"tui.input.copy":                {"ctrl+c"},
		"tui.select.up":                 {"up"},
		"tui.select.down":               {"down"},
		"tui.select.pageUp":             {"pageUp"},
		"tui.select.pageDown":           {"pageDown"},
		"tui.select.confirm":            {"enter"},
		"tui.select.cancel":             {"escape", "ctrl+c"},
	}
}
