package picker

import (
	"tau/components"
	"tau/tui/key"
	"tau/tui/text"
)

// PromptOptions configure a Prompt.
type PromptOptions struct {
	Title    string
	Value    string
	Mask     string // shown in place of each character
	Bindings components.Bindings
	Style    Style
	OnSubmit func(string)
	OnCancel func()
}

// Prompt is a box that asks for one line of text.
type Prompt struct {
	opts  PromptOptions
	input *components.Input
}

// NewPrompt returns a prompt.
func NewPrompt(o PromptOptions) *Prompt {
	p := &Prompt{opts: o}
	p.input = components.NewInput(components.InputOptions{Bindings: o.Bindings, Mask: o.Mask, OnSubmit: o.OnSubmit, OnEscape: o.OnCancel})
	p.input.SetValue(o.Value)
	return p
}

// SetFocused implements tui.Focusable.
func (p *Prompt) SetFocused(f bool) { p.input.SetFocused(f) }

// HandleKey implements tui.KeyHandler. The prompt has the keyboard to itself.
func (p *Prompt) HandleKey(ev key.Event) bool {
	p.input.HandleKey(ev)
	return true
}

// HandlePaste implements tui.PasteHandler.
func (p *Prompt) HandlePaste(s string) bool {
	p.input.HandlePaste(s)
	return true
}

// Render implements tui.Component.
func (p *Prompt) Render(width int) []string {
	inner := max(1, width-4)
	lines := []string{edge(p.opts.Style, "╭", "╮", style(p.opts.Style.Title, p.opts.Title), "", width)}
	for _, l := range p.input.Render(inner) {
		lines = append(lines, style(p.opts.Style.Border, "│ ")+text.Pad(text.Truncate(l, inner, "…"), inner)+style(p.opts.Style.Border, " │"))
	}
	lines = append(lines, edge(p.opts.Style, "╰", "╯", style(p.opts.Style.Hint, "↵ done · esc cancel"), "", width))
	for i, l := range lines {
		lines[i] = text.Truncate(l, width, "")
	}
	return lines
}
