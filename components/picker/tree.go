package picker

import (
	"strings"

	"tau/components"
	"tau/tui"
	"tau/tui/key"
	"tau/tui/text"
)

// TreeSource is a tree to walk in. Nodes are numbers from 0; -1 is none. Texts
// are asked for only of nodes in sight, and of those a search looks at.
type TreeSource interface {
	Roots() []int
	FirstChild(i int) int
	NextSibling(i int) int
	// Active reports whether i is on the path that is being followed.
	Active(i int) bool
	// Shows reports whether filter number f shows the node.
	Shows(i, f int) bool
	// Row returns the text of the node and what stands at its right.
	Row(i int) (text, right string)
	// Words is what a search looks at.
	Words(i int) string
}

// TreeStyle holds the colours of a Tree.
type TreeStyle struct {
	Style
	Active, Quiet, Selected, Branch components.Style
}

// TreeOptions configure a Tree.
type TreeOptions struct {
	Title    string
	Source   TreeSource
	Current  int // the node that is selected at first
	Filters  []string
	Filter   int
	Hint     string
	Bindings components.Bindings
	Style    TreeStyle
	Rows     func() int // how many nodes are shown
	OnSelect func(i int)
	// OnKey gets keys that the tree itself does not use.
	OnKey    func(ev key.Event, i int) bool
	OnCancel func()
}

// treeRow is a node that is shown.
type treeRow struct {
	node   int
	prefix string // the lines of the branches it hangs on
	kids   bool   // has children that are shown or folded
	folded bool
}

// Tree lets one walk in a tree. Chains stay in one column; only where a node
// has several children does the tree grow to the right.
type Tree struct {
	opts   TreeOptions
	rows   []treeRow
	at     int
	top    int
	most   int // rows there were
	folded map[int]bool
	search *components.Input // nil while there is none
	query  string
}

// NewTree returns a tree with its current node selected.
func NewTree(o TreeOptions) *Tree {
	t := &Tree{opts: o, folded: map[int]bool{}}
	t.build()
	t.selectNode(o.Current)
	return t
}

// Selected returns the selected node, or -1.
func (t *Tree) Selected() int {
	if t.at < 0 || t.at >= len(t.rows) {
		return -1
	}
	return t.rows[t.at].node
}

// Refresh builds the rows anew, as after a change of a label.
func (t *Tree) Refresh() {
	n := t.Selected()
	t.build()
	t.selectNode(n)
}

// selectNode selects a node, or the nearest one above it that is shown.
func (t *Tree) selectNode(n int) {
	best := len(t.rows) - 1
	for i := range t.rows {
		if t.rows[i].node == n {
			best = i
			break
		}
		// Rows come in the order of the tree, parents first.
		if t.rows[i].node < n {
			best = i
		}
	}
	t.at = max(0, best)
}

// frame is a level of the walk that build does; recursion would be as deep as
// the conversation is long.
type frame struct {
	nodes  []int
	next   int
	prefix string
	branch bool // the nodes are siblings that branch off
}

func (t *Tree) build() {
	t.rows = t.rows[:0]
	words := strings.Fields(strings.ToLower(t.query))
	stack := []frame{{nodes: t.shownAmong(t.opts.Source.Roots(), words)}}
	stack[0].branch = len(stack[0].nodes) > 1
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next == len(f.nodes) {
			stack = stack[:len(stack)-1]
			continue
		}
		n := f.nodes[f.next]
		f.next++
		last := f.next == len(f.nodes)
		row := treeRow{node: n, prefix: f.prefix}
		below := f.prefix
		if f.branch {
			if last {
				row.prefix, below = f.prefix+"└─", f.prefix+"  "
			} else {
				row.prefix, below = f.prefix+"├─", f.prefix+"│ "
			}
		}
		kids := t.shownAmong(children(t.opts.Source, n), words)
		row.kids, row.folded = len(kids) > 0, t.folded[n]
		t.rows = append(t.rows, row)
		if len(kids) > 0 && !row.folded {
			stack = append(stack, frame{nodes: kids, prefix: below, branch: len(kids) > 1})
		}
	}
	t.at = min(t.at, max(0, len(t.rows)-1))
}

func children(s TreeSource, n int) []int {
	var out []int
	for c := s.FirstChild(n); c >= 0; c = s.NextSibling(c) {
		out = append(out, c)
	}
	return out
}

// shownAmong returns the nodes that are shown, with the shown descendants of
// hidden ones in their place.
func (t *Tree) shownAmong(nodes []int, words []string) []int {
	var out []int
	// A stack in place of recursion: hidden chains can be long.
	todo := append([]int(nil), nodes...)
	for i, j := 0, len(todo)-1; i < j; i, j = i+1, j-1 {
		todo[i], todo[j] = todo[j], todo[i]
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if t.opts.Source.Shows(n, t.opts.Filter) && t.matches(n, words) {
			out = append(out, n)
			continue
		}
		kids := children(t.opts.Source, n)
		for i := len(kids) - 1; i >= 0; i-- {
			todo = append(todo, kids[i])
		}
	}
	return out
}

func (t *Tree) matches(n int, words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(t.opts.Source.Words(n))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// SetFocused implements tui.Focusable.
func (t *Tree) SetFocused(f bool) {
	if t.search != nil {
		t.search.SetFocused(f)
	}
}

// BlocksViewport keeps page keys for the tree.
func (t *Tree) BlocksViewport() bool { return true }

// HandlePaste implements tui.PasteHandler.
func (t *Tree) HandlePaste(s string) bool {
	if t.search != nil {
		t.search.HandlePaste(s)
	}
	return true
}

// HandleKey implements tui.KeyHandler. The tree has the keyboard to itself.
func (t *Tree) HandleKey(ev key.Event) bool {
	is := func(id string) bool { return t.opts.Bindings.Matches(ev, id) }
	n := t.Selected()
	switch {
	case is("tui.select.up"):
		t.at = max(0, t.at-1)
	case is("tui.select.down"):
		t.at = min(len(t.rows)-1, t.at+1)
	case is("tui.select.pageUp"):
		t.at = max(0, t.at-t.opts.Rows())
	case is("tui.select.pageDown"):
		t.at = min(len(t.rows)-1, t.at+t.opts.Rows())
	case ev.ID == "home":
		t.at = 0
	case ev.ID == "end":
		t.at = max(0, len(t.rows)-1)
	case is("tui.select.confirm"):
		if t.search != nil {
			t.endSearch(true)
		} else if n >= 0 {
			t.opts.OnSelect(n)
		}
	case is("tui.select.cancel"):
		if t.search != nil || t.query != "" {
			t.endSearch(false)
		} else {
			t.opts.OnCancel()
		}
	case t.search != nil:
		t.search.HandleKey(ev)
	case ev.Text == "/":
		t.search = components.NewInput(components.InputOptions{Bindings: t.opts.Bindings, Prompt: "/ ", OnChange: func() {
			t.query = t.search.Value()
			t.Refresh()
		}})
		t.search.SetValue(t.query)
		t.search.SetFocused(true)
	case is("app.tree.foldOrUp"):
		t.fold(n)
	case is("app.tree.unfoldOrDown"):
		t.unfold(n)
	case is("app.tree.filter.cycleForward"):
		t.setFilter((t.opts.Filter + 1) % len(t.opts.Filters))
	case is("app.tree.filter.cycleBackward"):
		t.setFilter((t.opts.Filter + len(t.opts.Filters) - 1) % len(t.opts.Filters))
	default:
		for i, id := range [...]string{"default", "noTools", "userOnly", "labeledOnly", "all"} {
			if i < len(t.opts.Filters) && is("app.tree.filter."+id) {
				t.setFilter(i)
				return true
			}
		}
		if t.opts.OnKey != nil && n >= 0 {
			t.opts.OnKey(ev, n)
		}
	}
	return true
}

func (t *Tree) endSearch(keep bool) {
	t.search = nil
	if !keep {
		t.query = ""
	}
	t.Refresh()
}

func (t *Tree) setFilter(f int) {
	t.opts.Filter = f
	t.Refresh()
}

// Filter returns the number of the filter.
func (t *Tree) Filter() int { return t.opts.Filter }

// fold closes the node, or goes to the node above if it is closed.
func (t *Tree) fold(n int) {
	if n < 0 {
		return
	}
	if t.rows[t.at].kids && !t.folded[n] {
		t.folded[n] = true
		t.Refresh()
		return
	}
	for i := t.at - 1; i >= 0; i-- {
		if len(t.rows[i].prefix) < len(t.rows[t.at].prefix) || !strings.HasSuffix(t.rows[t.at].prefix, "─") {
			t.at = i
			return
		}
	}
}

// unfold opens the node, or goes to its first child.
func (t *Tree) unfold(n int) {
	if n >= 0 && t.folded[n] {
		delete(t.folded, n)
		t.Refresh()
		return
	}
	t.at = min(len(t.rows)-1, t.at+1)
}

// HandleMouse implements tui.MouseHandler.
func (t *Tree) HandleMouse(ev tui.MouseEvent) bool {
	row := t.top + ev.Y - 1
	switch {
	case ev.Kind == tui.MouseWheel:
		t.at = max(0, min(len(t.rows)-1, t.at+ev.DY))
	case row < 0 || row >= len(t.rows) || ev.Y < 1 || ev.Y > t.opts.Rows():
		return false
	case ev.Kind == tui.MousePress:
		t.at = row
	case ev.Kind == tui.MouseClick && ev.Clicks == 2:
		t.opts.OnSelect(t.rows[row].node)
	}
	return true
}

// Render implements tui.Component. It costs the rows in sight.
func (t *Tree) Render(width int) []string {
	// The box is as high as the most rows there were: it does not jump while one
	// searches.
	t.most = max(t.most, len(t.rows), 8)
	n := max(1, min(t.opts.Rows(), t.most))
	t.top = max(min(t.top, t.at), t.at-n+1, 0)
	t.top = min(t.top, max(0, len(t.rows)-n))
	inner := max(1, width-4)
	filter := ""
	if len(t.opts.Filters) > 0 {
		filter = "filter: " + t.opts.Filters[t.opts.Filter]
	}
	if t.query != "" && t.search == nil {
		filter += " · / " + t.query
	}
	lines := []string{edge(t.opts.Style.Style, "╭", "╮", style(t.opts.Style.Title, t.opts.Title), style(t.opts.Style.Hint, filter), width)}
	border := func(s string) string { return style(t.opts.Style.Border, s) }
	for i := t.top; i < t.top+n; i++ {
		l := ""
		if i < len(t.rows) {
			l = t.line(i, inner)
		} else if len(t.rows) == 0 && i == t.top {
			l = style(t.opts.Style.Hint, "nothing here")
		}
		lines = append(lines, border("│ ")+text.Pad(l, inner)+border(" │"))
	}
	if t.search != nil {
		for _, l := range t.search.Render(inner) {
			lines = append(lines, border("│ ")+text.Pad(text.Truncate(l, inner, "…"), inner)+border(" │"))
		}
	}
	lines = append(lines, edge(t.opts.Style.Style, "╰", "╯", style(t.opts.Style.Hint, fitHint(t.opts.Hint, width-6)), "", width))
	if width < 8 {
		for i, l := range lines {
			lines[i] = text.Truncate(l, width, "")
		}
	}
	return lines
}

func (t *Tree) line(i, width int) string {
	r := t.rows[i]
	body, right := t.opts.Source.Row(r.node)
	mark := "○ "
	paint := t.opts.Style.Quiet
	if t.opts.Source.Active(r.node) {
		mark, paint = "● ", t.opts.Style.Active
	}
	if r.folded {
		mark = "⊞ "
	}
	prefix := r.prefix
	// Deep trees keep their end: that is where one is.
	if over := text.Width(prefix) - width/2; over > 0 {
		prefix = "…" + text.Slice(prefix, over+1, width)
	}
	if i == t.at {
		paint = t.opts.Style.Selected
	}
	room := width - text.Width(prefix) - 2
	rw := text.Width(right)
	if rw > 0 && room-rw-2 > 10 {
		room -= rw + 2
	} else {
		right = ""
	}
	l := style(t.opts.Style.Branch, prefix) + style(paint, mark+text.Truncate(body, max(1, room), "…"))
	if right != "" {
		l += text.Spaces(width-text.Width(l)-rw) + style(t.opts.Style.Hint, right)
	}
	return text.Truncate(l, width, "")
}

// edge is the top or bottom line of a box with a text at each side.
func edge(s Style, from, to, left, right string, width int) string {
	border := func(x string) string { return style(s.Border, x) }
	if width < 8 {
		return border(from + strings.Repeat("─", max(0, width-2)) + to)
	}
	left = text.Truncate(left, width-6, "…")
	lw, rw := text.Width(left), text.Width(right)
	if rw > 0 && lw+rw+10 > width {
		right, rw = "", 0
	}
	l := border(from+"─ ") + left
	fill := width - 2 - lw - 3
	if lw == 0 {
		l, fill = border(from), width-2
	} else {
		l += " "
	}
	if rw > 0 {
		return l + border(strings.Repeat("─", max(0, fill-rw-3))) + " " + right + " " + border("─"+to)
	}
	return l + border(strings.Repeat("─", max(0, fill))+to)
}
