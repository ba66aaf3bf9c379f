package mermaid

import (
	"strings"

	"tau/tui/text"
)

// draw puts a node's outline and words on the canvas.
func (v *vertex) draw(c *canvas, x, y, w, h, wrap int, horizontal bool) {
	lines := wrapLabel(v.label, wrap)
	top := y + (h-len(lines))/2
	switch v.shape {
	case startPoint:
		c.write(x, y, "●", Edge)
		return
	case endPoint:
		c.write(x, y, "◉", Edge)
		return
	case barPoint:
		if horizontal {
			for i := range h {
				c.write(x, y+i, "┃", Box)
			}
		} else {
			c.write(x, y, strings.Repeat("━", w), Box)
		}
		return
	case diamond, hexagon:
		v.pointed(c, x, y, w, h)
	case leaning, leaningBack:
		v.slanted(c, x, y, w, h)
	case note:
		c.frame(x, y, w, h, false, dotted, Box)
	default:
		round := v.shape == rounded || v.shape == stadium || v.shape == circle || v.shape == doubleCircle || v.shape == cylinder
		c.frame(x, y, w, h, round, solid, Box)
	}
	switch v.shape {
	case subroutine, doubleCircle:
		c.run(x+1, y, x+1, y+h-1, solid, Box, 0)
		c.run(x+w-2, y, x+w-2, y+h-1, solid, Box, 0)
	case cylinder:
		c.run(x, y+1, x+w-1, y+1, solid, Box, 0)
		top = y + 2 + (h-3-len(lines))/2
	case stadium, circle:
		for i := y + 1; i < y+h-1; i++ {
			c.write(x, i, "(", Box)
			c.write(x+w-1, i, ")", Box)
		}
	case pennant:
		for i := y + 1; i < y+h-1; i++ {
			c.write(x, i, "›", Box)
		}
	case classBox:
		top = y + 1
		at := y + 1 + len(lines)
		for _, s := range v.sections {
			c.run(x, at, x+w-1, at, solid, Box, 0)
			for l := range strings.SplitSeq(s, "\n") {
				at++
				c.write(x+2, at, l, Text)
			}
			at++
		}
	}
	for i, l := range lines {
		c.write(x+(w-text.Width(l))/2, top+i, l, Text)
	}
	v.drawLoops(c, x, y, w, h, horizontal)
}

// pointed draws the outlines whose sides are points.
func (v *vertex) pointed(c *canvas, x, y, w, h int) {
	west, east := "<", ">"
	if v.shape == hexagon {
		west, east = "⟨", "⟩"
	}
	c.level(x+2, y, w-4)
	c.level(x+2, y+h-1, w-4)
	c.write(x+1, y, "╱", Box)
	c.write(x+w-2, y, "╲", Box)
	c.write(x+1, y+h-1, "╲", Box)
	c.write(x+w-2, y+h-1, "╱", Box)
	for i := y + 1; i < y+h-1; i++ {
		c.write(x, i, west, Box)
		c.write(x+w-1, i, east, Box)
	}
}

// slanted draws parallelograms.
func (v *vertex) slanted(c *canvas, x, y, w, h int) {
	side := "╱"
	if v.shape == leaningBack {
		side = "╲"
	}
	for i := range h {
		off := h - 1 - i
		if v.shape == leaningBack {
			off = i
		}
		if i == 0 || i == h-1 {
			c.level(x+off+1, y+i, w-h-1)
		}
		c.write(x+off, y+i, side, Box)
		c.write(x+off+w-h, y+i, side, Box)
	}
}

// level draws a line of n columns with open ends.
func (c *canvas) level(x, y, n int) {
	for i := range n {
		c.add(x+i, y, left|right, solid, Box, 0)
	}
}

// drawLoops draws the edges from a node to itself.
func (v *vertex) drawLoops(c *canvas, x, y, w, h int, horizontal bool) {
	if len(v.loops) == 0 {
		return
	}
	words := strings.Trim(strings.Join(v.loops, ", "), ", ")
	if horizontal {
		x += 1
		c.run(x, y+h-1, x, y+h, solid, Edge, 0)
		c.run(x, y+h, x+2, y+h, solid, Edge, 0)
		c.run(x+2, y+h, x+2, y+h-1, solid, Edge, 0)
		c.write(x+2, y+h-1, "▲", Edge)
		c.write(x+4, y+h, words, Label)
		return
	}
	at := y + 1
	c.run(x+w-1, at, x+w+1, at, solid, Edge, 0)
	c.run(x+w+1, at, x+w+1, at+1, solid, Edge, 0)
	c.run(x+w+1, at+1, x+w, at+1, solid, Edge, 0)
	c.write(x+w, at+1, "◀", Edge)
	c.write(x+w+3, at, words, Label)
}
