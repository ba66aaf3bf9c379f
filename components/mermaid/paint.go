package mermaid

import (
	"strings"

	"tau/tui/text"
)

func titleWidth(s string) int {
	if s == "" {
		return 0
	}
	return text.Width(s) + 5
}

// attempt is one way to lay a graph out.
type attempt struct {
	wrap  int
	tight bool
	turn  bool // from top to bottom in place of sideways
}

// drawGraph lays out a graph in the first way that fits.
func drawGraph(g *graph, width int) *canvas {
	if g == nil || !g.settle() || len(g.nodes) == 0 {
		return nil
	}
	sideways := g.dir == toRight || g.dir == toLeft
	attempts := []attempt{{28, false, false}, {20, true, false}, {12, true, false}}
	if sideways {
		attempts = []attempt{{28, false, false}, {20, true, false}, {12, true, false}, {28, false, true}, {20, true, true}, {12, true, true}}
	}
	for _, a := range attempts {
		p := &plan{g: g, horizontal: sideways && !a.turn, flip: g.dir == toTop || g.dir == toLeft && !a.turn, wrap: a.wrap, tight: a.tight}
		if !p.build() {
			return nil
		}
		p.sort()
		p.size()
		if !p.place() || !p.route() {
			return nil
		}
		if p.horizontal || p.breadth <= width {
			p.advance()
			if w := p.columns(); w <= width {
				return p.paint()
			}
		}
	}
	return nil
}

func (p *plan) columns() int {
	if p.horizontal {
		return p.length
	}
	return p.breadth
}

// xy turns a place on the axes into one on the canvas.
func (p *plan) xy(main, cross int) (x, y int) {
	if p.flip {
		main = p.length - 1 - main
	}
	if p.horizontal {
		return main, cross
	}
	return cross, main
}

// rect turns a rectangle on the axes into its upper left corner.
func (p *plan) rect(at, size, pos int) (x, y int) {
	if p.flip {
		return p.xy(at+size-1, pos)
	}
	return p.xy(at, pos)
}

func (p *plan) paint() *canvas {
	w, h := p.breadth, p.length
	if p.horizontal {
		w, h = h, w
	}
	c := newCanvas(w, h)
	if c == nil {
		return nil
	}
	for gi := range p.g.groups {
		p.paintFrame(c, gi)
	}
	for _, it := range p.nodes {
		main := it.h
		if p.horizontal {
			main = it.w
		}
		x, y := p.rect(it.at, main, it.pos)
		p.g.nodes[it.node].draw(c, x, y, it.w, it.h, p.wrap, p.horizontal)
	}
	for r, nets := range p.tracks {
		for _, n := range nets {
			p.paintNet(c, r, n)
		}
	}
	for r, nets := range p.tracks {
		for _, n := range nets {
			p.paintEnds(c, r, n)
		}
	}
	for _, rank := range p.ranks {
		for _, it := range rank {
			if len(it.label) > 0 {
				p.paintLabel(c, it)
			}
		}
	}
	for gi, gr := range p.g.groups {
		if gr.title != "" && len(p.frames[gi][0]) > 0 {
			x, y, w, _ := p.frameRect(gi)
			title := " " + text.Truncate(gr.title, max(1, w-5), "…") + " "
			c.write(x+c.free(x+2, y, text.Width(title), w-4)+2, y, title, Title)
		}
	}
	return c
}

// free returns how far right from x a text of w columns hides no line that
// crosses its row; 0 if there is no such place within room.
func (c *canvas) free(x, y, w, room int) int {
	clear := 0
	for i := range room {
		if q := c.at(x+i, y); q.s != "" || q.along > 0 && q.along < frameOwner {
			clear = 0
			continue
		}
		if clear++; clear == w {
			return i + 1 - w
		}
	}
	return 0
}

// frameOwner is the first number of a frame as the owner of lines; edges are
// below.
const frameOwner = 1 << 20

func (p *plan) frameRect(gi int) (x, y, w, h int) {
	lo, hi := p.frames[gi][0][0].pos, p.frames[gi][1][0].pos
	at := p.frameAt[gi]
	x, y = p.rect(at[0], at[1]-at[0]+1, lo)
	w, h = hi-lo+1, at[1]-at[0]+1
	if p.horizontal {
		w, h = h, w
	}
	return x, y, w, h
}

func (p *plan) paintFrame(c *canvas, gi int) {
	if len(p.frames[gi][0]) == 0 {
		return
	}
	x, y, w, h := p.frameRect(gi)
	who := int32(frameOwner + gi)
	for _, s := range [][4]int{{x, y, x + w - 1, y}, {x, y + h - 1, x + w - 1, y + h - 1}, {x, y, x, y + h - 1}, {x + w - 1, y, x + w - 1, y + h - 1}} {
		c.run(s[0], s[1], s[2], s[3], dotted, Box, who)
	}
	for _, q := range []*cell{c.at(x, y), c.at(x+w-1, y), c.at(x, y+h-1), c.at(x+w-1, y+h-1)} {
		q.round = true
	}
}

// start is where on the main axis the line of a joint begins.
func (p *plan) start(j *joint) int {
	switch {
	case j.aGroup >= 0:
		return p.frameAt[j.aGroup][1]
	case j.a.real() && j.aEnd != plainEnd:
		return j.a.at + j.a.main
	case j.a.real(), len(j.a.label) > 0:
		return j.a.at + j.a.main - 1
	}
	return j.a.at
}

// finish is where it ends.
func (p *plan) finish(j *joint) int {
	switch {
	case j.bGroup >= 0 && j.bEnd != plainEnd:
		return p.frameAt[j.bGroup][0] - 1
	case j.bGroup >= 0:
		return p.frameAt[j.bGroup][0]
	case j.b.real() && j.bEnd != plainEnd:
		return j.b.at - 1
	}
	return j.b.at
}

func (p *plan) line(c *canvas, m1, c1, m2, c2 int, st stroke, who int32) {
	x1, y1 := p.xy(m1, c1)
	x2, y2 := p.xy(m2, c2)
	c.run(x1, y1, x2, y2, st, Edge, who)
}

func (p *plan) paintNet(c *canvas, r int, n *net) {
	var first *joint
	st := solid
	for _, j := range n.joints {
		if j == nil {
			continue
		}
		if first == nil {
			first, st = j, j.stroke
		} else if st != j.stroke {
			st = solid
		}
	}
	if n.track < 0 {
		for _, j := range n.joints {
			if j != nil {
				p.line(c, p.start(j), n.top, p.finish(j), n.top, j.stroke, n.who)
			}
		}
		return
	}
	from := 0
	switch {
	case n.after != nil:
		from = n.after.track
	case first != nil:
		from = p.start(first)
	default:
		from = p.mainAt[r] + p.mainSize[r] - 1
	}
	p.line(c, from, n.top, n.track, n.top, st, n.who)
	for i, j := range n.joints {
		js := st
		if j != nil {
			js = j.stroke
		}
		p.line(c, n.track, n.top, n.track, n.pins[i], js, n.who)
		if j != nil {
			p.line(c, n.track, n.pins[i], p.finish(j), n.pins[i], js, n.who)
		}
	}
	for i := range n.pins {
		x, y := p.xy(n.track, n.pins[i])
		c.at(x, y).joined = true
	}
	x, y := p.xy(n.track, n.top)
	c.at(x, y).joined = true
}

// paintEnds puts arrowheads on.
func (p *plan) paintEnds(c *canvas, _ int, n *net) {
	for i, j := range n.joints {
		if j == nil {
			continue
		}
		if j.bEnd != plainEnd && (j.b.real()) {
			x, y := p.xy(p.finish(j), n.pins[i])
			c.write(x, y, p.endGlyph(j.bEnd, true), Edge)
		}
		if j.aEnd != plainEnd && j.a.real() {
			at := p.start(j)
			if j.aGroup >= 0 {
				at++
			}
			x, y := p.xy(at, j.from())
			c.write(x, y, p.endGlyph(j.aEnd, false), Edge)
		}
	}
}

// endGlyph is an end that points along the main axis, or against it.
func (p *plan) endGlyph(e ending, forward bool) string {
	to := 0 // down, right, up, left
	if p.horizontal {
		to = 1
	}
	if forward == p.flip {
		to += 2
	}
	switch e {
	case circleEnd:
		return "○"
	case crossEnd:
		return "×"
	case diamondEnd:
		return "◆"
	case hollowEnd:
		return "◇"
	case triangleEnd:
		return [4]string{"▽", "▷", "△", "◁"}[to]
	}
	return [4]string{"▼", "▶", "▲", "◀"}[to]
}

func (p *plan) paintLabel(c *canvas, it *item) {
	x, y := p.rect(it.at, it.main, it.pos)
	w := it.cross
	if p.horizontal {
		w = it.main
	}
	for i, l := range it.label {
		left := (w - text.Width(l)) / 2
		if p.horizontal {
			l = strings.Repeat(" ", left) + l + strings.Repeat(" ", w-left-text.Width(l))
			left = 0
		}
		c.write(x+left, y+i, l, Label)
	}
}
