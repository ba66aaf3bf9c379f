package mermaid

import (
	"math"
	"slices"

	"tau/tui/text"
)

// gap is how much room is left between two neighbours of a rank.
func (p *plan) gap(a, b *item) int {
	if p.horizontal {
		if a.side == -1 || b.side == 1 {
			return 0
		}
		return 1
	}
	switch {
	case a.side != 0 || b.side != 0:
		if a.side == 1 && b.side == -1 {
			return 2
		}
		return 1
	case a.real() && b.real() && !p.tight:
		return 4
	}
	return 2
}

// place gives every item its place on the cross axis. Sweeps up and down the
// ranks move items towards what they are connected to, as far as order and
// room allow; each rank is solved exactly (see settle).
func (p *plan) place() bool {
	for _, rank := range p.ranks {
		at := 0
		for i, it := range rank {
			if i > 0 {
				at += p.gap(rank[i-1], it)
			}
			it.pos = at
			at += it.cross
		}
		for _, it := range rank {
			if it.real() || it.side != 0 {
				continue
			}
			for _, j := range it.up {
				j.bAt = (it.cross - 1) / 2
			}
			for _, j := range it.down {
				j.aAt = (it.cross - 1) / 2
			}
		}
	}
	for i := range 8 {
		for k := range p.ranks {
			if i%2 == 0 {
				p.settle(k, true, i >= 4)
			} else {
				p.settle(len(p.ranks)-1-k, false, i >= 4)
			}
		}
	}
	if !p.alignFrames() {
		return false
	}
	for range 4 {
		p.tighten()
		p.straighten()
	}
	p.tighten()
	least := math.MaxInt
	for _, rank := range p.ranks {
		if len(rank) > 0 {
			least = min(least, rank[0].pos)
		}
	}
	for _, rank := range p.ranks {
		for _, it := range rank {
			it.pos -= least
			p.breadth = max(p.breadth, it.pos+it.cross)
		}
	}
	return true
}

// settle moves the items of a rank as near as possible to their neighbours
// above (or below, or both), in the sense of least squares, in their order and
// without overlap. With the room they need taken off, places must only not
// decrease: that is isotonic regression, solved by pooling.
func (p *plan) settle(r int, above, both bool) {
	rank := p.ranks[r]
	type pool struct {
		sum, weight float64
		n           int
	}
	var pools []pool
	offset := 0
	for i, it := range rank {
		if i > 0 {
			offset += rank[i-1].cross + p.gap(rank[i-1], it)
		}
		want, weight := p.wanted(it, above, both)
		pools = append(pools, pool{(want - float64(offset)) * weight, weight, 1})
		for k := len(pools) - 1; k > 0 && pools[k-1].sum/pools[k-1].weight > pools[k].sum/pools[k].weight; k-- {
			pools[k-1].sum += pools[k].sum
			pools[k-1].weight += pools[k].weight
			pools[k-1].n += pools[k].n
			pools = pools[:k]
		}
	}
	offset = 0
	i := 0
	for _, q := range pools {
		at := int(math.Floor(q.sum/q.weight + 0.5))
		for range q.n {
			if i > 0 {
				offset += rank[i-1].cross + p.gap(rank[i-1], rank[i])
			}
			rank[i].pos = at + offset
			i++
		}
	}
}

// wanted is where an item would like to be and how much.
func (p *plan) wanted(it *item, above, both bool) (at, weight float64) {
	if it.side != 0 {
		// Around the members of the group.
		edge := p.extent(it.group, it.side)
		if it.side < 0 {
			return float64(edge - 2), 0.5
		}
		return float64(edge + 1), 0.5
	}
	add := func(j *joint, up bool) {
		w := 1.0
		if j.a.real() != j.b.real() {
			w = 2
		} else if !j.a.real() {
			w = 8
		}
		if up {
			at += w * float64(j.from()-j.bAt)
		} else {
			at += w * float64(j.to()-j.aAt)
		}
		weight += w
	}
	if above || both {
		for _, j := range it.up {
			add(j, true)
		}
	}
	if !above || both {
		for _, j := range it.down {
			add(j, false)
		}
	}
	if weight == 0 {
		return float64(it.pos), 0.1
	}
	return at / weight, weight
}

// extent is the place of the outermost member of a group at a side.
func (p *plan) extent(gi int, side int8) int {
	out, found := 0, false
	for r := p.span[gi][0]; r <= p.span[gi][1]; r++ {
		for _, it := range p.ranks[r] {
			if it.side != 0 || !p.g.inside(it.group, gi) {
				continue
			}
			at := it.pos
			if side > 0 {
				at += it.cross
			}
			if !found || side < 0 && at < out || side > 0 && at > out {
				out, found = at, true
			}
		}
	}
	return out
}

// alignFrames makes the pieces of each frame stand in one line, by pushing
// to the right until nothing overlaps. It reports false if that has no end.
func (p *plan) alignFrames() bool {
	if len(p.frames) == 0 {
		return true
	}
	for range 4 * (len(p.ranks) + len(p.frames) + 8) {
		moved := false
		for gi := range p.frames {
			for k, pieces := range p.frames[gi] {
				at := math.MinInt
				for _, it := range pieces {
					at = max(at, it.pos)
				}
				if k == 1 && len(pieces) > 0 && !p.horizontal {
					at = max(at, p.frames[gi][0][0].pos+text.Width(p.g.groups[gi].title)+5)
				}
				for _, it := range pieces {
					if it.pos != at {
						it.pos, moved = at, true
					}
				}
			}
		}
		for _, rank := range p.ranks {
			for i := 1; i < len(rank); i++ {
				if least := rank[i-1].pos + rank[i-1].cross + p.gap(rank[i-1], rank[i]); rank[i].pos < least {
					rank[i].pos, moved = least, true
				}
			}
		}
		if !moved {
			return true
		}
	}
	return false
}

// tighten draws the frames close around what is in them, inner ones first.
func (p *plan) tighten() {
	for gi := len(p.frames) - 1; gi >= 0; gi-- { // groups come before those in them
		left, right := p.frames[gi][0], p.frames[gi][1]
		if len(left) == 0 {
			continue
		}
		lo, hi := math.MaxInt, math.MinInt
		for _, it := range left {
			rank := p.ranks[it.rank]
			next := rank[slices.Index(rank, it)+1]
			if next.side == 1 && next.group == gi {
				continue // nothing in it here
			}
			lo = min(lo, next.pos-p.gap(it, next)-1)
		}
		for _, it := range right {
			rank := p.ranks[it.rank]
			before := rank[slices.Index(rank, it)-1]
			if before.side == -1 && before.group == gi {
				continue
			}
			hi = max(hi, before.pos+before.cross+p.gap(before, it))
		}
		if !p.horizontal {
			hi = max(hi, lo+titleWidth(p.g.groups[gi].title))
		}
		for i := range left {
			left[i].pos, right[i].pos = max(lo, left[i].pos), min(hi, right[i].pos)
		}
	}
}

// straighten takes out the small kinks that rounding leaves.
func (p *plan) straighten() {
	for r, js := range p.joints {
		for _, j := range js {
			d := j.from() - j.to()
			if d == 0 || (d > 3 || d < -3) && (len(j.a.down) > 1 || len(j.b.up) > 1) {
				continue
			}
			if len(j.b.up) == 1 && p.shift(r+1, j.b, d) {
				continue
			}
			if len(j.a.down) == 1 {
				p.shift(r, j.a, -d)
			}
		}
	}
}

// shift moves an item if there is room and no straight line is lost.
func (p *plan) shift(r int, it *item, by int) bool {
	rank := p.ranks[r]
	i := slices.Index(rank, it)
	if it.side != 0 {
		return false
	}
	if i > 0 && it.pos+by < rank[i-1].pos+rank[i-1].cross+p.gap(rank[i-1], it) {
		return false
	}
	if i < len(rank)-1 && it.pos+by+it.cross+p.gap(it, rank[i+1]) > rank[i+1].pos {
		return false
	}
	before := it.straight()
	it.pos += by
	if it.straight() <= before {
		it.pos -= by
		return false
	}
	return true
}

func (it *item) straight() (n int) {
	for _, j := range it.up {
		if j.from() == j.to() {
			n++
		}
	}
	for _, j := range it.down {
		if j.from() == j.to() {
			n++
		}
	}
	return n
}
