package tui

import (
	"strings"

	"tau/tui/input"
	"tau/tui/text"
)

// screenSelection is a selection of what is on the screen, for everything
// outside of scroll views: dialogs, the footer, status lines. It belongs to the
// cells, not to what they show, so the next key or press ends it.
type screenSelection struct {
	dragging, active bool
	x, y             int // where it began
	toX, toY         int
}

// selectScreen begins, extends and ends a selection on the screen with mouse
// events nobody used.
func (u *UI) selectScreen(ev MouseEvent) bool {
	s := &u.cells
	switch {
	case ev.Kind == MousePress && ev.Button == input.Left:
		shown := s.active
		if u.view != nil {
			u.view.ClearSelection()
		}
		*s = screenSelection{dragging: true, x: ev.X, y: ev.Y, toX: ev.X, toY: ev.Y}
		return shown
	case ev.Kind == MouseDrag && s.dragging:
		s.toX, s.toY, s.active = ev.X, ev.Y, true
		return true
	case ev.Kind == MouseRelease && s.dragging:
		s.dragging = false
		if s.active && u.opt.CopyOnSelect {
			if t := u.screenText(); t != "" {
				u.Copy(t)
			}
		}
		return s.active
	}
	return false
}

// clearScreenSelection ends the selection.
func (u *UI) clearScreenSelection() {
	if u.cells.active {
		u.draws.dirty = true
	}
	u.cells = screenSelection{}
}

// columns returns the selected columns of a row; from == to for none.
func (s *screenSelection) columns(row string, y int) (from, to int) {
	x1, y1, x2, y2 := s.x, s.y, s.toX, s.toY
	if y2 < y1 || y2 == y1 && x2 < x1 {
		x1, y1, x2, y2 = x2, y2, x1, y1
	}
	if y < y1 || y > y2 {
		return 0, 0
	}
	to = text.Width(row)
	if y == y1 {
		from, _ = text.CellRange(row, x1)
	}
	if y == y2 {
		_, end := text.CellRange(row, x2)
		to = min(to, end)
	}
	return from, max(from, to)
}

// paintSelection shows the selection in the rows of a frame.
func (u *UI) paintSelection(rows []string) {
	if !u.cells.active {
		return
	}
	for y, row := range rows {
		if from, to := u.cells.columns(row, y); from < to {
			rows[y] = text.Highlight(row, from, to, "\x1b[7m", "\x1b[27m")
		}
	}
}

// screenText returns the selected text.
func (u *UI) screenText() string {
	var out []string
	for y, row := range u.draws.rows {
		row = text.StripSequences(row)
		if from, to := u.cells.columns(row, y); from < to {
			out = append(out, strings.TrimRight(text.Slice(row, from, to-from), " "))
		} else if y > min(u.cells.y, u.cells.toY) && y < max(u.cells.y, u.cells.toY) {
			out = append(out, "")
		}
	}
	return strings.Join(out, "\n")
}
