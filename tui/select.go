package tui

import (
	"strings"
	"time"

	"tau/tui/input"
	"tau/tui/text"
)

// point is a place in the content of a view. It stays on its text while the
// content scrolls, and while nodes are added above.
type point struct {
	node *Node
	line int // of the component; negative in the gap above it
	col  int
}

func (p point) before(q point) bool {
	if p.node != q.node {
		return p.node.index < q.node.index
	}
	if p.line != q.line {
		return p.line < q.line
	}
	return p.col < q.col
}

// selection is what the mouse has selected in a view. It grows by clusters,
// words or lines, as it was begun with one, two or three clicks, or as a block
// of columns, if Alt was held.
type selection struct {
	from, to   point // from is not behind to; to is exclusive
	first      [2]point
	unit       int
	block      bool
	left       int // columns of a block
	right      int
	active     bool // shown
	dragging   bool
	x, y       int // of the mouse
	startY     int
	stopScroll func()
}

func (s *selection) live() bool {
	return s.active && s.from.node.list != nil && s.to.node.list != nil
}

// HasSelection reports whether something is selected.
func (v *ScrollView) HasSelection() bool { return v.sel.live() }

// ClearSelection selects nothing.
func (v *ScrollView) ClearSelection() {
	v.endDrag()
	if v.sel.active {
		v.sel = selection{}
		v.requestRender()
	}
}

func (v *ScrollView) requestRender() {
	if v.ui != nil {
		v.ui.RequestRender()
	}
}

func (v *ScrollView) endDrag() {
	v.sel.dragging = false
	if v.sel.stopScroll != nil {
		v.sel.stopScroll()
		v.sel.stopScroll = nil
	}
}

// pointAt returns the place in the content at a cell of the view.
func (v *ScrollView) pointAt(x, y int) (point, bool) {
	if len(v.shown) == 0 {
		return point{}, false
	}
	y = min(max(y, 0), v.height-1)
	if n, line, ok := v.at(y); ok {
		return point{n, line, max(0, x)}, true
	}
	last := v.shown[len(v.shown)-1]
	return point{last.node, last.from + last.n - 1, 1 << 20}, true
}

func (v *ScrollView) lineAt(p point) string {
	if p.line < 0 || p.node.list == nil {
		return ""
	}
	v.list.measure(p.node)
	if l := v.list.slice(p.node, p.line, p.line+1); len(l) == 1 {
		return l[0]
	}
	return ""
}

// unitAt returns the cluster, word or line at p.
func (v *ScrollView) unitAt(p point, unit int) (from, to point) {
	s := v.lineAt(p)
	from, to = p, p
	switch unit {
	case 2:
		from.col, to.col = text.WordAt(s, p.col)
	case 3:
		from.col, to.col = 0, 1<<20
	default:
		from.col, to.col = text.CellRange(s, p.col)
	}
	return from, to
}

// selectMouse begins, extends and ends a selection.
func (v *ScrollView) selectMouse(ev MouseEvent) bool {
	s := &v.sel
	switch {
	case ev.Kind == MousePress && ev.Button == input.Left:
		v.ClearSelection()
		p, ok := v.pointAt(ev.X, ev.Y)
		if !ok {
			return false
		}
		s.unit, s.dragging, s.block = ev.Clicks, true, ev.Alt
		s.x, s.y, s.startY = ev.X, ev.Y, ev.Y
		s.first[0], s.first[1] = v.unitAt(p, s.unit)
		if s.unit > 1 {
			s.from, s.to, s.active = s.first[0], s.first[1], true
		}
		return true
	case ev.Kind == MouseDrag && s.dragging:
		s.x, s.y = ev.X, ev.Y
		v.extend()
		v.edgeScroll()
		return true
	case ev.Kind == MouseRelease && s.dragging:
		v.endDrag()
		if s.live() && v.ui != nil && v.ui.opt.CopyOnSelect {
			if t := v.Selection(); t != "" {
				v.ui.Copy(t)
			}
		}
		return true
	}
	return false
}

// extend takes the selection to the mouse.
func (v *ScrollView) extend() {
	s := &v.sel
	p, ok := v.pointAt(s.x, s.y)
	if !ok || s.first[0].node.list == nil {
		return
	}
	from, to := v.unitAt(p, s.unit)
	s.from, s.to, s.active = s.first[0], s.first[1], true
	if from.before(s.from) {
		s.from = from
	}
	if s.to.before(to) {
		s.to = to
	}
	s.left, s.right = min(s.first[0].col, from.col), max(s.first[1].col, to.col)
	v.requestRender()
}

// edgeScroll scrolls a row every 50 ms while the mouse is held at an edge.
func (v *ScrollView) edgeScroll() {
	s := &v.sel
	dir := 0
	switch {
	case s.y == s.startY: // selecting in one row
	case s.y <= 0:
		dir = -1
	case s.y >= v.height-1:
		dir = 1
	}
	if dir == 0 || v.ui == nil {
		if s.stopScroll != nil {
			s.stopScroll()
			s.stopScroll = nil
		}
		return
	}
	if s.stopScroll != nil {
		return
	}
	s.stopScroll = v.ui.After(50*time.Millisecond, func() {
		s.stopScroll = nil
		if !s.dragging || !v.ScrollBy(dir) {
			return
		}
		s.startY = -1 << 20 // the row of the press has moved
		v.RenderArea(v.width, v.height)
		v.extend()
		v.edgeScroll()
	})
}

// Selection returns the selected text: without colours, without blanks at the
// ends of lines.
func (v *ScrollView) Selection() string {
	s := &v.sel
	if !s.live() {
		return ""
	}
	var out []string
	l := v.list
	l.stamp++
	for i := s.from.node.index; i <= s.to.node.index; i++ {
		n := l.nodes[i]
		h := l.measure(n)
		from, to := 0, h
		if n == s.from.node {
			from = max(0, s.from.line)
		} else {
			for range l.rows(n) - h {
				out = append(out, "")
			}
		}
		if n == s.to.node {
			to = min(h, s.to.line+1)
		}
		for k, line := range l.slice(n, from, to) {
			a, b := s.columns(n, from+k)
			line = text.StripSequences(line)
			if b < 1<<20 || a > 0 {
				line = text.Slice(line, a, b-a)
			}
			out = append(out, strings.TrimRight(line, " "))
		}
	}
	return strings.Join(out, "\n")
}

// columns returns the selected columns of a line; a == b for none.
func (s *selection) columns(n *Node, line int) (a, b int) {
	here := point{node: n, line: line}
	end := point{n, line, 1 << 20}
	if !s.active || !here.before(s.to) || !s.from.before(end) {
		return 0, 0
	}
	if s.block && s.unit == 1 {
		return s.left, s.right
	}
	b = 1 << 20
	if s.from.node == n && s.from.line == line {
		a = s.from.col
	}
	if s.to.node == n && s.to.line == line {
		b = s.to.col
	}
	return a, b
}

// paint shows what of a line is selected.
func (s *selection) paint(n *Node, line int, str string) string {
	a, b := s.columns(n, line)
	if a >= b {
		return str
	}
	return text.Highlight(str, a, b, "\x1b[7m", "\x1b[27m")
}
