package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tau/tui/key"
	"tau/tui/text"
)

// match is one occurrence: from a cell of one line to behind a cell of another
// (or the same) line of a node.
type match struct {
	node            *Node
	line, col       int
	endLine, endCol int
}

// search is a search in a view: literal, without regard to case, with any run
// of blanks (also a line's end) for a blank. Nodes are searched from the end of
// the list upwards in slices of a few milliseconds.
type search struct {
	ui      *UI
	view    *ScrollView
	panel   *Overlay
	query   string
	needle  []rune
	found   map[*Node]hits    // the nodes that have been searched
	with    map[*Node][]match // those of them that have matches
	order   matchOrder
	cursor  int    // nodes from here on have been searched
	seen    int    // as far as there were any
	moves   uint64 // of the list then
	cancel  func()
	current match
	picked  bool
}

// hits are the matches of a node in the state it was searched in.
type hits struct {
	first   *string // identifies the lines
	n       int
	matches []match
}

// OpenSearch opens the search panel of the primary view. On the main screen it
// does nothing: there the terminal has the lines, and its own search.
func (u *UI) OpenSearch() {
	if u.view == nil || u.find != nil || u.draws.inline != nil {
		return
	}
	s := &search{ui: u, view: u.view}
	u.find = s
	s.panel = u.ShowOverlay(s, OverlayOptions{
		Width: Percent(40), MinWidth: 32, Anchor: TopRight, NonCapturing: true,
	})
	s.panel.Focus()
	s.setQuery("")
}

// CloseSearch closes the search panel. The view stays where it is.
func (u *UI) CloseSearch() {
	s := u.find
	if s == nil {
		return
	}
	u.find = nil
	if s.cancel != nil {
		s.cancel()
	}
	s.panel.Hide()
	u.RequestRender()
}

func (s *search) setQuery(q string) {
	s.query = q
	s.needle = s.needle[:0]
	blank := false
	for _, r := range strings.TrimSpace(q) {
		if unicode.IsSpace(r) {
			blank = true
			continue
		}
		if blank {
			s.needle = append(s.needle, ' ')
			blank = false
		}
		s.needle = append(s.needle, unicode.ToLower(r))
	}
	s.found, s.with, s.picked = map[*Node]hits{}, map[*Node][]match{}, false
	s.order = matchOrder{stale: true}
	s.cursor = s.view.list.Len()
	s.seen, s.moves = s.cursor, s.view.list.moves
	if s.cancel != nil {
		s.cancel()
		s.cancel = nil
	}
	s.work()
	s.ui.RequestRender()
}

// work searches for a few milliseconds and comes back if there is more to do.
func (s *search) work() {
	s.cancel = nil
	if len(s.needle) == 0 {
		return
	}
	l := s.view.list
	l.begin(l.width)
	s.cursor = min(s.cursor, l.Len())
	for end := time.Now().Add(3 * time.Millisecond); s.cursor > 0 && time.Now().Before(end); {
		s.cursor--
		s.node(l.nodes[s.cursor])
	}
	if !s.picked && len(s.with) > 0 {
		s.pick()
	}
	if s.cursor > 0 {
		s.cancel = s.ui.After(time.Millisecond, s.work)
	} else {
		s.ui.RequestRender()
	}
}

// node searches one node, unless it was searched as it is.
func (s *search) node(n *Node) []match {
	l := s.view.list
	h := l.measure(n)
	lines := l.slice(n, 0, h)
	var first *string
	if len(lines) > 0 {
		first = &lines[0]
	}
	if old, ok := s.found[n]; ok && old.first == first && old.n == len(lines) {
		return old.matches
	}
	m := find(n, lines, s.needle)
	if !slices.Equal(m, s.with[n]) {
		s.order.stale = true
	}
	s.found[n] = hits{first, len(lines), m}
	if len(m) > 0 {
		s.with[n] = m
	} else {
		delete(s.with, n)
	}
	return m
}

// find returns the matches of needle in the lines of a node.
func find(n *Node, lines []string, needle []rune) []match {
	if len(needle) == 0 {
		return nil
	}
	type cell struct{ line, col, end int }
	var hay []rune
	var at []cell
	for i, raw := range lines {
		line := strings.TrimRight(text.StripSequences(raw), " ")
		if i > 0 && len(hay) > 0 && hay[len(hay)-1] != ' ' {
			hay = append(hay, ' ')
			at = append(at, cell{i - 1, 1 << 20, 1 << 20})
		}
		col := 0
		for line != "" {
			c, w := text.Next(line)
			line = line[len(c):]
			r, _ := utf8.DecodeRuneInString(c)
			if unicode.IsSpace(r) {
				if len(hay) > 0 && hay[len(hay)-1] != ' ' {
					hay = append(hay, ' ')
					at = append(at, cell{i, col, col + w})
				}
			} else {
				for _, r := range c {
					hay = append(hay, unicode.ToLower(r))
					at = append(at, cell{i, col, col + w})
				}
			}
			col += w
		}
	}
	var out []match
	for i := 0; i+len(needle) <= len(hay); i++ {
		if hay[i] != needle[0] || !slices.Equal(hay[i:i+len(needle)], needle) {
			continue
		}
		last := at[i+len(needle)-1]
		out = append(out, match{n, at[i].line, at[i].col, last.line, last.end})
		i += len(needle) - 1
	}
	return out
}

func (m match) before(o match) bool {
	return point{m.node, m.line, m.col}.before(point{o.node, o.line, o.col})
}

// pick makes the match nearest to what is in sight the current one.
func (s *search) pick() {
	v := s.view
	if v.node == nil || v.node.list == nil {
		return
	}
	if m, ok := s.sorted().from(s.with, point{v.node, v.line, 0}); ok {
		s.show(m)
	}
}

// show makes m the current match and brings it in sight, a third from the top.
func (s *search) show(m match) {
	s.current, s.picked = m, true
	v := s.view
	for _, p := range v.shown {
		if p.node == m.node && m.line >= p.from && m.line < p.from+p.n {
			s.ui.RequestRender()
			return // it is in sight
		}
	}
	v.ScrollTo(m.node, m.line, v.height/3)
	v.resumeAtEnd()
}

// step goes to the next (1) or previous (-1) match, around the ends. It looks at
// the nodes up to there again, as they may have changed.
func (s *search) step(dir int) {
	l := s.view.list
	l.begin(l.width)
	s.cursor = min(s.cursor, l.Len())
	if s.moves != l.moves {
		s.seen = s.cursor
	}
	for i := s.seen; i < l.Len(); i++ { // added meanwhile
		s.node(l.nodes[i])
	}
	s.seen, s.moves = l.Len(), l.moves
	if !s.picked || s.current.node.list == nil {
		for i := s.cursor; i < l.Len(); i++ {
			s.node(l.nodes[i])
		}
		s.pick()
		return
	}
	n := l.Len() - s.cursor
	at := s.current.node.index - s.cursor
	for k := 0; k <= n && n > 0; k++ {
		i := ((at+dir*k)%n + n) % n
		m, ok := beside(s.node(l.nodes[s.cursor+i]), s.current, dir, k)
		if ok {
			s.show(m)
			return
		}
	}
}

// beside returns the first match in a direction: of the node of the current one
// what is beyond it (k is 0), of others all.
func beside(ms []match, current match, dir, k int) (match, bool) {
	for i := range ms {
		m := ms[i]
		if dir < 0 {
			m = ms[len(ms)-1-i]
		}
		if k > 0 || dir > 0 && current.before(m) || dir < 0 && m.before(current) {
			return m, true
		}
	}
	return match{}, false
}

// key takes the keys of the panel.
func (s *search) key(ev key.Event) bool {
	is := func(action string) bool { return s.ui.keys.Matches(ev, "tui.altScreen."+action) }
	switch {
	case is("searchClose"):
		s.ui.CloseSearch()
	case is("searchNext"):
		s.step(1)
	case is("searchPrevious"):
		s.step(-1)
	case ev.Is("backspace"):
		if s.query != "" {
			_, n := utf8.DecodeLastRuneInString(s.query)
			s.setQuery(s.query[:len(s.query)-n])
		}
	case ev.Is("ctrl+u"):
		s.setQuery("")
	case ev.Text != "":
		s.setQuery(s.query + ev.Text)
	default:
		return false
	}
	return true
}

// Render draws the panel.
func (s *search) Render(width int) []string {
	inner := max(1, width-4)
	label := ""
	if len(s.needle) > 0 {
		o := s.sorted()
		label = fmt.Sprintf("%d/%d", o.number(s.with, s.current), o.total)
		if s.cursor > 0 {
			label += "…"
		}
	}
	room := max(1, inner-text.Width(label)-2)
	q := text.Sanitize(s.query)
	if w := text.Width(q); w > room {
		q = text.Slice(q, w-room, room)
	}
	line := text.Pad(q+CursorMarker+" ", inner-text.Width(label)) + "\x1b[2m" + label + "\x1b[22m"
	k := s.ui.keys
	hint := text.Truncate(fmt.Sprintf(" %s next · %s close ",
		k.Hint("tui.altScreen.searchNext"), k.Hint("tui.altScreen.searchClose")), inner, "")
	return []string{
		"╭─ search " + strings.Repeat("─", max(0, width-11)) + "╮",
		"│ " + text.Pad(text.Slice(line, 0, inner+1), inner) + " │",
		"╰─" + hint + strings.Repeat("─", max(0, width-3-text.Width(hint))) + "╯",
	}
}

// paint shows the matches of a line.
func (s *search) paint(n *Node, line int, str string) string {
	for _, m := range s.node(n) {
		if line < m.line || line > m.endLine {
			continue
		}
		from, to := 0, text.Width(strings.TrimRight(text.StripSequences(str), " "))
		if line == m.line {
			from = m.col
		}
		if line == m.endLine {
			to = m.endCol
		}
		on, off := "\x1b[7m", "\x1b[27m"
		if m == s.current {
			on, off = "\x1b[7;4m", "\x1b[27;24m"
		}
		str = text.Highlight(str, from, to, on, off)
	}
	return str
}
