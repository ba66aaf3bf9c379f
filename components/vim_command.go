package components

import (
	"strings"
	"unicode"

	"tau/tui/key"
)

// vimCommand takes the next character of a command of normal or visual mode.
func (e *Editor) vimCommand(s string) {
	v := e.vim
	visual := v.mode != VimNormal
	if v.wait != 0 {
		e.vimWaited(s)
		return
	}
	if s >= "1" && s <= "9" || s == "0" && v.count > 0 {
		v.count = min(v.count*10+int(s[0]-'0'), 9999)
		return
	}
	switch s {
	case "f", "F", "t", "T", "g", "r":
		v.wait = s[0]
		return
	case "i", "a":
		if v.op != 0 || visual {
			v.wait = s[0]
			return
		}
	}
	if v.op != 0 && s == string(v.op) {
		e.wholeLines()
		return
	}
	if t, ok := e.motion(s); ok || isMotion(s) {
		e.moved(t, ok)
		return
	}
	if v.op != 0 {
		e.vimDone(false)
		return
	}
	if strings.Contains("dcy<>", s) && !visual {
		v.op, v.opCount, v.count = s[0], v.count, 0
		return
	}
	if visual {
		e.visualCommand(s)
		return
	}
	e.normalCommand(s)
}

func isMotion(s string) bool { return strings.Contains("hjklwbeWBE0^_$G{};, ", s) }

func (e *Editor) motion(s string) (target, bool) {
	v := e.vim
	if v.op == 'c' && (s == "w" || s == "W") && e.classAt(e.buf.at, false) != classSpace {
		// As in vim, cw changes to the end of the word.
		t, ok := e.vimMotion(strings.Map(func(r rune) rune { return map[rune]rune{'w': 'e', 'W': 'E'}[r] }, s), v.times(), v.count > 0)
		if line := e.buf.lines[e.buf.at.line]; v.times() == 1 && (!ok || t.at.line != e.buf.at.line || e.oneLetter(line, s == "W")) {
			return target{at: e.buf.at, inclusive: true}, true
		}
		return t, ok
	}
	return e.vimMotion(s, v.times(), v.count > 0 || v.opCount > 0)
}

// oneLetter reports whether the caret is on the last character of its word.
func (e *Editor) oneLetter(line string, big bool) bool {
	next := position{e.buf.at.line, nextCluster(line, e.buf.at.col)}
	return next.col >= len(line) || e.classAt(next, big) != e.classAt(e.buf.at, big)
}

// moved goes where a motion leads, or lets the operator work on the way.
func (e *Editor) moved(t target, ok bool) {
	v := e.vim
	switch {
	case !ok:
		mode := v.mode
		e.vimDone(false)
		v.mode = mode // a motion that leads nowhere does not end a selection
	case v.op == 0:
		e.buf.newUnit()
		e.buf.at = t.at
		v.count, v.keys = 0, nil
		e.sticky = -1
		e.vimClamp()
		e.caretMoved()
	default:
		a, z := e.buf.at, t.at
		if after(a, z) {
			a, z = z, a
		}
		last := v.keys[len(v.keys)-1]
		if z.line > a.line && z.col == 0 && !t.linewise && (typed(last) == "w" || typed(last) == "W") {
			// A word at the end of a line is deleted without the line's end.
			z = position{z.line - 1, len(e.buf.lines[z.line-1])}
		}
		if t.inclusive {
			z.col = nextCluster(e.buf.lines[z.line], z.col)
		}
		e.operate(v.op, a, z, t.linewise)
	}
}

// wholeLines is an operator typed twice.
func (e *Editor) wholeLines() {
	a := e.buf.at
	z := position{min(a.line+e.vim.times()-1, len(e.buf.lines)-1), 0}
	e.operate(e.vim.op, a, z, true)
}

// operate applies an operator to the text from a up to z, or to whole lines.
func (e *Editor) operate(op byte, a, z position, lines bool) {
	changing := func(f func()) {
		editing(func(*Editor) { f() })(e, key.Event{})
	}
	switch op {
	case 'y':
		e.keep(a, z, lines)
		e.buf.at = a
		e.vimDone(false)
	case 'd':
		changing(func() { e.cut(a, z, lines) })
		e.vimDone(true)
	case 'c':
		if lines {
			a, z = position{a.line, indentOf(e.buf.lines[a.line])}, position{z.line, len(e.buf.lines[z.line])}
		}
		changing(func() {
			e.keep(a, z, lines)
			e.buf.replace(a, z, "")
		})
		e.insertMode()
	case '>', '<':
		changing(func() {
			for l := a.line; l <= z.line; l++ {
				line := e.buf.lines[l]
				if op == '>' && line != "" {
					e.buf.replace(position{l, 0}, position{l, 0}, "  ")
				} else if op == '<' {
					e.buf.replace(position{l, 0}, position{l, min(2, indentOf(line))}, "")
				}
			}
			e.buf.at = position{a.line, indentOf(e.buf.lines[a.line])}
		})
		e.vimDone(true)
	}
}

// vimWaited takes the character that a command was waiting for.
func (e *Editor) vimWaited(s string) {
	v := e.vim
	wait := v.wait
	v.wait = 0
	switch wait {
	case 'f', 'F', 't', 'T':
		v.find, v.findWhat = wait, s
		t, ok := e.findChar(wait, s, v.times(), false)
		e.moved(t, ok)
	case 'g':
		if s == "g" {
			t, ok := e.vimMotion("gg", v.times(), v.count > 0 || v.opCount > 0)
			e.moved(t, ok)
			return
		}
		e.vimDone(false)
	case 'r':
		n, line := v.times(), e.buf.lines[e.buf.at.line]
		end := e.buf.at.col
		for range n {
			if end >= len(line) {
				e.vimDone(false)
				return
			}
			end = nextCluster(line, end)
		}
		editing(func(e *Editor) {
			a := e.buf.at
			e.buf.replace(a, position{a.line, end}, strings.Repeat(s, n))
			e.buf.at = position{a.line, a.col + len(s)*(n-1)}
		})(e, key.Event{})
		e.vimDone(true)
	case 'i', 'a':
		a, z, ok := e.textObject(wait == 'a', s)
		switch {
		case !ok:
			if v.op != 0 {
				e.vimDone(false)
			}
			v.keys = nil
		case v.op != 0:
			e.operate(v.op, a, z, s == "p")
		default:
			v.anchor, e.buf.at = a, e.buf.left(z)
			v.keys = nil
		}
	}
}

// normalCommand is a command that is neither motion nor operator.
func (e *Editor) normalCommand(s string) {
	v := e.vim
	n := v.times()
	b := &e.buf
	line := b.lines[b.at.line]
	as := func(keys string) { // what a short form stands for
		for _, c := range keys {
			e.vimCommand(string(c))
		}
	}
	switch s {
	case "i":
		e.insertMode()
	case "a":
		b.at.col = nextCluster(line, b.at.col)
		e.insertMode()
	case "I":
		b.at.col = indentOf(line)
		e.insertMode()
	case "A":
		b.at.col = len(line)
		e.insertMode()
	case "o", "O":
		editing(func(e *Editor) {
			indent := line[:indentOf(line)]
			p := position{b.at.line, len(line)}
			if s == "O" {
				p.col = 0
				b.replace(p, p, indent+"\n")
				b.at = position{p.line, len(indent)}
				return
			}
			b.replace(p, p, "\n"+indent)
		})(e, key.Event{})
		e.insertMode()
	case "v", "V":
		v.mode, v.anchor = VimVisual, b.at
		if s == "V" {
			v.mode = VimVisualLine
		}
		v.reset()
	case "x":
		as("dl")
	case "X":
		as("dh")
	case "s":
		as("cl")
	case "S":
		as("cc")
	case "D":
		as("d$")
	case "C":
		as("c$")
	case "Y":
		as("yy")
	case "p", "P":
		editing(func(e *Editor) { e.put(s == "P", n) })(e, key.Event{})
		e.vimDone(true)
	case "J":
		editing(func(e *Editor) {
			for range max(1, n-1) {
				e.joinLines()
			}
		})(e, key.Event{})
		e.vimDone(true)
	case "~":
		editing(func(e *Editor) {
			end := b.at.col
			for range n {
				end = nextCluster(line, end)
			}
			b.replace(b.at, position{b.at.line, end}, otherCase(line[b.at.col:end]))
		})(e, key.Event{})
		e.vimDone(true)
	case "u":
		for range n {
			e.undo()
		}
		e.vimDone(false)
	case ".":
		e.vimRepeat()
	default:
		e.vimDone(false)
	}
}

// vimRepeat types the last change again.
func (e *Editor) vimRepeat() {
	v := e.vim
	keys := v.change
	v.reset()
	v.replay = true
	for _, k := range keys {
		if !e.vimKey(k) {
			e.handlePlain(k)
		}
	}
	v.replay = false
}

// visualCommand works on what is selected.
func (e *Editor) visualCommand(s string) {
	v := e.vim
	a, z, _ := e.vimSelection()
	lines := v.mode == VimVisualLine
	switch s {
	case "d", "x", "X", "D":
		e.operate('d', a, z, lines || s == "X" || s == "D")
	case "c", "s", "S", "C":
		e.operate('c', a, z, lines || s == "S" || s == "C")
	case "y", "Y":
		e.operate('y', a, z, lines || s == "Y")
	case ">", "<":
		e.operate(s[0], a, z, true)
	case "p", "P":
		text, were := v.register, v.lines
		editing(func(e *Editor) {
			e.cut(a, z, lines)
			cut, cutLines := v.register, v.lines
			v.register, v.lines = text, were
			e.put(!lines || e.buf.at.line == a.line, 1)
			v.register, v.lines = cut, cutLines
		})(e, key.Event{})
		e.vimDone(false)
	case "~", "u", "U":
		editing(func(e *Editor) {
			text := e.buf.between(a, z)
			switch s {
			case "~":
				text = otherCase(text)
			case "u":
				text = strings.ToLower(text)
			default:
				text = strings.ToUpper(text)
			}
			e.buf.replace(a, z, text)
			e.buf.at = a
		})(e, key.Event{})
		e.vimDone(false)
	case "J":
		editing(func(e *Editor) {
			e.buf.at = position{a.line, 0}
			for range max(1, z.line-a.line) {
				e.joinLines()
			}
		})(e, key.Event{})
		e.vimDone(false)
	case "o":
		v.anchor, e.buf.at = e.buf.at, v.anchor
		v.keys = nil
	case "v", "V":
		want := VimVisual
		if s == "V" {
			want = VimVisualLine
		}
		if v.mode == want {
			want = VimNormal
		}
		v.mode = want
		v.reset()
		e.vimClamp()
	default:
		v.keys = nil
	}
}

// joinLines puts the next line behind this one, with one blank between.
func (e *Editor) joinLines() {
	b := &e.buf
	l := b.at.line
	if l == len(b.lines)-1 {
		return
	}
	next := strings.TrimLeft(b.lines[l+1], " \t")
	glue := " "
	if next == "" || b.lines[l] == "" || strings.HasSuffix(b.lines[l], " ") || strings.HasPrefix(next, ")") {
		glue = ""
	}
	at := position{l, len(b.lines[l])}
	b.replace(at, position{l + 1, len(b.lines[l+1])}, glue+next)
	b.at = at
}

func otherCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}
