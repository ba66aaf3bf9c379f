package interactive

import (
	"context"
	"fmt"
	"strings"

	"tau/components"
	"tau/components/picker"
	"tau/session/finder"
)

// recallMost is how many prompts of the folder can be searched.
const recallMost = 2000

// recall searches what was asked before in the sessions of this folder. What is
// in the editor is what one searches for at first.
func (p *program) recall() {
	if p.picker != nil {
		return
	}
	query := strings.TrimSpace(p.editor.ExpandedText())
	if strings.Contains(query, "\n") {
		query = ""
	}
	ctx, cancel := context.WithCancel(context.Background())
	leave := func() { cancel(); p.closePicker() }
	var texts []string
	box := picker.New(picker.Options{
		Title: "What you asked before …", Query: query, Rows: p.pickerRows(14), Bindings: p.keys, Style: p.pickerStyle(), Empty: "nothing was asked in this folder yet",
		Hint: "↵ into the editor · esc close", OnCancel: leave,
		OnSelect: func(it components.Item) {
			leave()
			var i int
			if _, err := fmt.Sscan(it.Value, &i); err == nil && i < len(texts) {
				p.editor.SetText(texts[i])
				p.relabel()
			}
		},
	})
	p.show(box)
	lib, cwd := p.app.Library, p.session.CWD()
	go func() {
		found, err := finder.Prompts(ctx, lib, cwd, recallMost)
		p.ui.Post(func() {
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				p.hint(err.Error())
			}
			texts = found
			var items []components.Item
			for i, t := range found {
				items = append(items, components.Item{Value: fmt.Sprint(i), Label: oneLine(t)})
			}
			box.SetItems("What you asked before", items)
			p.ui.RequestRender()
		})
	}()
}

// stash puts a half-written message aside, or brings it back into an empty
// editor.
func (p *program) stash() {
	text := p.editor.ExpandedText()
	switch {
	case strings.TrimSpace(text) != "":
		p.stashed = append(p.stashed, text)
		p.editor.SetText("")
		p.hint("put aside; " + p.keys.Hint("app.editor.stash") + " brings it back")
	case len(p.stashed) == 0:
		p.hint("nothing was put aside")
	default:
		last := len(p.stashed) - 1
		p.editor.SetText(p.stashed[last])
		p.stashed = p.stashed[:last]
	}
	p.relabel()
}
