package components

import (
	"fmt"

	"tau/tui/text"
)

// listRow is a row of a list: a label and what describes it.
type listRow struct{ label, description string }

// rowList draws a window of rows with the selection near its middle; it is
// what the completion menu and SelectList share.
type rowList struct {
	rows               []listRow
	sel, max           int
	minLabel, maxLabel int
	cut                func(label string, width int) string

	text, selected, description, scroll Style
}

// window returns the first visible row.
func window(n, sel, rows int) int { return max(0, min(sel-rows/2, n-rows)) }

func (l rowList) render(width int) (lines []string, top int) {
	rows := min(len(l.rows), max(1, l.max))
	top = window(len(l.rows), l.sel, rows)
	widest := 0
	for _, r := range l.rows[:min(len(l.rows), 1000)] { // all, so that scrolling moves no column
		widest = max(widest, text.Width(oneLine(r.label)))
	}
	column := max(l.minLabel, min(widest+2, l.maxLabel))
	cut := l.cut
	if cut == nil {
		cut = fitLabel
	}
	lines = make([]string, 0, rows+1)
	for i := top; i < top+rows; i++ {
		r := l.rows[i]
		mark := "  "
		if i == l.sel {
			mark = "→ "
		}
		label, desc := oneLine(r.label), ""
		if width > 40 && r.description != "" && width-2-column > 10 {
			label = cut(label, column-2)
			desc = text.Truncate(oneLine(r.description), width-2-column-1, "…")
			label = text.Pad(label, column)
		} else {
			label = cut(label, width-2)
		}
		if i == l.sel {
			lines = append(lines, clamp(l.selected.apply(mark+label+desc), width))
			continue
		}
		lines = append(lines, clamp(mark+l.text.apply(label)+l.description.apply(desc), width))
	}
	if rows < len(l.rows) {
		lines = append(lines, l.scroll.apply(text.Truncate(fmt.Sprintf("  (%d/%d)", l.sel+1, len(l.rows)), width, "")))
	}
	return lines, top
}
