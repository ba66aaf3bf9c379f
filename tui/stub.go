package tui

import (
	"tau/tui/input"
	"tau/tui/key"
)

type inlineRenderer struct{}

func newInline(bool) *inlineRenderer                      { return &inlineRenderer{} }
func (*inlineRenderer) restart()                          {}
func (*inlineRenderer) leave() string                     { return "" }
func (*inlineRenderer) resize(a, b, c, d int)             {}
func (*inlineRenderer) cursorReport(input.CursorPosition) {}
func (u *UI) inlineFrame(extra string) [][]byte           { return nil }

type selection struct{}
type search struct{}

func (s *search) key(key.Event) bool      { return false }
func (u *UI) OpenSearch()                 {}
func (v *ScrollView) JumpPrompt(dir int)  {}
func (u *UI) selectMouse(MouseEvent) bool { return false }
func (u *UI) selectionLost()              {}
func (u *UI) click(ev MouseEvent) bool    { return u.dispatchMouse(ev) }
func (u *UI) drawEndLabel(rows []string)  {}
