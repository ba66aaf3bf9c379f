package tui

import (
	"slices"
	"strconv"
	"unsafe"

	"tau/tui/graphics"
	"tau/tui/text"
)

const (
	beginSync  = "\x1b[?2026h"
	endSync    = "\x1b[?2026l"
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"

	// unknown is what is on a row of which nobody knows; no component renders
	// this.
	unknown = "\x00"

	// maxFrame bounds one synchronized update: terminals end one by
	// themselves after a while, and multiplexers when it gets long.
	maxFrame = 60 << 10
)

// screenRenderer draws on the alternate screen: every row is its own, and a
// frame writes the rows that changed since the last one.
type screenRenderer struct {
	w, h int
	prev []line // what the terminal shows; nil if unknown
	// cursor as the terminal has it
	curRow, curCol int
	visible        bool
	known          bool
	buf            []byte

	fake   bool // draw the cursor as a reversed cell
	counts frameCounts

	paint   painter
	touched []bool // rows written in this frame
	wiped   bool   // pictures of before a reset may be there
}

// frameCounts say what frames cost; tests hold them against limits.
type frameCounts struct {
	frames, prepared, compared, written, bytes int
}

// reset forgets what the terminal shows.
func (r *screenRenderer) reset() {
	r.repaint()
	r.wiped = r.wiped || len(r.paint.sent) > 0
	r.paint.forget()
}

// repaint makes the next frame write all rows.
func (r *screenRenderer) repaint() { r.prev, r.known = nil, false }

// frame returns the writes that bring the terminal from the last frame to rows,
// or nil if it shows them already. extra is put into the first of them. The
// result is valid until the next call.
func (r *screenRenderer) frame(rows []string, w, h int, extra string) [][]byte {
	if r.prev == nil || w != r.w || h != r.h {
		r.w, r.h = w, h
		r.prev = make([]line, h)
		for i := range r.prev {
			r.prev[i].cursor = noCursor
			r.prev[i].raw = unknown
			r.prev[i].out = unknown
		}
		r.known = false
	}
	r.touched = slices.Grow(r.touched[:0], h)[:h]
	clear(r.touched)
	var cuts []int // offsets in buf where a write ends
	b := append(r.buf[:0], beginSync...)
	b = append(b, extra...)
	start := len(b)
	hidden := !r.visible && r.known
	body := false
	if m, ok := r.scrolled(rows); ok {
		if !hidden {
			b = append(b, hideCursor...)
			hidden = true
		}
		b = r.shift(b, m)
		body = true
		for i := m.top; i < m.bottom; i++ {
			r.touched[i] = true
		}
	}
	for i := range h {
		raw := ""
		if i < len(rows) {
			raw = rows[i]
		}
		r.counts.compared++
		if same(r.prev[i].raw, raw) {
			continue
		}
		l := prepare(raw, w, r.fake, r.paint.pics)
		r.counts.prepared++
		was := r.prev[i]
		r.prev[i] = l
		if l.out == was.out {
			continue
		}
		if !hidden {
			b = append(b, hideCursor...)
			hidden = true
		}
		if body && len(b)-last(cuts)+len(l.out) > maxFrame {
			b = append(b, endSync...)
			cuts = append(cuts, len(b))
			b = append(b, beginSync...)
		}
		body = true
		r.touched[i] = true
		r.counts.written++
		b = appendRow(b, i, was, l, w)
	}
	uploads, pictures := r.pictures()
	if len(pictures) > 0 {
		if !hidden {
			b = append(b, hideCursor...)
			hidden = true
		}
		b = append(b, pictures...)
		body = true
	}
	row, col := r.cursor()
	show := row >= 0 && !r.fake
	if row < 0 {
		// Nobody has the cursor: it stays where it is, unseen.
		row, col = r.curRow, r.curCol
	}
	if body || !r.known || row != r.curRow || col != r.curCol {
		b = appendCUP(b, row, col)
		body = true
	}
	switch {
	case show && (hidden || !r.known):
		b = append(b, showCursor...)
		body = true
	case !show && !hidden:
		b = append(b, hideCursor...)
		body = true
	}
	if !body && len(b) == start && extra == "" {
		r.buf = b
		return uploads
	}
	r.curRow, r.curCol, r.visible, r.known = row, col, show, true
	b = append(b, endSync...)
	r.buf = b
	r.counts.frames++
	r.counts.bytes += len(b)
	out := uploads
	from := 0
	for _, c := range append(cuts, len(b)) {
		out = append(out, b[from:c])
		from = c
	}
	return out
}

// pictures brings the pictures in step with the rows: writes that come before
// the frame, and what goes behind its text.
func (r *screenRenderer) pictures() (uploads [][]byte, b []byte) {
	p := &r.paint
	if !p.kitty() {
		return nil, nil
	}
	if r.wiped {
		// Behind an error in the middle of an upload, this may end it, too.
		uploads = append(uploads, append(graphics.FreeVisible([]byte(beginSync)), endSync...))
		r.wiped = false
	}
	runs := func(i int) []run { return r.prev[i].runs }
	uploads = append(uploads, p.upload(viewsOf(len(r.prev), runs))...)
	will, gone := p.change(rects(len(r.prev), r.h, runs))
	if len(gone) > 0 {
		b = p.abort(b)
	}
	for _, g := range gone {
		b = graphics.Remove(b, g.id, g.place)
	}
	for _, d := range will {
		if !d.fresh && !slices.Contains(r.touched[d.y:d.y+d.h], true) {
			continue
		}
		b = p.abort(b)
		b = appendCUP(b, d.y, d.x)
		b = graphics.Place(b, d.id, d.place, d.part(), d.w, d.h)
	}
	if p.moving == nil {
		b = p.evict(b)
	}
	return uploads, b
}

// appendRow appends what turns row y of w columns from one line into another.
func appendRow(b []byte, y int, was, l line, w int) []byte {
	if l.risky || was.risky || was.out == unknown {
		b = appendCUP(b, y, 0)
		if l.risky {
			b = append(b, "\x1b[K"...)
		}
		b = append(b, l.out...)
		// Behind a full row the cursor stands on its last cell.
		if l.width < w {
			b = append(b, "\x1b[K"...)
		}
		return b
	}
	c := text.Changed(was.out, l.out)
	b = appendCUP(b, y, c.Col)
	b = append(b, c.Text...)
	if c.Behind > 0 {
		b = append(b, "\x1b[K"...)
	}
	return b
}

// appendCUP appends a move of the cursor, with coordinates from 0.
func appendCUP(b []byte, row, col int) []byte {
	b = append(b, "\x1b["...)
	b = strconv.AppendInt(b, int64(row+1), 10)
	b = append(b, ';')
	b = strconv.AppendInt(b, int64(col+1), 10)
	return append(b, 'H')
}

func last(cuts []int) int {
	if len(cuts) == 0 {
		return 0
	}
	return cuts[len(cuts)-1]
}

// cursor finds the first marker from the bottom.
func (r *screenRenderer) cursor() (row, col int) {
	for i := len(r.prev) - 1; i >= 0; i-- {
		if r.prev[i].cursor != noCursor {
			return i, r.prev[i].cursor
		}
	}
	return -1, 0
}

// same compares two strings, by identity first.
func same(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	return unsafe.StringData(a) == unsafe.StringData(b) || a == b
}

// sameLines reports whether two slices are the same slice.
func sameLines(a, b []string) bool {
	return len(a) == len(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}
