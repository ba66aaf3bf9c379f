package components

import "strings"

const historyMax = 100

// history holds what was submitted before, newest first, and the draft that
// browsing it left behind.
type history struct {
	entries []string
	at      int // entry shown, -1: none
	draft   *string
	caret   position
}

// AddToHistory remembers a submitted text. Blank texts and repetitions of the
// newest one are left out; a hundred are kept.
func (e *Editor) AddToHistory(s string) {
	s = strings.TrimSpace(s)
	h := &e.history
	if s == "" || len(h.entries) > 0 && h.entries[0] == s {
		return
	}
	h.entries = append([]string{s}, h.entries...)
	if len(h.entries) > historyMax {
		h.entries = h.entries[:historyMax]
	}
	if h.at >= 0 {
		h.at = min(h.at+1, len(h.entries)-1)
	}
}

func (e *Editor) older() {
	h := &e.history
	if h.at+1 >= len(h.entries) {
		return
	}
	e.closeMenu()
	if h.at < 0 {
		draft := strings.Join(e.buf.lines, "\n")
		h.draft, h.caret = &draft, e.buf.at
		// Leaving the history again by undo is one step however far one
		// went: all of browsing shares a unit.
		e.buf.newUnit()
	}
	h.at++
	e.buf.setAll(normalize(h.entries[h.at]))
	e.buf.at = position{}
	e.changed()
}

func (e *Editor) newer() {
	h := &e.history
	if h.at < 0 {
		return
	}
	e.closeMenu()
	h.at--
	if h.at >= 0 {
		e.buf.setAll(normalize(h.entries[h.at]))
		e.changed()
		return
	}
	e.buf.setAll(*h.draft)
	e.buf.at = h.caret
	h.draft = nil
	e.buf.newUnit()
	e.changed()
}

// leaveHistory makes what is shown the text: it is being edited.
func (e *Editor) leaveHistory() {
	if e.history.at >= 0 {
		e.history.at = -1
		e.history.draft = nil
	}
}
