package chat

import (
	"fmt"

	"tau/components"
	"tau/themes"
)

// editView shows what an edit changed, also when the card is closed: it is what
// one wants to see of it.
func (c *Card) editView(width int) view {
	v := view{subject: c.look.fg(themes.Text, c.look.path(c.field("path")))}
	switch c.state {
	case failed:
		v.body = c.head(c.output(), width, errorLines)
	case done:
		var d struct{ Diff string }
		if !c.details(&d) || d.Diff == "" {
			break
		}
		diff := components.NewDiff(components.DiffOptions{Style: c.look.diff()})
		diff.SetPatch(d.Diff)
		added, removed := diff.Stats()
		v.outcome = c.look.fg(themes.ToolDiffAdded, fmt.Sprintf("+%d", added)) + " " + c.look.fg(themes.ToolDiffRemoved, fmt.Sprintf("−%d", removed))
		v.body = diff.Render(c.bodyWidth(width))
		if cut := len(v.body) - diffLines; cut > 0 && !c.Open() {
			v.body = append(v.body[:diffLines:diffLines], c.dim(fmt.Sprintf("… %s more", plural(cut, "line"))))
		}
	default:
		if n := c.edits(); n > 1 {
			v.outcome = c.muted(plural(n, "place"))
		}
	}
	return v
}

func (c *Card) edits() int {
	c.parse()
	list, _ := c.fields["edits"].([]any)
	return len(list)
}

func (l *Look) diff() components.DiffStyle {
	fg := func(t themes.Token) components.Style { return l.Theme.Style(t) }
	return components.DiffStyle{
		Added: fg(themes.ToolDiffAdded), Removed: fg(themes.ToolDiffRemoved), Context: fg(themes.ToolDiffContext),
		Number: fg(themes.Dim), Gap: fg(themes.Dim), AddedWord: l.Theme.Inverse, RemovedWord: l.Theme.Inverse,
	}
}
