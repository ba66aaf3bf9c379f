package tui

import (
	"strconv"
	"strings"
	"time"

	"tau/tui/text"
)

// inlineRenderer draws on the main screen, below what the shell has printed.
//
//	scrollback  │ the shell's lines
//	            │ lines that have scrolled off: committed, never touched again
//	screen      │ committed lines that are still in sight (not ours any more)
//	            │ rows[0]          ┐
//	            │ ...              ├ the live window: at most as high as the
//	            │ rows[n-1]        ┘ screen, repainted where it changed
//
// Lines reach the scrollback in one way only: by a line feed on the last row.
// Positions are relative to the cursor, so nobody has to know where on the
// screen the window is, and no sequence is used that could erase or move what
// is not ours. A line that may still change is not let off the screen: if there
// is no room, lines are hidden instead and come out when they are final.
//
// What is on the screen is known by node and line, not by number: content that
// is added or grows above shifts nothing.
type inlineRenderer struct {
	fake  bool
	clips bool // the terminal does not wrap lines anew when it gets narrower

	w, h     int
	rows     []inlineRow
	cur, col int  // the terminal's cursor, in rows
	visible  bool // the cursor
	known    bool
	fresh    bool // nothing has been painted since restart

	resizedW bool // the width has changed since the last frame
	minH     int  // the lowest height since the last frame, 0 if unchanged

	erase bool // the window begins up rows above the cursor and is to be erased
	up    int

	recent []commit // lines committed not long ago
	grace  time.Duration
	now    func() time.Time

	leaves map[Component]leaf // where components outside of lists are

	// behind maps a list to the last node of which, and of all before it,
	// nothing will be shown again.
	behind map[*List]*Node
	buf    []byte
	counts frameCounts
	log    func(line) // tests hear of committed lines here

	paint painter
}

// leaf is where a component is in the window.
type leaf struct{ y, h int }

type inlineRow struct {
	line
	node *Node
	at   int // row of the node, counted with its gap
}

func newInline(fake bool) *inlineRenderer {
	r := &inlineRenderer{fake: fake, behind: map[*List]*Node{}, leaves: map[Component]leaf{}, now: time.Now}
	r.restart()
	return r
}

// restart begins anew at the cursor's line: after another program had the
// terminal, nothing that was painted is ours.
func (r *inlineRenderer) restart() {
	r.rows, r.cur, r.col = nil, 0, 0
	r.known, r.fresh, r.resizedW, r.minH, r.erase = false, true, false, 0, false
	r.paint.forget()
}

// setFake says whether the cursor is drawn as a reversed cell.
func (r *inlineRenderer) setFake(fake bool) {
	if fake != r.fake {
		r.fake = fake
		for i := range r.rows {
			if r.rows[i].cursor != noCursor {
				r.rows[i].raw, r.rows[i].out = unknown, unknown
			}
		}
	}
}

// frame returns the writes that bring the screen up to date. Lines of all that
// do not fit any more are committed. extra is put into the first write.
func (r *inlineRenderer) frame(all []liveLine, w, h int, extra string, overlay func(rows []string, off int) []string, everything bool) [][]byte {
	uploads := r.upload(all)
	b := append(r.buf[:0], beginSync...)
	b = append(b, extra...)
	bare := len(b)
	b = append(b, hideCursor+"\x1b[?7l"...)
	head := len(b)
	erase, again := r.erase, r.erase
	if erase {
		b = append(b, '\r')
		b = vertical(b, -r.up)
		r.erase = false
	}

	shown := choose(all, h, everything, r.drawable)
	lines := make([]string, len(shown))
	for i, l := range shown {
		lines[i] = l.raw
	}
	off := wholePictures(shown, max(0, len(shown)-h)) // so many rows go
	lines = overlay(lines, off)
	next := make([]inlineRow, len(lines))
	for i, raw := range lines {
		row := &next[i]
		if i < len(shown) {
			row.node, row.at = shown[i].node, shown[i].at
		}
		r.counts.compared++
		if i < len(r.rows) && same(r.rows[i].raw, raw) {
			row.line = r.rows[i].line
			continue
		}
		row.line = trimmed(prepare(raw, w, r.fake, r.paint.pics))
		r.counts.prepared++
	}

	will, gone := r.paint.change(rects(len(next), h, func(i int) []run { return next[i].runs }))
	b = r.unplace(b, gone)
	touched := make([]bool, len(next)) // rows that were written
	var cuts []int
	for i := range next {
		// A picture is drawn as soon as its last row is there: with the next
		// one it may scroll off.
		b, will = r.place(b, will, i, touched)
		if len(b) > head && len(b)-last(cuts)+len(next[i].out) > maxFrame {
			b = append(b, "\x1b[?7h"+endSync...)
			cuts = append(cuts, len(b))
			b = append(b, beginSync+"\x1b[?7l"...)
		}
		if i < len(r.rows) {
			was := r.rows[i].line
			if next[i].out == was.out {
				continue
			}
			touched[i] = true
			b = r.moveTo(b, i)
			if !was.risky && !next[i].risky && was.out != unknown {
				// Never so if the window is painted anew: then there are no rows.
				b = appendChange(b, was.out, next[i].out)
				r.counts.written++
				continue
			}
		} else if i > 0 || !r.fresh && len(r.rows) > 0 {
			b = r.moveTo(b, i-1)
			b = append(b, "\r\n"...)
			r.cur++
		} else {
			b = append(b, '\r')
		}
		r.fresh, touched[i] = false, true
		if erase && i == len(next)-1 {
			// What is left of the old window below. Not earlier: tmux takes
			// erasing from the top of the screen for clearing it, and puts
			// all of it into the scrollback.
			b = append(b, "\x1b[J"...)
			erase = false
		} else if again || next[i].risky {
			// The terminal may think that this row goes on in the next one,
			// or draw a character narrower than the cells left for it.
			b = append(b, "\x1b[K"...)
		}
		b = append(b, next[i].out...)
		if next[i].width < w {
			b = append(b, "\x1b[K"...)
		}
		r.counts.written++
	}
	b, _ = r.place(b, will, len(next), touched)
	if erase {
		b = append(b, "\x1b[J"...)
	}
	for i := len(next); i < len(r.rows); i++ {
		b = r.moveTo(b, i)
		b = append(b, "\x1b[K"...)
	}
	if n := max(off, len(next)-h); n > 0 {
		now := r.now()
		r.forget(now)
		for _, row := range next[:n] {
			if r.log != nil {
				r.log(row.line)
			}
			if row.node != nil && !row.node.committed() {
				if r.grace > 0 {
					r.recent = append(r.recent, commit{row.node, row.node.frozen, now})
				}
				row.node.frozen = row.at + 1
			}
		}
		next = next[n:]
		r.cur -= n
		r.paint.scrolled(n)
	}
	r.rows, r.w, r.h = next, w, h
	changed := len(b) > head
	return append(uploads, r.finish(b, cuts, bare, changed, extra)...)
}

// finish puts the cursor in its place and closes the frame.
func (r *inlineRenderer) finish(b []byte, cuts []int, bare int, changed bool, extra string) [][]byte {
	row, col := len(r.rows)-1, 0
	show := false
	for i := len(r.rows) - 1; i >= 0; i-- {
		if c := r.rows[i].cursor; c != noCursor {
			row, col, show = i, c, !r.fake
			break
		}
	}
	row = max(row, 0)
	switch {
	case changed:
		b = append(b, "\x1b[?7h"...)
	case r.known && row == r.cur && col == r.col && show == r.visible:
		if extra == "" {
			r.buf = b
			return nil
		}
		b = append(b[:bare], endSync...)
		r.buf = b
		return [][]byte{b}
	default:
		b = b[:bare]
	}
	if row != r.cur && len(r.rows) > 0 || changed {
		b = r.moveTo(b, row)
		if col > 0 {
			b = append(b, "\x1b["...)
			b = strconv.AppendInt(b, int64(col), 10)
			b = append(b, 'C')
		}
	} else {
		b = append(b, "\x1b["...)
		b = strconv.AppendInt(b, int64(col+1), 10)
		b = append(b, 'G')
	}
	switch {
	case show:
		b = append(b, showCursor...)
	case !changed && r.visible:
		b = append(b, hideCursor...)
	}
	r.col, r.visible, r.known = col, show, true
	b = append(b, endSync...)
	r.buf = b
	r.counts.frames++
	r.counts.bytes += len(b)
	var out [][]byte
	from := 0
	for _, c := range append(cuts, len(b)) {
		out = append(out, b[from:c])
		from = c
	}
	return out
}

// moveTo moves to the first column of a row.
func (r *inlineRenderer) moveTo(b []byte, row int) []byte {
	b = append(b, '\r')
	b = vertical(b, row-r.cur)
	r.cur = row
	return b
}

func vertical(b []byte, n int) []byte {
	if n == 0 {
		return b
	}
	b = append(b, "\x1b["...)
	c := byte('B')
	if n < 0 {
		n, c = -n, 'A'
	}
	b = strconv.AppendInt(b, int64(n), 10)
	return append(b, c)
}

// appendChange appends what turns one line into another, with the cursor in the
// first column.
func appendChange(b []byte, was, is string) []byte {
	c := text.Changed(was, is)
	if c.Col > 0 {
		b = append(b, "\x1b["...)
		b = strconv.AppendInt(b, int64(c.Col), 10)
		b = append(b, 'C')
	}
	b = append(b, c.Text...)
	if c.Behind > 0 {
		b = append(b, "\x1b[K"...)
	}
	return b
}

// leave moves behind the window, for whoever gets the terminal next.
func (r *inlineRenderer) leave() string {
	pictures := r.paint.stop()
	if len(r.rows) == 0 {
		return pictures
	}
	b := r.moveTo(nil, len(r.rows)-1)
	return pictures + string(b) + "\r\n"
}

// wipe erases the window, for a program that will give the screen back as it
// was.
func (r *inlineRenderer) wipe() string {
	if len(r.rows) == 0 {
		return r.paint.stop()
	}
	b := r.unplace(r.paint.abort(nil), r.paint.placed)
	for i := len(r.rows) - 1; i >= 0; i-- {
		b = r.moveTo(b, i)
		b = append(b, "\x1b[K"...)
	}
	return string(b)
}

// trimmed drops plain blanks at the end of a line: lines in the scrollback are
// wrapped anew when the terminal gets narrower, and padding would become blank
// lines.
func trimmed(l line) line {
	if !strings.HasSuffix(l.out, " ") || text.Close(l.out) != "" {
		return l
	}
	short := strings.TrimRight(l.out, " ")
	l.width = max(0, l.width-(len(l.out)-len(short)))
	l.out = short
	return l
}
