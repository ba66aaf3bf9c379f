package vt

import (
	"strings"

	"tau/tui/text"
)

// Cell is one cell. Text is the cluster it shows, "" for a cell that was never
// written or was erased. Width is 2 for the left half of a wide cluster and 0
// for its right half (and 1 otherwise).
type Cell struct {
	Text  string
	Width int
	Style Style

	Picture Tile
}

var blank = Cell{Width: 1}

type row struct {
	cells   []Cell
	wrapped bool // the next row goes on with this one
}

func newRow(w int, c Cell) row {
	r := row{cells: make([]Cell, w)}
	for i := range r.cells {
		r.cells[i] = c
	}
	return r
}

// used returns the number of cells up to the last one that shows anything.
func (r row) used() int {
	n := len(r.cells)
	for n > 0 && r.cells[n-1] == blank {
		n--
	}
	return n
}

func (r row) text() string { return strings.TrimRight(r.all(), " ") }

func (r row) all() string {
	var b strings.Builder
	for _, c := range r.cells {
		switch {
		case c.Width == 0:
		case c.Text == "":
			b.WriteByte(' ')
		default:
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

type screen struct {
	rows        []row
	x, y        int // x may be w: the wrap is pending
	top, bottom int // scroll region, inclusive
	kitty       []int
	save        saved
	pics        pictures
}

type saved struct {
	x, y int
	pen  Style
}

func newScreen(w, h int) *screen {
	s := &screen{rows: make([]row, h), bottom: h - 1}
	cells := make([]Cell, w*h)
	for i := range cells {
		cells[i] = blank
	}
	for i := range s.rows {
		s.rows[i].cells, cells = cells[:w:w], cells[w:]
	}
	return s
}

// empty is what erasing leaves: the background colour stays.
func (t *Terminal) empty() Cell {
	return Cell{Width: 1, Style: Style{BG: t.pen.BG}}
}

// print draws one rune at the cursor.
func (t *Terminal) print(r rune) {
	s := t.cur
	if t.lastOK && (r >= 0x80 || r < 0x20) {
		// Does it join what was printed last?
		c := &s.rows[t.lastRow].cells[t.lastCol]
		joined := c.Text + string(r)
		if cluster, w := text.Next(joined); len(cluster) == len(joined) {
			t.rejoin(c, cluster, w)
			return
		}
	}
	cluster, w := text.Next(string(r))
	if w == 0 {
		return
	}
	if w > 2 {
		w = 2
	}
	if w > t.w {
		return
	}
	if s.x+w > t.w {
		switch {
		case t.modes.Autowrap:
			if w == 2 && s.x == t.w-1 {
				t.clear(s.y, s.x, s.x+1, t.empty())
			}
			s.rows[s.y].wrapped = true
			t.lineFeed()
			s.x = 0
		case s.x == t.w && w == 1:
			s.x = t.w - 1
		case w == 2:
			return // tmux and xterm do not draw half a character
		}
	}
	t.put(s.y, s.x, cluster, w)
	t.lastRow, t.lastCol, t.lastOK = s.y, s.x, true
	s.x += w
	if s.x >= t.w && !t.modes.Autowrap {
		s.x = t.w - 1
		if w == 2 {
			s.x = t.w - 1
		}
	}
}

// rejoin puts a longer cluster into the cell printed last.
func (t *Terminal) rejoin(c *Cell, cluster string, w int) {
	w = min(w, 2)
	if w == 2 && c.Width == 1 {
		s := t.cur
		if t.lastCol+2 > t.w {
			c.Text = cluster
			return
		}
		t.put(t.lastRow, t.lastCol, cluster, 2)
		s.x = t.lastCol + 2
		if s.x >= t.w && !t.modes.Autowrap {
			s.x = t.w - 1
		}
		return
	}
	c.Text = cluster
}

func (t *Terminal) put(y, x int, cluster string, w int) {
	t.clear(y, x, x+w, blank)
	cells := t.cur.rows[y].cells
	cells[x] = Cell{Text: cluster, Width: w, Style: t.pen}
	if w == 2 {
		cells[x+1] = Cell{Width: 0, Style: t.pen}
	}
}

// clear erases cells and what remains of wide clusters cut by the edges.
func (t *Terminal) clear(y, from, to int, with Cell) {
	cells := t.cur.rows[y].cells
	from, to = max(0, from), min(to, len(cells))
	if from >= to {
		return
	}
	if cells[from].Width == 0 && from > 0 {
		cells[from-1] = Cell{Text: " ", Width: 1, Style: cells[from-1].Style}
	}
	if to < len(cells) && cells[to].Width == 0 {
		cells[to] = Cell{Text: " ", Width: 1, Style: cells[to].Style}
	}
	for i := from; i < to; i++ {
		cells[i] = with
	}
}

func (t *Terminal) lineFeed() {
	s := t.cur
	t.lastOK = false
	if s.y == s.bottom {
		t.scrollUp(s.top, s.bottom, 1, true)
	} else if s.y < t.h-1 {
		s.y++
	}
}

// scrollUp moves the rows of a region up. Only a line feed on the full main
// screen feeds the scrollback in every terminal.
func (t *Terminal) scrollUp(top, bottom, n int, feed bool) {
	s := t.cur
	for ; n > 0; n-- {
		if feed {
			t.scrolledPictures(top, bottom)
		}
		if feed && s == t.main && top == 0 && bottom == t.h-1 {
			t.scrollback = append(t.scrollback, s.rows[top])
		}
		copy(s.rows[top:bottom], s.rows[top+1:bottom+1])
		s.rows[bottom] = newRow(t.w, t.empty())
	}
}

func (t *Terminal) scrollDown(top, bottom, n int) {
	s := t.cur
	for ; n > 0; n-- {
		copy(s.rows[top+1:bottom+1], s.rows[top:bottom])
		s.rows[top] = newRow(t.w, t.empty())
	}
}

func (t *Terminal) moveTo(y, x int) {
	s := t.cur
	t.lastOK = false
	s.y = min(max(y, 0), t.h-1)
	s.x = min(max(x, 0), t.w-1)
}
