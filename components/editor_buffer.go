package components

import "strings"

// position is a place in the text: a line and a byte offset in it.
type position struct{ line, col int }

// buffer is the text of an Editor with caret and undo. All changes go through
// splice, which keeps the wrap cache in step and records how to go back; what
// an edit costs depends on the lines it touches, not on the text.
type buffer struct {
	lines []string
	at    position
	edits uint64 // counts changes of the text

	wraps     [][]chunk // parallel to lines; nil: not wrapped yet
	wrapWidth int

	undo  []undoUnit
	fresh bool     // the next change opens a new unit
	from  position // where the caret was when it was asked for
}

type undoUnit struct {
	at  position
	ops []undoOp
}

// undoOp says that the lines from..from+n once were old.
type undoOp struct {
	from, n int
	old     []string
}

const undoMax = 500

func newBuffer() buffer { return buffer{lines: []string{""}, wraps: make([][]chunk, 1), fresh: true} }

// newUnit makes the next change one that is undone by itself.
func (b *buffer) newUnit() { b.fresh, b.from = true, b.at }

// splice replaces n lines by others.
func (b *buffer) splice(from, n int, repl []string) {
	if b.fresh || len(b.undo) == 0 {
		b.undo = append(b.undo, undoUnit{at: b.from})
		b.fresh = false
		if len(b.undo) > undoMax {
			b.undo = append([]undoUnit(nil), b.undo[len(b.undo)-undoMax:]...)
		}
	}
	u := &b.undo[len(b.undo)-1]
	if k := len(u.ops) - 1; k >= 0 && u.ops[k].from == from && u.ops[k].n == n {
		u.ops[k].n = len(repl) // the same lines again: what they were first is enough
	} else {
		u.ops = append(u.ops, undoOp{from, len(repl), append([]string(nil), b.lines[from:from+n]...)})
	}
	b.put(from, n, repl)
}

func (b *buffer) put(from, n int, repl []string) {
	b.edits++
	if n == 1 && len(repl) == 1 {
		b.wraps[from] = keepRows(b.wraps[from], b.lines[from], repl[0])
		b.lines[from] = repl[0]
		return
	}
	b.lines = replaceRange(b.lines, from, n, repl)
	b.wraps = replaceRange(b.wraps, from, n, make([][]chunk, len(repl)))
}

func replaceRange[T any](s []T, from, n int, repl []T) []T {
	tail := s[from+n:]
	if len(repl) == n {
		copy(s[from:], repl)
		return s
	}
	out := make([]T, 0, len(s)-n+len(repl)+8)
	out = append(out, s[:from]...)
	out = append(out, repl...)
	return append(out, tail...)
}

// back undoes the newest unit and reports whether there was one.
func (b *buffer) back() bool {
	if len(b.undo) == 0 {
		return false
	}
	u := b.undo[len(b.undo)-1]
	b.undo = b.undo[:len(b.undo)-1]
	for i := len(u.ops) - 1; i >= 0; i-- {
		b.put(u.ops[i].from, u.ops[i].n, u.ops[i].old)
	}
	b.at = u.at
	b.newUnit()
	return true
}

// replace puts s in place of the text between two places and the caret behind
// it.
func (b *buffer) replace(a, z position, s string) {
	if a == z && s == "" {
		b.at = a
		return
	}
	prefix, suffix := b.lines[a.line][:a.col], b.lines[z.line][z.col:]
	n := z.line - a.line + 1
	if strings.IndexByte(s, '\n') < 0 {
		b.splice(a.line, n, []string{prefix + s + suffix})
		b.at = position{a.line, a.col + len(s)}
		return
	}
	parts := strings.Split(s, "\n")
	last := len(parts) - 1
	b.at = position{a.line + last, len(parts[last])}
	parts[0] = prefix + parts[0]
	parts[last] += suffix
	b.splice(a.line, n, parts)
}

// between returns the text from a to z.
func (b *buffer) between(a, z position) string {
	if a.line == z.line {
		return b.lines[a.line][a.col:z.col]
	}
	var sb strings.Builder
	sb.WriteString(b.lines[a.line][a.col:])
	for i := a.line + 1; i < z.line; i++ {
		sb.WriteByte('\n')
		sb.WriteString(b.lines[i])
	}
	sb.WriteByte('\n')
	sb.WriteString(b.lines[z.line][:z.col])
	return sb.String()
}

func (b *buffer) end() position {
	last := len(b.lines) - 1
	return position{last, len(b.lines[last])}
}

func (b *buffer) empty() bool { return len(b.lines) == 1 && b.lines[0] == "" }

// setAll replaces the whole text as one change.
func (b *buffer) setAll(s string) { b.replace(position{}, b.end(), s) }

// left and right are the places one cluster away, across line ends.
func (b *buffer) left(p position) position {
	switch {
	case p.col > 0:
		return position{p.line, prevCluster(b.lines[p.line], p.col)}
	case p.line > 0:
		return position{p.line - 1, len(b.lines[p.line-1])}
	}
	return p
}

func (b *buffer) right(p position) position {
	switch {
	case p.col < len(b.lines[p.line]):
		return position{p.line, nextCluster(b.lines[p.line], p.col)}
	case p.line < len(b.lines)-1:
		return position{p.line + 1, 0}
	}
	return p
}

// wordLeft and wordRight move by word; at a line's edge they cross it.
func (b *buffer) wordLeft(p position) position {
	if p.col == 0 {
		return b.left(p)
	}
	return position{p.line, wordLeft(b.lines[p.line], p.col)}
}

func (b *buffer) wordRight(p position) position {
	if p.col == len(b.lines[p.line]) {
		return b.right(p)
	}
	return position{p.line, wordRight(b.lines[p.line], p.col)}
}
