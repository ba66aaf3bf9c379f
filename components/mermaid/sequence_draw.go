package mermaid

import (
	"math"

	"tau/tui/text"
)

// extent is a range of columns, both ends included.
type extent struct{ lo, hi int }

func (e *extent) add(lo, hi int) { e.lo, e.hi = min(e.lo, lo), max(e.hi, hi) }

// score is a sequence with its columns.
type score struct {
	s      *sequence
	wrap   int
	x      []int    // of each life line
	half   [][2]int // columns of an actor's box on both sides of its line
	blocks []extent
	height int
}

// drawSequence lays out a sequence in the first way that fits.
func drawSequence(s *sequence, width int) *canvas {
	if s == nil {
		return nil
	}
	for _, wrap := range []int{40, 26, 16, 10} {
		d := &score{s: s, wrap: wrap}
		d.columns()
		w := d.extents()
		if w <= width {
			return d.paint(w)
		}
	}
	return nil
}

// columns places the life lines: wide enough apart for the boxes and for every
// message between them.
func (d *score) columns() {
	n := len(d.s.actors)
	d.half = make([][2]int, n)
	heads := 1
	for i, a := range d.s.actors {
		lines := wrapLabel(a.label, d.wrap)
		w := widest(lines) + 4
		d.half[i] = [2]int{(w - 1) / 2, w - 1 - (w-1)/2}
		heads = max(heads, len(lines))
	}
	d.height = heads + 2
	apart := make([]int, n) // from i-1 to i
	for i := 1; i < n; i++ {
		apart[i] = d.half[i-1][1] + d.half[i][0] + 3
	}
	need := func(a, b, w int) {
		sum := 0
		for i := a + 1; i <= b; i++ {
			sum += apart[i]
		}
		for i := a + 1; sum < w && a < b; sum++ { // shared out evenly
			apart[i]++
			if i++; i > b {
				i = a + 1
			}
		}
	}
	for span := range n {
		for _, e := range d.s.events {
			a, b := min(e.from, e.to), max(e.from, e.to)
			if b-a != span {
				continue
			}
			w := widest(wrapLabel(e.label, d.wrap))
			switch {
			case e.kind == message && a < b:
				need(a, b, w+4)
			case e.kind == message && b+1 < n:
				need(b, b+1, w+8)
			case e.kind == remark && e.side > 0 && b+1 < n:
				need(b, b+1, w+8)
			case e.kind == remark && e.side < 0 && a > 0:
				need(a-1, a, w+8)
			case e.kind == remark && e.side == 0 && a < b:
				need(a, b, w)
			case e.kind == remark && e.side == 0:
				if a > 0 {
					need(a-1, a, w/2+5)
				}
				if b+1 < n {
					need(b, b+1, w/2+6)
				}
			}
		}
	}
	d.x = make([]int, n)
	for i := 1; i < n; i++ {
		d.x[i] = d.x[i-1] + apart[i]
	}
}

// place returns the columns and rows an event takes.
func (d *score) place(e event) (at extent, rows int) {
	lines := wrapLabel(e.label, d.wrap)
	w := widest(lines)
	if e.label == "" {
		lines = nil
	}
	switch e.kind {
	case message:
		at = extent{min(d.x[e.from], d.x[e.to]), max(d.x[e.from], d.x[e.to])}
		if e.from == e.to {
			return extent{at.lo, at.lo + 5 + w}, max(2, len(lines))
		}
		return at, len(lines) + 1
	case remark:
		switch {
		case e.side > 0:
			at = extent{d.x[e.to] + 2, d.x[e.to] + w + 5}
		case e.side < 0:
			at = extent{d.x[e.from] - w - 5, d.x[e.from] - 2}
		default:
			at = extent{d.x[e.from] - 2, d.x[e.to] + 2}
			for at.hi-at.lo < w+3 {
				if at.hi++; at.hi-at.lo < w+3 {
					at.lo--
				}
			}
		}
		return at, len(lines) + 2
	case blockStart, blockElse, blockEnd:
		return extent{math.MaxInt / 2, math.MinInt / 2}, 1
	}
	return extent{d.x[e.from], d.x[e.from]}, 0
}

// extents computes the frames of the blocks and shifts all into view. It
// returns the width.
func (d *score) extents() int {
	d.blocks = make([]extent, d.s.blocks)
	empty := extent{math.MaxInt / 2, math.MinInt / 2}
	whole := empty
	for i := range d.x {
		whole.add(d.x[i]-d.half[i][0], d.x[i]+d.half[i][1])
	}
	var stack []int
	for _, e := range d.s.events {
		at, rows := d.place(e)
		d.height += rows
		switch e.kind {
		case blockStart:
			stack = append(stack, e.block)
			d.blocks[e.block] = empty
		case blockEnd:
			b := &d.blocks[e.block]
			if b.lo > b.hi {
				*b = extent{d.x[0], d.x[0]}
			}
			b.lo, b.hi = b.lo-3, b.hi+3
			for _, o := range d.s.events {
				if (o.kind == blockStart || o.kind == blockElse) && o.block == e.block {
					b.hi = max(b.hi, b.lo+text.Width(o.label)+6)
				}
			}
			whole.add(b.lo, b.hi)
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				d.blocks[stack[len(stack)-1]].add(b.lo, b.hi)
			}
		default:
			whole.add(at.lo, at.hi)
			if len(stack) > 0 {
				d.blocks[stack[len(stack)-1]].add(at.lo, at.hi)
			}
		}
	}
	for i := range d.x {
		d.x[i] -= whole.lo
	}
	for i := range d.blocks {
		d.blocks[i].lo -= whole.lo
		d.blocks[i].hi -= whole.lo
	}
	d.height++
	return whole.hi - whole.lo + 1
}

func (d *score) paint(w int) *canvas {
	top := 0
	if d.s.title != "" {
		top = 2
	}
	c := newCanvas(w, d.height+top)
	if c == nil {
		return nil
	}
	if d.s.title != "" {
		t := text.Truncate(d.s.title, w, "…")
		c.write((w-text.Width(t))/2, 0, t, Title)
	}
	heads := 0
	for _, a := range d.s.actors {
		heads = max(heads, len(wrapLabel(a.label, d.wrap)))
	}
	for i, a := range d.s.actors {
		x, n := d.x[i]-d.half[i][0], d.half[i][0]+d.half[i][1]+1
		c.frame(x, top, n, heads+2, a.person, solid, Box)
		for k, l := range wrapLabel(a.label, d.wrap) {
			c.write(x+(n-text.Width(l))/2, top+1+k, l, Text)
		}
		c.run(d.x[i], top+heads+1, d.x[i], c.h-1, solid, Box, int32(i+1))
	}
	y := top + heads + 2
	starts := make([]int, d.s.blocks)
	active := make([]int, len(d.x))
	// Frames go first: what is in them is drawn over their lines.
	at := y
	for _, e := range d.s.events {
		_, rows := d.place(e)
		switch e.kind {
		case blockStart:
			starts[e.block] = at
		case blockElse:
			b := d.blocks[e.block]
			c.run(b.lo, at, b.hi, at, dotted, Box, int32(frameOwner+e.block))
		case blockEnd:
			b := d.blocks[e.block]
			from := starts[e.block]
			who := int32(frameOwner + e.block)
			c.run(b.lo, from, b.hi, from, dotted, Box, who)
			c.run(b.lo, at, b.hi, at, dotted, Box, who)
			c.run(b.lo, from, b.lo, at, dotted, Box, who)
			c.run(b.hi, from, b.hi, at, dotted, Box, who)
			for _, q := range []*cell{c.at(b.lo, from), c.at(b.hi, from), c.at(b.lo, at), c.at(b.hi, at)} {
				q.round = true
			}
		}
		at += rows
	}
	for _, e := range d.s.events {
		_, rows := d.place(e)
		for i, n := range active {
			for k := range rows {
				if n > 0 {
					c.write(d.x[i], y+k, "┃", Box)
				}
			}
		}
		switch e.kind {
		case message:
			d.message(c, e, y)
		case remark:
			d.remark(c, e, y, rows)
		case blockStart, blockElse:
			if e.label != "" {
				c.write(d.blocks[e.block].lo+2, y, " "+e.label+" ", Title)
			}
		case activate:
			active[e.from]++
		case deactivate:
			active[e.from] = max(0, active[e.from]-1)
		}
		y += rows
	}
	return c
}

func (d *score) message(c *canvas, e event, y int) {
	lines := wrapLabel(e.label, d.wrap)
	if e.label == "" {
		lines = nil
	}
	from, to := d.x[e.from], d.x[e.to]
	if from == to {
		c.run(from, y, from+3, y, e.stroke, Edge, 0)
		c.run(from+3, y, from+3, y+1, e.stroke, Edge, 0)
		c.run(from+3, y+1, from+1, y+1, e.stroke, Edge, 0)
		c.write(from+1, y+1, headGlyph(e.head, false), Edge)
		for i, l := range lines {
			c.write(from+5, y+i, l, Label)
		}
		return
	}
	lo, hi := min(from, to), max(from, to)
	for i, l := range lines {
		c.write(lo+1+(hi-lo-1-text.Width(l))/2, y+i, l, Label)
	}
	y += len(lines)
	forward := to > from
	step := 1
	if !forward {
		step = -1
	}
	c.run(from, y, to-step, y, e.stroke, Edge, frameOwner-1)
	// Life lines on the way are passed under.
	for i, x := range d.x {
		if x > lo && x < hi {
			c.at(x, y).across, c.at(x, y).along = frameOwner-1, int32(i+1)
		}
	}
	if e.head != "" {
		c.write(to-step, y, headGlyph(e.head, forward), Edge)
	} else {
		c.run(to-step, y, to, y, e.stroke, Edge, 0)
	}
	if e.both {
		c.write(from+step, y, headGlyph(e.head, !forward), Edge)
	}
}

func headGlyph(head string, forward bool) string {
	switch {
	case head == "x":
		return "×"
	case head == ")" && forward:
		return "›"
	case head == ")":
		return "‹"
	case forward:
		return "▶"
	}
	return "◀"
}

func (d *score) remark(c *canvas, e event, y, rows int) {
	at, _ := d.place(e)
	w := at.hi - at.lo + 1
	c.clear(at.lo, y, w, rows)
	c.frame(at.lo, y, w, rows, false, solid, Box)
	for i, l := range wrapLabel(e.label, d.wrap) {
		c.write(at.lo+(w-text.Width(l))/2, y+1+i, l, Text)
	}
}
