package components

// vertical moves the caret by rows, keeping the column it wants.
func (e *Editor) vertical(next func(row) (row, bool), n int) bool {
	r, col := e.rowAt(e.buf.at)
	moved := false
	for range n {
		to, ok := next(r)
		if !ok {
			break
		}
		r, moved = to, true
	}
	if !moved {
		return false
	}
	want := col
	if e.sticky >= 0 {
		want = e.sticky
	}
	p, exact := e.place(r, want)
	e.sticky = -1
	if !exact {
		// Too short a row, or inside a marker: keep the wish for later.
		e.sticky = want
	}
	e.buf.newUnit()
	e.buf.at = p
	e.buf.newUnit()
	e.caretMoved()
	return true
}

func (e *Editor) up() {
	if e.vertical(e.prevRow, 1) {
		return
	}
	if e.buf.empty() || e.history.at >= 0 || e.buf.at.col == 0 {
		e.older()
		return
	}
	e.sticky = -1
	e.buf.at.col = 0
	e.buf.newUnit()
	e.caretMoved()
}

func (e *Editor) down() {
	if e.vertical(e.nextRow, 1) {
		return
	}
	if e.history.at >= 0 {
		e.newer()
		return
	}
	e.sticky = -1
	e.buf.at.col = len(e.buf.lines[e.buf.at.line])
	e.buf.newUnit()
	e.caretMoved()
}

func (e *Editor) page(dir int) {
	next := e.nextRow
	if dir < 0 {
		next = e.prevRow
	}
	e.vertical(next, e.maxRows())
}

// maxRows is how many rows of text show at most.
func (e *Editor) maxRows() int { return max(5, e.screen*3/10) }

// Click puts the caret at a cell of the last Render; row and col count from 0
// at the top left of the editor. It reports whether the cell belongs to the
// text.
func (e *Editor) Click(line, col int) bool {
	i := line - 1
	if i < 0 || i >= len(e.drawn.rows) {
		return false
	}
	p, _ := e.place(e.drawn.rows[i], max(0, col-e.drawn.indent))
	e.endAction()
	e.sticky = -1
	e.buf.newUnit()
	e.buf.at = p
	e.buf.newUnit()
	e.version++
	e.caretMoved()
	return true
}
