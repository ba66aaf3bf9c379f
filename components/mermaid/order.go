package mermaid

import (
	"cmp"
	"slices"
)

// sort orders the items of each rank so that few edges cross. Items of a group
// stay together, between its frame, and groups keep one order in all ranks.
func (p *plan) sort() {
	p.depthFirst()
	best, fewest := p.snapshot(), p.crossings()
	for i := range 12 {
		if fewest == 0 {
			break
		}
		p.pass(i%2 == 0)
		if n := p.crossings(); n < fewest {
			best, fewest = p.snapshot(), n
		}
	}
	p.restore(best)
}

// depthFirst is the first order: children follow their parents in the order
// of the text.
func (p *plan) depthFirst() {
	n := 0.0
	seen := map[*item]bool{}
	var visit func(it *item)
	visit = func(it *item) {
		if seen[it] {
			return
		}
		seen[it] = true
		it.key = n
		n++
		for _, j := range it.down {
			visit(j.b)
		}
	}
	for _, rank := range p.ranks {
		for _, it := range rank {
			visit(it)
		}
	}
	for r := range p.ranks {
		p.arrange(r)
	}
}

// pass sorts by the mean place of the neighbours above or below.
func (p *plan) pass(fromTop bool) {
	for k := range p.ranks {
		r := k
		if !fromTop {
			r = len(p.ranks) - 1 - k
		}
		for i, it := range p.ranks[r] {
			it.key = float64(i)
			sum, n := 0.0, 0
			joints := it.up
			if !fromTop {
				joints = it.down
			}
			for _, j := range joints {
				o := j.a
				if !fromTop {
					o = j.b
				}
				sum, n = sum+o.key, n+1
			}
			if n > 0 {
				it.key = sum / float64(n)
			}
		}
		p.arrange(r)
		for i, it := range p.ranks[r] {
			it.key = float64(i)
		}
	}
}

// arrange sorts one rank by key, groups as a whole.
func (p *plan) arrange(r int) {
	sum, n := make([]float64, len(p.g.groups)), make([]float64, len(p.g.groups))
	for _, rank := range p.ranks {
		for _, it := range rank {
			if it.side != 0 {
				continue
			}
			for gi := it.group; gi >= 0; gi = p.g.groups[gi].parent {
				sum[gi] += it.key
				n[gi]++
			}
		}
	}
	mean := func(gi int) float64 { return sum[gi] / max(1, n[gi]) }
	var level func(in int, items []*item) []*item
	level = func(in int, items []*item) []*item {
		type part struct {
			key   float64
			side  int8
			group int
			items []*item
		}
		var parts []part
		for _, it := range items {
			child := it.group
			if child != in {
				for p.g.groups[child].parent != in {
					child = p.g.groups[child].parent
				}
				i := slices.IndexFunc(parts, func(q part) bool { return q.group == child })
				if i < 0 {
					i = len(parts)
					parts = append(parts, part{key: mean(child), group: child})
				}
				parts[i].items = append(parts[i].items, it)
				continue
			}
			parts = append(parts, part{key: it.key, side: it.side, group: -2, items: []*item{it}})
		}
		slices.SortStableFunc(parts, func(a, b part) int {
			return cmp.Or(cmp.Compare(a.side, b.side), cmp.Compare(a.key, b.key))
		})
		out := make([]*item, 0, len(items))
		for _, q := range parts {
			if q.group == -2 {
				out = append(out, q.items...)
			} else {
				out = append(out, level(q.group, q.items)...)
			}
		}
		return out
	}
	p.ranks[r] = level(-1, p.ranks[r])
}

func (p *plan) snapshot() [][]*item {
	out := make([][]*item, len(p.ranks))
	for i, r := range p.ranks {
		out[i] = slices.Clone(r)
	}
	return out
}

func (p *plan) restore(s [][]*item) {
	p.ranks = s
	for _, rank := range p.ranks {
		for i, it := range rank {
			it.key = float64(i)
		}
	}
}

// crossings counts pairs of joints that cross.
func (p *plan) crossings() (n int) {
	for _, rank := range p.ranks {
		for i, it := range rank {
			it.key = float64(i)
		}
	}
	for _, js := range p.joints {
		for i, a := range js {
			for _, b := range js[:i] {
				if (a.a.key-b.a.key)*(a.b.key-b.b.key) < 0 {
					n++
				}
			}
		}
	}
	return n
}
