package tui

import "tau/tui/text"

// Box pads a component and colours the background of all of it. A child without
// lines gives no box.
type Box struct {
	Child      Component
	PadX, PadY int
	// Background colours one padded line. nil leaves it as it is. If what it
	// does changes, call Invalidate.
	Background func(string) string

	from  []string
	width int
	out   []string
	route router
}

// NewBox returns a box around c with one column and no rows of padding.
func NewBox(c Component, background func(string) string) *Box {
	return &Box{Child: c, PadX: 1, Background: background}
}

// Invalidate drops the caches of the box and of its child.
func (b *Box) Invalidate() {
	b.out = nil
	Invalidate(b.Child)
}

// Settled passes on what the child says: a line is final if the child's is.
func (b *Box) Settled(width int) int {
	s, ok := b.Child.(Settler)
	if !ok {
		return 0
	}
	n := s.Settled(b.inner(width))
	if n == allSettled || n <= 0 {
		return n
	}
	return n + b.PadY
}

func (b *Box) inner(width int) int { return max(1, width-2*b.PadX) }

// Render is part of Component. While the child returns the same lines, so does
// the box.
func (b *Box) Render(width int) []string {
	inner := b.inner(width)
	lines := render(b.Child, inner)
	if b.out != nil && width == b.width && sameLines(lines, b.from) {
		return b.out
	}
	b.from, b.width = lines, width
	if len(lines) == 0 {
		b.out = nil
		return nil
	}
	left := min(b.PadX, max(0, (width-inner)/2))
	pad := func(s string) string {
		s = text.Pad(text.Spaces(left)+s, width)
		if b.Background != nil {
			s = b.Background(s)
		}
		return s
	}
	out := make([]string, 0, len(lines)+2*b.PadY)
	for range b.PadY {
		out = append(out, pad(""))
	}
	for _, l := range lines {
		out = append(out, pad(l+text.Close(l)))
	}
	for range b.PadY {
		out = append(out, pad(""))
	}
	b.out = out
	return out
}

// HandleMouse passes the event to the child in its own coordinates.
func (b *Box) HandleMouse(ev MouseEvent) bool {
	return b.route.mouse(ev, b.slots())
}

func (b *Box) slots() []slot {
	return []slot{{c: b.Child, x: b.PadX, y: b.PadY, w: b.inner(b.width), h: len(b.from)}}
}
