package mermaid

// item is what takes a place in a rank: a node, the place where an edge
// passes through, its label, or a piece of the frame of a group.
type item struct {
	node  int // number of the node; -1: none
	edge  int // of what passes through; -1: none
	label []string
	side  int8 // of the frame of group: -1 left, 1 right, 0 no frame
	group int

	rank        int
	main, cross int // size
	w, h        int // of a node's box on the screen
	at, pos     int // place on the main and cross axis
	key         float64

	up, down []*joint
}

func (it *item) real() bool { return it.node >= 0 }

// joint is a piece of an edge between two ranks.
type joint struct {
	a, b     *item // of the upper and the lower rank
	edge     int
	aEnd     ending
	bEnd     ending
	aGroup   int // the frame it ends at in place of the node; -1: none
	bGroup   int
	stroke   stroke
	aAt, bAt int // ports: offsets from the items' pos
}

// plan is a graph on its way to the canvas.
type plan struct {
	g          *graph
	horizontal bool // the main axis is
	flip       bool // the edges lead up or to the left
	tight      bool // less room between nodes
	wrap       int  // columns of a label
	ranks      [][]*item
	nodes      []*item
	joints     [][]*joint // of each channel; channel r is below rank r
	span       [][2]int   // first and last rank of each group
	frames     [][2][]*item
	count      int

	mainAt   []int // start of each rank
	mainSize []int
	tracks   [][]*net
	frameAt  [][2]int // main start and end of each group's frame
	length   int
	breadth  int
}

// build makes the items and joints. It reports false if there are too many.
func (p *plan) build() bool {
	g := p.g
	reversed := g.cuts()
	step := 1
	for _, l := range g.edges {
		if l.words() {
			step = 2
		}
	}
	rank := g.ranks(reversed, step)
	if !g.toFrames(rank, reversed) {
		return false
	}
	rank = g.ranks(reversed, step)
	for e, l := range g.edges {
		if a, b := upDown(l, reversed[e]); rank[b] < rank[a]+step {
			return false
		}
	}
	rank = g.dropRanks(rank, reversed, step)
	last := 0
	for _, r := range rank {
		last = max(last, r)
	}
	p.ranks = make([][]*item, last+1)
	p.joints = make([][]*joint, last+1)
	for i := range g.nodes {
		it := &item{node: i, edge: -1, group: g.nodes[i].group, rank: rank[i]}
		p.nodes = append(p.nodes, it)
		p.ranks[rank[i]] = append(p.ranks[rank[i]], it)
		p.count++
	}
	for e, l := range g.edges {
		from, to := l.from, l.to
		tail, head, tg, hg := l.tail, l.head, l.fromGroup, l.toGroup
		words := edgeWords(l, p.wrap)
		if reversed[e] {
			from, to, tail, head, tg, hg = to, from, head, tail, hg, tg
		}
		if reversed[e] != p.flip {
			for i, j := 0, len(words)-1; i < j && (l.tailLabel != "" || l.headLabel != ""); i, j = i+1, j-1 {
				words[i], words[j] = words[j], words[i]
			}
		}
		around := g.common(g.nodes[from].group, g.nodes[to].group)
		at := p.nodes[from]
		for r := rank[from] + 1; r <= rank[to]; r++ {
			j := &joint{a: at, edge: e, stroke: l.stroke, aGroup: -1, bGroup: -1}
			if r == rank[from]+1 {
				j.aEnd, j.aGroup = tail, tg
			}
			if r == rank[to] {
				j.b, j.bEnd, j.bGroup = p.nodes[to], head, hg
			} else {
				j.b = &item{node: -1, edge: e, group: around, rank: r}
				if r == rank[from]+1 {
					j.b.label = words
				}
				p.ranks[r] = append(p.ranks[r], j.b)
				if p.count++; p.count > maxItems {
					return false
				}
			}
			j.a.down = append(j.a.down, j)
			j.b.up = append(j.b.up, j)
			p.joints[r-1] = append(p.joints[r-1], j)
			at = j.b
		}
	}
	// Groups: from the first to the last rank of what is in them.
	p.span = make([][2]int, len(g.groups))
	for i := range p.span {
		p.span[i] = [2]int{len(p.ranks), -1}
	}
	for _, it := range p.nodes {
		for gi := it.group; gi >= 0; gi = g.groups[gi].parent {
			p.span[gi][0], p.span[gi][1] = min(p.span[gi][0], it.rank), max(p.span[gi][1], it.rank)
		}
	}
	for _, s := range p.span {
		if s[1] < 0 {
			return false // an empty group has no place
		}
	}
	for _, js := range p.joints { // an edge to a frame must not pass through it
		for _, j := range js {
			if j.aGroup >= 0 && j.a.rank != p.span[j.aGroup][1] || j.bGroup >= 0 && j.b.rank != p.span[j.bGroup][0] {
				return false
			}
		}
	}
	p.frames = make([][2][]*item, len(g.groups))
	for gi, s := range p.span {
		for r := s[0]; r <= s[1]; r++ {
			for k, side := range []int8{-1, 1} {
				it := &item{node: -1, edge: -1, group: gi, side: side, rank: r, cross: 1}
				p.frames[gi][k] = append(p.frames[gi][k], it)
				p.ranks[r] = append(p.ranks[r], it)
				p.count++
			}
		}
	}
	return p.count <= maxItems
}
