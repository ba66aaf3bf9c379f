package tui

import (
	"slices"

	"tau/tui/text"
)

// Size is a number of cells or a share of the screen. The zero value is unset.
type Size struct {
	n       int
	percent bool
	set     bool
}

// Cells returns a size in columns or rows.
func Cells(n int) Size { return Size{n: n, set: true} }

// Percent returns a share of the screen.
func Percent(n int) Size { return Size{n: n, percent: true, set: true} }

func (s Size) of(total int) int {
	if s.percent {
		return total * s.n / 100
	}
	return s.n
}

// Anchor is a place on the screen.
type Anchor uint8

// The anchors.
const (
	Center Anchor = iota
	TopLeft
	TopCenter
	TopRight
	LeftCenter
	RightCenter
	BottomLeft
	BottomCenter
	BottomRight
)

// Margin keeps an overlay off the edges. Negative values count as 0.
type Margin struct{ Top, Right, Bottom, Left int }

// OverlayOptions say where an overlay stands. The zero value is a box of 80
// columns (or what fits) in the middle of the screen that takes the keyboard.
type OverlayOptions struct {
	Width     Size // default: 80 columns, or what fits
	MinWidth  int
	MaxHeight Size // default: what fits

	// Above puts the overlay directly above a component of the root's stacks,
	// at its left edge and by default as wide, or below it if there is no
	// room; such as the completions of an editor. Offsets and margins count.
	Above Component

	Anchor           Anchor
	Row, Col         Size // absolute, or a share of the free space; before Anchor
	OffsetX, OffsetY int
	Margin           Margin
	// Gutter columns on both sides, as far as there are any, are blank, so that
	// no cut words touch the overlay.
	Gutter int

	// NonCapturing overlays never get the keyboard by themselves.
	NonCapturing bool
	// Visible, if not nil, is asked in each frame.
	Visible func(width, height int) bool
}

// Overlay is the handle of a component that is shown above all else.
type Overlay struct {
	ui     *UI
	c      Component
	opt    OverlayOptions
	prev   Component // had the focus before
	hidden bool
	gone   bool
	order  int

	x, y, w, h int // where it was drawn
	shift      int
}

// Component returns the component of the overlay.
func (o *Overlay) Component() Component { return o.c }

// Bounds returns the cells it was drawn in last.
func (o *Overlay) Bounds() (x, y, width, height int) { return o.x, o.y, o.w, o.h }

// SetOptions changes the options.
func (o *Overlay) SetOptions(opt OverlayOptions) {
	o.opt = opt
	o.ui.RequestRender()
}

// ShowOverlay shows a component above all else. Unless it is NonCapturing, it
// gets the keyboard; when it is closed, the keyboard goes to the topmost
// capturing overlay that is left, or else to what had it before.
func (u *UI) ShowOverlay(c Component, opt OverlayOptions) *Overlay {
	u.orders++
	o := &Overlay{ui: u, c: c, opt: opt, prev: u.focused, order: u.orders}
	u.overlays = append(u.overlays, o)
	if !opt.NonCapturing && o.visible() {
		u.Focus(c)
	}
	u.RequestRender()
	return o
}

// HideOverlay closes the topmost overlay, if there is one.
func (u *UI) HideOverlay() {
	var top *Overlay
	for _, o := range u.overlays {
		if top == nil || o.order > top.order {
			top = o
		}
	}
	if top != nil {
		top.Hide()
	}
}

// HasOverlay reports whether a capturing overlay is in sight.
func (u *UI) HasOverlay() bool { return u.topCapturing(nil) != nil }

func (o *Overlay) visible() bool {
	return !o.gone && !o.hidden && (o.opt.Visible == nil || o.opt.Visible(o.ui.w, o.ui.h))
}

func (u *UI) topCapturing(not *Overlay) *Overlay {
	var top *Overlay
	for _, o := range u.overlays {
		if o != not && !o.opt.NonCapturing && o.visible() && (top == nil || o.order > top.order) {
			top = o
		}
	}
	return top
}

// release gives the keyboard of o to whoever is next.
func (o *Overlay) release() {
	if top := o.ui.topCapturing(o); top != nil {
		o.ui.Focus(top.c)
	} else {
		o.ui.Focus(o.prev)
	}
}

// Hide closes the overlay for good.
func (o *Overlay) Hide() {
	if o.gone {
		return
	}
	u := o.ui
	u.overlays = slices.DeleteFunc(u.overlays, func(p *Overlay) bool { return p == o })
	for _, p := range u.overlays {
		if p.prev == o.c {
			p.prev = o.prev
		}
	}
	focused := u.focused == o.c
	o.gone = true
	if focused {
		o.release()
	}
	u.RequestRender()
}

// SetHidden takes the overlay out of sight for a while.
func (o *Overlay) SetHidden(hidden bool) {
	if o.gone || o.hidden == hidden {
		return
	}
	o.hidden = hidden
	u := o.ui
	switch {
	case hidden && u.focused == o.c:
		o.release()
	case !hidden && !o.opt.NonCapturing && o.visible():
		u.orders++
		o.order = u.orders
		u.Focus(o.c)
	}
	u.RequestRender()
}

// Hidden reports whether it was taken out of sight by SetHidden.
func (o *Overlay) Hidden() bool { return o.hidden }

// Focus gives it the keyboard and puts it on top.
func (o *Overlay) Focus() {
	if !o.visible() {
		return
	}
	o.ui.orders++
	o.order = o.ui.orders
	o.ui.Focus(o.c)
	o.ui.RequestRender()
}

// Unfocus gives the keyboard back.
func (o *Overlay) Unfocus() {
	if !o.gone && o.ui.focused == o.c {
		o.release()
	}
}

// Focused reports whether it has the keyboard.
func (o *Overlay) Focused() bool { return !o.gone && o.ui.focused == o.c }

// fixFocus takes the keyboard from an overlay that has gone out of sight.
func (u *UI) fixFocus() {
	for _, o := range u.overlays {
		if o.c == u.focused && !o.visible() {
			o.release()
			return
		}
	}
}

// place finds the width of the overlay and the rows it may have, and with the
// height it really has, its corner.
func (o *Overlay) place(w, h, height int) (x, y, width, maxHeight int) {
	m := o.opt.Margin
	top, right, bottom, left := max(0, m.Top), max(0, m.Right), max(0, m.Bottom), max(0, m.Left)
	availW, availH := max(1, w-left-right), max(1, h-top-bottom)
	width = min(80, availW)
	if o.opt.Width.set {
		width = o.opt.Width.of(w)
	}
	width = min(max(width, o.opt.MinWidth, 1), availW)
	maxHeight = availH
	if o.opt.MaxHeight.set {
		maxHeight = min(max(o.opt.MaxHeight.of(h), 1), availH)
	}
	if o.opt.Above != nil {
		if cx, cy, cw, ch, ok := o.ui.Bounds(o.opt.Above); ok {
			return o.placeAbove(cx, cy, cw, ch, w, h, height)
		}
	}
	height = min(height, maxHeight)
	freeX, freeY := max(0, availW-width), max(0, availH-height)

	switch o.opt.Anchor {
	case TopLeft, LeftCenter, BottomLeft:
		x = left
	case TopRight, RightCenter, BottomRight:
		x = left + freeX
	default:
		x = left + freeX/2
	}
	switch o.opt.Anchor {
	case TopLeft, TopCenter, TopRight:
		y = top
	case BottomLeft, BottomCenter, BottomRight:
		y = top + freeY
	default:
		y = top + freeY/2
	}
	if o.opt.Col.set {
		x = o.opt.Col.n
		if o.opt.Col.percent {
			x = left + freeX*o.opt.Col.n/100
		}
	}
	if o.opt.Row.set {
		y = o.opt.Row.n
		if o.opt.Row.percent {
			y = top + freeY*o.opt.Row.n/100
		}
	}
	x += o.opt.OffsetX
	y += o.opt.OffsetY
	x = min(max(x, left), left+freeX)
	y = min(max(y, top), top+freeY)
	return x, y, width, maxHeight
}

// placeAbove is place for an overlay above the component at cx, cy.
func (o *Overlay) placeAbove(cx, cy, cw, ch, w, h, height int) (x, y, width, maxHeight int) {
	m := o.opt.Margin
	top, bottom := max(0, m.Top), max(0, m.Bottom)
	width = cw - o.opt.OffsetX
	if o.opt.Width.set {
		width = o.opt.Width.of(w)
	}
	x = min(max(cx+o.opt.OffsetX, max(0, m.Left)), max(0, w-1))
	width = min(max(width, o.opt.MinWidth, 1), max(1, w-x-max(0, m.Right)))
	above, below := cy-top, h-bottom-cy-ch
	room := above
	up := height <= above || above >= below
	if !up {
		room = below
	}
	maxHeight = max(1, room)
	if height == 0 { // not known yet: as much as there is on either side
		maxHeight = max(1, above, below)
	}
	if o.opt.MaxHeight.set {
		maxHeight = min(max(o.opt.MaxHeight.of(h), 1), maxHeight)
	}
	height = min(height, maxHeight)
	if y = cy - height; !up {
		y = cy + ch
	}
	y += o.opt.OffsetY
	return x, min(max(y, 0), max(0, h-1)), width, maxHeight
}

// sortedOverlays returns the overlays in sight, bottom first.
func (u *UI) sortedOverlays() []*Overlay {
	var out []*Overlay
	for _, o := range u.overlays {
		if o.visible() {
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, func(a, b *Overlay) int { return a.order - b.order })
	return out
}

// drawOverlays puts the overlays onto rows, which has h entries.
func (u *UI) drawOverlays(rows []string, w, h int) {
	if len(u.overlays) == 0 {
		return
	}
	for _, o := range u.sortedOverlays() {
		_, _, width, maxHeight := o.place(w, h, 0)
		var lines []string
		lines, o.shift = renderArea(o.c, width, maxHeight)
		o.x, o.y, _, _ = o.place(w, h, len(lines))
		o.w, o.h = width, min(len(lines), maxHeight)
		left, right := min(o.opt.Gutter, o.x), min(o.opt.Gutter, max(0, w-o.x-width))
		for i, l := range lines {
			y := o.y + i
			if y >= h {
				break
			}
			if left+right > 0 {
				rows[y] = text.Overlay(rows[y], "", o.x-left, left+width+right)
			}
			rows[y] = text.Overlay(rows[y], l, o.x, width)
		}
	}
}
