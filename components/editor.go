package components

import (
	"strings"

	"tau/tui/key"
)

// EditorStyle holds the colours of an Editor. Nil leaves text plain, except
// for the cursor cell, which is shown inverse.
type EditorStyle struct {
	Border      Style // rules and corners
	Label       Style // what stands in the border
	Text        Style
	Cursor      Style // the cell under the caret while focused
	Placeholder Style
	Marker      Style // stand-ins of large pastes
	Selection   Style // what is selected; nil: reversed

	MenuText, MenuSelected, MenuDescription, MenuBorder Style
}

// EditorOptions configure an Editor. Everything may be left out.
type EditorOptions struct {
	Bindings    Bindings      // default: DefaultBindings
	Ticker      Ticker        // delays file completion a little while one types; without it nothing waits
	Completer   Completer     // none: no completion
	Triggers    func() string // characters besides @ and # that completion is asked for behind
	MenuRows    int           // 3 to 20, default 5
	Placeholder string        // shown while empty
	Style       EditorStyle
	OnSubmit    func(text string) // the trimmed text with pastes in full
	OnChange    func()            // after each change of the text
	OnMode      func()            // the mode changed, see SetVim
	OnUpdate    func()            // something changed without a key: render again
}

// Editor is the prompt: a text of many lines with soft wrap, history, kill
// ring, undo, completion and stand-ins for large pastes.
//
// It draws itself in a box whose top border has room for a label at both
// sides, or between two rules where the screen is narrow. It grows with the
// text up to 30 % of the screen's height (five lines at least) and scrolls
// from there. The completion menu is not part of Render: [Editor.Menu] returns
// its lines for the application to float above the box.
//
// What typing costs depends on the line being edited, not on the text.
type Editor struct {
	o      EditorOptions
	buf    buffer
	vim    *vim // nil without modes
	pastes pastes
	kills  killRing

	focused  bool
	disabled bool // Enter does not submit
	screen   int  // rows of the screen

	last, prev  action // what the key before did, while a key is handled
	yanked      position
	sticky      int // wanted column of vertical motion, -1: none
	jump        jumpMode
	history     history
	menu        menu
	left, right string

	top     row // first visible row
	version uint64
	drawn   drawn
}

type action uint8

const (
	actNone action = iota
	actType
	actKill
	actYank
)

// NewEditor returns an empty editor.
func NewEditor(o EditorOptions) *Editor {
	if o.Bindings == nil {
		o.Bindings = DefaultBindings()
	}
	if o.MenuRows == 0 {
		o.MenuRows = 5
	}
	o.MenuRows = min(20, max(3, o.MenuRows))
	if o.Style.Cursor == nil {
		o.Style.Cursor = func(s string) string { return "\x1b[7m" + s + "\x1b[27m" }
	}
	e := &Editor{o: o, buf: newBuffer(), sticky: -1, screen: 24}
	e.history.at = -1
	e.buf.wrapWidth = 80
	return e
}

// SetStyle changes the colours.
func (e *Editor) SetStyle(s EditorStyle) {
	if s.Cursor == nil {
		s.Cursor = e.o.Style.Cursor
	}
	e.o.Style = s
	e.version++
}

// SetBorder changes the colour of the border alone, as a mode changes.
func (e *Editor) SetBorder(s Style) { e.o.Style.Border = s; e.version++ }

// SetLabels puts text in the top border: what runs at the left, counts at the
// right. The labels may hold colours.
func (e *Editor) SetLabels(left, right string) {
	if left != e.left || right != e.right {
		e.left, e.right = left, right
		e.version++
	}
}

// SetPlaceholder changes what an empty editor shows.
func (e *Editor) SetPlaceholder(s string) { e.o.Placeholder = s; e.version++ }

// SetCompleter changes where completions come from.
func (e *Editor) SetCompleter(c Completer) { e.closeMenu(); e.o.Completer = c }

// SetMenuRows sets how many completions show at once, 3 to 20.
func (e *Editor) SetMenuRows(n int) { e.o.MenuRows = min(20, max(3, n)); e.version++ }

// SetScreenHeight tells the editor how many rows the screen has.
func (e *Editor) SetScreenHeight(rows int) {
	if rows != e.screen {
		e.screen = rows
		e.version++
	}
}

// SetDisableSubmit switches submitting off and on.
func (e *Editor) SetDisableSubmit(off bool) { e.disabled = off }

// SetFocused implements tui.Focusable.
func (e *Editor) SetFocused(focused bool) {
	if focused != e.focused {
		e.focused = focused
		e.version++
	}
}

// Version counts changes.
func (e *Editor) Version() uint64 { return e.version }

// Invalidate makes the next Render build its lines anew.
func (e *Editor) Invalidate() { e.version++ }

// Text returns the text with large pastes shown as their stand-ins.
func (e *Editor) Text() string { return e.pastes.shown(strings.Join(e.buf.lines, "\n")) }

// ExpandedText returns the text with large pastes in full.
func (e *Editor) ExpandedText() string { return e.pastes.expand(strings.Join(e.buf.lines, "\n")) }

// Lines returns a copy of the text's lines, with stand-ins.
func (e *Editor) Lines() []string {
	out := make([]string, len(e.buf.lines))
	for i, l := range e.buf.lines {
		out[i] = e.pastes.shown(l)
	}
	return out
}

// IsEmpty reports whether there is no text at all.
func (e *Editor) IsEmpty() bool { return e.buf.empty() }

// Caret returns the caret's line and the bytes before it in that line as Text
// has it, both from 0.
func (e *Editor) Caret() (line, col int) {
	p := e.buf.at
	return p.line, len(e.pastes.shown(e.buf.lines[p.line][:p.col]))
}

// SetText replaces the text, as one undoable step; the caret goes to the end.
// Stand-ins are forgotten: hosts that carry text over use ExpandedText.
func (e *Editor) SetText(s string) {
	e.endAction()
	e.closeMenu()
	e.leaveHistory()
	e.buf.newUnit()
	e.buf.setAll(normalize(s))
	e.buf.newUnit()
	e.changed()
}

// Insert puts text at the caret as one undoable step.
func (e *Editor) Insert(s string) {
	e.endAction()
	e.closeMenu()
	e.leaveHistory()
	e.buf.newUnit()
	e.insert(normalize(s))
	e.buf.newUnit()
	e.changed()
}

// Clear empties the editor and forgets undo, as submitting does.
func (e *Editor) Clear() { e.reset() }

func (e *Editor) insert(s string) { e.buf.replace(e.buf.at, e.buf.at, s) }

// changed follows every change of the text.
func (e *Editor) changed() {
	e.sticky = -1
	e.version++
	if len(e.pastes.texts) > 0 {
		e.recount()
	}
	if e.o.OnChange != nil {
		e.o.OnChange()
	}
}

// recount numbers the stand-ins again; rows that show one may wrap otherwise.
func (e *Editor) recount() {
	before := e.pastes.rank
	e.pastes.count(e.buf.lines)
	for r, n := range e.pastes.rank {
		if before[r] == n {
			continue
		}
		for i, l := range e.buf.lines {
			if strings.IndexByte(l, 0xf4) >= 0 {
				e.buf.wraps[i] = nil
			}
		}
		return
	}
}

// endAction is called where something other than a key ends a chain of kills,
// yanks or typing.
func (e *Editor) endAction() { e.last, e.prev, e.jump = actNone, actNone, jumpOff }

func (e *Editor) reset() {
	e.endAction()
	e.closeMenu()
	e.history.at = -1
	e.history.draft = nil
	edits := e.buf.edits
	width := e.buf.wrapWidth
	e.buf = newBuffer()
	e.buf.edits, e.buf.wrapWidth = edits+1, width
	e.pastes.forget(e.kills.entries)
	e.top = row{}
	if e.vim != nil {
		e.vim.reset()
		e.vim.mode = VimInsert
	}
	e.changed()
}

// Submit hands the text over and empties the editor, as Enter does.
func (e *Editor) Submit() {
	s := strings.TrimSpace(e.ExpandedText())
	e.reset()
	if e.o.OnSubmit != nil {
		e.o.OnSubmit(s)
	}
}

// HandleKey implements tui.KeyHandler.
func (e *Editor) HandleKey(ev key.Event) bool {
	if ev.Action == key.Release {
		return false
	}
	e.prev, e.last = e.last, actNone
	mode := e.VimMode()
	used := e.handle(unshifted(ev))
	if e.VimMode() != mode && e.o.OnMode != nil {
		e.o.OnMode()
	}
	if !used {
		e.last = e.prev
	}
	if used {
		e.version++
	}
	return used
}
