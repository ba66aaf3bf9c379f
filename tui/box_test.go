package tui

import (
	"strings"
	"testing"
)

func TestBox(t *testing.T) {
	l := text1("ab", "\x1b[31mc")
	b := NewBox(l, func(s string) string { return "<" + s + ">" })
	b.PadY = 1
	first := b.Render(6)
	if got := strings.Join(first, "|"); got != "<      >|< ab   >|< \x1b[31mc\x1b[0m    >|<      >" {
		t.Errorf("%q", got)
	}
	if !sameLines(first, b.Render(6)) {
		t.Error("an unchanged box returns other lines")
	}
	l.set("new")
	if sameLines(first, b.Render(6)) {
		t.Error("a changed box returns the same lines")
	}
	b.Render(1) // no room for padding
	l.use = true
	b.Render(6)
	b.HandleMouse(MouseEvent{Kind: MousePress, X: 2, Y: 1})
	if n := len(l.mouse); n != 1 || l.mouse[0].X != 1 || l.mouse[0].Y != 0 {
		t.Errorf("%+v", l.mouse)
	}
	l.set()
	if b.Render(6) != nil {
		t.Error("a box around nothing has lines")
	}
}
