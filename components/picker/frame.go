package picker

import (
	"slices"
	"strings"

	"tau/tui"
	"tau/tui/key"
	"tau/tui/text"
)

// FrameOptions configure a Frame.
type FrameOptions struct {
	Title, Hint string
	Style       Style
	// OnKey sees each key before what is inside.
	OnKey func(key.Event) bool
}

// Frame is a box around another component, which gets its keys, pastes and
// clicks.
type Frame struct {
	opts  FrameOptions
	inner tui.Component
}

// NewFrame returns a box around a component.
func NewFrame(inner tui.Component, o FrameOptions) *Frame { return &Frame{opts: o, inner: inner} }

// SetTitle changes the title.
func (f *Frame) SetTitle(title string) { f.opts.Title = title }

// SetFocused implements tui.Focusable.
func (f *Frame) SetFocused(on bool) {
	if c, ok := f.inner.(tui.Focusable); ok {
		c.SetFocused(on)
	}
}

// BlocksViewport keeps page keys for what is inside.
func (f *Frame) BlocksViewport() bool { return true }

// HandleKey implements tui.KeyHandler. The box has the keyboard to itself.
func (f *Frame) HandleKey(ev key.Event) bool {
	if f.opts.OnKey != nil && f.opts.OnKey(ev) {
		return true
	}
	if c, ok := f.inner.(tui.KeyHandler); ok {
		c.HandleKey(ev)
	}
	return true
}

// HandlePaste implements tui.PasteHandler.
func (f *Frame) HandlePaste(s string) bool {
	if c, ok := f.inner.(tui.PasteHandler); ok {
		c.HandlePaste(s)
	}
	return true
}

// presser is a list that is used with the mouse by the lines of its last
// Render.
type presser interface {
	Press(line int) bool
	Click(line int) bool
}

// HandleMouse implements tui.MouseHandler.
func (f *Frame) HandleMouse(ev tui.MouseEvent) bool {
	if c, ok := f.inner.(presser); ok {
		switch ev.Kind {
		case tui.MousePress:
			c.Press(ev.Y - 1)
			return true
		case tui.MouseClick:
			return c.Click(ev.Y - 1)
		}
	}
	return false
}

// Render implements tui.Component.
func (f *Frame) Render(width int) []string {
	if width < 8 {
		return f.inner.Render(width)
	}
	inner := width - 4
	lines := []string{edge(f.opts.Style, "╭", "╮", style(f.opts.Style.Title, f.opts.Title), "", width)}
	for _, l := range f.inner.Render(inner) {
		lines = append(lines, style(f.opts.Style.Border, "│ ")+text.Pad(text.Truncate(l, inner, "…"), inner)+style(f.opts.Style.Border, " │"))
	}
	return append(lines, edge(f.opts.Style, "╰", "╯", style(f.opts.Style.Hint, fitHint(f.opts.Hint, width-6)), "", width))
}

// fitHint cuts a list of hints with " · " between them to a width. The last one,
// which says how to get away, stays the longest; those before it go one by one.
func fitHint(hint string, width int) string {
	items := strings.Split(hint, " · ")
	for len(items) > 1 && text.Width(hint) > width {
		items = slices.Delete(items, len(items)-2, len(items)-1)
		hint = strings.Join(items, " · ")
	}
	return text.Truncate(hint, max(0, width), "…")
}
