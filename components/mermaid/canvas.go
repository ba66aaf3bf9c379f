package mermaid

import (
	"strings"

	"tau/tui/text"
)

// Directions a line leaves a cell in.
const (
	up = 1 << iota
	down
	left
	right
)

// stroke is how a line looks.
type stroke uint8

const (
	solid stroke = iota
	dotted
	thick
	hidden // laid out, not drawn
)

// cell is one column of one row: words, or a piece of lines.
type cell struct {
	s      string // a cluster; "" if the cell holds lines or nothing
	cont   bool   // the second column of the cluster before
	bits   uint8  // lines
	stroke stroke
	round  bool
	joined bool // lines of one edge meet here
	role   Role
	across int32 // who passes through to both sides
	along  int32 // who passes through up and down
}

type canvas struct {
	w, h  int
	cells []cell
}

// newCanvas returns nil for a size that is not drawn.
func newCanvas(w, h int) *canvas {
	if w < 1 || h < 1 || w > maxCols || h > maxRows {
		return nil
	}
	return &canvas{w: w, h: h, cells: make([]cell, w*h)}
}

func (c *canvas) at(x, y int) *cell {
	if x < 0 || y < 0 || x >= c.w || y >= c.h {
		return &cell{}
	}
	return &c.cells[y*c.w+x]
}

// write puts words down.
func (c *canvas) write(x, y int, s string, role Role) {
	for s != "" {
		cluster, w := text.Next(s)
		s = s[len(cluster):]
		if w == 0 {
			continue
		}
		*c.at(x, y) = cell{s: cluster, role: role}
		for k := 1; k < w; k++ {
			*c.at(x+k, y) = cell{cont: true, role: role}
		}
		x += w
	}
}

// add puts a piece of line into a cell.
func (c *canvas) add(x, y int, bits uint8, st stroke, role Role, who int32) {
	p := c.at(x, y)
	if p.s != "" || p.cont {
		return
	}
	if p.bits == 0 {
		p.role, p.stroke, p.round = role, st, role == Edge
	} else if p.stroke != st && p.role == role {
		p.stroke = solid
	}
	p.bits |= bits
	if who != 0 {
		const h, v = left | right, up | down
		if bits&h != 0 {
			p.across = owner(p.across, who)
		}
		if bits&v != 0 {
			p.along = owner(p.along, who)
		}
	}
}

// owner tells who draws in a direction: 0 nobody yet, -1 several.
func owner(old, who int32) int32 {
	if old == 0 || old == who {
		return who
	}
	return -1
}

// run draws a straight line between two cells, both included.
func (c *canvas) run(x1, y1, x2, y2 int, st stroke, role Role, who int32) {
	dx, dy := sign(x2-x1), sign(y2-y1)
	from, to := uint8(right), uint8(left)
	switch {
	case dx < 0:
		from, to = left, right
	case dy > 0:
		from, to = down, up
	case dy < 0:
		from, to = up, down
	case dx == 0:
		return
	}
	for x1 != x2 || y1 != y2 {
		c.add(x1, y1, from, st, role, who)
		x1, y1 = x1+dx, y1+dy
		c.add(x1, y1, to, st, role, who)
	}
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// frame draws a box.
func (c *canvas) frame(x, y, w, h int, round bool, st stroke, role Role) {
	c.run(x, y, x+w-1, y, st, role, 0)
	c.run(x, y+h-1, x+w-1, y+h-1, st, role, 0)
	c.run(x, y, x, y+h-1, st, role, 0)
	c.run(x+w-1, y, x+w-1, y+h-1, st, role, 0)
	for _, p := range []*cell{c.at(x, y), c.at(x+w-1, y), c.at(x, y+h-1), c.at(x+w-1, y+h-1)} {
		p.round = round
	}
}

// clear empties a rectangle.
func (c *canvas) clear(x, y, w, h int) {
	for j := y; j < y+h; j++ {
		for i := x; i < x+w; i++ {
			*c.at(i, j) = cell{}
		}
	}
}

const (
	solidGlyphs  = " ││││┘┐┤│└┌├─┴┬┼"
	thickGlyphs  = " ┃┃┃┃┛┓┫┃┗┏┣━┻┳╋"
	dottedGlyphs = " ┊┊┊┊┘┐┤┊└┌├┄┴┬┼"
	roundGlyphs  = " ││││╯╮┤│╰╭├─┴┬┼"
)

func (p *cell) glyph() string {
	b := p.bits
	switch b {
	case 0:
		return " "
	case left, right:
		b = left | right
	case up, down:
		b = up | down
	}
	if b == up|down|left|right && !p.joined && p.across > 0 && p.along > 0 && p.across != p.along {
		b = up | down // a bridge: these two do not meet
	}
	set := solidGlyphs
	switch {
	case p.stroke == thick:
		set = thickGlyphs
	case p.stroke == dotted && (b == up|down || b == left|right || !p.round):
		set = dottedGlyphs
	case p.round:
		set = roundGlyphs
	}
	return string([]rune(set)[glyphIndex(b)])
}

// glyphIndex is the place of a combination in the lists above.
func glyphIndex(b uint8) int {
	switch b {
	case up | down:
		return 1
	case up | left:
		return 5
	case down | left:
		return 6
	case up | down | left:
		return 7
	case up | right:
		return 9
	case down | right:
		return 10
	case up | down | right:
		return 11
	case left | right:
		return 12
	case up | left | right:
		return 13
	case down | left | right:
		return 14
	case up | down | left | right:
		return 15
	}
	return 0
}

// spans returns the rows without blanks at their ends and without empty rows
// around.
func (c *canvas) spans() [][]Span {
	var out [][]Span
	for y := range c.h {
		var row []Span
		var b strings.Builder
		role := Text
		flush := func() {
			if b.Len() > 0 {
				row = append(row, Span{b.String(), role})
				b.Reset()
			}
		}
		last := -1
		for x := range c.w {
			if p := c.at(x, y); p.s != "" && p.s != " " || p.bits != 0 || p.cont {
				last = x
			}
		}
		for x := 0; x <= last; x++ {
			p := c.at(x, y)
			if p.cont {
				continue
			}
			s := p.s
			if s == "" {
				s = p.glyph()
			}
			if p.role != role && s != " " {
				flush()
				role = p.role
			}
			b.WriteString(s)
		}
		flush()
		out = append(out, row)
	}
	for len(out) > 0 && len(out[0]) == 0 {
		out = out[1:]
	}
	for len(out) > 0 && len(out[len(out)-1]) == 0 {
		out = out[:len(out)-1]
	}
	return out
}
