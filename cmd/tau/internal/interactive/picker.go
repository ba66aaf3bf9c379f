package interactive

import (
	"tau/components"
	"tau/components/picker"
	"tau/themes"
	"tau/tui"
)

// pick shows a list that is filtered as one types.
func (p *program) pick(title string, items []components.Item, current, query string, chosen func(value string)) {
	p.pickOr(title, items, current, query, chosen, func() {})
}

// pickOr is pick with something to do if nothing is chosen.
func (p *program) pickOr(title string, items []components.Item, current, query string, chosen func(value string), left func()) {
	if p.picker != nil {
		return
	}
	p.show(picker.New(picker.Options{
		Title: title, Items: items, Current: current, Query: query, Rows: p.pickerRows(10), Bindings: p.keys, Style: p.pickerStyle(),
		OnSelect: func(it components.Item) { p.closePicker(); chosen(it.Value) },
		OnCancel: func() { p.closePicker(); left() },
	}))
}

// pickerRows is how many rows a list may have here, at most the number given.
func (p *program) pickerRows(most int) int {
	_, h := p.ui.Size()
	return max(1, min(most, h-4))
}

// show opens a box over the conversation.
func (p *program) show(box tui.Component) {
	p.picker = p.ui.ShowOverlay(box, tui.OverlayOptions{Width: tui.Percent(80), MinWidth: 40, Anchor: tui.Center, Gutter: 1})
}

func (p *program) pickerStyle() picker.Style {
	return pickerStyle(func() *themes.Theme { return p.look.Theme })
}

// pickerStyle asks for the theme each time: it may change while a box is open.
func pickerStyle(theme func() *themes.Theme) picker.Style {
	fg := func(t themes.Token) components.Style {
		return func(s string) string { return theme().Fg(t, s) }
	}
	return picker.Style{
		Border: fg(themes.BorderAccent), Title: fg(themes.Text), Hint: fg(themes.Dim),
		List: components.ListStyle{Text: fg(themes.Text), Selected: fg(themes.Accent), Description: fg(themes.Dim), Scroll: fg(themes.Dim), Empty: fg(themes.Muted)},
	}
}
