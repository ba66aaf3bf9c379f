package latex

import "strings"

// box is a drawing: rows of w columns each, and the row that stands on the
// line of the text.
type box struct {
	rows []string
	w    int
	base int
}

func line(s string) box { return box{rows: []string{s}, w: columns(s)} }

// lines returns the rows without blanks at their ends.
func (b box) lines() []string {
	out := make([]string, len(b.rows))
	for i, r := range b.rows {
		out[i] = strings.TrimRight(r, " ")
	}
	return out
}

func (b box) below() int { return len(b.rows) - b.base - 1 }

func blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// beside puts boxes next to each other on one line of text.
func beside(boxes ...box) box {
	up, down, w := 0, 0, 0
	for _, b := range boxes {
		if len(b.rows) == 0 {
			continue
		}
		up, down, w = max(up, b.base), max(down, b.below()), w+b.w
	}
	out := box{rows: make([]string, up+down+1), base: up, w: w}
	var row strings.Builder
	for i := range out.rows {
		row.Reset()
		for _, b := range boxes {
			if len(b.rows) == 0 {
				continue
			}
			if k := i - up + b.base; k >= 0 && k < len(b.rows) {
				row.WriteString(b.rows[k])
			} else {
				row.WriteString(blanks(b.w))
			}
		}
		out.rows[i] = row.String()
	}
	return out
}

// widened centres (0), or shifts to the left (-1) or right (1), within w.
func (b box) widened(w, side int) box {
	if w <= b.w {
		return b
	}
	left := (w - b.w) / 2
	switch side {
	case -1:
		left = 0
	case 1:
		left = w - b.w
	}
	out := box{rows: make([]string, len(b.rows)), w: w, base: b.base}
	for i, r := range b.rows {
		out.rows[i] = blanks(left) + r + blanks(w-b.w-left)
	}
	return out
}

// above stacks boxes, centred. The line of text is that of boxes[base].
func above(base int, boxes ...box) box {
	var out box
	for _, b := range boxes {
		out.w = max(out.w, b.w)
	}
	for i, b := range boxes {
		if i == base {
			out.base = len(out.rows) + b.base
		}
		out.rows = append(out.rows, b.widened(out.w, 0).rows...)
	}
	return out
}

// around puts brackets of its height on both sides of a box.
func (b box) around(open, shut string) box {
	return beside(bracket(open, len(b.rows), b.base), b, bracket(shut, len(b.rows), b.base))
}

// pieces are those of a tall bracket: top, middle, bottom, and what goes
// between.
func pieces(d string) (p [4]string, ok bool) {
	switch d {
	case "(":
		return [4]string{"⎛", "⎜", "⎝", "⎜"}, true
	case ")":
		return [4]string{"⎞", "⎟", "⎠", "⎟"}, true
	case "[":
		return [4]string{"⎡", "⎢", "⎣", "⎢"}, true
	case "]":
		return [4]string{"⎤", "⎥", "⎦", "⎥"}, true
	case "{":
		return [4]string{"⎧", "⎨", "⎩", "⎪"}, true
	case "}":
		return [4]string{"⎫", "⎬", "⎭", "⎪"}, true
	case "|":
		return [4]string{"│", "│", "│", "│"}, true
	case "‖":
		return [4]string{"║", "║", "║", "║"}, true
	case "⌊":
		return [4]string{"⎢", "⎢", "⎣", "⎢"}, true
	case "⌋":
		return [4]string{"⎥", "⎥", "⎦", "⎥"}, true
	case "⌈":
		return [4]string{"⎡", "⎢", "⎢", "⎢"}, true
	case "⌉":
		return [4]string{"⎤", "⎥", "⎥", "⎥"}, true
	}
	return p, false
}

func bracket(d string, height, base int) box {
	if d == "" || height == 0 {
		return box{}
	}
	if height == 1 {
		return line(d)
	}
	out := box{rows: make([]string, height), w: columns(d), base: base}
	p, tall := pieces(d)
	for i := range out.rows {
		switch {
		case !tall && i == base:
			out.rows[i] = d
		case !tall:
			out.rows[i] = blanks(out.w)
		case i == 0:
			out.rows[i] = p[0]
		case i == height-1:
			out.rows[i] = p[2]
		case i == height/2:
			out.rows[i] = p[1]
		default:
			out.rows[i] = p[3]
		}
	}
	return out
}
