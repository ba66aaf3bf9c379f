package components

import (
	"strconv"
	"strings"

	"tau/tui/text"
)

// DiffStyle holds the colours of a Diff. Emphasis styles go around the changed
// words of a line, inside its colour.
type DiffStyle struct {
	Added, Removed, Context, Number, Gap Style
	AddedWord, RemovedWord               Style
}

// DiffOptions configure a Diff.
type DiffOptions struct {
	Context int // unchanged lines around changes, default 3
	Style   DiffStyle
}

// Diff shows changes to a text, a line a row: line number, sign, text. Long
// lines are cut at the right edge, runs of unchanged lines fold.
type Diff struct {
	o       DiffOptions
	rows    []diffRow
	version uint64

	drawn uint64
	width int
	lines []string
}

// diffRow is a line of a diff. Number counts in the new text for kept and
// added lines, in the old one for removed lines; 0: none.
type diffRow struct {
	kind   byte // ' ', '+', '-'; '~' is a gap
	number int
	text   string
	words  []span // changed parts of text
}

type span struct{ from, to int }

// diffLineMax is how much of a line is looked at: more cannot be seen.
const diffLineMax = 4 << 10

// NewDiff returns an empty diff.
func NewDiff(o DiffOptions) *Diff {
	if o.Context <= 0 {
		o.Context = 3
	}
	return &Diff{o: o}
}

// SetTexts shows what changed from old to new.
func (d *Diff) SetTexts(old, new string) {
	d.set(fold(diffRows(old, new), d.o.Context))
}

// SetPatch shows a unified diff, or one in the display form of the edit tool:
// lines of sign, line number, text.
func (d *Diff) SetPatch(patch string) { d.set(parsePatch(patch)) }

func (d *Diff) set(rows []diffRow) {
	pairWords(rows)
	d.rows = rows
	d.Invalidate()
}

// SetStyle changes the colours.
func (d *Diff) SetStyle(s DiffStyle) { d.o.Style = s; d.Invalidate() }

// Stats counts added and removed lines.
func (d *Diff) Stats() (added, removed int) {
	for _, r := range d.rows {
		switch r.kind {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}

// Invalidate makes the next Render build its lines anew.
func (d *Diff) Invalidate() { d.version++; d.lines = nil }

// Version counts changes.
func (d *Diff) Version() uint64 { return d.version }

// Render implements tui.Component.
func (d *Diff) Render(width int) []string {
	width = max(1, width)
	if d.lines != nil && d.width == width && d.drawn == d.version {
		return d.lines
	}
	d.width, d.drawn = width, d.version
	digits := 1
	for _, r := range d.rows {
		digits = max(digits, len(strconv.Itoa(r.number)))
	}
	if width < digits+12 {
		digits = 0 // the text needs the columns more
	}
	lines := make([]string, 0, len(d.rows))
	for _, r := range d.rows {
		lines = append(lines, d.row(r, digits, width))
	}
	d.lines = lines
	return lines
}

func (d *Diff) row(r diffRow, digits, width int) string {
	st := d.o.Style
	number := ""
	if digits > 0 {
		number = spaces(digits)
		if r.number > 0 {
			n := strconv.Itoa(r.number)
			number = spaces(digits-len(n)) + n
		}
		number += " "
	}
	room := width - len(number) - 2
	line, word, sign := st.Context, Style(nil), "  "
	switch r.kind {
	case '+':
		line, word, sign = st.Added, st.AddedWord, "+ "
	case '-':
		line, word, sign = st.Removed, st.RemovedWord, "− "
	case '~':
		s := "⋯"
		if r.text != "" {
			s += " " + r.text
		}
		return spaces(len(number)) + st.Gap.apply(fitLabel(s, width-len(number)))
	}
	if room < 1 {
		return line.apply(text.Truncate(sign+r.text, width, ""))
	}
	s := r.text
	if word != nil && len(r.words) > 0 {
		s = emphasize(s, r.words, line, word)
	} else {
		s = line.apply(s)
	}
	if len(r.text) > room && text.Width(r.text) > room {
		s = text.Truncate(s, room, "…")
	}
	return strings.TrimRight(st.Number.apply(number)+line.apply(sign)+s, " ")
}

func emphasize(s string, words []span, line, word Style) string {
	var b strings.Builder
	at := 0
	for _, w := range words {
		b.WriteString(line.apply(s[at:w.from]))
		b.WriteString(line.apply(word(s[w.from:w.to])))
		at = w.to
	}
	b.WriteString(line.apply(s[at:]))
	return b.String()
}

// diffText makes a line drawable.
func diffText(s string) string {
	s = strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
	cut := len(s) > diffLineMax
	s = oneLine(text.StripSequences(clean(head(s, diffLineMax))))
	if cut {
		s += " …"
	}
	return s
}
