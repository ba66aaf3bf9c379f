package chat

import (
	"math"

	"tau/tui/text"
)

// Custom shows a message or an entry of an extension, drawn by that.
type Custom struct {
	base
	look  *Look
	m     CustomMessage
	open  bool    // as it was drawn
	note  *Notice // in case nobody draws it
	noted bool    // nobody does
}

// NewCustom returns the part. If nobody draws it, it is shown as a notice.
func NewCustom(look *Look, m CustomMessage) *Custom {
	c := &Custom{look: look, m: m}
	if m.Text != "" {
		c.note = NewNotice(look, Info, m.Text)
		c.note.Rewritten("custom", "", m.Origin)
		c.note.OnRewrite(c.changed)
	}
	return c
}

// OnRewrite has f called after the part was rewritten.
func (c *Custom) OnRewrite(f func()) {
	if c.note != nil {
		c.note.OnRewrite(func() { c.changed(); f() })
	}
}

// Invalidate makes the next Render build its lines anew.
func (c *Custom) Invalidate() {
	if c.note != nil {
		c.note.Invalidate()
	}
	c.changed()
}

// Settled implements tui.Settler.
func (c *Custom) Settled(width int) int {
	if c.note != nil && c.noted {
		return c.note.Settled(width)
	}
	return math.MaxInt
}

// Render implements tui.Component.
func (c *Custom) Render(width int) []string {
	if c.open != c.look.Expanded {
		c.open = c.look.Expanded
		c.valid = false
	}
	return c.cached(width, func() []string {
		var lines []string
		if c.look.Custom != nil {
			m := c.m
			m.Expanded = c.open
			lines = c.look.Custom(&m, max(1, width-indent))
		}
		if c.noted = lines == nil; c.noted {
			if c.note == nil {
				return nil
			}
			return c.note.Render(width)
		}
		out := make([]string, 0, len(lines))
		for _, l := range lines {
			out = append(out, text.Truncate(text.Spaces(indent)+l, width, ""))
		}
		return out
	})
}
