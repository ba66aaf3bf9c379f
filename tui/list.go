package tui

import "math"

// List is a tall column of components, such as a transcript. It is shown by a
// [ScrollView], which renders only the nodes in sight: nothing a List does
// depends on how many nodes there are, except inserting and removing in the
// middle (which moves handles in memory) and rendering all of it at once.
//
// A node is rendered when it is in sight. If its component is [Versioned], only
// when the version changed or [List.Dirty] was called; if it is a [Ranger],
// only the lines in sight. Components that are neither are asked in each frame
// they are in sight, and should return the same slice while nothing changes.
type List struct {
	// Gap is the number of blank lines above each node but the first. Nodes
	// without lines have none.
	Gap int

	nodes   []*Node
	block   []Node // for the next nodes
	tree    fenwick
	width   int
	stamp   uint64 // of the current frame
	stale   bool   // the tree must be built again
	moves   uint64 // changes of what is where, but for nodes added at the end
	renders int    // calls of Render, for tests
	onClear []func()
}

// Node is the handle of a component in a [List].
type Node struct {
	list    *List
	index   int
	comp    Component
	width   int // of the height below; 0 if unknown
	height  int // lines of the component, without the gap
	counted int // rows in the tree, -1 if none
	lines   []string
	version uint64
	dirty   bool
	stamp   uint64

	// On the main screen:
	frozen   int  // leading rows (with the gap) in the scrollback; allSettled: all, for good
	anchor   int  // solid characters in them, if anchored
	anchored bool // frozen must be found again from anchor
	sealed   bool
}

// Component returns the component of the node.
func (n *Node) Component() Component { return n.comp }

// Index returns the position of the node, or -1 after it was removed.
func (n *Node) Index() int {
	if n.list == nil {
		return -1
	}
	return n.index
}

// NewList returns a list of components.
func NewList(cs ...Component) *List {
	l := &List{}
	for _, c := range cs {
		l.Append(c)
	}
	return l
}

// Len returns the number of nodes.
func (l *List) Len() int { return len(l.nodes) }

// At returns the node at position i.
func (l *List) At(i int) *Node { return l.nodes[i] }

// Append adds a component at the end.
func (l *List) Append(c Component) *Node {
	n := l.node(c)
	n.index = len(l.nodes)
	l.nodes = append(l.nodes, n)
	return n
}

// node makes a node. Nodes come in blocks, since a long transcript has many.
func (l *List) node(c Component) *Node {
	if len(l.block) == 0 {
		l.block = make([]Node, min(max(len(l.nodes), 8), 256))
	}
	n := &l.block[0]
	l.block = l.block[1:]
	n.list, n.comp, n.counted = l, c, -1
	return n
}

// Insert adds a component at position i.
func (l *List) Insert(i int, c Component) *Node {
	i = min(max(i, 0), len(l.nodes))
	if i == len(l.nodes) {
		return l.Append(c)
	}
	n := l.node(c)
	l.nodes = append(l.nodes, nil)
	copy(l.nodes[i+1:], l.nodes[i:])
	l.nodes[i] = n
	l.renumber(i)
	return n
}

// Remove takes a node out.
func (l *List) Remove(n *Node) {
	if n.list != l {
		return
	}
	i := n.index
	copy(l.nodes[i:], l.nodes[i+1:])
	l.nodes[len(l.nodes)-1] = nil
	l.nodes = l.nodes[:len(l.nodes)-1]
	n.list = nil
	l.renumber(i)
}

func (l *List) renumber(from int) {
	for i := from; i < len(l.nodes); i++ {
		l.nodes[i].index = i
	}
	l.stale = true
	l.moves++
}

// Clear removes all nodes.
func (l *List) Clear() {
	for _, n := range l.nodes {
		n.list = nil
	}
	l.nodes = nil
	l.tree = fenwick{}
	l.stale = false
	l.moves++
	for _, f := range l.onClear {
		f()
	}
}

// Dirty says that the output of a node may have changed.
func (l *List) Dirty(n *Node) { n.dirty = true }

// Invalidate drops all caches; nodes are rendered again when they come in sight.
func (l *List) Invalidate() {
	for _, n := range l.nodes {
		Invalidate(n.comp)
		n.dirty = true
		n.width = 0
	}
}

// Render renders everything. It is for short lists and for printing.
func (l *List) Render(width int) []string {
	l.begin(width)
	var out []string
	for _, n := range l.nodes {
		h := l.measure(n)
		if h == 0 {
			continue
		}
		for range l.rows(n) - h {
			out = append(out, "")
		}
		out = append(out, l.slice(n, 0, h)...)
	}
	return out
}

// begin starts a frame at a width.
func (l *List) begin(width int) {
	l.stamp++
	if width != l.width {
		l.width = width
		for _, n := range l.nodes {
			n.counted = -1
		}
		l.stale = true
	}
	l.count()
}

// count brings the tree up to date with the nodes there are.
func (l *List) count() {
	switch missing := len(l.nodes) - l.tree.len(); {
	case l.stale || missing > 64 && missing > len(l.nodes)/8:
		l.tree.rebuild(len(l.nodes), func(i int) int { return l.nodes[i].counted })
		l.stale = false
	default:
		for ; missing > 0; missing-- {
			l.tree.append()
		}
	}
}

// measure brings a node up to date and returns its height.
func (l *List) measure(n *Node) int {
	if n.stamp == l.stamp && n.width == l.width && !l.stale && n.index < l.tree.len() {
		return n.height
	}
	l.count()
	n.stamp = l.stamp
	v, versioned := n.comp.(Versioned)
	fresh := n.width == l.width && !n.dirty && versioned && n.version == v.Version()
	if !fresh {
		if versioned {
			n.version = v.Version()
		}
		if r, ok := n.comp.(Ranger); ok {
			n.lines = nil
			n.height = l.rangerHeight(n, r)
		} else {
			l.renders++
			n.lines = render(n.comp, l.width)
			n.height = len(n.lines)
		}
		n.width, n.dirty = l.width, false
	}
	if rows := l.rows(n); rows != n.counted {
		l.tree.set(n.index, n.counted, rows)
		n.counted = rows
	}
	return n.height
}

func (l *List) rangerHeight(n *Node, r Ranger) (h int) {
	lines := guard(n.comp, l.width, func() []string {
		h = r.Height(l.width)
		return nil
	})
	if lines != nil { // it panicked: show that instead
		n.lines = lines
		return len(lines)
	}
	return max(0, h)
}

// rows is the height of a measured node with its gap.
func (l *List) rows(n *Node) int {
	if n.height == 0 || n.index == 0 {
		return n.height
	}
	return n.height + l.Gap
}

// slice returns lines of a measured node.
func (l *List) slice(n *Node, from, to int) []string {
	from, to = max(0, from), min(to, n.height)
	if from >= to {
		return nil
	}
	if n.lines != nil {
		return n.lines[from:to]
	}
	r, ok := n.comp.(Ranger)
	if !ok {
		return nil
	}
	l.renders++
	return guard(n.comp, l.width, func() []string { return r.RenderRange(l.width, from, to) })
}

// allSettled stands for all lines, now and later.
const allSettled = math.MaxInt
