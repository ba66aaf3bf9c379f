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
	Hint     string // at the lower edge; default names Enter and Esc
	Empty    string // in place of rows
	Bindings components.Bindings
	Style    Style
	OnSelect func(components.Item)
	OnCancel func()
	// OnQuery takes over the filter: it is told what was typed and gives the
	// rows that match with SetItems.
	OnQuery func(query string)
	// OnKey sees each key first, with the selected value or "".
	OnKey func(ev key.Event, value string) bool
}

// Picker is a box with a filter and a list. Every key goes to the list first;
// what the list does not use is typed into the filter.
type Picker struct {
	opts   Options
	filter *components.Input
	list   *components.SelectList
	height int // rows of the list, the most there were
}

// New returns a picker.
func New(o Options) *Picker {
	if o.Rows == 0 {
		o.Rows = 10
	}
	if o.Empty == "" {
		o.Empty = "nothing matches"
	}
	if o.Hint == "" {
		o.Hint = "↵ choose · esc close"
	}
	p := &Picker{opts: o, height: min(o.Rows, len(o.Items))}
	p.list = components.NewSelectList(o.Items, components.SelectListOptions{
		Bindings: o.Bindings, MaxVisible: o.Rows, MaxLabel: 60, MinLabel: 20, Empty: o.Empty, Style: o.Style.List,
		OnSelect: o.OnSelect, OnCancel: o.OnCancel,
	})
	p.filter = components.NewInput(components.InputOptions{
		Bindings: o.Bindings, Prompt: "/ ", Placeholder: "type to filter", PromptStyle: o.Style.Hint, PlaceholderStyle: o.Style.Hint,
		OnChange: p.changed,
	})
	p.list.Select(o.Current)
	if o.Query != "" {
		p.filter.SetValue(o.Query)
		p.changed()
	}
	return p
}

func (p *Picker) changed() {
	if p.opts.OnQuery != nil {
		p.opts.OnQuery(p.filter.Value())
		return
	}
	p.list.SetFilter(p.filter.Value())
}

// Query returns what was typed.
func (p *Picker) Query() string { return p.filter.Value() }

// SetItems replaces the rows; the selected one stays selected if it is still
// there. The box does not become lower.
func (p *Picker) SetItems(title string, items []components.Item) {
	p.opts.Title = title
	p.height = max(p.height, min(p.opts.Rows, len(items)))
	p.list.SetItems(items)
}

// SetFocused implements tui.Focusable.
func (p *Picker) SetFocused(f bool) { p.filter.SetFocused(f) }

// BlocksViewport keeps page keys for the list.
func (p *Picker) BlocksViewport() bool { return true }

// HandleKey implements tui.KeyHandler.
func (p *Picker) HandleKey(ev key.Event) bool {
	if p.opts.OnKey != nil {
		it, _ := p.list.Selected()
		if p.opts.OnKey(ev, it.Value) {
			return true
		}
	}
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
	for n := len(rows); n < p.height; n++ {
		row("")
	}
	hint := fitHint(p.opts.Hint, width-6)
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
