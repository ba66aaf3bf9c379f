package themes

import (
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Appearance is the kind of background a theme is made for.
type Appearance uint8

// The appearances.
const (
	Unknown Appearance = iota
	Dark
	Light
)

// String returns "dark", "light" or "unknown".
func (a Appearance) String() string {
	switch a {
	case Dark:
		return "dark"
	case Light:
		return "light"
	}
	return "unknown"
}

// Theme is a set of resolved colours. It never changes.
type Theme struct {
	name       string
	appearance Appearance
	depth      Depth
	colors     [tokenCount]Color
	open       [tokenCount]string
	close      [tokenCount]string
	export     Export
}

// Export holds the page colours for HTML exports ("" if the theme has none).
type Export struct{ PageBg, CardBg, InfoBg string }

// resolve fills the sequences; the theme is complete afterwards.
func (t *Theme) resolve(d Depth) *Theme {
	t.depth = d
	for i := range t.colors {
		tok := Token(i)
		bg := tok.IsBackground()
		t.open[i], t.close[i] = t.colors[i].sgr(d, bg), "\x1b[39m"
		if bg {
			t.close[i] = "\x1b[49m"
			if d == Colors16 && !isVivid(t.colors[i]) {
				// The sixteen colours have no tint as faint as a message
				// background: nothing reads better than a loud block.
				t.open[i] = ""
			}
		}
		if (tok == SelectedBg || tok == SearchMatchBg) && (d == Mono || d == Colors16) {
			t.open[i], t.close[i] = "\x1b[7m", "\x1b[27m"
		}
	}
	return t
}

func isVivid(c Color) bool {
	rgb, ok := c.RGB()
	if !ok {
		return true
	}
	l := toLab(rgb)
	return l.a*l.a+l.b*l.b > 0.12*0.12
}

// WithDepth returns the theme resolved for another depth.
func (t *Theme) WithDepth(d Depth) *Theme {
	c := *t
	return c.resolve(d)
}

// Name returns the theme's name.
func (t *Theme) Name() string { return t.name }

// Appearance tells which background the theme is made for.
func (t *Theme) Appearance() Appearance { return t.appearance }

// Depth returns the depth the theme is resolved for.
func (t *Theme) Depth() Depth { return t.depth }

// Color returns a token's colour before it was resolved.
func (t *Theme) Color(tok Token) Color { return t.colors[tok] }

// Export returns the page colours for HTML exports.
func (t *Theme) Export() Export { return t.export }

// SGR returns the escape sequence that switches the token's colour on. It is
// empty where the terminal's own colour is meant or no colours are shown.
func (t *Theme) SGR(tok Token) string { return t.open[tok] }

// Fg colours the text of s. Colours inside s win; after each of them the
// token's colour comes back.
func (t *Theme) Fg(tok Token, s string) string { return wrap(t.open[tok], t.close[tok], s) }

// Bg colours the background of s.
func (t *Theme) Bg(tok Token, s string) string { return wrap(t.open[tok], t.close[tok], s) }

// Style returns Fg or Bg (whichever the token is for) as a function, in the
// form components take.
func (t *Theme) Style(tok Token) func(string) string {
	return func(s string) string { return wrap(t.open[tok], t.close[tok], s) }
}

// Bold makes s bold.
func (t *Theme) Bold(s string) string { return t.attr("\x1b[1m", "\x1b[22m", s) }

// Faint makes s faint.
func (t *Theme) Faint(s string) string { return t.attr("\x1b[2m", "\x1b[22m", s) }

// Italic makes s italic.
func (t *Theme) Italic(s string) string { return t.attr("\x1b[3m", "\x1b[23m", s) }

// Underline underlines s.
func (t *Theme) Underline(s string) string { return t.attr("\x1b[4m", "\x1b[24m", s) }

// Inverse swaps the colours of s.
func (t *Theme) Inverse(s string) string { return t.attr("\x1b[7m", "\x1b[27m", s) }

// Strike strikes s through.
func (t *Theme) Strike(s string) string { return t.attr("\x1b[9m", "\x1b[29m", s) }

func (t *Theme) attr(on, off, s string) string {
	if t.depth == Plain {
		return s
	}
	return wrap(on, off, s)
}

func wrap(on, off, s string) string {
	if on == "" || s == "" {
		return s
	}
	if strings.Contains(s, off) {
		s = strings.ReplaceAll(s, off, off+on)
	}
	return on + s + off
}
