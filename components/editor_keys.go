package components

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tau/tui/key"
)

type jumpMode int8

const (
	jumpOff      jumpMode = 0
	jumpForward  jumpMode = 1
	jumpBackward jumpMode = -1
)

func (e *Editor) is(ev key.Event, id string) bool { return e.o.Bindings.Matches(ev, id) }

func (e *Editor) handle(ev key.Event) bool {
	if e.jump != jumpOff {
		mode := e.jump
		e.jump = jumpOff
		switch {
		case e.is(ev, "tui.editor.jumpForward") || e.is(ev, "tui.editor.jumpBackward") || e.is(ev, "tui.select.cancel"):
			return true
		case typed(ev) != "":
			e.jumpTo(typed(ev), mode)
			return true
		}
	}
	if e.menuKey(ev) {
		return true
	}
	if e.vim != nil && e.vimKey(ev) {
		return true
	}
	return e.handlePlain(ev)
}

// handlePlain handles a key as an editor without modes.
func (e *Editor) handlePlain(ev key.Event) bool {
	for _, b := range editorKeys {
		if e.is(ev, b.id) {
			return b.do(e, ev)
		}
	}
	s := typed(ev)
	if s == "" {
		return false
	}
	e.typeText(s)
	return true
}

// typed returns the text of a key, or "" for keys that type nothing.
func typed(ev key.Event) string {
	if ev.Text == "" {
		return ""
	}
	for _, r := range ev.Text {
		if unicode.IsControl(r) || r >= 0xe000 && r <= 0xf8ff {
			return "" // function keys some terminals send as private-use characters
		}
	}
	return normalize(ev.Text)
}

type editorKey struct {
	id string
	do func(*Editor, key.Event) bool
}

// motion wraps a caret motion, which ends runs of typing and re-asks for
// completions.
func motion(f func(*Editor)) func(*Editor, key.Event) bool {
	return func(e *Editor, _ key.Event) bool {
		e.buf.newUnit()
		e.sticky = -1
		f(e)
		e.buf.newUnit()
		e.caretMoved()
		return true
	}
}

// editing wraps a change that is undone by itself.
func editing(f func(*Editor)) func(*Editor, key.Event) bool {
	return func(e *Editor, _ key.Event) bool {
		edits := e.buf.edits
		e.buf.newUnit()
		f(e)
		e.buf.newUnit()
		e.sticky = -1
		if e.buf.edits != edits {
			e.leaveHistory()
			e.changed()
			e.textDeleted()
		}
		return true
	}
}

// The order matters where a user binds one key twice: the first wins.
var editorKeys = []editorKey{
	{"tui.input.newLine", func(e *Editor, ev key.Event) bool { return e.newLine(ev) }},
	{"tui.input.submit", func(e *Editor, ev key.Event) bool { return e.enter() }},
	{"tui.input.tab", func(e *Editor, _ key.Event) bool { return e.tab() }},
	{"tui.editor.undo", func(e *Editor, _ key.Event) bool { e.undo(); return true }},
	{"tui.editor.historyPrevious", func(e *Editor, _ key.Event) bool { e.older(); return true }},
	{"tui.editor.historyNext", func(e *Editor, _ key.Event) bool { e.newer(); return true }},
	{"tui.editor.cursorUp", func(e *Editor, _ key.Event) bool { e.up(); return true }},
	{"tui.editor.cursorDown", func(e *Editor, _ key.Event) bool { e.down(); return true }},
	{"tui.editor.pageUp", func(e *Editor, _ key.Event) bool { e.page(-1); return true }},
	{"tui.editor.pageDown", func(e *Editor, _ key.Event) bool { e.page(1); return true }},
	{"tui.editor.cursorLeft", motion(func(e *Editor) { e.buf.at = e.buf.left(e.buf.at) })},
	{"tui.editor.cursorRight", motion(func(e *Editor) {
		if e.buf.at == e.buf.end() {
			_, e.sticky = e.rowAt(e.buf.at)
		}
		e.buf.at = e.buf.right(e.buf.at)
	})},
	{"tui.editor.cursorWordLeft", motion(func(e *Editor) { e.buf.at = e.buf.wordLeft(e.buf.at) })},
	{"tui.editor.cursorWordRight", motion(func(e *Editor) { e.buf.at = e.buf.wordRight(e.buf.at) })},
	{"tui.editor.cursorLineStart", motion(func(e *Editor) { e.buf.at.col = 0 })},
	{"tui.editor.cursorLineEnd", motion(func(e *Editor) { e.buf.at.col = len(e.buf.lines[e.buf.at.line]) })},
	{"tui.editor.jumpForward", func(e *Editor, _ key.Event) bool { e.jump = jumpForward; return true }},
	{"tui.editor.jumpBackward", func(e *Editor, _ key.Event) bool { e.jump = jumpBackward; return true }},
	{"tui.editor.deleteCharBackward", editing(func(e *Editor) { e.buf.replace(e.buf.left(e.buf.at), e.buf.at, "") })},
	{"tui.editor.deleteCharForward", func(e *Editor, ev key.Event) bool {
		if e.buf.empty() {
			return false // the application may want to end on Ctrl+D
		}
		return editing(func(e *Editor) { e.buf.replace(e.buf.at, e.buf.right(e.buf.at), "") })(e, ev)
	}},
	{"tui.editor.deleteWordBackward", editing(func(e *Editor) { e.kill(e.buf.wordLeft(e.buf.at), e.buf.at, true) })},
	{"tui.editor.deleteWordForward", editing(func(e *Editor) { e.kill(e.buf.at, e.buf.wordRight(e.buf.at), false) })},
	{"tui.editor.deleteToLineStart", editing(func(e *Editor) {
		from := position{e.buf.at.line, 0}
		if e.buf.at.col == 0 {
			from = e.buf.left(e.buf.at)
		}
		e.kill(from, e.buf.at, true)
	})},
	{"tui.editor.deleteToLineEnd", editing(func(e *Editor) {
		to := position{e.buf.at.line, len(e.buf.lines[e.buf.at.line])}
		if e.buf.at == to {
			to = e.buf.right(to)
		}
		e.kill(e.buf.at, to, false)
	})},
	{"tui.editor.yank", editing(func(e *Editor) { e.yank() })},
	{"tui.editor.yankPop", func(e *Editor, ev key.Event) bool {
		if e.prev != actYank || len(e.kills.entries) < 2 {
			return true
		}
		return editing(func(e *Editor) {
			e.buf.replace(e.yanked, e.buf.at, "")
			e.kills.rotate()
			e.yank()
		})(e, ev)
	}},
}

func (e *Editor) typeText(s string) {
	r, _ := utf8.DecodeRuneInString(s)
	// A run of typing is undone by word: each blank opens a new unit.
	if e.prev != actType || unicode.IsSpace(r) {
		e.buf.newUnit()
	}
	e.leaveHistory()
	e.insert(s)
	e.last = actType
	e.changed()
	e.textTyped()
}

func (e *Editor) breakLine() {
	editing(func(e *Editor) { e.insert("\n") })(e, key.Event{})
}

// backslash takes away a backslash in front of the caret, for Enter after it.
func (e *Editor) backslash() bool {
	p := e.buf.at
	if p.col == 0 || e.buf.lines[p.line][p.col-1] != '\\' {
		return false
	}
	e.buf.replace(position{p.line, p.col - 1}, p, "")
	return true
}

// enter submits, or breaks the line after a backslash.
func (e *Editor) enter() bool {
	if e.is(key.Event{ID: "enter"}, "tui.input.submit") && e.endsInBackslash() {
		editing(func(e *Editor) {
			e.backslash()
			e.insert("\n")
		})(e, key.Event{})
		return true
	}
	if e.disabled {
		return true
	}
	e.Submit()
	return true
}

// newLine breaks the line. Where the user made Enter the line break and
// Shift+Enter the way to submit, a backslash before Enter submits.
func (e *Editor) newLine(ev key.Event) bool {
	if ev.ID == "enter" && !e.disabled && e.endsInBackslash() && e.is(key.Event{ID: "shift+enter"}, "tui.input.submit") {
		e.backslash()
		e.Submit()
		return true
	}
	e.breakLine()
	return true
}

func (e *Editor) endsInBackslash() bool {
	return strings.HasSuffix(e.buf.lines[e.buf.at.line][:e.buf.at.col], `\`)
}

func (e *Editor) undo() {
	e.closeMenu()
	e.sticky = -1
	if e.buf.back() {
		e.history.at = -1
		e.history.draft = nil
		e.changed()
	}
}

func (e *Editor) kill(from, to position, toLeft bool) {
	if from == to {
		e.last = e.prev
		return
	}
	e.kills.add(e.buf.between(from, to), toLeft, e.prev == actKill)
	e.buf.replace(from, to, "")
	e.last = actKill
}

func (e *Editor) yank() {
	s := e.kills.top()
	if s == "" {
		return
	}
	e.yanked = e.buf.at
	e.insert(s)
	e.last = actYank
}

// jumpTo goes to the next or previous place of a character, from the cell
// after or before the caret on, across lines.
func (e *Editor) jumpTo(s string, mode jumpMode) {
	b := &e.buf
	e.sticky = -1
	b.newUnit()
	if mode == jumpForward {
		from := nextCluster(b.lines[b.at.line], b.at.col)
		for i := b.at.line; i < len(b.lines); i, from = i+1, 0 {
			if k := strings.Index(b.lines[i][from:], s); k >= 0 {
				b.at = position{i, from + k}
				break
			}
		}
	} else {
		to := b.at.col
		for i := b.at.line; i >= 0; i-- {
			if k := strings.LastIndex(b.lines[i][:to], s); k >= 0 {
				b.at = position{i, k}
				break
			}
			if i > 0 {
				to = len(b.lines[i-1])
			}
		}
	}
	b.newUnit()
	e.caretMoved()
}
