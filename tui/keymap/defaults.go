package keymap

import "tau/tui/key"

// Platform says which of the defaults that differ apply.
type Platform struct {
	Windows bool // native Windows
	WSL     bool // Linux under Windows, in a Windows terminal
}

// Defaults returns the actions of the library: editors, text fields, lists and
// the full-screen view. The ids and keys are those of pi's keybindings.json.
func Defaults(p Platform) []Action {
	win := p.Windows || p.WSL
	pick := func(windows, other []key.ID) []key.ID {
		if win {
			return windows
		}
		return other
	}
	undo := []key.ID{"ctrl+-"}
	switch {
	case p.Windows:
		undo = []key.ID{"ctrl+z"}
	case p.WSL:
		undo = []key.ID{"alt+z"}
	}
	return []Action{
		{"tui.editor.cursorUp", ks("up"), "cursorUp", "cursor up"},
		{"tui.editor.cursorDown", ks("down"), "cursorDown", "cursor down"},
		{"tui.editor.historyPrevious", nil, "", "previous prompt"},
		{"tui.editor.historyNext", nil, "", "next prompt"},
		{"tui.editor.cursorLeft", ks("left", "ctrl+b"), "cursorLeft", "cursor left"},
		{"tui.editor.cursorRight", ks("right", "ctrl+f"), "cursorRight", "cursor right"},
		{"tui.editor.cursorWordLeft", ks("alt+left", "ctrl+left", "alt+b"), "cursorWordLeft", "word left"},
		{"tui.editor.cursorWordRight", ks("alt+right", "ctrl+right", "alt+f"), "cursorWordRight", "word right"},
		{"tui.editor.cursorLineStart", ks("home", "ctrl+a"), "cursorLineStart", "start of line"},
		{"tui.editor.cursorLineEnd", ks("end", "ctrl+e"), "cursorLineEnd", "end of line"},
		{"tui.editor.jumpForward", ks("ctrl+]"), "jumpForward", "jump to a character"},
		{"tui.editor.jumpBackward", ks("ctrl+alt+]"), "jumpBackward", "jump back to a character"},
		{"tui.editor.pageUp", ks("pageUp", "ctrl+pageUp"), "pageUp", "page up"},
		{"tui.editor.pageDown", ks("pageDown", "ctrl+pageDown"), "pageDown", "page down"},
		{"tui.editor.deleteCharBackward", ks("backspace"), "deleteCharBackward", "delete character"},
		{"tui.editor.deleteCharForward", ks("delete", "ctrl+d"), "deleteCharForward", "delete next character"},
		{"tui.editor.deleteWordBackward", ks("ctrl+w", "alt+backspace"), "deleteWordBackward", "delete word"},
		{"tui.editor.deleteWordForward", ks("alt+d", "alt+delete"), "deleteWordForward", "delete next word"},
		{"tui.editor.deleteToLineStart", ks("ctrl+u"), "deleteToLineStart", "delete to start of line"},
		{"tui.editor.deleteToLineEnd", ks("ctrl+k"), "deleteToLineEnd", "delete to end of line"},
		{"tui.editor.yank", ks("ctrl+y"), "yank", "insert what was deleted"},
		{"tui.editor.yankPop", ks("alt+y"), "yankPop", "insert what was deleted before"},
		{"tui.editor.undo", undo, "undo", "undo"},
		{"tui.input.newLine", ks("shift+enter", "ctrl+j"), "newLine", "new line"},
		{"tui.input.submit", ks("enter"), "submit", "send"},
		{"tui.input.tab", ks("tab"), "tab", "complete"},
		{"tui.input.copy", ks("ctrl+c"), "copy", "copy"},
		{"tui.select.up", ks("up"), "selectUp", "up"},
		{"tui.select.down", ks("down"), "selectDown", "down"},
		{"tui.select.pageUp", ks("pageUp"), "selectPageUp", "page up"},
		{"tui.select.pageDown", ks("pageDown"), "selectPageDown", "page down"},
		{"tui.select.confirm", ks("enter"), "selectConfirm", "choose"},
		{"tui.select.cancel", ks("escape", "ctrl+c"), "selectCancel", "cancel"},
		{"tui.altScreen.pageUp", ks("pageUp"), "", "scroll a page up"},
		{"tui.altScreen.pageDown", ks("pageDown"), "", "scroll a page down"},
		{"tui.altScreen.halfPageUp", nil, "", "scroll half a page up"},
		{"tui.altScreen.halfPageDown", nil, "", "scroll half a page down"},
		{"tui.altScreen.lineUp", nil, "", "scroll a line up"},
		{"tui.altScreen.lineDown", nil, "", "scroll a line down"},
		{"tui.altScreen.previousPrompt", pick(ks("ctrl+up"), ks("ctrl+shift+up", "ctrl+up")), "", "previous prompt"},
		{"tui.altScreen.nextPrompt", pick(ks("ctrl+down"), ks("ctrl+shift+down", "ctrl+down")), "", "next prompt"},
		{"tui.altScreen.search", pick(ks("ctrl+f"), ks("ctrl+shift+f")), "", "search"},
		{"tui.altScreen.searchNext", ks("enter", "ctrl+g"), "", "next match"},
		{"tui.altScreen.searchPrevious", ks("shift+enter", "ctrl+shift+g"), "", "previous match"},
		{"tui.altScreen.searchClose", ks("escape"), "", "close search"},
		{"tui.altScreen.top", ks("ctrl+home"), "", "to the start"},
		{"tui.altScreen.bottom", ks("ctrl+end"), "", "to the end"},
	}
}

// ks brings keys of the tables into the canonical order of modifiers.
func ks(keys ...string) []key.ID {
	out := make([]key.ID, len(keys))
	for i, k := range keys {
		id, err := key.Parse(k)
		if err != nil {
			continue // a test holds that every default parses
		}
		out[i] = id
	}
	return out
}
