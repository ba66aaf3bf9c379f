package tui

import (
	"slices"
	"sort"
)

// matchOrder numbers the matches of a search. It is made anew only when the
// matches or the nodes have changed, so that a step costs the same however many
// there are.
type matchOrder struct {
	nodes []*Node // those with matches, in order
	count []int   // matches before each of them
	total int
	stale bool
	moves uint64
}

// sorted returns the order, up to date.
func (s *search) sorted() *matchOrder {
	o, l := &s.order, s.view.list
	if !o.stale && o.moves == l.moves {
		return o
	}
	o.nodes, o.count, o.total = o.nodes[:0], o.count[:0], 0
	for n := range s.with {
		if n.list == nil {
			delete(s.with, n)
			delete(s.found, n)
			continue
		}
		o.nodes = append(o.nodes, n)
	}
	slices.SortFunc(o.nodes, func(a, b *Node) int { return a.index - b.index })
	for _, n := range o.nodes {
		o.count = append(o.count, o.total)
		o.total += len(s.with[n])
	}
	o.stale, o.moves = false, l.moves
	return o
}

// at is where a node is or would be among those with matches.
func (o *matchOrder) at(n *Node) int {
	return sort.Search(len(o.nodes), func(i int) bool { return o.nodes[i].index >= n.index })
}

// from returns the first match that is not before p, or else the last one.
func (o *matchOrder) from(with map[*Node][]match, p point) (match, bool) {
	for i := o.at(p.node); i < len(o.nodes); i++ {
		for _, m := range with[o.nodes[i]] {
			if !(point{m.node, m.line, m.col}).before(p) {
				return m, true
			}
		}
	}
	if o.total == 0 {
		return match{}, false
	}
	ms := with[o.nodes[len(o.nodes)-1]]
	return ms[len(ms)-1], true
}

// number is the number of a match, from 1; 0 if it is gone.
func (o *matchOrder) number(with map[*Node][]match, m match) int {
	if m.node == nil || m.node.list == nil {
		return 0
	}
	i := o.at(m.node)
	if i == len(o.nodes) || o.nodes[i] != m.node {
		return 0
	}
	k := slices.Index(with[m.node], m)
	if k < 0 {
		return 0
	}
	return o.count[i] + k + 1
}
