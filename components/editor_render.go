package components

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"tau/tui"
	"tau/tui/text"
)

// boxWidth is the width from which the editor is drawn as a box; below it two
// rules save the columns.
const boxWidth = 60

// drawn is the last Render: what it was made of, and where its rows came from.
type drawn struct {
	width   int
	version uint64
	lines   []string
	rows    []row
	indent  int // columns before the text
}

// Render implements tui.Component. The first line is the top border, the last
// one the bottom border.
func (e *Editor) Render(width int) []string {
	width = max(1, width)
	if e.drawn.lines != nil && e.drawn.width == width && e.drawn.version == e.version {
		return e.drawn.lines
	}
	box := width >= boxWidth
	indent, inner := 0, max(1, width-1) // a column stays free for the caret
	if box {
		indent, inner = 2, width-4 // the caret may stand in the padding
	}
	e.layout(inner)
	rows, above, below := e.visible()
	lines := make([]string, 0, len(rows)+2)
	lines = append(lines, e.border(width, box, true, above))
	side := ""
	if box {
		side = e.o.Style.Border.apply("│")
	}
	caret, _ := e.rowAt(e.buf.at)
	room := width
	if box {
		room = width - 3
	}
	for _, r := range rows {
		s, w := e.drawRow(r, r == caret, room)
		if box {
			// A caret behind a full row stands in the padding at the right.
			s = side + " " + s + spaces(width-3-w) + side
		} else if w < width {
			s += spaces(width - w)
		}
		lines = append(lines, s)
	}
	lines = append(lines, e.border(width, box, false, below))
	e.drawn = drawn{width, e.version, lines, rows, indent}
	return lines
}

// visible picks the rows on screen so that the caret is among them, and counts
// those that are not.
func (e *Editor) visible() (rows []row, above, below int) {
	limit := e.maxRows()
	caret, _ := e.rowAt(e.buf.at)
	total, caretAt, topAt := 0, 0, 0
	for i := range e.buf.lines {
		n := len(e.rowsOf(i))
		if i == caret.line {
			caretAt = total + caret.chunk
		}
		if i == e.top.line {
			topAt = total + min(e.top.chunk, n-1)
		}
		total += n
	}
	if e.top.line >= len(e.buf.lines) {
		topAt = total
	}
	topAt = max(min(topAt, caretAt, total-limit), caretAt-limit+1, 0)
	end := min(total, topAt+limit)
	at := 0
	for i := range e.buf.lines {
		n := len(e.rowsOf(i))
		for k := max(0, topAt-at); k < n && at+k < end; k++ {
			rows = append(rows, row{i, k})
		}
		if at += n; at >= end {
			break
		}
	}
	e.top = rows[0]
	return rows, topAt, total - end
}

// border draws a rule with labels: what is hidden beyond it, and at the top
// what the application put there.
func (e *Editor) border(width int, box, top bool, hidden int) string {
	st := e.o.Style
	left, right := "", ""
	arrow := "↓"
	if top {
		left, right = oneLine(e.left), oneLine(e.right)
		arrow = "↑"
	}
	more := ""
	if hidden > 0 {
		more = arrow + " " + strconv.Itoa(hidden) + " more"
	}
	open, close := "─", "─"
	if box && top {
		open, close = "╭─", "─╮"
	} else if box {
		open, close = "╰─", "─╯"
	}
	room := width - text.Width(open) - text.Width(close)
	if room < 1 {
		return st.Border.apply(text.Truncate(strings.Repeat("─", width), width, ""))
	}
	// Each label takes two blanks around it. What is hidden goes before what
	// the application says; of that the left side is kept longer.
	used := 0
	fit := func(s string, cut bool) string {
		if s == "" {
			return ""
		}
		w := text.Width(s)
		if used+w+2 > room {
			if !cut || room-used < 6 {
				return ""
			}
			s = text.Truncate(s, room-used-2, "…")
			w = text.Width(s)
		}
		used += w + 2
		return " " + st.Label.apply(s) + " "
	}
	m := fit(more, true)
	l := fit(left, true)
	r := fit(right, false)
	fill := room - used
	var b strings.Builder
	b.WriteString(st.Border.apply(open))
	b.WriteString(l)
	if m == "" {
		b.WriteString(st.Border.apply(strings.Repeat("─", fill)))
	} else {
		b.WriteString(st.Border.apply(strings.Repeat("─", fill/2)))
		b.WriteString(m)
		b.WriteString(st.Border.apply(strings.Repeat("─", fill-fill/2)))
	}
	b.WriteString(r)
	b.WriteString(st.Border.apply(close))
	return b.String()
}

// drawRow returns a row's text and its columns, which may be one more than the
// rows are wrapped to with the caret at the end, but never more than limit.
func (e *Editor) drawRow(r row, caret bool, limit int) (string, int) {
	st := e.o.Style
	c := e.rowsOf(r.line)[r.chunk]
	line := e.buf.lines[r.line]
	caret = caret && e.focused
	if e.buf.empty() && e.o.Placeholder != "" {
		return e.drawPlaceholder(caret)
	}
	var b strings.Builder
	w := 0
	put := func(s string, sw int, style Style, here bool) {
		if here {
			b.WriteString(tui.CursorMarker)
			style = st.Cursor
		}
		b.WriteString(style.apply(s))
		w += sw
	}
	if c.label != "" {
		put(c.label, c.width, st.Marker, caret)
		return b.String(), w
	}
	if c.pre != "" {
		put(c.pre, text.Width(c.pre), st.Marker, false)
	}
	from, to, selected := e.vimSelection()
	run := c.start // text that needs no treatment goes out in one piece
	flush := func(i int) {
		if i > run {
			b.WriteString(st.Text.apply(line[run:i]))
		}
	}
	for i := c.start; i < c.end; {
		g, gw := cluster(line[i:])
		here := caret && i == e.buf.at.col
		rn, _ := utf8.DecodeRuneInString(g)
		mark := isMarker(rn)
		dot := reorders(rn)
		in := selected && !after(from, position{r.line, i}) && after(to, position{r.line, i})
		if here || in || mark || dot || g[0] == '\t' || gw > limit {
			flush(i)
			s, style := g, st.Text
			switch {
			case mark:
				s, style = e.pastes.label(rn), st.Marker
				gw = text.Width(s)
			case g[0] == '\t':
				s = tabSpaces
			}
			if in {
				style = e.selection()
			}
			if gw > limit || dot {
				s, gw = "·", 1 // invisible, or no room for it at all
			}
			put(s, gw, style, here)
			run = i + len(g)
		} else {
			w += gw
		}
		i += len(g)
	}
	flush(c.end)
	if caret && e.buf.at.line == r.line && e.buf.at.col >= c.end {
		b.WriteString(tui.CursorMarker)
		if w < limit {
			b.WriteString(st.Cursor.apply(" "))
			w++
		}
	}
	return b.String(), w
}

// selection is the style of what is selected.
func (e *Editor) selection() Style {
	if e.o.Style.Selection != nil {
		return e.o.Style.Selection
	}
	return func(s string) string { return "\x1b[7m" + s + "\x1b[27m" }
}

func (e *Editor) drawPlaceholder(caret bool) (string, int) {
	limit := e.buf.wrapWidth
	s := text.Truncate(text.StripSequences(oneLine(e.o.Placeholder)), limit, "…")
	if s == "" {
		return "", 0
	}
	w := text.Width(s)
	if !caret {
		return e.o.Style.Placeholder.apply(s), w
	}
	first, _ := text.Next(s)
	return tui.CursorMarker + e.o.Style.Cursor.apply(first) + e.o.Style.Placeholder.apply(s[len(first):]), w
}
