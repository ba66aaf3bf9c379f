package components

import (
	"strings"

	"tau/tui"
	"tau/tui/text"
)

// Text shows wrapped text. Blank text takes no lines.
type Text struct {
	content    string
	padX, padY int
	style, bg  Style

	version uint64
	width   int
	lines   []string
}

// NewText returns a text with padX blank columns at both sides and padY blank
// lines above and below.
func NewText(content string, padX, padY int) *Text {
	return &Text{content: content, padX: max(0, padX), padY: max(0, padY)}
}

// SetText replaces the text; the same text changes nothing.
func (t *Text) SetText(content string) {
	if content != t.content {
		t.content = content
		t.Invalidate()
	}
}

// SetStyle sets the styles of the text and of the whole area.
func (t *Text) SetStyle(style, background Style) {
	t.style, t.bg = style, background
	t.Invalidate()
}

// Invalidate makes the next Render build its lines anew.
func (t *Text) Invalidate() { t.lines, t.width = nil, 0; t.version++ }

// Version counts changes.
func (t *Text) Version() uint64 { return t.version }

// Render implements tui.Component.
func (t *Text) Render(width int) []string {
	width = max(1, width)
	if t.width == width {
		return t.lines
	}
	t.width, t.lines = width, nil
	if strings.TrimSpace(t.content) == "" {
		return nil
	}
	padX := min(t.padX, (width-1)/2)
	body := wrapped(clean(t.content), width-2*padX)
	blank := t.bg.apply(spaces(width))
	lines := make([]string, 0, len(body)+2*t.padY)
	for range t.padY {
		lines = append(lines, blank)
	}
	for _, l := range body {
		l = t.style.apply(l)
		if t.bg != nil {
			l = text.Pad(spaces(padX)+l, width)
		} else if l != "" {
			l = spaces(padX) + l
		}
		lines = append(lines, t.bg.apply(l))
	}
	for range t.padY {
		lines = append(lines, blank)
	}
	t.lines = lines
	return t.lines
}

// TruncatedText shows the first line of a text, cut with "…" if need be and
// padded to the full width.
type TruncatedText struct {
	content    string
	padX, padY int
	style      Style

	version uint64
	width   int
	lines   []string
}

// NewTruncatedText returns a one-line text with padding as in NewText.
func NewTruncatedText(content string, padX, padY int) *TruncatedText {
	return &TruncatedText{content: content, padX: max(0, padX), padY: max(0, padY)}
}

// SetText replaces the text; the same text changes nothing.
func (t *TruncatedText) SetText(content string) {
	if content != t.content {
		t.content = content
		t.Invalidate()
	}
}

// SetStyle sets the style of the text.
func (t *TruncatedText) SetStyle(style Style) { t.style = style; t.Invalidate() }

// Invalidate makes the next Render build its lines anew.
func (t *TruncatedText) Invalidate() { t.lines, t.width = nil, 0; t.version++ }

// Version counts changes.
func (t *TruncatedText) Version() uint64 { return t.version }

// Render implements tui.Component.
func (t *TruncatedText) Render(width int) []string {
	width = max(1, width)
	if t.width == width {
		return t.lines
	}
	t.width = width
	first := t.content
	if i := strings.IndexAny(first, "\r\n"); i >= 0 {
		first = first[:i]
	}
	// A line of megabytes is cut before it is cleaned: nothing past a few
	// bytes a column can be seen.
	first = head(first, 64*width)
	padX := min(t.padX, (width-1)/2)
	line := text.Truncate(clean(first), width-2*padX, "…")
	t.lines = nil
	for range t.padY {
		t.lines = append(t.lines, spaces(width))
	}
	t.lines = append(t.lines, text.Pad(spaces(padX)+t.style.apply(line), width))
	for range t.padY {
		t.lines = append(t.lines, spaces(width))
	}
	return t.lines
}

// head returns at most n bytes of s, never part of a rune.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}

// Spacer is a number of empty lines.
type Spacer struct{ lines []string }

// NewSpacer returns n empty lines.
func NewSpacer(n int) *Spacer { return &Spacer{lines: make([]string, max(0, n))} }

// Render implements tui.Component.
func (s *Spacer) Render(int) []string { return s.lines }

// Box puts children below each other, with padding and a background. Without
// lines of children it takes no lines itself.
type Box struct {
	padX, padY int
	bg         Style
	children   []tui.Component

	width int
	parts [][]string
	lines []string
}

// NewBox returns a box with padX columns at both sides and padY lines above
// and below.
func NewBox(padX, padY int, background Style) *Box {
	return &Box{padX: max(0, padX), padY: max(0, padY), bg: background}
}

// Add appends children.
func (b *Box) Add(children ...tui.Component) {
	b.children = append(b.children, children...)
	b.Invalidate()
}

// Clear removes all children.
func (b *Box) Clear() { b.children = nil; b.Invalidate() }

// SetBackground changes the background.
func (b *Box) SetBackground(background Style) { b.bg = background; b.Invalidate() }

// Invalidate drops the box's lines and those of the children.
func (b *Box) Invalidate() {
	b.width = 0
	for _, c := range b.children {
		if i, ok := c.(tui.Invalidator); ok {
			i.Invalidate()
		}
	}
}

// Render implements tui.Component.
func (b *Box) Render(width int) []string {
	width = max(1, width)
	padX := min(b.padX, (width-1)/2)
	same := b.width == width && len(b.parts) == len(b.children)
	if !same {
		b.parts = make([][]string, len(b.children))
	}
	n := 0
	for i, c := range b.children {
		lines := c.Render(width - 2*padX)
		same = same && sameSlice(b.parts[i], lines)
		b.parts[i] = lines
		n += len(lines)
	}
	if same {
		return b.lines
	}
	b.width, b.lines = width, nil
	if n == 0 {
		return nil
	}
	lines := make([]string, 0, n+2*b.padY)
	blank := b.bg.apply(spaces(width))
	for range b.padY {
		lines = append(lines, blank)
	}
	for _, p := range b.parts {
		for _, l := range p {
			if b.bg != nil {
				l = b.bg(text.Pad(spaces(padX)+l, width))
			} else if l != "" {
				l = spaces(padX) + l
			}
			lines = append(lines, l)
		}
	}
	for range b.padY {
		lines = append(lines, blank)
	}
	b.lines = lines
	return b.lines
}
