package mermaid

// cuts reverses edges in cycles: it returns for each whether it is reversed.
func (g *graph) cuts() []bool {
	out := make([][]int, len(g.nodes))
	for e, l := range g.edges {
		out[l.from] = append(out[l.from], e)
	}
	reversed := make([]bool, len(g.edges))
	state := make([]uint8, len(g.nodes)) // 1: on the path, 2: done
	var visit func(n int)
	visit = func(n int) {
		state[n] = 1
		for _, e := range out[n] {
			switch m := g.edges[e].to; state[m] {
			case 0:
				visit(m)
			case 1:
				reversed[e] = true
			}
		}
		state[n] = 2
	}
	// Begin where nothing leads to, in the order of the text.
	in := make([]int, len(g.nodes))
	for _, l := range g.edges {
		in[l.to]++
	}
	for n := range g.nodes {
		if in[n] == 0 && state[n] == 0 {
			visit(n)
		}
	}
	for n := range g.nodes {
		if state[n] == 0 {
			visit(n)
		}
	}
	return reversed
}

// ranks gives each node the longest way from a start; an edge spans step
// ranks at least. Nodes that nothing leads to come as near as they can.
func (g *graph) ranks(reversed []bool, step int) []int {
	rank := make([]int, len(g.nodes))
	ends := func(e int) (int, int) { return upDown(g.edges[e], reversed[e]) }
	for range len(g.nodes) + 1 {
		moved := false
		for e := range g.edges {
			if a, b := ends(e); rank[b] < rank[a]+step {
				rank[b] = rank[a] + step
				moved = true
			}
		}
		if !moved {
			break
		}
	}
	in, room := make([]int, len(g.nodes)), make([]int, len(g.nodes))
	for i := range room {
		room[i] = -1
	}
	for e := range g.edges {
		a, b := ends(e)
		in[b]++
		if r := rank[b] - rank[a] - step; room[a] < 0 || r < room[a] {
			room[a] = r
		}
	}
	for n := range g.nodes {
		if in[n] == 0 && room[n] > 0 {
			rank[n] += room[n]
		}
	}
	least := rank[0]
	for _, r := range rank {
		least = min(least, r)
	}
	for n := range rank {
		rank[n] -= least
	}
	return rank
}

// upDown are the ends of an edge by rank.
func upDown(l link, reversed bool) (upper, lower int) {
	if reversed {
		return l.to, l.from
	}
	return l.from, l.to
}

// toFrames ties edges that mean a group to the member nearest to the side of
// the frame they come to. It reports false if one has no members.
func (g *graph) toFrames(rank []int, reversed []bool) bool {
	nearest := func(gi int, first bool) int {
		best := -1
		for n := range g.nodes {
			if !g.inside(g.nodes[n].group, gi) {
				continue
			}
			if best < 0 || first && rank[n] < rank[best] || !first && rank[n] > rank[best] {
				best = n
			}
		}
		return best
	}
	for e := range g.edges {
		l := &g.edges[e]
		if l.fromGroup >= 0 {
			l.from = nearest(l.fromGroup, reversed[e])
		}
		if l.toGroup >= 0 {
			l.to = nearest(l.toGroup, !reversed[e])
		}
		if l.from < 0 || l.to < 0 {
			return false
		}
	}
	return true
}

func (l link) words() bool { return l.label != "" || l.tailLabel != "" || l.headLabel != "" }

// edgeWords are the lines of an edge's label, from its tail to its head.
func edgeWords(l link, wrap int) (out []string) {
	for _, s := range []string{l.tailLabel, l.label, l.headLabel} {
		if s != "" {
			out = append(out, wrapLabel(s, wrap)...)
		}
	}
	return out
}

// dropRanks takes the ranks between the nodes' out that no label needs.
func (g *graph) dropRanks(rank []int, reversed []bool, step int) []int {
	if step == 1 {
		return rank
	}
	need := map[int]bool{}
	for n := range g.nodes {
		need[rank[n]] = true
	}
	for e, l := range g.edges {
		if l.words() {
			if reversed[e] {
				need[rank[l.to]+1] = true
			} else {
				need[rank[l.from]+1] = true
			}
		}
	}
	last := 0
	for _, r := range rank {
		last = max(last, r)
	}
	to, n := make([]int, last+1), 0
	for r := range to {
		to[r] = n
		if need[r] {
			n++
		}
	}
	out := make([]int, len(rank))
	for i, r := range rank {
		out[i] = to[r]
	}
	return out
}
