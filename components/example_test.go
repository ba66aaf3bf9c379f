package components_test

import (
	"context"
	"fmt"

	"tau/components"
	"tau/tui"
	"tau/tui/key"
	"tau/tui/term"
)

// A program with a transcript that scrolls, an editor below it, and a list that
// Ctrl+L opens above both.
func Example() {
	t, err := term.Open(term.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ui := tui.New(t, tui.Options{Mouse: true, CopyOnSelect: true})

	transcript := &tui.List{Gap: 1}
	view := tui.NewScrollView(ui, transcript)
	say := func(s string) {
		m := components.NewMarkdown(components.MarkdownOptions{PadX: 1})
		m.SetText(s)
		transcript.Append(m)
		view.ScrollToEnd()
	}
	say("# Hello\nSay something, or press **Ctrl+L**. Ctrl+D leaves.")
	editor := components.NewEditor(components.EditorOptions{OnSubmit: say, OnUpdate: ui.RequestRender})

	ui.OnKey(func(ev key.Event) bool {
		switch ev.ID {
		case "ctrl+l":
			var overlay *tui.Overlay
			list := components.NewSelectList([]components.Item{{Value: "tea"}, {Value: "coffee"}}, components.SelectListOptions{
				OnSelect: func(it components.Item) { overlay.Hide(); say(it.Value) },
				OnCancel: func() { overlay.Hide() },
			})
			overlay = ui.ShowOverlay(list, tui.OverlayOptions{Width: tui.Cells(30)})
		case "ctrl+d":
			ui.Quit(nil)
		default:
			return false
		}
		return true
	})
	ui.SetViewport(view)
	ui.SetRoot(tui.NewVStack(tui.Fill(view), tui.Fixed(editor)))
	ui.Focus(editor)
	if err := ui.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
}
