package tui

import (
	"slices"

	"tau/tui/graphics"
)

// run is a row of picture cells in a line.
type run struct {
	view     *pixels
	row, col int // the first cell, in the picture
	x, n     int
}

// rect is a rectangle of cells of a picture that is in sight.
type rect struct {
	view       *pixels
	row, col   int // its corner in the picture
	y, x, h, w int // its cells on the screen
}

// maxRects bounds the rectangles of a frame. Only lines that are made to have
// many reach it.
const maxRects = 256

// rects puts the runs of n lines together. No rectangle is higher than most.
func rects(n, most int, runs func(i int) []run) []rect {
	var out []rect
	open := 0 // the first rectangle that may reach the row before
	for y := range n {
		from := len(out)
		for _, r := range runs(y) {
			joined := false
			for i := open; i < from && !joined; i++ {
				if o := &out[i]; o.y+o.h == y && o.view == r.view && o.row+o.h == r.row && o.col == r.col && o.x == r.x && o.w == r.n && o.h < most {
					o.h++
					joined = true
				}
			}
			if !joined && len(out) < maxRects {
				out = append(out, rect{r.view, r.row, r.col, y, r.x, 1, r.n})
			}
		}
		for open < len(out) && out[open].y+out[open].h <= y {
			open++
		}
	}
	return out
}

// part is the part of the pixels that a rectangle shows.
func (r rect) part() graphics.Part {
	v := r.view
	return graphics.Part{X: r.col * v.cellW, Y: r.row * v.cellH, W: r.w * v.cellW, H: r.h * v.cellH}
}

// whole reports whether all of the picture is in it.
func (r rect) whole() bool { return r.h == r.view.rows && r.w == r.view.cols }

// viewsOf returns the pictures in lines, each once.
func viewsOf(n int, runs func(i int) []run) []*pixels {
	var out []*pixels
	for i := range n {
		for _, r := range runs(i) {
			if !slices.Contains(out, r.view) {
				out = append(out, r.view)
			}
		}
	}
	return out
}
