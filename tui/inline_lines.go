package tui

import (
	"fmt"
	"reflect"

	"tau/tui/text"
)

// liveLine is a line that has not been committed.
type liveLine struct {
	raw     string
	node    *Node
	at      int
	settled bool
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
	lines := render(c, w)
	if reflect.TypeOf(c).Comparable() {
		r.leaves[c] = leaf{len(out), len(lines)}
	}
	for _, l := range lines {
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
//
// That of a picture may have any number of rows, so it counts as one, at its
// first row.
func solid(s string) int {
	if _, row, _, ok := text.FirstPicture(s); ok {
		if row == 0 {
			return 1
		}
		return 0
	}
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
			lines := l.slice(n, 0, n.height)
			to := max(0, n.frozen-gap)
			for to > 0 && to < len(lines) && sameBlock(lines[to-1], lines[to]) {
				to-- // half a picture is none
			}
			for _, s := range lines[:min(to, len(lines))] {
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
// the oldest of them are hidden behind a line that says so. Pictures leave the
// screen as a whole, and not before they can be drawn.
func choose(all []liveLine, h int, everything bool, drawable func(raw string) bool) []liveLine {
	over := len(all) - h
	if over <= 0 || everything {
		return all
	}
	s := 0
	for s < over && all[s].settled && drawable(all[s].raw) {
		s++
	}
	if s > 0 && sameBlock(all[s-1].raw, all[s].raw) {
		end := s
		for end < len(all) && all[end].settled && sameBlock(all[s-1].raw, all[end].raw) {
			end++
		}
		if end < len(all) && sameBlock(all[s-1].raw, all[end].raw) || !drawable(all[s-1].raw) {
			for end = s; s > 0 && sameBlock(all[s-1].raw, all[end].raw); s-- {
			}
		}
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

func (n *Node) isSettled(at, w int) bool {
	if n.list == nil {
		return false
	}
	gap := n.list.rows(n) - n.height
	return at < n.settledRows(w, n.index == len(n.list.nodes)-1, gap)
}
