package mermaid

// direction is where the edges of a graph lead.
type direction uint8

const (
	toBottom direction = iota
	toRight
	toTop
	toLeft
)

func parseDirection(s string) (direction, bool) {
	switch s {
	case "TD", "TB":
		return toBottom, true
	case "BT":
		return toTop, true
	case "LR":
		return toRight, true
	case "RL":
		return toLeft, true
	}
	return toBottom, false
}

// shape is the outline of a node.
type shape uint8

const (
	rect shape = iota
	rounded
	stadium
	subroutine
	cylinder
	circle
	doubleCircle
	diamond
	hexagon
	pennant
	leaning
	leaningBack
	note
	startPoint
	endPoint
	barPoint // fork and join
	classBox
)

// ending is what an edge has at one of its ends.
type ending uint8

const (
	plainEnd ending = iota
	arrowEnd
	circleEnd
	crossEnd
	triangleEnd // inheritance
	diamondEnd  // composition
	hollowEnd   // aggregation
)

type vertex struct {
	id       string
	label    string
	sections []string // of a class, below its name
	shape    shape
	group    int // -1: none
	loops    []string
	named    bool // the label was given
}

type link struct {
	from, to           int
	label              string
	tailLabel          string // at the from end
	headLabel          string
	stroke             stroke
	tail, head         ending
	fromGroup, toGroup int // -1, or the group that is meant in place of the node
}

type group struct {
	id, title string
	parent    int // -1: none
}

// graph is what a parser makes.
type graph struct {
	dir    direction
	nodes  []vertex
	edges  []link
	groups []group
	index  map[string]int
	names  map[string]int // of groups
}

func newGraph() *graph { return &graph{index: map[string]int{}, names: map[string]int{}} }

// node returns the number of a node, which it makes at its first mention.
func (g *graph) node(id string, in int) int {
	if i, ok := g.index[id]; ok {
		return i
	}
	g.index[id] = len(g.nodes)
	g.nodes = append(g.nodes, vertex{id: id, label: id, group: in})
	return len(g.nodes) - 1
}

func (g *graph) addGroup(id, title string, parent int) int {
	g.groups = append(g.groups, group{id: id, title: title, parent: parent})
	if id != "" {
		g.names[id] = len(g.groups) - 1
	}
	return len(g.groups) - 1
}

// inside reports whether group in is outer or within it. -1 is around all.
func (g *graph) inside(in, outer int) bool {
	if outer < 0 {
		return true
	}
	for ; in >= 0; in = g.groups[in].parent {
		if in == outer {
			return true
		}
	}
	return false
}

// common is the innermost group around both.
func (g *graph) common(a, b int) int {
	for a >= 0 && !g.inside(b, a) {
		a = g.groups[a].parent
	}
	return a
}

// settle turns edges to groups into edges to nodes of theirs and takes out
// edges from a node to itself. It reports false for what is not drawn.
func (g *graph) settle() bool {
	if len(g.nodes) == 0 || len(g.nodes) > maxNodes || len(g.edges) > maxEdges || len(g.groups) > maxNodes/4 {
		return false
	}
	// The name of a group may have been taken for a node before the group came.
	for name, gi := range g.names {
		i, ok := g.index[name]
		if !ok {
			continue
		}
		first, last := -1, -1
		for k := range g.nodes {
			if k != i && g.inside(g.nodes[k].group, gi) {
				if first < 0 {
					first = k
				}
				last = k
			}
		}
		if first < 0 {
			return false
		}
		for e := range g.edges {
			if l := &g.edges[e]; l.from == i {
				l.from, l.fromGroup = last, gi
			}
			if l := &g.edges[e]; l.to == i {
				l.to, l.toGroup = first, gi
			}
		}
		g.nodes[i].id = ""
	}
	keep := make([]int, len(g.nodes))
	nodes := g.nodes[:0:0]
	for i, n := range g.nodes {
		if n.id != "" {
			keep[i] = len(nodes)
			nodes = append(nodes, n)
		}
	}
	g.nodes = nodes
	edges := g.edges[:0:0]
	for _, l := range g.edges {
		l.from, l.to = keep[l.from], keep[l.to]
		if l.from == l.to {
			if l.fromGroup >= 0 || l.toGroup >= 0 {
				return false
			}
			g.nodes[l.from].loops = append(g.nodes[l.from].loops, l.label)
			continue
		}
		edges = append(edges, l)
	}
	g.edges = edges
	return true
}
