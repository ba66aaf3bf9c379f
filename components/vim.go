package components

import (
	"strings"

	"tau/tui/key"
)

// VimMode is a mode of an editor that is used as vim is.
type VimMode uint8

// The modes. VimOff is an editor like any other.
const (
	VimOff VimMode = iota
	VimInsert
	VimNormal
	VimVisual
	VimVisualLine
)

// String returns the mode as vim names it, in capitals.
func (m VimMode) String() string {
	switch m {
	case VimInsert:
		return "INSERT"
	case VimNormal:
		return "NORMAL"
	case VimVisual:
		return "VISUAL"
	case VimVisualLine:
		return "VISUAL LINE"
	}
	return ""
}

// vim is the state of the modes. Counts multiply: 2d3w deletes six words.
type vim struct {
	mode     VimMode
	count    int  // typed so far; 0: none
	opCount  int  // before the operator
	op       byte // waiting for a motion; 0: none
	wait     byte // the command that takes the next character: f F t T r g i a
	find     byte // the last of f F t T, for ; and ,
	findWhat string
	anchor   position // where a selection began
	register string
	lines    bool        // the register holds whole lines
	keys     []key.Event // of the command being typed
	change   []key.Event // of the last change, for the dot
	inserted []key.Event // typed since insert mode began, belonging to the change
	record   bool        // insert mode was entered by a command that the dot repeats
	replay   bool
}

// SetVim makes the editor one of modes, beginning in insert mode, or one
// without.
func (e *Editor) SetVim(on bool) {
	switch {
	case on && e.vim == nil:
		e.vim = &vim{mode: VimInsert}
	case !on:
		e.vim = nil
	}
	e.version++
}

// VimMode returns the mode, VimOff for an editor without.
func (e *Editor) VimMode() VimMode {
	if e.vim == nil {
		return VimOff
	}
	return e.vim.mode
}

// vimKey handles a key in the way of vim. used is false for keys that mean what
// they mean elsewhere.
func (e *Editor) vimKey(ev key.Event) (used bool) {
	v := e.vim
	if v.mode == VimInsert {
		if !e.is(ev, "tui.select.cancel") || ev.ID != "escape" {
			if v.record && !v.replay {
				v.inserted = append(v.inserted, ev)
			}
			return false
		}
		e.vimNormal()
		if v.record && !v.replay {
			v.change = append(v.change, append(v.inserted, ev)...)
		}
		v.record, v.inserted = false, nil
		return true
	}
	if ev.ID == "escape" {
		pending := v.mode != VimNormal || v.op != 0 || v.wait != 0 || v.count > 0
		v.reset()
		v.mode = VimNormal
		e.vimClamp()
		return pending
	}
	s := typed(ev)
	if s == "" {
		switch ev.ID {
		case "backspace":
			s = "h"
		case "delete":
			s = "x"
		default:
			return false // arrows, pages, enter and keys with modifiers
		}
	}
	v.keys = append(v.keys, ev)
	e.vimCommand(s)
	return true
}

// reset forgets what was typed of a command.
func (v *vim) reset() {
	v.count, v.opCount, v.op, v.wait, v.keys = 0, 0, 0, 0, nil
}

// times is the count of the command, 1 if there is none.
func (v *vim) times() int { return max(1, v.count) * max(1, v.opCount) }

// vimNormal leaves insert or visual mode.
func (e *Editor) vimNormal() {
	e.closeMenu()
	e.buf.newUnit()
	if e.vim.mode == VimInsert && e.buf.at.col > 0 {
		e.buf.at.col = prevCluster(e.buf.lines[e.buf.at.line], e.buf.at.col)
	}
	e.vim.mode = VimNormal
	e.vim.reset()
	e.sticky = -1
}

// vimClamp keeps the caret on a character, as normal mode has it.
func (e *Editor) vimClamp() {
	line := e.buf.lines[e.buf.at.line]
	if e.vim.mode == VimNormal && e.buf.at.col > 0 && e.buf.at.col >= len(line) {
		e.buf.at.col = prevCluster(line, len(line))
	}
}

// insertMode begins to take text; what is typed is part of the command that
// began it.
func (e *Editor) insertMode() {
	v := e.vim
	v.mode = VimInsert
	if !v.replay {
		v.change, v.inserted, v.record = v.keys, nil, true
	}
	v.keys = nil
	v.reset()
	e.buf.newUnit()
}

// done ends a command. One that changed the text is what the dot repeats.
func (e *Editor) vimDone(changed bool) {
	v := e.vim
	if changed && !v.replay {
		v.change = v.keys
	}
	if v.mode == VimVisual || v.mode == VimVisualLine {
		v.mode = VimNormal
	}
	v.reset()
	e.vimClamp()
}

// vimSelection is the text that is selected, from a up to z.
func (e *Editor) vimSelection() (a, z position, ok bool) {
	if e.vim == nil || e.vim.mode != VimVisual && e.vim.mode != VimVisualLine {
		return a, z, false
	}
	a, z = e.vim.anchor, e.buf.at
	if after(a, z) {
		a, z = z, a
	}
	a, z = e.within(a), e.within(z)
	if e.vim.mode == VimVisualLine {
		return position{a.line, 0}, position{z.line, len(e.buf.lines[z.line])}, true
	}
	return a, position{z.line, nextCluster(e.buf.lines[z.line], z.col)}, true
}

// within brings a position into a text that has become shorter.
func (e *Editor) within(p position) position {
	p.line = min(p.line, len(e.buf.lines)-1)
	p.col = min(p.col, len(e.buf.lines[p.line]))
	return p
}

func after(a, b position) bool { return a.line > b.line || a.line == b.line && a.col > b.col }

// cut removes text and keeps it in the register.
func (e *Editor) cut(a, z position, lines bool) {
	e.keep(a, z, lines)
	if !lines {
		e.buf.replace(a, z, "")
		return
	}
	last := len(e.buf.lines) - 1
	switch {
	case z.line < last:
		e.buf.replace(position{a.line, 0}, position{z.line + 1, 0}, "")
	case a.line > 0:
		e.buf.replace(position{a.line - 1, len(e.buf.lines[a.line-1])}, position{z.line, len(e.buf.lines[z.line])}, "")
	default:
		e.buf.replace(position{}, e.buf.end(), "")
	}
	e.buf.at = position{min(a.line, len(e.buf.lines)-1), 0}
	e.buf.at.col = indentOf(e.buf.lines[e.buf.at.line])
}

// keep puts text into the register, and into the ring that yank takes from.
func (e *Editor) keep(a, z position, lines bool) {
	if lines {
		a, z = position{a.line, 0}, position{z.line, len(e.buf.lines[z.line])}
	}
	e.vim.register, e.vim.lines = e.buf.between(a, z), lines
	e.kills.add(e.vim.register, false, false)
}

// put inserts the register, after the caret or before it.
func (e *Editor) put(before bool, n int) {
	v := e.vim
	if v.register == "" && !v.lines {
		return
	}
	text := strings.Repeat(v.register, n)
	line := e.buf.at.line
	if v.lines {
		text = strings.TrimSuffix(strings.Repeat(v.register+"\n", n), "\n")
		if before {
			p := position{line, 0}
			e.buf.replace(p, p, text+"\n")
			e.buf.at = position{line, 0}
		} else {
			p := position{line, len(e.buf.lines[line])}
			e.buf.replace(p, p, "\n"+text)
			e.buf.at = position{line + 1, 0}
		}
		e.buf.at.col = indentOf(e.buf.lines[e.buf.at.line])
		return
	}
	p := e.buf.at
	if !before {
		p.col = nextCluster(e.buf.lines[line], p.col)
	}
	e.buf.replace(p, p, text)
	e.buf.at = e.buf.left(e.buf.at)
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
