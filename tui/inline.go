package tui

import (
	"fmt"
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

	// behind maps a list to the last node of which, and of all before it,
	// nothing will be shown again.
	behind map[*List]*Node
	buf    []byte
	counts frameCounts
	log    func(string) // tests hear of committed lines here
}

// commit is a change of what of a node is committed. Terminals (tmux by up to a
// quarter of a second) tell of a new size late; what was painted meanwhile went
// to the wrong rows, so commits of that time are taken back when the size
// changes: better twice than never.
type commit struct {
	node   *Node
	frozen int // before
	at     time.Time
}

type inlineRow struct {
	line
	node *Node
	at   int // row of the node, counted with its gap
}

// liveLine is a line that has not been committed.
type liveLine struct {
	raw     string
	node    *Node
	at      int
	settled bool
}

func newInline(fake bool) *inlineRenderer {
	r := &inlineRenderer{fake: fake, behind: map[*List]*Node{}, now: time.Now}
	r.restart()
	return r
}

// restart begins anew at the cursor's line: after another program had the
// terminal, nothing that was painted is ours.
func (r *inlineRenderer) restart() {
	r.rows, r.cur, r.col = nil, 0, 0
	r.known, r.fresh, r.resizedW, r.minH, r.erase = false, true, false, 0, false
}

// resize notes a change of size; the next frame deals with it.
func (r *inlineRenderer) resize(oldW, oldH, w, h int) {
	if w != oldW {
		r.resizedW = true
	}
	if r.minH == 0 {
		r.minH = oldH
	}
	r.minH = min(r.minH, h)
}

// collect returns the lines of c that are not committed.
func (r *inlineRenderer) collect(out []liveLine, c Component, w int) []liveLine {
	switch c := c.(type) {
	case nil:
		return out
	case *ScrollView:
		return r.collect(out, c.list, w)
	case *List:
		return r.collectList(out, c, w)
	case *VStack:
		for i, it := range c.items {
			if it.Hidden != nil && it.Hidden(w, r.h) {
				continue
			}
			if i > 0 {
				for range c.Gap {
					out = append(out, liveLine{})
				}
			}
			out = r.collect(out, it.Component, w)
		}
		return out
	}
	for _, l := range render(c, w) {
		out = append(out, liveLine{raw: l})
	}
	return out
}

func (r *inlineRenderer) collectList(out []liveLine, l *List, w int) []liveLine {
	l.begin(w)
	first := r.first(l)
	var empty []*Node
	for i := first; i < len(l.nodes); i++ {
		n := l.nodes[i]
		if n.committed() {
			continue
		}
		h := l.measure(n)
		rows := l.rows(n)
		gap := rows - h
		if n.anchored {
			n.frozen, n.anchored = gap+prefix(l.slice(n, 0, h), n.anchor), false
			if n.anchor == 0 {
				n.frozen = 0
			}
		}
		n.frozen = min(n.frozen, rows)
		if n.frozen > 0 {
			// Nodes without lines above this one have missed their chance.
			for _, e := range empty {
				e.frozen = allSettled
			}
			empty = empty[:0]
		}
		settled := n.settledRows(w, i == len(l.nodes)-1, gap)
		for k := n.frozen; k < gap; k++ {
			out = append(out, liveLine{node: n, at: k, settled: k < settled})
		}
		from := max(0, n.frozen-gap)
		for k, s := range l.slice(n, from, h) {
			at := gap + from + k
			out = append(out, liveLine{raw: s, node: n, at: at, settled: at < settled})
		}
		switch {
		case n.frozen < rows || settled != allSettled:
		case rows == 0 && !n.sealed:
			empty = append(empty, n)
		default:
			n.frozen = allSettled
		}
	}
	return out
}

// first returns the first node of l that may still have something to show.
func (r *inlineRenderer) first(l *List) int {
	i := 0
	if n := r.behind[l]; n != nil && n.list == l {
		i = n.index + 1
	}
	for i < len(l.nodes) && l.nodes[i].committed() {
		r.behind[l] = l.nodes[i]
		i++
	}
	return i
}

// committed reports whether all of a node is in the scrollback for good.
func (n *Node) committed() bool { return n.frozen == allSettled }

// Seal says that the component of the node will not change any more, whatever
// it says itself. On the main screen it is then never asked again once its
// lines have scrolled off.
func (n *Node) Seal() { n.sealed = true }

// settledRows is the number of leading rows (with the gap) that are final. A
// component that does not say counts as final when another one follows it.
func (n *Node) settledRows(w int, last bool, gap int) int {
	if n.sealed {
		return allSettled
	}
	s, ok := n.comp.(Settler)
	if !ok {
		if last {
			return 0
		}
		return allSettled
	}
	k := s.Settled(w)
	if k >= n.height && k != allSettled {
		return n.height + gap
	}
	if k == allSettled {
		return k
	}
	if k <= 0 {
		return 0
	}
	return k + gap
}

// solid counts the characters of a line that are no blanks. Wrapping at another
// width does not change their number.
func solid(s string) int {
	n := 0
	for _, r := range text.StripSequences(s) {
		if r != ' ' && r != '\t' {
			n++
		}
	}
	return n
}

// prefix returns how many leading lines have at most count solid characters.
func prefix(lines []string, count int) int {
	for i, l := range lines {
		if count -= solid(l); count < 0 {
			return i
		}
	}
	return len(lines)
}

// anchor remembers by content how far the nodes in sight are committed, since a
// change of the width moves their line ends.
func (r *inlineRenderer) anchor(root Component) {
	for _, l := range lists(nil, root) {
		for i := r.first(l); i < len(l.nodes); i++ {
			n := l.nodes[i]
			if n.frozen <= 0 || n.committed() || n.anchored {
				continue
			}
			if n.width != l.width {
				continue // not rendered since
			}
			gap := l.rows(n) - n.height
			n.anchor, n.anchored = 0, true
			for _, s := range l.slice(n, 0, n.frozen-gap) {
				n.anchor += solid(s)
			}
		}
	}
}

// lists returns the lists that are drawn node by node.
func lists(out []*List, c Component) []*List {
	switch c := c.(type) {
	case *ScrollView:
		return append(out, c.list)
	case *List:
		return append(out, c)
	case *VStack:
		for _, it := range c.items {
			out = lists(out, it.Component)
		}
	}
	return out
}

// choose picks what of the live lines is shown: all that fit, with final lines
// above that go to the scrollback. If lines that may still change do not fit,
// the oldest of them are hidden behind a line that says so.
func choose(all []liveLine, h int, everything bool) []liveLine {
	over := len(all) - h
	if over <= 0 || everything {
		return all
	}
	s := 0
	for s < over && all[s].settled {
		s++
	}
	hide := over - s
	if hide == 0 {
		return all
	}
	out := append([]liveLine(nil), all[:s]...)
	rest := all[s+hide:]
	if h >= 3 && len(rest) > 1 {
		out = append(out, liveLine{raw: fmt.Sprintf("\x1b[2m… %d lines above\x1b[22m", hide+1), node: rest[0].node, at: rest[0].at})
		rest = rest[1:]
	}
	return append(out, rest...)
}

// frame returns the writes that bring the screen up to date. Lines of all that
// do not fit any more are committed. extra is put into the first write.
func (r *inlineRenderer) frame(all []liveLine, w, h int, extra string, overlay func(rows []string) []string, everything bool) [][]byte {
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

	shown := choose(all, h, everything)
	lines := make([]string, len(shown))
	for i, l := range shown {
		lines[i] = l.raw
	}
	if overlay != nil {
		lines = overlay(lines)
	}
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
		row.line = trimmed(prepare(raw, w, r.fake))
		r.counts.prepared++
	}

	var cuts []int
	for i := range next {
		if i < len(r.rows) {
			if next[i].out == r.rows[i].out {
				continue
			}
			b = r.moveTo(b, i)
		} else if i > 0 || !r.fresh && len(r.rows) > 0 {
			b = r.moveTo(b, i-1)
			b = append(b, "\r\n"...)
			r.cur++
		} else {
			b = append(b, '\r')
		}
		r.fresh = false
		if erase && i == len(next)-1 {
			// What is left of the old window below. Not earlier: tmux takes
			// erasing from the top of the screen for clearing it, and puts
			// all of it into the scrollback.
			b = append(b, "\x1b[J"...)
			erase = false
		} else if again {
			// The terminal may think that this row goes on in the next one.
			b = append(b, "\x1b[K"...)
		}
		b = append(b, next[i].out...)
		if next[i].width < w {
			b = append(b, "\x1b[K"...)
		}
		r.counts.written++
		if len(b)-last(cuts) > maxFrame && i < len(next)-1 {
			b = append(b, "\x1b[?7h"+endSync...)
			cuts = append(cuts, len(b))
			b = append(b, beginSync+"\x1b[?7l"...)
		}
	}
	if erase {
		b = append(b, "\x1b[J"...)
	}
	for i := len(next); i < len(r.rows); i++ {
		b = r.moveTo(b, i)
		b = append(b, "\x1b[K"...)
	}
	if n := len(next) - h; n > 0 {
		now := r.now()
		r.forget(now)
		for _, row := range next[:n] {
			if r.log != nil {
				r.log(row.out)
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
	}
	r.rows, r.w, r.h = next, w, h
	changed := len(b) > head
	return r.finish(b, cuts, bare, changed, extra)
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

// begin deals with a change of the size, before lines are collected: it finds
// the first row of the window again and forgets the rows, so that the frame
// erases from there and paints all of them.
//
// Terminals that get lower drop rows below the cursor and push rows above it
// into the scrollback. Terminals that get narrower wrap lines anew, so the
// window takes more rows; those that were pushed out stay behind as a stale
// copy, which is the worst that happens.
func (r *inlineRenderer) begin(root Component, w, h int) {
	width, low := r.resizedW, r.minH
	r.resizedW, r.minH = false, 0
	late := false
	if width || low > 0 {
		late = r.takeBack()
	}
	if width {
		r.anchor(root)
	}
	if len(r.rows) == 0 || !width && low == 0 {
		return
	}
	limit := max(1, min(low, h)) - 1 // so many rows can be above the cursor
	height := func(i int) int {
		if width && !r.clips && r.rows[i].width > w {
			return (r.rows[i].width + w - 1) / w
		}
		return 1
	}
	up := 0
	if width && !r.clips {
		up = min(limit, r.col/w)
	}
	lost := 0 // rows that were pushed out
	for i := r.cur - 1; i >= 0; i-- {
		if up+height(i) > limit {
			lost = i + 1
			up = limit
			break
		}
		up += height(i)
	}
	if !width && !late {
		for _, row := range r.rows[:lost] {
			// What was final is where it belongs; the rest comes again.
			n := row.node
			if n == nil || n.committed() || row.at != n.frozen || !n.isSettled(row.at, r.w) {
				break
			}
			n.frozen = row.at + 1
			if r.log != nil {
				r.log(row.out)
			}
		}
	}
	r.rows, r.cur, r.fresh = nil, 0, true
	r.erase, r.up = true, up
}

// forget drops commits that are old enough to be trusted.
func (r *inlineRenderer) forget(now time.Time) {
	for len(r.recent) > 0 && now.Sub(r.recent[0].at) > r.grace {
		r.recent = r.recent[1:]
	}
}

// takeBack undoes recent commits and reports whether there were any.
func (r *inlineRenderer) takeBack() bool {
	r.forget(r.now())
	if len(r.recent) == 0 {
		return false
	}
	for i := len(r.recent) - 1; i >= 0; i-- {
		if c := r.recent[i]; c.node.list != nil {
			c.node.frozen = c.frozen
			delete(r.behind, c.node.list)
		}
	}
	r.recent = nil
	return true
}

func (n *Node) isSettled(at, w int) bool {
	if n.list == nil {
		return false
	}
	gap := n.list.rows(n) - n.height
	return at < n.settledRows(w, n.index == len(n.list.nodes)-1, gap)
}

// leave moves behind the window, for whoever gets the terminal next.
func (r *inlineRenderer) leave() string {
	if len(r.rows) == 0 {
		return ""
	}
	b := r.moveTo(nil, len(r.rows)-1)
	return string(b) + "\r\n"
}

// wipe erases the window, for a program that will give the screen back as it
// was.
func (r *inlineRenderer) wipe() string {
	if len(r.rows) == 0 {
		return ""
	}
	var b []byte
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

// inlineFrame composes a frame on the main screen.
func (u *UI) inlineFrame(extra string, everything bool) [][]byte {
	r := u.draws.inline
	r.clips = !u.term.Reflows()
	if r.grace = 50 * time.Millisecond; u.term.Multiplexed() {
		r.grace = 400 * time.Millisecond
	}
	r.begin(u.root, u.w, u.h)
	all := r.collect(nil, u.root, u.w)
	var overlay func([]string) []string
	if os := u.sortedOverlays(); len(os) > 0 && !everything {
		overlay = func(rows []string) []string { return u.overlayInline(rows, os) }
	}
	frames := r.frame(all, u.w, u.h, extra, overlay, everything)
	u.term.SetCursorHidden(!r.visible)
	return frames
}

// overlayInline draws overlays over the rows of the window that stay on the
// screen. The window grows if an overlay needs more rows.
func (u *UI) overlayInline(rows []string, os []*Overlay) []string {
	need := 0
	for _, o := range os {
		_, _, width, maxHeight := o.place(u.w, u.h, 0)
		lines, _ := renderArea(o.c, width, maxHeight)
		need = max(need, len(lines)+max(0, o.opt.Margin.Top)+max(0, o.opt.Margin.Bottom))
	}
	for len(rows) < min(need, u.h) {
		rows = append(rows, "")
	}
	keep := rows[max(0, len(rows)-u.h):]
	u.drawOverlays(keep, u.w, len(keep))
	return rows
}

// SetInline switches between the main screen (true) and the alternate screen
// while the program runs.
func (u *UI) SetInline(inline bool) {
	d := &u.draws
	if inline == (d.inline != nil) {
		return
	}
	u.opt.Inline = inline
	if !inline {
		if u.running {
			u.parked = d.inline
			u.term.Leave(d.inline.leave())
		}
		d.inline = nil
	} else {
		if d.inline = u.parked; d.inline == nil {
			d.inline = newInline(u.opt.FakeCursor)
		}
		d.inline.restart()
	}
	if u.running {
		if err := u.term.Switch(u.screenMode()); err != nil {
			u.Quit(err)
		}
	}
	d.screen.reset()
	d.dirty, d.now = true, true
}
