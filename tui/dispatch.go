package tui

import (
	"time"

	"tau/tui/input"
	"tau/tui/key"
	"tau/tui/text"
)

// Focus gives the keyboard to c (nil: to nobody).
func (u *UI) Focus(c Component) {
	if u.focused == c {
		return
	}
	if f, ok := u.focused.(Focusable); ok {
		f.SetFocused(false)
	}
	u.focused = c
	if f, ok := c.(Focusable); ok {
		f.SetFocused(true)
	}
	u.RequestRender()
}

// Focused returns the component that has the keyboard.
func (u *UI) Focused() Component { return u.focused }

// OnKey adds a function that gets every key before any component. It reports
// whether it used the key. Functions are asked in the order they were added.
func (u *UI) OnKey(f func(key.Event) bool) { u.before = append(u.before, f) }

// OnUnusedKey adds a function that gets the keys nobody used.
func (u *UI) OnUnusedKey(f func(key.Event) bool) { u.after = append(u.after, f) }

// OnMouse adds a function that gets every mouse event, in cells of the screen,
// before any component. It reports whether it used the event.
func (u *UI) OnMouse(f func(MouseEvent) bool) { u.onMouse = append(u.onMouse, f) }

// handle deals with events of the terminal.
func (u *UI) handle(events []input.Event) {
	for _, ev := range events {
		switch ev := ev.(type) {
		case key.Event:
			u.handleKey(ev)
			u.draws.dirty, u.draws.now = true, true
		case input.Paste:
			u.fixFocus()
			if u.find != nil {
				u.find.setQuery(u.find.query + text.ReplaceControls(ev.Text))
			} else if h, ok := u.focused.(PasteHandler); ok {
				h.HandlePaste(ev.Text)
			}
			u.draws.dirty, u.draws.now = true, true
		case input.Mouse:
			u.handleMouse(ev, time.Now())
		case input.Focus:
			if !ev.In {
				u.mouseLost()
			}
			if u.opt.OnFocus != nil {
				u.opt.OnFocus(ev.In)
			}
		case input.Color:
			if u.opt.OnColor != nil {
				u.opt.OnColor(ev)
				u.draws.dirty = true
			}
		case input.CellSize:
			if u.opt.Pictures != nil {
				u.opt.Pictures.setCell(ev.Width, ev.Height)
			}
		case input.Scheme:
			if u.opt.OnScheme != nil {
				u.opt.OnScheme(ev.Dark)
				u.draws.dirty = true
			}
		}
		if u.quitting {
			return
		}
	}
}

// handleKey asks, in this order: OnKey functions, the viewport keys, the
// component with the focus, OnUnusedKey functions.
func (u *UI) handleKey(ev key.Event) {
	if ev.Action == key.Release {
		if r, ok := u.focused.(ReleaseHandler); ok && r.WantsKeyRelease() {
			if h, ok := u.focused.(KeyHandler); ok {
				h.HandleKey(ev)
			}
		}
		return
	}
	for _, f := range u.before {
		if f(ev) {
			return
		}
	}
	u.fixFocus()
	if u.viewportKey(ev) {
		return
	}
	if h, ok := u.focused.(KeyHandler); ok && h.HandleKey(ev) {
		return
	}
	for _, f := range u.after {
		if f(ev) {
			return
		}
	}
}

// viewportKey handles the keys of the primary view, unless an overlay or a
// component that wants them has the focus.
func (u *UI) viewportKey(ev key.Event) bool {
	v := u.view
	if v == nil || u.draws.inline != nil {
		return false
	}
	if u.find != nil && u.find.key(ev) {
		return true
	}
	if u.cells.active && !u.opt.CopyOnSelect && u.keys.Matches(ev, "tui.input.copy") {
		u.Copy(u.screenText())
		u.clearScreenSelection()
		return true
	}
	u.clearScreenSelection()
	if v.HasSelection() && !u.opt.CopyOnSelect && u.keys.Matches(ev, "tui.input.copy") {
		u.Copy(v.Selection())
		v.ClearSelection()
		return true
	}
	if u.topCapturing(nil) != nil {
		return false
	}
	if b, ok := u.focused.(ViewportBlocker); ok && b.BlocksViewport() {
		return false
	}
	is := func(action string) bool { return u.keys.Matches(ev, "tui.altScreen."+action) }
	page := max(1, v.height-4)
	switch {
	case is("pageUp"):
		v.ScrollBy(-page)
	case is("pageDown"):
		v.ScrollBy(page)
	case is("halfPageUp"):
		v.ScrollBy(-max(1, v.height/2))
	case is("halfPageDown"):
		v.ScrollBy(max(1, v.height/2))
	case is("lineUp"):
		v.ScrollBy(-1)
	case is("lineDown"):
		v.ScrollBy(1)
	case is("top"):
		v.ScrollToStart()
	case is("bottom"):
		v.ScrollToEnd()
	case is("previousPrompt"):
		v.JumpPrompt(-1)
	case is("nextPrompt"):
		v.JumpPrompt(1)
	case is("search"):
		u.OpenSearch()
	default:
		return false
	}
	return true
}

// mouseState remembers what makes presses into clicks.
type mouseState struct {
	down     bool
	button   input.Button
	x, y     int
	moved    bool
	clicks   int
	lastTime time.Time
	lastX    int
	lastY    int
	captured *Overlay // got the press
	root     bool     // the root used the press
}

// mouseLost ends a drag whose release will not come.
func (u *UI) mouseLost() {
	m := &u.mouse
	if !m.down {
		return
	}
	u.dispatchMouse(MouseEvent{Kind: MouseRelease, Button: m.button, X: m.x, Y: m.y})
	m.down, m.clicks = false, 0
	u.cells.dragging = false
	if u.view != nil {
		u.view.endDrag()
	}
}

// click opens the link under the mouse, or else tells the component.
func (u *UI) click(ev MouseEvent) bool {
	if ev.Y < len(u.draws.rows) && u.opt.OpenLink != nil && ev.Button == input.Left {
		if url, ok := text.LinkAt(u.draws.rows[ev.Y], ev.X); ok {
			u.opt.OpenLink(url)
			return true
		}
	}
	return u.dispatchMouse(ev)
}

// handleMouse turns reports into events of components.
func (u *UI) handleMouse(in input.Mouse, now time.Time) {
	m := &u.mouse
	ev := MouseEvent{Button: in.Button, X: in.X, Y: in.Y, DX: in.DX, DY: in.DY, Shift: in.Shift, Alt: in.Alt, Ctrl: in.Ctrl}
	switch in.Action {
	case input.MouseWheel:
		ev.Kind = MouseWheel
		// What nobody else has a use for scrolls the primary view.
		if u.dispatchMouse(ev) || u.view != nil && u.draws.inline == nil && u.view.turn(ev) {
			u.draws.dirty = true
		}
		return
	case input.MousePress:
		ev.Kind = MousePress
		again := m.clicks > 0 && in.X == m.lastX && in.Y == m.lastY && now.Sub(m.lastTime) <= 500*time.Millisecond
		if again {
			m.clicks = m.clicks%3 + 1
		} else {
			m.clicks = 1
		}
		m.lastTime, m.lastX, m.lastY = now, in.X, in.Y
		m.down, m.moved, m.button, m.x, m.y = true, false, in.Button, in.X, in.Y
	case input.MouseRelease:
		ev.Kind = MouseRelease
		if ev.Button == input.NoButton {
			ev.Button = m.button
		}
	case input.MouseMotion:
		ev.Kind = MouseMove
		if m.down {
			ev.Kind = MouseDrag
			if in.X == m.x && in.Y == m.y {
				return
			}
			m.moved, m.x, m.y, m.clicks = true, in.X, in.Y, 0
		}
	}
	ev.Clicks = max(1, m.clicks)
	used := u.dispatchMouse(ev)
	if used && ev.Kind == MousePress {
		u.clearScreenSelection()
	} else if !used {
		used = u.selectScreen(ev)
	}
	if in.Action == input.MouseRelease {
		click := m.down && !m.moved
		m.down = false
		if click {
			ev.Kind = MouseClick
			used = u.click(ev) || used
		}
	}
	if used {
		u.draws.dirty, u.draws.now = true, in.Action != input.MouseMotion
	}
}

// dispatchMouse passes an event to the overlay under the mouse, or to the root.
func (u *UI) dispatchMouse(ev MouseEvent) bool {
	m := &u.mouse
	for _, f := range u.onMouse {
		if f(ev) {
			return true
		}
	}
	if ev.Kind == MouseDrag || ev.Kind == MouseRelease {
		if o := m.captured; o != nil {
			if ev.Kind == MouseRelease {
				m.captured = nil
			}
			return o.mouse(ev)
		}
		if !m.root {
			return false
		}
		m.root = ev.Kind != MouseRelease
		return deliver(ev, slot{c: u.root})
	}
	os := u.sortedOverlays()
	for i := len(os) - 1; i >= 0; i-- {
		o := os[i]
		if ev.X < o.x || ev.X >= o.x+o.w || ev.Y < o.y || ev.Y >= o.y+o.h {
			continue
		}
		used := o.mouse(ev)
		if ev.Kind == MousePress {
			m.captured = o
			if !o.opt.NonCapturing && !o.Focused() {
				o.Focus()
			}
		}
		// The wheel goes on to what is behind if the overlay has no use for it.
		if used || ev.Kind != MouseWheel {
			return used
		}
	}
	used := deliver(ev, slot{c: u.root})
	if ev.Kind == MousePress {
		m.root = used
	}
	return used
}

func (o *Overlay) mouse(ev MouseEvent) bool {
	return deliver(ev, slot{c: o.c, x: o.x, y: o.y, shift: o.shift})
}
