package mermaid

import (
	"cmp"
	"slices"
)

// net is what leaves one port: a stem from the upper rank to a track, the
// track, and from there a branch to each pin at the lower rank.
type net struct {
	top    int // on the cross axis, as are pins, lo and hi
	pins   []int
	joints []*joint // of the pins; nil for a pin that another net goes on from
	lo, hi int
	track  int  // -1: straight
	after  *net // the stem begins at that one's track
	who    int32
}

func (n *net) measure() {
	n.lo, n.hi = n.top, n.top
	for _, x := range n.pins {
		n.lo, n.hi = min(n.lo, x), max(n.hi, x)
	}
}

// route gives every net of every channel a track. Two rules hold: nets in one
// track do not touch, and where the stem of one net stands above the pin of
// another, its track is the upper one. Where those contradict each other, a
// net changes columns half-way.
func (p *plan) route() bool {
	p.tracks = make([][]*net, len(p.ranks))
	for r, js := range p.joints {
		var nets []*net
		for _, j := range js {
			if j.stroke == hidden {
				continue
			}
			i := slices.IndexFunc(nets, func(n *net) bool { return n.joints[0].a == j.a && n.top == j.from() })
			if i < 0 {
				i = len(nets)
				nets = append(nets, &net{top: j.from(), track: -1})
			}
			nets[i].pins = append(nets[i].pins, j.to())
			nets[i].joints = append(nets[i].joints, j)
		}
		var ok bool
		if p.tracks[r], ok = p.channel(nets); !ok {
			return false
		}
		for i, n := range p.tracks[r] {
			n.who = int32(i + 1)
		}
	}
	return true
}

func (p *plan) channel(nets []*net) ([]*net, bool) {
	var open []*net
	for _, n := range nets {
		if n.measure(); n.lo < n.hi {
			open = append(open, n)
		}
	}
	splits := 0
	for t := 0; len(open) > 0; t++ {
		var ready []*net
		for _, n := range open {
			if blocker(n, open) < 0 {
				ready = append(ready, n)
			}
		}
		if len(ready) == 0 {
			if splits++; splits > 40 {
				return nil, false
			}
			n := open[0]
			part, ok := p.split(n, blocker(n, open), nets)
			if !ok {
				return nil, false
			}
			nets, open = append(nets, part), append(open, part)
			if n.lo == n.hi {
				open = open[1:]
			}
			t--
			continue
		}
		costs := map[*net]int{}
		for _, a := range ready {
			for _, b := range open {
				if a != b {
					costs[a] += cost(a, b) - cost(b, a)
				}
			}
		}
		slices.SortStableFunc(ready, func(a, b *net) int { return cmp.Or(cmp.Compare(costs[a], costs[b]), cmp.Compare(a.lo, b.lo)) })
		var placed []*net
		for _, n := range ready {
			if !slices.ContainsFunc(placed, func(o *net) bool { return !apart(n, o) }) {
				n.track = t
				placed = append(placed, n)
			}
		}
		open = slices.DeleteFunc(open, func(n *net) bool { return n.track >= 0 })
	}
	return nets, true
}

// blocker returns the place among n's pins of one below a stem that has no
// track yet, or -1. A net that goes on from another waits for that.
func blocker(n *net, open []*net) int {
	for _, o := range open {
		if o == n {
			continue
		}
		if n.after == o {
			return len(n.pins)
		}
		if i := slices.Index(n.pins, o.top); i >= 0 && o.after == nil && !slices.Contains(o.pins, o.top) {
			return i
		}
	}
	return -1
}

// apart reports whether two nets can share a track. They may meet at a pin of
// both.
func apart(a, b *net) bool {
	if a.lo > b.lo {
		a, b = b, a
	}
	return b.lo > a.hi+1 || b.lo == a.hi && slices.Contains(a.pins, a.hi) && slices.Contains(b.pins, b.lo)
}

// cost counts the crossings if a lies above b.
func cost(a, b *net) (n int) {
	if b.top > a.lo && b.top < a.hi {
		n++
	}
	for _, x := range a.pins {
		if x > b.lo && x < b.hi {
			n++
		}
	}
	return n
}

// split takes the pin at place i out of a net: it goes to a free column, and
// the net that is returned goes on from there.
func (p *plan) split(n *net, i int, nets []*net) (*net, bool) {
	if i >= len(n.pins) {
		return nil, false
	}
	used := func(x int) bool {
		return slices.ContainsFunc(nets, func(o *net) bool {
			return abs(o.top-x) < 2 || slices.ContainsFunc(o.pins, func(q int) bool { return abs(q-x) < 2 })
		})
	}
	middle := (n.top + n.pins[i]) / 2
	for d := range p.breadth + 8 {
		for _, x := range []int{middle + d, middle - d} {
			if x < 0 || x > p.breadth+3 || used(x) {
				continue
			}
			p.breadth = max(p.breadth, x+1)
			part := &net{top: x, pins: []int{n.pins[i]}, joints: []*joint{n.joints[i]}, track: -1, after: n}
			n.pins[i], n.joints[i] = x, nil
			n.measure()
			part.measure()
			return part, true
		}
	}
	return nil, false
}

func abs(n int) int { return max(n, -n) }

// advance computes the places on the main axis.
func (p *plan) advance() {
	extra := make([]int, len(p.ranks))
	for range len(p.g.groups) + 1 {
		p.lay(extra)
		short := false
		for gi, at := range p.frameAt {
			if need := titleWidth(p.g.groups[gi].title) - (at[1] - at[0] + 1); p.horizontal && need > 0 {
				extra[p.span[gi][1]] += need
				short = true
				break
			}
		}
		if !short {
			return
		}
	}
}

func (p *plan) lay(extra []int) {
	g := p.g
	unit := 1
	if p.horizontal {
		unit = 2
	}
	p.mainAt, p.mainSize = make([]int, len(p.ranks)), make([]int, len(p.ranks))
	p.frameAt = make([][2]int, len(g.groups))
	cur := 0
	for r := range p.ranks {
		// Frames that begin here, from outside to inside.
		tops := 0
		for gi, s := range p.span {
			if s[0] != r {
				continue
			}
			k := 0
			for o := g.groups[gi].parent; o >= 0; o = g.groups[o].parent {
				if p.span[o][0] == r {
					k++
				}
			}
			p.frameAt[gi][0] = k * unit
			tops = max(tops, (k+1)*unit)
		}
		ends := 0
		if r > 0 {
			tip := 0
			for _, j := range p.joints[r-1] {
				if j.stroke != hidden && j.bEnd != plainEnd {
					ends = 1
					if j.bGroup >= 0 {
						tip = 1
					}
				}
			}
			cur += tip
		}
		for gi, s := range p.span {
			if s[0] == r {
				p.frameAt[gi][0] += cur
			}
		}
		cur += tops
		if tops > 0 && !p.horizontal {
			ends = 1
		}
		cur += ends
		p.mainAt[r] = cur
		for _, it := range p.ranks[r] {
			it.at = cur
			p.mainSize[r] = max(p.mainSize[r], it.main)
		}
		p.mainSize[r] += extra[r]
		cur += p.mainSize[r]
		cur = p.below(r, cur, unit)
	}
	p.length = cur
}

// below lays out the channel below a rank up to the frames that begin at the
// next one.
func (p *plan) below(r, cur, unit int) int {
	g := p.g
	ends, straight := 0, false
	last := 0
	for _, j := range p.joints[r] {
		if j.stroke == hidden {
			continue
		}
		if j.aEnd != plainEnd && j.aGroup < 0 {
			ends = 1
		}
		if j.a.real() && j.b.real() {
			straight = true
		}
	}
	for _, n := range p.tracks[r] {
		last = max(last, n.track+1)
	}
	cur += ends
	bottoms := 0
	var inner func(gi int) int
	inner = func(gi int) (n int) {
		for c := range g.groups {
			if g.groups[c].parent == gi && p.span[c][1] == r {
				n = max(n, inner(c)+1)
			}
		}
		return n
	}
	for gi, s := range p.span {
		if s[1] == r {
			k := inner(gi)
			p.frameAt[gi][1] = cur + k*unit + unit - 1
			bottoms = max(bottoms, (k+1)*unit)
		}
	}
	cur += bottoms
	if r == len(p.ranks)-1 {
		return cur
	}
	if bottoms > 0 {
		for _, j := range p.joints[r] {
			if j.aGroup >= 0 && j.aEnd != plainEnd {
				cur++
				break
			}
		}
	}
	for _, n := range p.tracks[r] {
		if n.track >= 0 {
			n.track = cur + n.track*unit + unit - 1
		}
	}
	switch {
	case p.horizontal && last > 0:
		cur += 2*last + 1
	case p.horizontal && straight && !p.tight:
		cur += 3
	case p.horizontal:
		cur += 2
	case last > 0:
		cur += last
	default:
		cur++
	}
	return cur
}
