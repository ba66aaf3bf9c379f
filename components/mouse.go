package components

import (
	"tau/tui"
	"tau/tui/input"
)

// leftClick reports a plain click of the left button.
func leftClick(ev tui.MouseEvent) bool {
	return ev.Kind == tui.MouseClick && ev.Button == input.Left && ev.Clicks <= 1 && !ev.Shift && !ev.Alt && !ev.Ctrl
}

// HandleMouse implements tui.MouseHandler: a click puts the caret. Presses and
// drags are left to the selection of the screen.
func (e *Editor) HandleMouse(ev tui.MouseEvent) bool {
	return leftClick(ev) && e.Click(ev.Y, ev.X)
}

// HandleMouse implements tui.MouseHandler: a click puts the caret.
func (in *Input) HandleMouse(ev tui.MouseEvent) bool {
	return leftClick(ev) && ev.Y == 0 && in.Click(ev.X)
}

// HandleMouse implements tui.MouseHandler: a press selects, a click chooses
// what was pressed, the wheel moves the selection. Moving over rows does
// nothing.
func (l *SelectList) HandleMouse(ev tui.MouseEvent) bool {
	switch {
	case ev.Kind == tui.MouseWheel && ev.DY != 0:
		l.Wheel(ev.DY)
	case ev.Kind == tui.MousePress && ev.Button == input.Left:
		return l.Press(ev.Y)
	case ev.Kind == tui.MouseClick && ev.Button == input.Left:
		return l.Click(ev.Y)
	default:
		return false
	}
	return true
}

// BlocksViewport implements tui.ViewportBlocker: paging moves in the list.
func (l *SelectList) BlocksViewport() bool { return true }

// HandleMouse implements tui.MouseHandler as SelectList does; an open submenu
// gets all events.
func (l *SettingsList) HandleMouse(ev tui.MouseEvent) bool {
	if l.sub != nil {
		h, ok := l.sub.(tui.MouseHandler)
		return ok && h.HandleMouse(ev)
	}
	switch {
	case ev.Kind == tui.MouseWheel && ev.DY != 0 && len(l.shown) > 0:
		l.sel = min(len(l.shown)-1, max(0, l.sel+ev.DY))
		l.version++
	case ev.Kind == tui.MousePress && ev.Button == input.Left:
		return l.Press(ev.Y)
	case ev.Kind == tui.MouseClick && ev.Button == input.Left:
		return l.Click(ev.Y)
	default:
		return false
	}
	return true
}

// BlocksViewport implements tui.ViewportBlocker.
func (l *SettingsList) BlocksViewport() bool { return true }

// HandlePaste implements tui.PasteHandler: pasted text is searched for, or goes
// to an open submenu.
func (l *SettingsList) HandlePaste(s string) bool {
	if h, ok := l.sub.(tui.PasteHandler); ok {
		return h.HandlePaste(s)
	}
	if l.sub != nil || !l.o.Search {
		return false
	}
	l.search(l.query + flat(s))
	return true
}

// Menu is the completion menu of an editor as a component, for applications
// that float it.
type Menu struct{ Editor *Editor }

// Render implements tui.Component; a closed menu has no lines.
func (m Menu) Render(width int) []string { return m.Editor.Menu(width) }

// HandleMouse implements tui.MouseHandler: a click accepts a completion.
func (m Menu) HandleMouse(ev tui.MouseEvent) bool {
	switch {
	case ev.Kind == tui.MouseWheel && ev.DY != 0:
		return m.Editor.MenuWheel(ev.DY)
	case ev.Kind == tui.MousePress && ev.Button == input.Left:
		return true
	}
	return leftClick(ev) && m.Editor.MenuClick(ev.Y)
}
