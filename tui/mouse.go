package tui

import "tau/tui/input"

// MouseKind is what the mouse did, as components see it.
type MouseKind uint8

// The kinds. A press that a component uses captures the mouse for it: drags and
// the release go to it wherever they happen. Click follows a release on the
// cell of the press.
const (
	MousePress MouseKind = iota
	MouseRelease
	MouseDrag
	MouseMove
	MouseClick
	MouseWheel
)

// MouseEvent is a mouse event in the coordinates of the component that gets
// it: X and Y count cells (of all its lines, not only of those in sight) from
// its top left.
type MouseEvent struct {
	Kind             MouseKind
	Button           input.Button
	X, Y             int
	DX, DY           int // wheel steps
	Clicks           int // 1, 2 or 3 for a press and a click
	Shift, Alt, Ctrl bool
}

// MouseHandler takes mouse events and reports whether it used them.
type MouseHandler interface {
	HandleMouse(ev MouseEvent) bool
}

// router passes mouse events to the slots of a container and remembers who
// captured the mouse.
type router struct {
	captured Component
}

func (r *router) mouse(ev MouseEvent, slots []slot) bool {
	if r.captured != nil && (ev.Kind == MouseDrag || ev.Kind == MouseRelease) {
		c := r.captured
		if ev.Kind == MouseRelease {
			r.captured = nil
		}
		for _, s := range slots {
			if s.c == c {
				return deliver(ev, s)
			}
		}
		return false
	}
	for i := len(slots) - 1; i >= 0; i-- {
		s := slots[i]
		if ev.X < s.x || ev.X >= s.x+s.w || ev.Y < s.y || ev.Y >= s.y+s.h {
			continue
		}
		if deliver(ev, s) {
			if ev.Kind == MousePress {
				r.captured = s.c
			}
			return true
		}
	}
	return false
}

func deliver(ev MouseEvent, s slot) bool {
	h, ok := s.c.(MouseHandler)
	if !ok {
		return false
	}
	ev.X -= s.x
	ev.Y -= s.y - s.shift
	return h.HandleMouse(ev)
}
