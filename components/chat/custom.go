package chat

import (
	"math"

	"tau/tui/text"
)

// Custom shows a message or an entry of an extension, drawn by that.
type Custom struct {
	base
	look *Look
	m    CustomMessage
	open bool // as it was drawn
}

// NewCustom returns the part. If nobody draws it, it is shown as a notice.
func NewCustom(look *Look, m CustomMessage) *Custom { return &Custom{look: look, m: m} }

// Settled implements tui.Settler.
func (c *Custom) Settled(int) int { return math.MaxInt }

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
		if lines == nil {
			if c.m.Text == "" {
				return nil
			}
			return NewNotice(c.look, Info, c.m.Text).Render(width)
		}
		out := make([]string, 0, len(lines))
		for _, l := range lines {
			out = append(out, text.Truncate(text.Spaces(indent)+l, width, ""))
		}
		return out
	})
}
