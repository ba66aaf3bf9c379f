package tui_test

import (
	"context"
	"fmt"

	"tau/tui"
	"tau/tui/key"
	"tau/tui/term"
)

// hello is the smallest component.
type hello struct{ lines []string }

func (h *hello) Render(width int) []string { return h.lines }

func Example() {
	t, err := term.Open(term.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ui := tui.New(t, tui.Options{})
	ui.SetRoot(&hello{[]string{"Hello. Press q to leave."}})
	ui.OnUnusedKey(func(ev key.Event) bool {
		if ev.ID == "q" {
			ui.Quit(nil)
			return true
		}
		return false
	})
	if err := ui.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
}
