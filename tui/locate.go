package tui

// locator knows where its children were drawn in the last frame.
type locator interface {
	locate(c Component) (s slot, ok bool)
}

func locateIn(c Component, slots []slot) (slot, bool) {
	for _, s := range slots {
		if s.c == c {
			return s, true
		}
		if l, ok := s.c.(locator); ok {
			if in, ok := l.locate(c); ok {
				in.x += s.x
				in.y += s.y - s.shift
				return in, true
			}
		}
	}
	return slot{}, false
}

func (s *VStack) locate(c Component) (slot, bool) { return locateIn(c, s.slots) }
func (s *HStack) locate(c Component) (slot, bool) { return locateIn(c, s.slots) }
func (b *Box) locate(c Component) (slot, bool)    { return locateIn(c, b.slots()) }

// Bounds returns where a component of the root's stacks was drawn in the last
// frame, in cells of the screen. On the main screen rows count from the top of
// the live window.
func (u *UI) Bounds(c Component) (x, y, width, height int, ok bool) {
	if r := u.draws.inline; r != nil {
		at, ok := r.leaves[c]
		return 0, at.y, u.w, at.h, ok
	}
	s, ok := locateIn(c, []slot{{c: u.root, w: u.w, h: u.h}})
	return s.x, s.y, s.w, s.h, ok
}

// Invalidate drops all caches, after a change of theme, and draws again.
func (u *UI) Invalidate() {
	if u.root != nil {
		Invalidate(u.root)
	}
	for _, o := range u.overlays {
		Invalidate(o.c)
	}
	u.RequestRender()
}

// Reveal scrolls as little as possible to bring a line of a node in sight.
func (v *ScrollView) Reveal(n *Node, line int) {
	if n.list != v.list || v.height == 0 {
		return
	}
	for _, p := range v.shown {
		if p.node == n && line >= p.from && line < p.from+p.n {
			return
		}
	}
	row := 0
	if v.node != nil && v.node.list == v.list && !(point{n, line, 0}).before(point{v.node, v.line, 0}) {
		row = v.height - 1
	}
	v.ScrollTo(n, line, row)
	v.resumeAtEnd()
}
