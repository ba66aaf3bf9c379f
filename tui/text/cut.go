package text

import "strings"

// Truncate shortens s to width columns, ending in ellipsis if it was cut. What
// s had switched on is closed before the ellipsis. An ellipsis wider than
// width is itself cut.
func Truncate(s string, width int, ellipsis string) string {
	if width <= 0 {
		return ""
	}
	ew := Width(ellipsis)
	if ew > width {
		if Width(s) <= width {
			return s
		}
		return Slice(ellipsis, 0, width)
	}
	// keep is the end of the longest prefix that leaves room for the ellipsis.
	col, keep, kept := 0, 0, false
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			if n := Escape(s[i:]); n > 0 {
				i += n
				continue
			}
		}
		n, w := next(s[i:])
		if col+w > width {
			if !kept {
				keep = i
			}
			return closed(s[:keep], ellipsis)
		}
		col += w
		i += n
		if col <= width-ew && !kept {
			keep = i
		} else {
			kept = true
		}
	}
	return s
}

// closed appends to head what closes it, then tail.
func closed(head, tail string) string {
	c := Close(head)
	if c == "" {
		return head + tail
	}
	return head + c + tail
}

// Slice returns the part of s that lies in the n columns from column start. A
// wide cluster that crosses either edge is left out, so the result may be
// narrower than n; see [Cut] for the exact width. What was switched on before
// the part is switched on in it, and closed at its end.
func Slice(s string, start, n int) string {
	part, _ := Cut(s, start, n, true)
	return part
}

// Cut is [Slice] with the width of the result. If strict is false, a wide
// cluster that crosses the right edge is kept, and the result is one column
// wider than n.
func Cut(s string, start, n int, strict bool) (part string, width int) {
	if n <= 0 {
		return "", 0
	}
	if start <= 0 && strings.IndexByte(s, 0x1b) < 0 {
		if asciiRun(s) == len(s) {
			part = s[:min(len(s), n)]
			return part, len(part)
		}
	}
	var (
		st   style
		b    []byte
		end  = start + n
		col  int
		from = -1 // start of the copied part
		mark string
	)
	finish := func(to int) (string, int) {
		if from < 0 {
			return "", 0
		}
		if b == nil && st.empty() {
			return s[from:to], width
		}
		b = append(b, s[from:to]...)
		return string(st.closeAll(b)), width
	}
	if start <= 0 {
		from = 0
	}
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			if e := Escape(s[i:]); e > 0 {
				st.apply(s[i : i+e])
				if from < 0 && col == start && s[i+1] == '_' {
					mark = s[i : i+e] // a cursor mark belongs to what follows it
				}
				i += e
				continue
			}
		}
		size, w := next(s[i:])
		if col >= end && (w > 0 || from < 0) {
			// Escapes directly before i belong to what follows the part.
			return finish(i)
		}
		if from < 0 && col >= start && (w > 0 || col > start || start == 0) {
			from = i
			if !st.empty() || mark != "" {
				b = st.open(make([]byte, 0, len(s)-i+32))
				b = append(b, mark...)
			}
		}
		if from >= 0 {
			if col+w > end && strict {
				return finish(i)
			}
			width += w
		}
		col += w
		i += size
	}
	return finish(len(s))
}

// Pad appends spaces until s is width columns wide.
func Pad(s string, width int) string {
	n := width - Width(s)
	if n <= 0 {
		return s
	}
	return s + Spaces(n)
}

// Spaces returns n spaces.
func Spaces(n int) string {
	const many = "                                                                " +
		"                                                                " +
		"                                                                " +
		"                                                                "
	if n <= 0 {
		return ""
	}
	if n <= len(many) {
		return many[:n]
	}
	return strings.Repeat(" ", n)
}

// Overlay returns base with the columns from col to col+width replaced by top,
// which is cut or padded to exactly width columns. A wide cluster of the base
// that is cut by an edge becomes a space, so that borders stay aligned. Styles
// and links of the base go on behind the overlay and do not colour it.
func Overlay(base, top string, col, width int) string {
	if width <= 0 {
		return base
	}
	before, bw := Cut(base, 0, col, true)
	topPart, tw := Cut(top, 0, width, true)
	b := make([]byte, 0, len(base)+len(top)+64)
	b = append(b, before...)
	b = append(b, Close(before)...)
	b = append(b, Spaces(col-bw)...)
	b = append(b, topPart...)
	if tw < width {
		// Padding takes an open background, as in components.
		b = append(b, Spaces(width-tw)...)
	}
	b = append(b, Close(topPart)...)
	total := Width(base)
	if total > col+width {
		after, aw := Cut(base, col+width, total-col-width, true)
		b = append(b, Spaces(total-col-width-aw)...)
		b = append(b, after...)
	}
	return string(b)
}

// CellRange returns the columns from (inclusive) and to (exclusive) of the
// cluster of s that covers column col. Behind the end of s every column is a
// cell of its own.
func CellRange(s string, col int) (from, to int) {
	c := 0
	for len(s) > 0 {
		if n := Escape(s); n > 0 {
			s = s[n:]
			continue
		}
		n, w := next(s)
		if col < c+w {
			return c, c + w
		}
		c += w
		s = s[n:]
	}
	return col, col + 1
}

// LinkAt returns the address of the OSC 8 link at column col of s.
func LinkAt(s string, col int) (url string, ok bool) {
	c := 0
	var st style
	for len(s) > 0 {
		if n := Escape(s); n > 0 {
			st.apply(s[:n])
			s = s[n:]
			continue
		}
		n, w := next(s)
		if col < c+w {
			if st.link == "" {
				return "", false
			}
			return linkTarget(st.link), true
		}
		c += w
		s = s[n:]
	}
	return "", false
}

// Highlight puts on around the columns from (inclusive) to to (exclusive) of s
// and puts it again after each sequence of s inside them, so that resets in s
// do not end it. off must undo on alone, such as "\x1b[27m" after "\x1b[7m".
func Highlight(s string, from, to int, on, off string) string {
	if to <= from {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(on) + len(off) + 16)
	col, inside := 0, false
	for i := 0; i < len(s); {
		if n := Escape(s[i:]); n > 0 {
			b.WriteString(s[i : i+n])
			if inside {
				b.WriteString(on)
			}
			i += n
			continue
		}
		n, w := next(s[i:])
		if !inside && col >= from && col < to && w > 0 {
			b.WriteString(on)
			inside = true
		} else if inside && col >= to {
			b.WriteString(off)
			inside = false
		}
		b.WriteString(s[i : i+n])
		col += w
		i += n
	}
	if inside {
		b.WriteString(off)
	}
	return b.String()
}
