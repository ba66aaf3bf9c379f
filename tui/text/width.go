package text

import (
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"github.com/rivo/uniseg"
)

// TabWidth is the width of a tab in columns.
const TabWidth = 3

const tabSpaces = "   "

// Width returns the number of columns s occupies.
//
// It does not allocate. Printable ASCII is counted eight bytes at a time and
// characters that cannot join their neighbours are never segmented.
func Width(s string) int {
	w, i := 0, 0
	for i < len(s) {
		if n := asciiRun(s[i:]); n > 0 {
			// The last character may be the base of a cluster.
			if i+n < len(s) && s[i+n] >= utf8.RuneSelf {
				n--
			}
			if n > 0 {
				w += n
				i += n
				continue
			}
		}
		if s[i] == 0x1b {
			if n := Escape(s[i:]); n > 0 {
				i += n
				continue
			}
		}
		n, cw := next(s[i:])
		w += cw
		i += n
	}
	return w
}

// Next returns the first grapheme cluster of s and its width. s must not be
// empty and must not begin with an escape sequence (see [Escape]).
func Next(s string) (cluster string, width int) {
	n, w := next(s)
	return s[:n], w
}

// next is Next with lengths. It returns at least one byte.
func next(s string) (n, width int) {
	c := s[0]
	if c < utf8.RuneSelf {
		if c < 0x20 || c == 0x7f {
			if c == '\t' {
				return 1, TabWidth
			}
			if c == '\r' && len(s) > 1 && s[1] == '\n' {
				return 2, 0
			}
			return 1, 0
		}
		if len(s) == 1 || s[1] < utf8.RuneSelf {
			return 1, 1
		}
		if r, _ := utf8.DecodeRuneInString(s[1:]); standalone(r) > 0 {
			return 1, 1
		}
		return segment(s)
	}
	r, size := utf8.DecodeRuneInString(s)
	if w := standalone(r); w > 0 {
		if size == len(s) || s[size] < utf8.RuneSelf {
			return size, w
		}
		if f, _ := utf8.DecodeRuneInString(s[size:]); standalone(f) > 0 {
			return size, w
		}
	} else if r == utf8.RuneError && size == 1 {
		return 1, 1
	} else if r >= pictureBase && len(s) >= pictureLen {
		if _, _, _, ok := PictureCell(s[:pictureLen]); ok {
			return pictureLen, 1
		}
	}
	return segment(s)
}

// maxCluster bounds the segmenter: a line of a million combining marks is one
// cluster by the book, and would make every step over it linear.
const maxCluster = 256

func segment(s string) (n, width int) {
	head := s
	if len(head) > maxCluster {
		head = head[:maxCluster]
		for len(head) > maxCluster-utf8.UTFMax && !utf8.RuneStart(s[len(head)]) {
			head = head[:len(head)-1]
		}
	}
	c, _, _, _ := uniseg.FirstGraphemeClusterInString(head, -1)
	if c == "" {
		return 1, 0
	}
	return len(c), clusterWidth(c)
}

// asciiRun returns the length of the run of printable ASCII at the start of s.
func asciiRun(s string) int {
	const (
		ones = 0x0101010101010101
		high = 0x8080808080808080
	)
	i := 0
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		del := x ^ 0x7f*ones
		if (x|(x-0x20*ones)&^x|(del-ones)&^del)&high != 0 {
			break
		}
	}
	for i < len(s) && s[i] >= 0x20 && s[i] < 0x7f {
		i++
	}
	return i
}

// standalone returns the width of a rune that never joins a neighbour which is
// standalone too, or 0 for all other runes. It holds what agents print most.
func standalone(r rune) int {
	switch {
	case r < 0x300:
		if r >= 0x20 && r < 0x7f || r >= 0xa0 {
			return 1
		}
		return 0
	case r < 0x2010:
		if r >= 0x370 && r <= 0x482 || r >= 0x48a && r <= 0x52f {
			return 1
		}
		return 0
	case r < 0x3000:
		switch {
		case r <= 0x2027, r >= 0x2030 && r <= 0x205e, r >= 0x2070 && r <= 0x20cf,
			r >= 0x2100 && r <= 0x2319, r >= 0x2500 && r <= 0x25fc, r >= 0x2800 && r <= 0x28ff:
			return 1
		}
		return 0
	case r >= 0x4e00 && r <= 0xa48c, r >= 0xac00 && r <= 0xd7a3:
		return 2
	case r < 0x4e00:
		switch {
		case r <= 0x3029, r >= 0x3030 && r <= 0x303e, r >= 0x3041 && r <= 0x3096,
			r >= 0x309b && r <= 0x30ff, r >= 0x3105 && r <= 0x312f, r >= 0x3131 && r <= 0x3163,
			r >= 0x3250 && r <= 0x4dbf:
			return 2
		}
		return 0
	case r >= 0xe000 && r <= 0xf8ff:
		return 1
	case r >= 0xf900 && r <= 0xfaff, r >= 0xff01 && r <= 0xff60:
		return 2
	case r >= 0xff61 && r <= 0xff9d:
		return 1
	case r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 0
}

// clusterWidth measures one grapheme cluster.
//
// The width of a cluster is that of its widest rune, not the sum, with the
// corrections that terminals agree on: emoji presentation is 2, and marks that
// take a cell of their own (Spacing_Mark, halfwidth voiced marks, Thai and Lao
// AM) add one.
func clusterWidth(c string) int {
	base, size := utf8.DecodeRuneInString(c)
	w := runeWidth(base)
	if size == len(c) {
		if base >= 0x1f1e6 && base <= 0x1f1ff {
			return 2
		}
		return w
	}
	if base >= 0x1f1e6 && base <= 0x1f1ff {
		return 2
	}
	extra, joined := 0, false
	for i, r := range c {
		if i == 0 {
			continue
		}
		switch {
		case r == 0xfe0f:
			if emojiBase(base) {
				w = 2
			}
		case r == 0x20e3:
			if base == '#' || base == '*' || base >= '0' && base <= '9' {
				w = 2
			}
		case r == 0x200d:
			joined = true
		case r == 0xff9e, r == 0xff9f, r == 0x0e33, r == 0x0eb3, spacingMark(r):
			extra++
		default:
			rw := runeWidth(r)
			if joined && emojiBase(r) && emojiBase(base) {
				rw = 2
			}
			w = max(w, rw)
		}
	}
	return min(w, 2) + extra
}

func runeWidth(r rune) int {
	if w := standalone(r); w > 0 {
		return w
	}
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return 0
	case r == 0x0e33, r == 0x0eb3, r == 0xff9e, r == 0xff9f, narrowSymbol(r), spacingMark(r):
		return 1
	}
	// Ambiguous is narrow whatever the locale says: a program that draws
	// borders cannot follow a locale its terminal does not know.
	c := runewidth.Condition{StrictEmojiNeutral: true}
	return c.RuneWidth(r)
}

// Risky reports whether terminals are known to disagree on the width of the
// cluster c. Renderers address the column again after such a cluster.
func Risky(c string) bool {
	if len(c) < 2 || c[0] < utf8.RuneSelf && c[1] < utf8.RuneSelf {
		return false
	}
	n := 0
	for _, r := range c {
		n++
		switch {
		case r < 0x300:
			if r == 0xad {
				return true
			}
		case r == 0xfe0e, r == 0xfe0f, r == 0x200d, r == 0x20e3, r == 0x3164, r == 0x2e3b,
			r >= 0x1f1e6 && r <= 0x1f1ff, r >= 0x1f3fb && r <= 0x1f3ff,
			r >= 0x0900 && r <= 0x0dff, r >= 0x0f00 && r <= 0x109f, r >= 0x1700 && r <= 0x17ff, r >= 0x1100 && r <= 0x11ff,
			r >= 0xe0000 && r <= 0xe007f, r >= 0x1fa00 && r <= 0x1fbff:
			return true
		}
	}
	return n > 2
}

// narrowSymbol reports whether the table of go-runewidth says 1. It is asked
// first since the table is made when it is first needed, of 2 MB, which a
// program that has only drawn marks such as ✓ does without.
func narrowSymbol(r rune) bool {
	switch {
	case r < 0x20f1:
		return r >= 0x1e00 && r <= 0x200a
	case r < 0x2700:
		return r <= 0x2319 || r >= 0x232b && r <= 0x23e8 || r >= 0x23f4 && r <= 0x25fc
	}
	return r <= 0x2b1a && (r >= 0x27c0 || r >= 0x270c && r <= 0x2727 || r >= 0x2729 && r <= 0x274b ||
		r >= 0x2758 && r <= 0x2794 || r >= 0x2798 && r <= 0x27af)
}
