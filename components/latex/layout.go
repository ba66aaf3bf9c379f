package latex

import "strings"

// layout draws a node in two dimensions. tight is for scripts, which stay small:
// no blanks around operators, no stacked fractions.
func layout(n *node, tight bool) box {
	if n == nil {
		return box{}
	}
	b := draw(n, tight)
	if b.w > maxWidth || len(b.rows) > maxHeight {
		// Too large for any screen. Only the width is needed now: it makes
		// what is around it too wide as well.
		return box{rows: []string{""}, w: maxWidth + 1}
	}
	return b
}

func draw(n *node, tight bool) box {
	switch n.kind {
	case symbol, space:
		if n.text == "" {
			return box{}
		}
		return line(n.text)
	case sequence:
		boxes := make([]box, 0, 2*len(n.kids))
		for i, k := range n.kids {
			if gap(n.kids, i, tight) {
				boxes = append(boxes, line(" "))
			}
			boxes = append(boxes, layout(k, tight))
		}
		return beside(boxes...)
	case script:
		return layoutScript(n, tight)
	case fraction:
		if tight || n.text == "small" {
			return line(inline(n, true))
		}
		top, bottom := layout(n.kids[0], false), layout(n.kids[1], false)
		w := max(top.w, bottom.w, 1)
		if len(top.rows) > 1 || len(bottom.rows) > 1 {
			w += 2 // a bar over a bar is the longer one
		}
		return above(1, top, line(strings.Repeat("─", w)), bottom)
	case binomial:
		if tight {
			return line(inline(n, true))
		}
		top, bottom := layout(n.kids[0], false), layout(n.kids[1], false)
		b := above(0, top, bottom)
		b.base = len(top.rows) - 1
		return b.around("(", ")")
	case root:
		return layoutRoot(n, tight)
	case fence:
		b := layout(n.kids[0], tight)
		if len(b.rows) > 1 && n.kids[0].kind == table {
			b = b.widened(b.w+2, 0)
		}
		if len(b.rows) == 0 {
			return line(n.open + n.shut)
		}
		if n.open == "{" && n.shut == "" || n.shut == "}" && n.open == "" {
			b = odd(b)
		}
		return b.around(n.open, n.shut)
	case bar:
		b := layout(n.kids[0], tight)
		if len(b.rows) < 2 {
			return line(inline(n, tight))
		}
		rule := line(strings.Repeat("─", b.w))
		if n.text == "under" {
			return above(0, b, rule)
		}
		return above(1, rule, b)
	case brace:
		return layoutBrace(n, tight)
	case stack:
		b := layout(n.kids[0], tight)
		return withLimits(b, layout(n.sup, true), layout(n.sub, true))
	case arrow:
		sup, sub := layout(n.sup, true), layout(n.sub, true)
		return withLimits(line(arrowLine(n.text, "", max(sup.w, sub.w)+2)), sup, sub)
	case boxed:
		b := layout(n.kids[0], tight)
		b = b.widened(b.w+2, 0)
		side := box{rows: make([]string, len(b.rows)), w: 1, base: b.base}
		for i := range side.rows {
			side.rows[i] = "│"
		}
		b = beside(side, b, side)
		rule := strings.Repeat("─", max(0, b.w-2))
		return above(1, line("┌"+rule+"┐"), b, line("└"+rule+"┘"))
	case table:
		return layoutTable(n, tight)
	}
	return line(inline(n, tight))
}

// odd makes the height odd, so that a brace has a middle, by a blank row in
// the middle of a box of two rows.
func odd(b box) box {
	if len(b.rows) != 2 {
		return b
	}
	return box{rows: []string{b.rows[0], blanks(b.w), b.rows[1]}, w: b.w, base: 1}
}

// withLimits puts boxes above and below another.
func withLimits(b, sup, sub box) box {
	boxes, base := []box{b}, 0
	if len(sup.rows) > 0 {
		boxes, base = []box{sup, b}, 1
	}
	if len(sub.rows) > 0 {
		boxes = append(boxes, sub)
	}
	return above(base, boxes...)
}

func layoutScript(n *node, tight bool) box {
	head := n.kids[0]
	if !tight && head.class == operator && head.limits {
		return withLimits(layout(head, false), layout(n.sup, true), layout(n.sub, true))
	}
	if !tight && head.text == "∫" {
		return integral(n)
	}
	b := layout(head, tight)
	if len(b.rows) == 0 {
		b = line("")
		b.w = 0
	}
	supLine, supSmall := translated(inline(n.sup, true), superscripts())
	subLine, subSmall := translated(inline(n.sub, true), subscripts())
	if len(b.rows) == 1 && (n.sup == nil || supSmall) && (n.sub == nil || subSmall) {
		return beside(b, line(subLine+supLine))
	}
	if tight && len(b.rows) == 1 {
		return line(inline(n, true))
	}
	// A column to the right: what is raised, the height of the base, what is
	// lowered. Beside a tall base the scripts start at its corners.
	sup, sub := layout(n.sup, true), layout(n.sub, true)
	if supSmall && n.sup != nil {
		sup = line(supLine)
	}
	if subSmall && n.sub != nil {
		sub = line(subLine)
	}
	w := max(sup.w, sub.w)
	between := len(b.rows)
	if len(b.rows) > 1 {
		between -= min(1, len(sup.rows)) + min(1, len(sub.rows))
	} else {
		if supSmall && n.sup != nil || subSmall && n.sub != nil {
			between = 0 // one of them stands on the line itself
		}
	}
	col := box{w: w}
	col.rows = append(col.rows, sup.widened(w, -1).rows...)
	for range between {
		col.rows = append(col.rows, blanks(w))
	}
	col.rows = append(col.rows, sub.widened(w, -1).rows...)
	switch {
	case len(b.rows) > 1:
		col.base = b.base
		if k := len(sup.rows); k > 0 {
			col.base += k - 1
		}
	case supSmall && n.sup != nil:
		col.base = 0
	case between == 0:
		col.base = len(sup.rows)
	default:
		col.base = len(sup.rows)
	}
	return beside(b, col)
}

// integral draws the sign three rows high, with the limits at its ends.
func integral(n *node) box {
	sup, sub := layout(n.sup, true), layout(n.sub, true)
	w := max(sup.w, sub.w)
	if len(sup.rows) > 1 || len(sub.rows) > 1 {
		return line(inline(n, true))
	}
	row := func(b box) string {
		if len(b.rows) == 0 {
			return blanks(w)
		}
		return b.widened(w, -1).rows[0]
	}
	return box{rows: []string{"⌠" + row(sup), "⎮" + blanks(w), "⌡" + row(sub)}, w: w + 1, base: 1}
}

func layoutRoot(n *node, tight bool) box {
	b := layout(n.kids[0], tight)
	if len(b.rows) < 2 {
		return line(inline(n, tight))
	}
	degree := ""
	if n.sup != nil {
		degree = strings.TrimSuffix(rootSign(n.sup), "√")
	}
	side := box{rows: make([]string, len(b.rows)+1), w: 2, base: b.base + 1}
	for i := range side.rows {
		side.rows[i] = " │"
	}
	side.rows[0], side.rows[len(b.rows)] = " ┌", "╲│"
	body := above(1, line(strings.Repeat("─", b.w+1)), b.widened(b.w+1, 1))
	return beside(line(degree), side, body)
}

func layoutBrace(n *node, tight bool) box {
	b := layout(n.kids[0], tight)
	w := max(b.w, 3)
	left, right := (w-3)/2, w-3-(w-3)/2
	sup, sub := layout(n.sup, true), layout(n.sub, true)
	if n.text == "under" {
		return withLimits(above(0, b, line("╰"+strings.Repeat("─", left)+"┬"+strings.Repeat("─", right)+"╯")), sup, sub)
	}
	return withLimits(above(1, line("╭"+strings.Repeat("─", left)+"┴"+strings.Repeat("─", right)+"╮"), b), sup, sub)
}

// layoutTable draws matrices with centred columns, cases to the left, and
// equations aligned at every other column.
func layoutTable(n *node, tight bool) box {
	var widths []int
	cells := make([][]box, len(n.rows))
	tall := false
	for i, row := range n.rows {
		for c, k := range row {
			b := layout(k, tight)
			if len(b.rows) == 0 {
				b = line("")
			}
			if c == len(widths) {
				widths = append(widths, 0)
			}
			widths[c] = max(widths[c], b.w)
			tall = tall || len(b.rows) > 1
			cells[i] = append(cells[i], b)
		}
	}
	total := 0
	for _, w := range widths {
		total += w + 2
	}
	if total > maxWidth+2 || len(cells) > maxHeight {
		return box{rows: []string{""}, w: maxWidth + 1}
	}
	var out box
	for i, row := range cells {
		var parts []box
		for c, w := range widths {
			b := line("")
			if c < len(row) {
				b = row[c]
			}
			side, before := n.column(c, len(widths))
			if c > 0 {
				parts = append(parts, line(blanks(before)))
			}
			parts = append(parts, b.widened(w, side))
		}
		line := beside(parts...)
		if i > 0 && tall {
			out.rows = append(out.rows, blanks(line.w))
		}
		out.rows = append(out.rows, line.rows...)
		out.w = line.w
	}
	out.base = (len(out.rows) - 1) / 2
	if len(cells) == 1 && len(cells[0]) > 0 {
		for _, b := range cells[0] {
			out.base = max(out.base, b.base)
		}
	}
	return out
}

// column tells where the cells of a column stand and how many blanks come
// before them.
func (n *node) column(c, of int) (side, before int) {
	switch n.text {
	case "cases", "dcases", "rcases":
		return -1, 2
	case "aligned", "align", "alignat", "split", "eqnarray", "":
		if of == 1 {
			return -1, 0
		}
		if c%2 == 0 {
			return 1, 3
		}
		return -1, 1
	case "multline":
		return -1, 1
	}
	return 0, 2
}
