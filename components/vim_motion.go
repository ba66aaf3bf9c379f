package components

import (
	"strings"
	"unicode/utf8"
)

// target is where a motion leads. Operators work on whole lines for a
// linewise one, and take the character there for an inclusive one.
type target struct {
	at        position
	linewise  bool
	inclusive bool
}

// vimMotion carries out a motion of one or two characters from the caret. ok is
// false if there is no such motion, or it leads nowhere.
func (e *Editor) vimMotion(cmd string, n int, counted bool) (t target, ok bool) {
	b := &e.buf
	at := b.at
	repeat := func(step func(position) position) (target, bool) {
		p := at
		for range n {
			p = step(p)
		}
		return target{at: p}, p != at
	}
	line := b.lines[at.line]
	switch cmd {
	case "h":
		return repeat(func(p position) position { return position{p.line, prevCluster(b.lines[p.line], p.col)} })
	case "l", " ":
		return repeat(func(p position) position { return position{p.line, nextCluster(b.lines[p.line], p.col)} })
	case "j", "k":
		to := at.line + n
		if cmd == "k" {
			to = at.line - n
		}
		if to < 0 || to >= len(b.lines) {
			return t, false
		}
		col := runeColumn(line, at.col)
		return target{at: position{to, columnOffset(b.lines[to], col)}, linewise: true}, true
	case "w", "W":
		return repeat(func(p position) position { return e.nextWord(p, cmd == "W") })
	case "b", "B":
		return repeat(func(p position) position { return e.prevWord(p, cmd == "B") })
	case "e", "E":
		t, ok = repeat(func(p position) position { return e.wordEnd(p, cmd == "E") })
		t.inclusive = true
		return t, ok
	case "0":
		return target{at: position{at.line, 0}}, true
	case "^", "_":
		return target{at: position{at.line, indentOf(line)}}, true
	case "$":
		l := min(at.line+n-1, len(b.lines)-1)
		return target{at: position{l, len(b.lines[l])}}, true
	case "gg", "G":
		l := len(b.lines) - 1
		if cmd == "gg" {
			l = 0
		}
		if counted {
			l = min(n-1, len(b.lines)-1)
		}
		return target{at: position{l, indentOf(b.lines[l])}, linewise: true}, true
	case "{", "}":
		return e.paragraph(cmd == "}", n), true
	case ";", ",":
		if e.vim.find == 0 {
			return t, false
		}
		kind := e.vim.find
		if cmd == "," {
			kind = map[byte]byte{'f': 'F', 'F': 'f', 't': 'T', 'T': 't'}[kind]
		}
		return e.findChar(kind, e.vim.findWhat, n, true)
	}
	return t, false
}

// findChar is f, F, t and T; again steps over a neighbour that t would find
// once more.
func (e *Editor) findChar(kind byte, what string, n int, again bool) (t target, ok bool) {
	line, at := e.buf.lines[e.buf.at.line], e.buf.at.col
	forward := kind == 'f' || kind == 't'
	i := at
	for k := range n {
		if forward {
			from := nextCluster(line, i)
			if kind == 't' && again && k == 0 {
				if next := nextCluster(line, from); strings.HasPrefix(line[from:], what) {
					from = next
				}
			}
			j := strings.Index(line[min(from, len(line)):], what)
			if j < 0 {
				return t, false
			}
			i = from + j
			continue
		}
		to := i
		if kind == 'T' && again && k == 0 && strings.HasSuffix(line[:to], what) {
			to -= len(what)
		}
		j := strings.LastIndex(line[:to], what)
		if j < 0 {
			return t, false
		}
		i = j
	}
	switch kind {
	case 't':
		i = prevCluster(line, i)
	case 'T':
		i += len(what)
	}
	return target{at: position{e.buf.at.line, i}, inclusive: forward}, true
}

// bigClass is the class for words that only blanks part.
func bigClass(r rune, big bool) charClass {
	c := classOf(r)
	if big && c != classSpace {
		return classWord
	}
	return c
}

func (e *Editor) classAt(p position, big bool) charClass {
	line := e.buf.lines[p.line]
	if p.col >= len(line) {
		return classSpace
	}
	r, _ := utf8.DecodeRuneInString(line[p.col:])
	return bigClass(r, big)
}

// nextWord is the beginning of the next word; an empty line is a word too.
func (e *Editor) nextWord(p position, big bool) position {
	start := e.classAt(p, big)
	for p.col < len(e.buf.lines[p.line]) && start != classSpace && e.classAt(p, big) == start {
		p.col = nextCluster(e.buf.lines[p.line], p.col)
	}
	for e.classAt(p, big) == classSpace {
		if p.col < len(e.buf.lines[p.line]) {
			p.col = nextCluster(e.buf.lines[p.line], p.col)
			continue
		}
		if p.line == len(e.buf.lines)-1 {
			return p
		}
		p = position{p.line + 1, 0}
		if e.buf.lines[p.line] == "" {
			return p
		}
	}
	return p
}

// prevWord is the beginning of this word or the one before.
func (e *Editor) prevWord(p position, big bool) position {
	p = e.buf.left(p)
	for e.classAt(p, big) == classSpace && p != (position{}) {
		if e.buf.lines[p.line] == "" {
			return p
		}
		p = e.buf.left(p)
	}
	class := e.classAt(p, big)
	for p.col > 0 {
		q := position{p.line, prevCluster(e.buf.lines[p.line], p.col)}
		if e.classAt(q, big) != class {
			break
		}
		p = q
	}
	return p
}

// wordEnd is the last character of this word or the next.
func (e *Editor) wordEnd(p position, big bool) position {
	p = e.buf.right(p)
	for e.classAt(p, big) == classSpace && p != e.buf.end() {
		p = e.buf.right(p)
	}
	class := e.classAt(p, big)
	for {
		q := position{p.line, nextCluster(e.buf.lines[p.line], p.col)}
		if q.col >= len(e.buf.lines[p.line]) || e.classAt(q, big) != class {
			return p
		}
		p = q
	}
}

// paragraph is the next or previous blank line.
func (e *Editor) paragraph(forward bool, n int) target {
	l := e.buf.at.line
	step := -1
	if forward {
		step = 1
	}
	for range n {
		for l += step; l > 0 && l < len(e.buf.lines)-1 && strings.TrimSpace(e.buf.lines[l]) != ""; l += step {
		}
		l = min(max(l, 0), len(e.buf.lines)-1)
	}
	p := position{l, 0}
	if forward && l == len(e.buf.lines)-1 && strings.TrimSpace(e.buf.lines[l]) != "" {
		p.col = len(e.buf.lines[l])
	}
	return target{at: p}
}

// runeColumn and columnOffset keep a column when one goes from line to line.
func runeColumn(line string, col int) int { return utf8.RuneCountInString(line[:col]) }

func columnOffset(line string, column int) int {
	for i := range line {
		if column == 0 {
			return i
		}
		column--
	}
	return len(line)
}

// textObject is the text of an object such as iw or a": from a up to z.
func (e *Editor) textObject(around bool, what string) (a, z position, ok bool) {
	line, l := e.buf.lines[e.buf.at.line], e.buf.at.line
	col := min(e.buf.at.col, len(line))
	switch what {
	case "w", "W":
		if line == "" {
			return a, z, false
		}
		col = min(col, prevCluster(line, len(line)))
		from, to := e.runOf(position{l, col}, what == "W")
		if around {
			end := to
			for end < len(line) && e.classAt(position{l, end}, false) == classSpace {
				end++
			}
			if end == to { // nothing behind: the blanks in front
				for from > 0 && e.classAt(position{l, from - 1}, false) == classSpace {
					from--
				}
			}
			to = end
		}
		return position{l, from}, position{l, to}, true
	case `"`, "'", "`":
		from := strings.LastIndex(line[:col], what)
		if strings.HasPrefix(line[col:], what) && from < 0 {
			from = col
		}
		if from < 0 {
			if i := strings.Index(line[col:], what); i >= 0 {
				from = col + i
			}
		}
		if from < 0 {
			return a, z, false
		}
		n := strings.Index(line[from+1:], what)
		if n < 0 {
			return a, z, false
		}
		if around {
			return position{l, from}, position{l, from + n + 2}, true
		}
		return position{l, from + 1}, position{l, from + 1 + n}, true
	case "p":
		return e.paragraphObject(around)
	}
	for _, pair := range []string{"()b", "[]", "{}B", "<>"} {
		if strings.Contains(pair, what) {
			return e.brackets(pair[0], pair[1], around)
		}
	}
	return a, z, false
}

// runOf is the run of characters of one class around a place of its line.
func (e *Editor) runOf(p position, big bool) (from, to int) {
	line, class := e.buf.lines[p.line], e.classAt(p, big)
	from, to = p.col, nextCluster(line, p.col)
	for from > 0 && e.classAt(position{p.line, prevCluster(line, from)}, big) == class {
		from = prevCluster(line, from)
	}
	for to < len(line) && e.classAt(position{p.line, to}, big) == class {
		to = nextCluster(line, to)
	}
	return from, to
}

func (e *Editor) paragraphObject(around bool) (a, z position, ok bool) {
	blank := func(l int) bool { return strings.TrimSpace(e.buf.lines[l]) == "" }
	from, to, last := e.buf.at.line, e.buf.at.line, len(e.buf.lines)-1
	kind := blank(from)
	for from > 0 && blank(from-1) == kind {
		from--
	}
	for to < last && blank(to+1) == kind {
		to++
	}
	for around && to < last && blank(to+1) != kind {
		to++
	}
	return position{from, 0}, position{to, len(e.buf.lines[to])}, true
}

// brackets finds the pair around the caret, over lines.
func (e *Editor) brackets(open, close byte, around bool) (a, z position, ok bool) {
	p := e.within(e.buf.at)
	depth := 0
	for a = p; ; {
		if line := e.buf.lines[a.line]; a.col < len(line) {
			switch {
			case line[a.col] == open && depth == 0:
				ok = true
			case line[a.col] == open:
				depth--
			case line[a.col] == close && a != p:
				depth++
			}
		}
		if ok || a == (position{}) {
			break
		}
		a = e.buf.left(a)
	}
	if !ok {
		return a, z, false
	}
	depth = 0
	for z = e.buf.right(a); ; z = e.buf.right(z) {
		if line := e.buf.lines[z.line]; z.col < len(line) {
			switch line[z.col] {
			case open:
				depth++
			case close:
				if depth == 0 {
					if around {
						return a, position{z.line, z.col + 1}, true
					}
					return e.buf.right(a), z, true
				}
				depth--
			}
		}
		if z == e.buf.end() {
			return a, z, false
		}
	}
}
