package components

import (
	"strings"
	"time"
	"unsafe"

	"tau/tui/text"
)

// Style colours a piece of a line. It adds SGR sequences and no columns. Nil
// leaves text as it is.
type Style func(string) string

func (f Style) apply(s string) string {
	if f == nil || s == "" {
		return s
	}
	return f(s)
}

// Ticker calls f once after d, on the goroutine the components belong to.
// Cancel after the call does nothing.
type Ticker interface {
	After(d time.Duration, f func()) (cancel func())
}

// tabWidth is how many columns a tab takes wherever text is drawn.
const tabWidth = text.TabWidth

const tabSpaces = "   "

// clean makes foreign text drawable: no control sequences, no tabs.
func clean(s string) string {
	if plain(s) {
		return s
	}
	return expandTabs(text.Sanitize(s))
}

// plain reports whether s is printable ASCII and line feeds, which is by far
// the most common case and needs no work.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 && c != '\n' || c >= 0x7f {
			return false
		}
	}
	return true
}

func expandTabs(s string) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	return strings.ReplaceAll(s, "\t", tabSpaces)
}

// oneLine makes s fit for a single row: cleaned, line breaks become spaces.
func oneLine(s string) string {
	s = clean(s)
	if strings.IndexByte(s, '\n') >= 0 {
		s = strings.Join(strings.Fields(s), " ")
	}
	return s
}

// clamp cuts a line that is too wide. Only a cluster wider than the whole
// screen gets here; everything else is laid out to fit.
func clamp(line string, width int) string {
	if len(line) <= width || text.Width(line) <= width {
		return line
	}
	return text.Truncate(line, width, "")
}

// wrapped is text.Wrap with a promise for widths no cluster fits in.
func wrapped(s string, width int) []string {
	lines := text.Wrap(s, width)
	if width < 2 {
		for i := range lines {
			lines[i] = clamp(lines[i], width)
		}
	}
	return lines
}

// spaces returns n spaces.
func spaces(n int) string {
	const many = "                                                                "
	switch {
	case n <= 0:
		return ""
	case n <= len(many):
		return many[:n]
	}
	return strings.Repeat(" ", n)
}

// sameSlice reports whether a and b are one and the same slice, the way
// components say that nothing changed.
func sameSlice(a, b []string) bool {
	return len(a) == len(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}
