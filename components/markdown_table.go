package components

import (
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"

	"tau/tui/text"
)

const (
	cellWordMax = 30  // a longer word does not widen its column
	columnsMax  = 200 // hostile tables are shown as text
)

// table draws a table with borders. Where the columns do not fit they shrink
// towards their longest words; where too little is left for reading, the rows
// become lists.
func (r *mdRenderer) table(n *extast.Table, src []byte, width int, f flow) []string {
	var rows [][]string
	cols := 0
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		style := f.base
		if row.Kind() == extast.KindTableHeader {
			style = both(r.st.Bold, f.base)
		}
		var cells []string
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, r.inline(c, src, style))
		}
		cols = max(cols, len(cells))
		rows = append(rows, cells)
	}
	frame := 3*cols + 1 // "│ " before each cell, " │" at the end
	if cols == 0 || cols > columnsMax || width < frame+4*cols && cols > 1 || width < frame+cols {
		return r.tableText(n, src, width, f)
	}
	widths := columnWidths(rows, cols, width-frame)
	border := func(left, mid, right string) string {
		var b strings.Builder
		b.WriteString(left)
		for i, w := range widths {
			if i > 0 {
				b.WriteString(mid)
			}
			b.WriteString(strings.Repeat("─", w+2))
		}
		b.WriteString(right)
		return r.st.TableBorder.apply(b.String())
	}
	bar := r.st.TableBorder.apply("│")
	cells := make([][][]string, len(rows)) // lines of each cell
	for i, row := range rows {
		cells[i] = make([][]string, cols)
		for c := range row {
			cells[i][c] = r.wrap(row[c], widths[c])
		}
	}
	head := 1
	if blank(rows[0]) {
		head, cells = 0, cells[1:]
	}
	out := []string{border("┌", "┬", "┐")}
	above := 1 // height of the row before
	for i, row := range cells {
		height := 1
		for _, c := range row {
			height = max(height, len(c))
		}
		// Rows of one line each are told apart without rules.
		if i > 0 && (i == head || above > 1 || height > 1) {
			out = append(out, border("├", "┼", "┤"))
		}
		above = height
		for l := range height {
			var b strings.Builder
			for c, w := range widths {
				s := ""
				if l < len(row[c]) {
					s = row[c][l]
				}
				b.WriteString(bar + " " + align(s, w, n, c) + " ")
			}
			out = append(out, b.String()+bar)
		}
	}
	return append(out, border("└", "┴", "┘"))
}

// blank reports whether a row says nothing, as the head of a list of facts
// does.
func blank(row []string) bool {
	for _, c := range row {
		if strings.TrimSpace(text.StripSequences(c)) != "" {
			return false
		}
	}
	return true
}

// align pads a cell as the table's column c says.
func align(s string, width int, n *extast.Table, c int) string {
	if c >= len(n.Alignments) {
		return text.Pad(s, width)
	}
	room := max(0, width-text.Width(s))
	switch n.Alignments[c] {
	case extast.AlignRight:
		return text.Spaces(room) + s
	case extast.AlignCenter:
		return text.Pad(text.Spaces(room/2)+s, width)
	}
	return text.Pad(s, width)
}

// columnWidths shares room among the columns.
func columnWidths(rows [][]string, cols, room int) []int {
	natural, least := make([]int, cols), make([]int, cols)
	for _, row := range rows {
		for c, cell := range row {
			for line := range strings.SplitSeq(cell, "\n") {
				natural[c] = max(natural[c], text.Width(line))
			}
			least[c] = max(least[c], min(cellWordMax, longestWord(cell)))
		}
	}
	sumNatural, sumLeast := 0, 0
	for c := range natural {
		natural[c], least[c] = max(1, natural[c]), max(1, least[c])
		sumNatural += natural[c]
		sumLeast += least[c]
	}
	if sumNatural <= room {
		return natural
	}
	widths := make([]int, cols)
	if sumLeast >= room {
		// Not even the words fit: scale them, nobody below one column.
		left := room - cols
		for c := range widths {
			widths[c] = 1 + left*(least[c]-1)/max(1, sumLeast-cols)
		}
		return widths
	}
	// What is left after the words goes by need.
	left, need := room-sumLeast, sumNatural-sumLeast
	used := 0
	for c := range widths {
		add := left * (natural[c] - least[c]) / need
		widths[c] = least[c] + add
		used += add
	}
	for c := 0; used < left && c < cols; c++ {
		if widths[c] < natural[c] {
			widths[c]++
			used++
		}
	}
	return widths
}

func longestWord(s string) int {
	w := 0
	for word := range strings.FieldsSeq(text.StripSequences(s)) {
		w = max(w, text.Width(word))
	}
	return w
}

// tableText shows a table that has no room as a list: each row's cells below
// each other, behind the names of their columns.
func (r *mdRenderer) tableText(n *extast.Table, src []byte, width int, f flow) []string {
	var out, names []string
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		header := row.Kind() == extast.KindTableHeader
		col := 0
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			if header {
				names = append(names, r.inline(c, src, both(r.st.Bold, f.base)))
				continue
			}
			line := r.inline(c, src, f.base)
			if col < len(names) && names[col] != "" {
				line = names[col] + f.base.apply(": ") + line
			}
			mark := "  "
			if col == 0 {
				mark = r.st.ListBullet.apply("-") + " "
			}
			if width < 8 {
				mark = ""
			}
			for i, l := range r.wrap(line, width-text.Width(mark)) {
				if i > 0 && mark != "" {
					mark = "  "
				}
				out = append(out, mark+l)
			}
			col++
		}
	}
	if len(out) == 0 {
		return r.wrap(strings.Join(names, " "), width)
	}
	return out
}
