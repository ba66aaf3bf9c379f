package tui

import (
	"time"
)

// ScrollbarMode says when a [ScrollView] shows its scrollbar.
type ScrollbarMode uint8

// The modes. Auto shows it over the last column for a second after scrolling;
// Always reserves the last column.
const (
	ScrollbarAuto ScrollbarMode = iota
	ScrollbarAlways
	ScrollbarHidden
)

// ScrollView shows a part of something taller than the screen.
//
// While it follows the end, growing content keeps the end in sight. Otherwise
// the top line stays where it is whatever changes above or below: the position
// is a node and a line in it, not a row number.
type ScrollView struct {
	// Scrollbar says when the scrollbar is shown.
	Scrollbar ScrollbarMode
	// WheelLines is how far one notch of the wheel scrolls; 0 means one line
	// for a single notch and more for a fast turn.
	WheelLines int
	// Contain keeps wheel events that cannot scroll further from going on to
	// whatever is around the view.
	Contain bool
	// EndLabel is shown over the last row while the end is out of sight; a
	// click on it goes there.
	EndLabel string
	// BarStyle and ThumbStyle color the scrollbar. nil means dim.
	BarStyle, ThumbStyle func(string) string

	ui   *UI // may be nil: no timers then
	list *List

	following bool
	node      *Node // the node of the top row
	line      int   // the row in it, counted with its gap
	index     int   // of node, in case it is removed

	width, height int // of the last frame
	atEnd         bool
	shown         []placed // what the last frame showed, top down
	out           []string
	route         nodeRouter
	wheel         wheel
	bar           bar
	sel           selection
	labelX        int // where the end label is
	labelW        int
}

// placed is a run of lines of one node on screen.
type placed struct {
	node *Node
	from int // first line of the component shown (negative: rows of the gap)
	y, n int // rows
}

// NewScrollView returns a view of content, which is usually a [List], that
// follows the end. ui may be nil in tests.
func NewScrollView(ui *UI, content Component) *ScrollView {
	l, ok := content.(*List)
	if !ok {
		l = NewList(content)
	}
	v := &ScrollView{ui: ui, list: l, following: true}
	l.onClear = append(l.onClear, func() {
		v.node, v.line, v.index = nil, 0, 0
		v.ClearSelection()
	})
	return v
}

// List returns the content.
func (v *ScrollView) List() *List { return v.list }

// Following reports whether the view follows the end.
func (v *ScrollView) Following() bool { return v.following }

// AtEnd reports whether the last line was in sight in the last frame.
func (v *ScrollView) AtEnd() bool { return v.atEnd }

// Position returns the first row in sight, the rows in sight, and the number
// of rows of the content, as far as heights are known.
func (v *ScrollView) Position() (top, height, total int) {
	if v.node == nil || v.node.list == nil {
		return 0, v.height, v.list.tree.rows()
	}
	return v.list.tree.before(v.node.index) + v.line, v.height, v.list.tree.rows()
}

// Invalidate drops all caches.
func (v *ScrollView) Invalidate() { v.list.Invalidate() }

// Render renders everything, without a view.
func (v *ScrollView) Render(width int) []string { return v.list.Render(width) }

// RenderArea is part of [Area].
func (v *ScrollView) RenderArea(width, height int) []string {
	v.width, v.height = width, height
	inner := width
	if v.Scrollbar == ScrollbarAlways && width > 1 {
		inner--
	}
	if inner != v.list.width && v.list.width > 0 {
		v.rewrap(inner)
	} else {
		v.list.begin(inner)
	}
	v.settle()
	v.out, v.shown = v.out[:0], v.shown[:0]
	v.collect(height)
	v.drawEndLabel()
	if v.barVisible() {
		v.drawBar(width, height)
	}
	return v.out
}

// rewrap begins a frame at another width. The top row stays on its text, by the
// number of characters above it in its node.
func (v *ScrollView) rewrap(inner int) {
	l, n := v.list, v.node
	v.ClearSelection()
	if v.following || n == nil || n.list != l || n.width != l.width || n.lines == nil {
		l.begin(inner)
		return
	}
	gap := l.rows(n) - n.height
	above := 0
	for _, s := range l.slice(n, 0, v.line-gap) {
		above += solid(s)
	}
	l.begin(inner)
	h := l.measure(n)
	if v.line >= gap && above > 0 {
		v.line = min(gap+prefix(l.slice(n, 0, h), above), gap+max(0, h-1))
	}
}

// settle finds the top row of the frame.
func (v *ScrollView) settle() {
	l := v.list
	if len(l.nodes) == 0 {
		v.node, v.line, v.atEnd = nil, 0, true
		return
	}
	if v.following {
		v.toEnd()
		return
	}
	if v.node == nil || v.node.list != l {
		i := min(max(v.index, 0), len(l.nodes)-1)
		v.node, v.line = l.nodes[i], 0
	}
	l.measure(v.node)
	v.line = min(v.line, max(0, l.rows(v.node)-1))
	// No blank rows below the end while there is something above.
	if left := v.below(v.height); left < v.height {
		v.up(v.height - left)
		v.atEnd = true
	} else {
		v.atEnd = v.below(v.height+1) <= v.height
	}
}

// below counts the rows from the top row on, but not further than limit.
func (v *ScrollView) below(limit int) int {
	l := v.list
	n := -v.line
	for i := v.node.index; i < len(l.nodes) && n < limit; i++ {
		l.measure(l.nodes[i])
		n += l.rows(l.nodes[i])
	}
	return min(n, limit)
}

// toEnd puts the last row at the bottom.
func (v *ScrollView) toEnd() {
	l := v.list
	v.atEnd = true
	need := v.height
	for i := len(l.nodes) - 1; i >= 0; i-- {
		n := l.nodes[i]
		l.measure(n)
		rows := l.rows(n)
		if rows >= need || i == 0 {
			v.node, v.line, v.index = n, max(0, rows-need), i
			return
		}
		need -= rows
	}
}

// up and down move the top row, not beyond the ends of the list.
func (v *ScrollView) up(rows int) {
	l := v.list
	for rows > 0 {
		if v.line >= rows {
			v.line -= rows
			break
		}
		rows -= v.line
		if v.node.index == 0 {
			v.line = 0
			break
		}
		v.node = l.nodes[v.node.index-1]
		l.measure(v.node)
		v.line = l.rows(v.node)
	}
	v.index = v.node.index
}

func (v *ScrollView) down(rows int) {
	l := v.list
	for rows > 0 {
		l.measure(v.node)
		left := l.rows(v.node) - v.line
		if rows < left {
			v.line += rows
			break
		}
		if v.node.index == len(l.nodes)-1 {
			v.line = max(0, l.rows(v.node)-1)
			break
		}
		rows -= left
		v.node, v.line = l.nodes[v.node.index+1], 0
	}
	v.index = v.node.index
}

// collect renders the rows in sight into out.
func (v *ScrollView) collect(height int) {
	l := v.list
	if v.node == nil {
		return
	}
	skip := v.line
	for i := v.node.index; i < len(l.nodes) && len(v.out) < height; i++ {
		n := l.nodes[i]
		h := l.measure(n)
		gap := l.rows(n) - h
		room := height - len(v.out)
		from := skip - gap
		skip = 0
		y := len(v.out)
		for g := from; g < 0 && room > 0; g++ {
			v.out = append(v.out, "")
			room--
		}
		first := max(0, from)
		lines := l.slice(n, first, min(h, first+room))
		v.out = append(v.out, lines...)
		if v.sel.active || v.searched() != nil {
			v.paint(n, first, v.out[len(v.out)-len(lines):])
		}
		if rows := len(v.out) - y; rows > 0 {
			v.shown = append(v.shown, placed{n, from, y, rows})
		}
	}
}

// searched returns the search in this view, if there is one.
func (v *ScrollView) searched() *search {
	if v.ui != nil && v.ui.find != nil && v.ui.find.view == v {
		return v.ui.find
	}
	return nil
}

// paint shows matches and the selection in lines of a node.
func (v *ScrollView) paint(n *Node, first int, lines []string) {
	find := v.searched()
	for i, s := range lines {
		if find != nil {
			s = find.paint(n, first+i, s)
		}
		if v.sel.live() {
			s = v.sel.paint(n, first+i, s)
		}
		lines[i] = s
	}
}

// ScrollBy moves the view by rows (negative: up). It follows the end again
// when it arrives there. The result says whether anything moved.
func (v *ScrollView) ScrollBy(rows int) bool {
	if v.node == nil || v.node.list != v.list || v.height == 0 || rows == 0 {
		return false
	}
	v.list.stamp++ // heights may have changed since the last frame
	node, line := v.node, v.line
	if rows < 0 {
		v.up(-rows)
	} else {
		if v.following {
			return false
		}
		v.down(rows)
		if left := v.below(v.height); left < v.height {
			v.up(v.height - left)
		}
	}
	v.following = v.below(v.height+1) <= v.height && rows > 0
	moved := node != v.node || line != v.line
	if moved {
		v.touched()
	}
	return moved
}

// ScrollToEnd follows the end.
func (v *ScrollView) ScrollToEnd() {
	v.following = true
	v.touched()
}

// ScrollToStart shows the first line.
func (v *ScrollView) ScrollToStart() {
	if len(v.list.nodes) > 0 {
		v.following = false
		v.node, v.line, v.index = v.list.nodes[0], 0, 0
		v.touched()
	}
}

// ScrollTo shows line of node at row of the view (0 is its top row).
func (v *ScrollView) ScrollTo(n *Node, line, row int) {
	if n.list != v.list {
		return
	}
	v.following = false
	v.list.stamp++
	h := v.list.measure(n)
	v.node, v.index = n, n.index
	v.line = v.list.rows(n) - h + min(max(line, 0), max(0, h-1))
	v.up(row)
	v.touched()
}

// scrollToRow shows a row of the whole, as far as heights are known.
func (v *ScrollView) scrollToRow(row int) {
	if len(v.list.nodes) == 0 {
		return
	}
	i, off := v.list.tree.find(max(0, row))
	n := v.list.nodes[i]
	v.list.stamp++
	v.list.measure(n)
	v.following = false
	v.node, v.index, v.line = n, i, min(off, max(0, v.list.rows(n)-1))
	v.following = v.below(v.height+1) <= v.height
	v.touched()
}

func (v *ScrollView) touched() {
	v.bar.touch(v.ui)
	if v.ui != nil {
		v.ui.RequestRender()
	}
}

// at returns the node and its line at a row of the view.
func (v *ScrollView) at(y int) (n *Node, line int, ok bool) {
	for _, p := range v.shown {
		if y >= p.y && y < p.y+p.n {
			return p.node, p.from + y - p.y, true
		}
	}
	return nil, 0, false
}

// nodeRouter passes mouse events to nodes.
type nodeRouter struct{ captured *Node }

// HandleMouse scrolls with the wheel and the scrollbar and passes other events
// to the node under the mouse.
func (v *ScrollView) HandleMouse(ev MouseEvent) bool {
	if v.bar.dragging || v.barVisible() && ev.X == v.width-1 && ev.Kind != MouseWheel {
		if v.handleBar(ev) {
			return true
		}
	}
	if v.onLabel(ev.X, ev.Y) && (ev.Kind == MousePress || ev.Kind == MouseClick) {
		if ev.Kind == MouseClick {
			v.ScrollToEnd()
		}
		return true
	}
	if ev.Kind == MouseDrag || ev.Kind == MouseRelease {
		if n := v.route.captured; n != nil {
			if ev.Kind == MouseRelease {
				v.route.captured = nil
			}
			return v.pass(n, ev)
		}
		return v.selectMouse(ev)
	}
	if n, line, ok := v.at(ev.Y); ok && line >= 0 {
		local := ev
		local.Y = line
		if h, ok := n.comp.(MouseHandler); ok && h.HandleMouse(local) {
			n.dirty = true
			if ev.Kind == MousePress {
				v.route.captured = n
			}
			return true
		}
	}
	if ev.Kind == MouseWheel {
		return v.turn(ev)
	}
	return v.selectMouse(ev)
}

// turn scrolls by the wheel.
func (v *ScrollView) turn(ev MouseEvent) bool {
	if ev.DY == 0 {
		return false
	}
	lines := v.WheelLines
	if lines == 0 {
		lines = v.wheel.lines(ev.DY, time.Now())
	}
	if ev.Alt {
		lines *= 5
	}
	return v.ScrollBy(ev.DY*lines) || v.Contain
}

// pass sends an event to a node that captured the mouse, wherever it is now.
func (v *ScrollView) pass(n *Node, ev MouseEvent) bool {
	h, ok := n.comp.(MouseHandler)
	if !ok || n.list == nil {
		return false
	}
	for _, p := range v.shown {
		if p.node == n {
			ev.Y += p.from - p.y
			n.dirty = true
			return h.HandleMouse(ev)
		}
	}
	return false
}

// wheel turns notches into lines: a single notch is one line, a fast turn more.
type wheel struct {
	last  time.Time
	dir   int
	gap   float64 // running mean of gaps, in ms
	carry float64
}

func (w *wheel) lines(dir int, now time.Time) int {
	gap := now.Sub(w.last)
	fresh := dir != w.dir || gap > 200*time.Millisecond || w.last.IsZero()
	w.last, w.dir = now, dir
	if fresh {
		w.gap, w.carry = 0, 0
		return 1
	}
	ms := float64(gap) / float64(time.Millisecond)
	if ms < 5 {
		return 1 // terminals that send several reports for one notch
	}
	if w.gap == 0 {
		w.gap = ms
	} else {
		w.gap = (w.gap + ms) / 2
	}
	f := min(6, max(1, 100/w.gap)) + w.carry
	n := int(f)
	w.carry = f - float64(n)
	return n
}
