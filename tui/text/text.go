// Package text measures, wraps and cuts lines of terminal text.
//
// A width is a number of terminal columns. The unit of everything here is the
// grapheme cluster: what a reader calls one character. Escape sequences have
// no width; colours (SGR) and links (OSC 8) are carried across wraps and
// closed at cuts.
package text

import (
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/rivo/uniseg"
)

// Width returns the number of columns s occupies.
func Width(s string) int {
	w := 0
	for len(s) > 0 {
		if n := escape(s); n > 0 {
			s = s[n:]
			continue
		}
		c, cw := Next(s)
		w += cw
		s = s[len(c):]
	}
	return w
}

// Next returns the first grapheme cluster of s, which must not begin with an
// escape sequence, and its width.
func Next(s string) (cluster string, width int) {
	c, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return c, min(2, runewidth.StringWidth(c))
}

// Wrap breaks s into lines of at most width columns, at spaces where it can.
func Wrap(s string, width int) []string {
	var out []string
	for _, line := range strings.Split(s, "\n") {
		for Width(line) > width {
			head := Slice(line, 0, width)
			if head == "" {
				break
			}
			out = append(out, head)
			line = line[len(head):]
		}
		out = append(out, line)
	}
	return out
}

// Truncate shortens s to width columns, ending in ellipsis if it was cut.
func Truncate(s string, width int, ellipsis string) string {
	if Width(s) <= width {
		return s
	}
	return Slice(s, 0, max(0, width-Width(ellipsis))) + ellipsis
}

// Slice returns the part of s from column start that is at most n columns
// wide. A wide cluster that crosses either edge is left out.
func Slice(s string, start, n int) string {
	var b strings.Builder
	col := 0
	for len(s) > 0 {
		if e := escape(s); e > 0 {
			b.WriteString(s[:e])
			s = s[e:]
			continue
		}
		c, w := Next(s)
		if col >= start && col+w <= start+n {
			b.WriteString(c)
		}
		col += w
		s = s[len(c):]
	}
	return b.String()
}

// Pad appends spaces until s is width columns wide.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-Width(s)))
}

// Sanitize makes foreign text safe to draw: only printable characters, LF,
// SGR sequences and OSC 8 links remain; CRLF becomes LF and tabs stay.
func Sanitize(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		if n := escape(s); n > 0 {
			s = s[n:]
			continue
		}
		if s[0] >= 0x20 && s[0] != 0x7f || s[0] == '\n' || s[0] == '\t' {
			b.WriteByte(s[0])
		}
		s = s[1:]
	}
	return b.String()
}

// escape returns the length of the escape sequence at the start of s, or 0.
func escape(s string) int {
	if len(s) < 2 || s[0] != 0x1b {
		return 0
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
	case ']', '_', 'P', '^', 'X':
		for i := 2; i < len(s); i++ {
			if s[i] == 7 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
	}
	return 0
}
