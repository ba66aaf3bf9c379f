package components

import (
	"unicode/utf8"

	"tau/tui/text"
)

// chunk is one screen row of a line: the bytes from start to end. The chunks
// of a line cover it exactly. A marker wider than the row is spread over
// several: the first holds the marker and shows only part of its label, the
// others show more of it (pre) before their own bytes, if they have any.
type chunk struct {
	start, end int
	width      int
	label      string // shown in place of the whole row's bytes
	pre        string // shown in front of the row's bytes
}

// wrapLine breaks a line into rows. Blanks stay at the end of the row they
// follow, words stay whole where they fit, and CJK characters may part
// anywhere. label gives what a marker shows.
func wrapLine(s string, width int, label func(rune) string) []chunk {
	width = max(1, width)
	if len(s) <= width && plain(s) {
		return []chunk{{end: len(s), width: len(s)}}
	}
	var out []chunk
	cur := chunk{}
	breakAt, breakWidth := -1, 0 // the last good place to break in the row
	var last rune
	flush := func(end, w int) {
		cur.end, cur.width = end, w
		out = append(out, cur)
		cur = chunk{start: end}
		breakAt = -1
	}
	w := 0
	for i := 0; i < len(s); {
		c, cw := cluster(s[i:])
		r, _ := utf8.DecodeRuneInString(c)
		if isMarker(r) {
			l := label(r)
			cw = text.Width(l)
			if cw > width {
				if i > cur.start || cur.pre != "" {
					flush(i, w)
				}
				out = append(out, chunk{start: i, end: i + len(c), width: width, label: text.Slice(l, 0, width)})
				at := width
				for ; at+width < cw; at += width {
					out = append(out, chunk{start: i + len(c), end: i + len(c), width: width, pre: text.Slice(l, at, width)})
				}
				i += len(c)
				cur = chunk{start: i, pre: text.Slice(l, at, width)}
				w, breakAt, last = cw-at, -1, r
				continue
			}
		}
		space := c == " " || c == "\t"
		if !space && i > cur.start && (last == ' ' || last == '\t' || isCJK(r) || isCJK(last)) {
			breakAt, breakWidth = i, w
		}
		if w+cw > width && (i > cur.start || cur.pre != "") {
			if breakAt >= 0 && w-breakWidth+cw <= width {
				rest := w - breakWidth
				flush(breakAt, breakWidth)
				w = rest
			} else {
				flush(i, w)
				w = 0
			}
		}
		w += cw
		last = r
		i += len(c)
	}
	return append(out, chunk{start: cur.start, end: len(s), width: w, pre: cur.pre})
}

// rowsOf returns the rows of a line at the width of the last layout.
func (e *Editor) rowsOf(line int) []chunk {
	b := &e.buf
	rows, s := b.wraps[line], b.lines[line]
	start := 0
	if n := len(rows); n > 0 {
		if start = rows[n-1].end; start == len(s) {
			return rows
		}
	}
	for _, c := range wrapLine(s[start:], b.wrapWidth, e.pastes.label) {
		c.start += start
		c.end += start
		rows = append(rows, c)
	}
	b.wraps[line] = rows
	return rows
}

// keepRows returns the rows of a changed line that are as they were, so that
// typing at the end of a long line does not wrap all of it again. Where a row
// breaks is settled before the end of the next one.
func keepRows(rows []chunk, old, new string) []chunk {
	if len(rows) < 4 || rows[len(rows)-1].end != len(old) {
		return nil
	}
	same := 0
	for n := min(len(old), len(new)); same < n && old[same] == new[same]; {
		same++
	}
	keep := 0
	for keep+1 < len(rows) && rows[keep+1].end < same {
		keep++
	}
	for keep > 0 && rows[keep].pre != "" {
		keep-- // not in the middle of a marker
	}
	if keep == 0 {
		return nil
	}
	return rows[:keep:keep]
}

// layout sets the width rows are wrapped to.
func (e *Editor) layout(width int) {
	if e.buf.wrapWidth != width {
		e.buf.wrapWidth = width
		clear(e.buf.wraps)
	}
}

// row is a screen row: a line and the number of one of its chunks.
type row struct{ line, chunk int }

// rowAt finds the row and the column of a place.
func (e *Editor) rowAt(p position) (row, int) {
	rows := e.rowsOf(p.line)
	for i, c := range rows {
		if p.col >= c.start && p.col < c.end || i == len(rows)-1 {
			return row{p.line, i}, text.Width(c.pre) + e.widthOf(p.line, c, p.col)
		}
	}
	return row{p.line, 0}, 0
}

// widthOf measures the row's own bytes up to col.
func (e *Editor) widthOf(line int, c chunk, col int) int {
	if c.label != "" {
		if col > c.start {
			return c.width
		}
		return 0
	}
	w := 0
	for s := e.buf.lines[line][c.start:min(col, c.end)]; s != ""; {
		g, gw := e.cell(s)
		w += gw
		s = s[len(g):]
	}
	return w
}

// cell is cluster with the columns a marker takes.
func (e *Editor) cell(s string) (string, int) {
	g, w := cluster(s)
	if r, _ := utf8.DecodeRuneInString(g); isMarker(r) {
		w = text.Width(e.pastes.label(r))
	}
	return g, w
}

// place finds the place in a row nearest to a column, at its left. In all rows
// of a line but the last the place behind the last cluster belongs to the next
// row. exact is false where the row was too short or the column lies inside a
// cluster.
func (e *Editor) place(r row, want int) (p position, exact bool) {
	rows := e.rowsOf(r.line)
	c := rows[r.chunk]
	if c.label != "" {
		return position{r.line, c.start}, want == 0
	}
	col, w := c.start, text.Width(c.pre)
	for s := e.buf.lines[r.line][c.start:c.end]; s != ""; {
		g, gw := e.cell(s)
		if w+gw > want {
			return position{r.line, col}, w == want
		}
		if len(g) == len(s) && r.chunk < len(rows)-1 {
			return position{r.line, col}, false
		}
		w += gw
		col += len(g)
		s = s[len(g):]
	}
	return position{r.line, col}, w >= want
}

// nextRow and prevRow walk the rows; continuation rows of a spread marker,
// which hold no place of their own, are passed over.
func (e *Editor) nextRow(r row) (row, bool) {
	for {
		r.chunk++
		if r.chunk >= len(e.rowsOf(r.line)) {
			if r.line+1 >= len(e.buf.lines) {
				return r, false
			}
			return row{r.line + 1, 0}, true
		}
		if rows := e.rowsOf(r.line); rows[r.chunk].end > rows[r.chunk].start || r.chunk == len(rows)-1 {
			return r, true
		}
	}
}

func (e *Editor) prevRow(r row) (row, bool) {
	for {
		r.chunk--
		if r.chunk < 0 {
			if r.line == 0 {
				return r, false
			}
			return row{r.line - 1, len(e.rowsOf(r.line-1)) - 1}, true
		}
		if c := e.rowsOf(r.line)[r.chunk]; c.end > c.start {
			return r, true
		}
	}
}
