package tui

import (
	"tau/tui/input"
)

type inlineRenderer struct{}

func newInline(bool) *inlineRenderer                      { return &inlineRenderer{} }
func (*inlineRenderer) restart()                          {}
func (*inlineRenderer) leave() string                     { return "" }
func (*inlineRenderer) resize(a, b, c, d int)             {}
func (*inlineRenderer) cursorReport(input.CursorPosition) {}
func (u *UI) inlineFrame(extra string) [][]byte           { return nil }
