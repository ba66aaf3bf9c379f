package tui

import (
	"slices"
	"strconv"

	"tau/tui/graphics"
	"tau/tui/text"
)

// On the main screen a picture lives in the rows of the window like text: where
// they scroll, it scrolls, and in the scrollback it stays. It is drawn when its
// last row is written, since the next one may push it off, and rows are not
// committed before their pictures can be drawn, nor half of a picture.

// upload sends pictures of the live lines.
func (r *inlineRenderer) upload(all []liveLine) [][]byte {
	if r.paint.pics == nil {
		return nil
	}
	var want []*pixels
	for _, l := range all {
		if v := r.picture(l.raw); v != nil && !slices.Contains(want, v) {
			want = append(want, v)
		}
	}
	out := r.paint.upload(want)
	for v, s := range r.paint.sent {
		if s.used < r.paint.frame {
			// It is in the scrollback, which is the terminal's.
			delete(r.paint.sent, v)
		}
	}
	return out
}

// picture returns the picture that a rendered line has a row of.
func (r *inlineRenderer) picture(raw string) *pixels {
	if id, _, _, ok := text.FirstPicture(raw); ok {
		return r.paint.pics.find(id)
	}
	return nil
}

// drawable reports whether a line has no picture that cannot be drawn yet.
func (r *inlineRenderer) drawable(raw string) bool {
	v := r.picture(raw)
	return v == nil || r.paint.shows(v)
}

// sameBlock reports whether two lines have rows of the same picture.
func sameBlock(a, b string) bool {
	i, _, _, ok := text.FirstPicture(a)
	j, _, _, also := text.FirstPicture(b)
	return ok && also && i == j
}

// wholePictures returns how many of the first lines go if n do not fit: the rest
// of a picture that is cut stays in sight, but is not ours any more.
func wholePictures(lines []liveLine, n int) int {
	if n == 0 {
		return 0
	}
	end := n
	for end < len(lines) && lines[end].settled && sameBlock(lines[n-1].raw, lines[end].raw) {
		end++
	}
	if end == len(lines) || sameBlock(lines[n-1].raw, lines[end].raw) {
		return n // something has to be there for the cursor
	}
	return end
}

// cutsPicture reports whether row i of the window is of a picture that does not
// end before row end.
func (r *inlineRenderer) cutsPicture(i, end int) bool {
	return end > 0 && end < len(r.rows) && sameBlock(r.rows[i].raw, r.rows[end].raw) && sameBlock(r.rows[end-1].raw, r.rows[end].raw)
}

// left leaves pictures alone that end in the first n rows of the window.
func (p *painter) left(n int) {
	p.placed = slices.DeleteFunc(p.placed, func(pl placement) bool { return pl.y+pl.h <= n })
}

// unplace takes pictures away.
func (r *inlineRenderer) unplace(b []byte, gone []placement) []byte {
	if len(gone) == 0 {
		return b
	}
	if r.paint.kitty() {
		b = r.paint.abort(b)
		for _, g := range gone {
			b = graphics.Remove(b, g.id, g.place)
		}
		return b
	}
	// They are in the cells: the rows are written again.
	for _, g := range gone {
		for y := max(0, g.y); y < min(g.y+g.h, len(r.rows)); y++ {
			r.rows[y].out, r.rows[y].raw = unknown, unknown
		}
	}
	return b
}

// place draws the pictures that end before row i, and returns the others.
func (r *inlineRenderer) place(b []byte, will []placement, i int, touched []bool) ([]byte, []placement) {
	for ; len(will) > 0 && will[0].y+will[0].h <= i; will = will[1:] {
		pl := will[0]
		if !pl.fresh && !slices.Contains(touched[pl.y:pl.y+pl.h], true) {
			continue
		}
		if r.paint.kitty() {
			b = r.paint.abort(b)
		}
		b = r.moveTo(b, pl.y)
		if pl.x > 0 {
			b = append(b, "\x1b["...)
			b = strconv.AppendInt(b, int64(pl.x), 10)
			b = append(b, 'C')
		}
		if r.paint.kitty() {
			b = graphics.Place(b, pl.id, pl.place, pl.part(), pl.w, pl.h)
		} else {
			b = graphics.Inline(b, pl.view.encoded, pl.view.size, pl.w, pl.h)
		}
	}
	return b, will
}
