// Package picker shows lists that are chosen from: a box with a filter that
// takes what is typed, and the rows that match below it.
package picker

import (
	"tau/components"
	"tau/tui"
	"tau/tui/key"
	"tau/tui/text"
)

// Style holds the colours of a picker.
type Style struct {
	Border, Title, Hint components.Style
	List                components.ListStyle
}

// Options configure a Picker.
type Options struct {
	Title    string
	Items    []components.Item
	Current  string // value that is selected at first
	Query    string // what the filter begins with
	Rows     int    // default 10
	Bindings components.Bindings
	Style    Style
	OnSelect func(components.Item)
	OnCancel func()
}

// Picker is a box with a filter and a list. Every key goes to the list first;
// what the list does not use is typed into the filter.
type Picker struct {
	opts   Options
	filter *components.Input
	list   *components.SelectList
}

// New returns a picker.
func New(o Options) *Picker {
	if o.Rows == 0 {
		o.Rows = 10
	}
	p := &Picker{opts: o}
	p.list = components.NewSelectList(o.Items, components.SelectListOptions{
		Bindings: o.Bindings, MaxVisible: o.Rows, MaxLabel: 60, MinLabel: 20, Empty: "nothing matches", Style: o.Style.List,
		OnSelect: o.OnSelect, OnCancel: o.OnCancel,
	})
	p.filter = components.NewInput(components.InputOptions{
		Bindings: o.Bindings, Prompt: "/ ", Placeholder: "type to filter", PromptStyle: o.Style.Hint, PlaceholderStyle: o.Style.Hint,
		OnChange: func() { p.list.SetFilter(p.filter.Value()) },
	})
	p.list.Select(o.Current)
	if o.Query != "" {
		p.filter.SetValue(o.Query)
		p.list.SetFilter(o.Query)
	}
	return p
}

// SetFocused implements tui.Focusable.
func (p *Picker) SetFocused(f bool) { p.filter.SetFocused(f) }

// BlocksViewport keeps page keys for the list.
func (p *Picker) BlocksViewport() bool { return true }

// HandleKey implements tui.KeyHandler.
func (p *Picker) HandleKey(ev key.Event) bool {
	if p.list.HandleKey(ev) {
		return true
	}
	p.filter.HandleKey(ev)
	// A picker has the keyboard to itself.
	return true
}

// HandlePaste implements tui.PasteHandler.
func (p *Picker) HandlePaste(s string) bool {
	p.filter.HandlePaste(s)
	return true
}

// HandleMouse implements tui.MouseHandler.
func (p *Picker) HandleMouse(ev tui.MouseEvent) bool {
	row := ev.Y - 2
	switch ev.Kind {
	case tui.MousePress:
		p.list.Press(row)
		return true
	case tui.MouseClick:
		return p.list.Click(row)
	case tui.MouseWheel:
		p.list.Wheel(ev.DY)
		return true
	}
	return false
}

// Render implements tui.Component.
func (p *Picker) Render(width int) []string {
	border := p.opts.Style.Border
	if border == nil {
		border = func(s string) string { return s }
	}
	if width < 8 {
		return p.list.Render(width)
	}
	inner := width - 4
	title := text.Truncate(p.opts.Title, max(1, width-6), "…")
	dashes := func(n int) string {
		s := ""
		for range max(0, n) {
			s += "─"
		}
		return s
	}
	lines := []string{border("╭─ ") + style(p.opts.Style.Title, title) + border(" "+dashes(width-5-text.Width(title))+"╮")}
	row := func(l string) {
		lines = append(lines, border("│ ")+text.Pad(text.Truncate(l, inner, "…"), inner)+border(" │"))
	}
	for _, l := range p.filter.Render(inner) {
		row(l)
	}
	rows := p.list.Render(inner)
	for _, l := range rows {
		row(l)
	}
	// The box keeps its height while the filter takes rows away.
	for n := len(rows); n < min(p.opts.Rows, len(p.opts.Items)); n++ {
		row("")
	}
	hint := "↵ choose · esc close"
	if width < 30 {
		hint = ""
	}
	end := dashes(width - 2)
	if hint != "" {
		end = "─ " + style(p.opts.Style.Hint, hint) + border(" "+dashes(width-5-text.Width(hint)))
	}
	return append(lines, border("╰")+border(end)+border("╯"))
}

func style(s components.Style, t string) string {
	if s == nil {
		return t
	}
	return s(t)
}
