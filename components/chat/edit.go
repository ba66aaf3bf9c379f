package chat

import (
	"tau/themes"
)

func (c *Card) editView(width int) view {
	v := view{subject: c.look.fg(themes.Text, c.look.path(c.field("path")))}
	if c.state == failed {
		v.body = c.head(c.output(), width, errorLines)
	}
	return v
}
