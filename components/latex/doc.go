// Package latex draws formulas written in LaTeX with the characters of a
// terminal.
//
// [Inline] gives one line (a/b, x², √(x+1)); [Render] gives lines one below the
// other, with stacked fractions, limits, matrices and tall brackets:
//
//	 n      n(n+1)
//	 ∑  i = ──────
//	i=1       2
//
// A formula is read once into a tree (parse.go); inline.go and layout.go each
// walk the tree. Both functions are pure, take time linear in the source, and
// say no rather than show something else than what was meant: an unknown
// command, an unbalanced brace or a source that is too long or too deep.
package latex

import "strings"

// Bounds of what is drawn. Real formulas stay far below them.
const (
	maxBytes  = 8 << 10 // of the source
	maxDepth  = 64      // of groups, fractions, environments in each other
	maxHeight = 80      // rows of a drawing
	maxWidth  = 500     // columns of a drawing
)

// Inline returns a formula as one line of text. It reports false if there is
// none: the formula is empty, malformed, or holds a command that is not known.
// The result holds no control characters, whatever the source holds.
func Inline(src string) (string, bool) {
	n, ok := parse(src)
	if !ok {
		return "", false
	}
	s := strings.TrimSpace(inline(n, false))
	if s == "" || len(s) > 8*maxBytes {
		return "", false
	}
	return s, true
}

// Render draws a formula in two dimensions. No line is wider than width
// columns; lines have no blanks at their ends. Where the drawing is too wide it
// falls back to the form of one line, and where that is too wide as well, or
// for what [Inline] refuses, it reports false.
func Render(src string, width int) ([]string, bool) {
	n, ok := parse(src)
	if !ok {
		return nil, false
	}
	if b := layout(n, false); len(b.rows) > 0 && b.w > 0 && b.w <= min(width, maxWidth) && len(b.rows) <= maxHeight {
		lines := b.lines()
		if strings.Join(lines, "") == "" {
			return nil, false
		}
		return lines, true
	}
	s := strings.TrimSpace(inline(n, false))
	if s == "" || width < 1 || columns(s) > width {
		return nil, false
	}
	return []string{s}, true
}
