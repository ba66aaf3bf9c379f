package mermaid

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// parseFlow reads a flowchart. It returns nil for what it does not understand.
func parseFlow(lines []string) *graph {
	g := newGraph()
	_, dir, _ := strings.Cut(lines[0], " ")
	dir, rest, _ := strings.Cut(strings.TrimSpace(dir), ";")
	if dir = strings.TrimSpace(dir); dir != "" {
		d, ok := parseDirection(dir)
		if !ok {
			return nil
		}
		g.dir = d
	}
	p := &flowParser{g: g, in: -1}
	lines = append([]string{rest}, lines[1:]...)
	for _, l := range lines {
		for _, s := range statementsOf(l) {
			if !p.statement(s) {
				return nil
			}
		}
	}
	if p.in >= 0 {
		return nil
	}
	return g
}

// statementsOf splits a line at semicolons outside of quotes and brackets.
func statementsOf(l string) []string {
	if !strings.Contains(l, ";") {
		return []string{l}
	}
	var out []string
	quoted, level, from := false, 0, 0
	for i := range len(l) {
		switch c := l[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '(' || c == '{':
			level++
		case c == ']' || c == ')' || c == '}':
			level--
		case c == ';' && level <= 0:
			out = append(out, l[from:i])
			from = i + 1
		}
	}
	return append(out, l[from:])
}

type flowParser struct {
	g  *graph
	in int // the group that is open
	s  string
	i  int
}

func (p *flowParser) statement(s string) bool {
	s = strings.TrimSpace(s)
	word, rest, _ := strings.Cut(s, " ")
	switch word {
	case "":
		return true
	case "classDef", "class", "style", "linkStyle", "click", "direction":
		return true // colours, links, and directions of single groups
	case "subgraph":
		p.in = p.subgraph(strings.TrimSpace(rest))
		return true
	case "end":
		if p.in < 0 || rest != "" {
			return false
		}
		p.in = p.g.groups[p.in].parent
		return true
	}
	p.s, p.i = s, 0
	from, ok := p.nodes()
	if !ok {
		return false
	}
	for {
		p.blanks()
		if p.i >= len(p.s) {
			return true
		}
		l, ok := p.link()
		if !ok {
			return false
		}
		to, ok := p.nodes()
		if !ok {
			return false
		}
		for _, a := range from {
			for _, b := range to {
				l.from, l.to = a, b
				p.g.edges = append(p.g.edges, l)
			}
		}
		if len(p.g.edges) > maxEdges || len(p.g.nodes) > 2*maxNodes {
			return false
		}
		from = to
	}
}

// subgraph reads "id", "id [title]" and "title of several words".
func (p *flowParser) subgraph(s string) int {
	id, title := s, s
	if i := strings.IndexByte(s, '['); i >= 0 && strings.HasSuffix(s, "]") {
		id, title = strings.TrimSpace(s[:i]), s[i+1:len(s)-1]
	}
	return p.g.addGroup(strings.Trim(id, `"`), label(title), p.in)
}

func (p *flowParser) blanks() {
	for p.i < len(p.s) && p.s[p.i] == ' ' {
		p.i++
	}
}

// nodes reads "A & B & C".
func (p *flowParser) nodes() (out []int, ok bool) {
	for {
		n, ok := p.vertex()
		if !ok {
			return nil, false
		}
		out = append(out, n)
		p.blanks()
		if p.i >= len(p.s) || p.s[p.i] != '&' {
			return out, true
		}
		p.i++
	}
}

// name reads an id. A hyphen belongs to it between two letters only, or it
// begins a link.
func (p *flowParser) name() string {
	from := p.i
	for p.i < len(p.s) {
		r, n := utf8.DecodeRuneInString(p.s[p.i:])
		if r == '-' && p.i > from && p.i+1 < len(p.s) && wordByte(p.s[p.i+1]) && wordByte(p.s[p.i-1]) {
			p.i++
			continue
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' && r != '.' && r != '/' && r != '#' && r != '*' {
			break
		}
		p.i += n
	}
	return p.s[from:p.i]
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// brackets are the outlines by what is around the label; longer ones first.
func brackets() [][2]string {
	return [][2]string{
		{"(((", ")))"}, {"((", "))"}, {"([", "])"}, {"[(", ")]"}, {"[[", "]]"}, {"{{", "}}"},
		{"[/", "/]"}, {"[/", `\]`}, {`[\`, `\]`}, {`[\`, "/]"}, {"(", ")"}, {"[", "]"}, {"{", "}"}, {">", "]"},
	}
}

func bracketShape(open string) shape {
	switch open {
	case "(((":
		return doubleCircle
	case "((":
		return circle
	case "([":
		return stadium
	case "[(":
		return cylinder
	case "[[":
		return subroutine
	case "{{":
		return hexagon
	case "[/":
		return leaning
	case `[\`:
		return leaningBack
	case "(":
		return rounded
	case "{":
		return diamond
	case ">":
		return pennant
	}
	return rect
}

func (p *flowParser) vertex() (int, bool) {
	p.blanks()
	id := p.name()
	if id == "" {
		return 0, false
	}
	n := p.g.node(id, p.in)
	if p.g.nodes[n].group < 0 && p.in >= 0 {
		p.g.nodes[n].group = p.in
	}
	rest := p.s[p.i:]
	switch {
	case strings.HasPrefix(rest, "@{"):
		end := strings.IndexByte(rest, '}')
		if end < 0 || !p.attributes(n, rest[2:end]) {
			return 0, false
		}
		p.i += end + 1
	default:
		for _, b := range brackets() {
			if !strings.HasPrefix(rest, b[0]) {
				continue
			}
			body, size, ok := bracketed(rest[len(b[0]):], b[1])
			if !ok {
				continue
			}
			p.i += len(b[0]) + size
			p.g.nodes[n].label, p.g.nodes[n].named, p.g.nodes[n].shape = label(body), true, bracketShape(b[0])
			break
		}
	}
	if strings.HasPrefix(p.s[p.i:], ":::") {
		p.i += 3
		p.name()
	}
	return n, true
}

// bracketed finds the end of a label, which may be in quotes.
func bracketed(s, shut string) (body string, size int, ok bool) {
	if strings.HasPrefix(strings.TrimLeft(s, " "), `"`) {
		from := strings.IndexByte(s, '"')
		to := strings.IndexByte(s[from+1:], '"')
		if to < 0 {
			return "", 0, false
		}
		to += from + 2
		blanks := len(s[to:]) - len(strings.TrimLeft(s[to:], " "))
		if !strings.HasPrefix(s[to+blanks:], shut) {
			return "", 0, false
		}
		return s[from:to], to + blanks + len(shut), true
	}
	i := strings.Index(s, shut)
	if i < 0 || strings.ContainsAny(s[:i], "[]{}|") {
		return "", 0, false
	}
	return s[:i], i + len(shut), true
}

// attributes reads the inside of A@{ shape: diam, label: "x" }.
func (p *flowParser) attributes(n int, s string) bool {
	v := &p.g.nodes[n]
	for part := range strings.SplitSeq(s, ",") {
		key, value, _ := strings.Cut(part, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "label":
			v.label, v.named = label(value), true
		case "shape":
			switch value {
			case "rect", "proc", "process", "rectangle":
				v.shape = rect
			case "rounded", "event":
				v.shape = rounded
			case "stadium", "pill", "terminal":
				v.shape = stadium
			case "diam", "diamond", "decision", "question":
				v.shape = diamond
			case "hex", "hexagon", "prepare":
				v.shape = hexagon
			case "cyl", "cylinder", "db", "database":
				v.shape = cylinder
			case "circle", "circ":
				v.shape = circle
			case "dbl-circ", "double-circle":
				v.shape = doubleCircle
			case "subproc", "subprocess", "subroutine", "fr-rect", "framed-rectangle":
				v.shape = subroutine
			default:
				v.shape = rect
			}
		case "":
		default:
			return false
		}
	}
	return true
}

// link reads an edge with its label: -->, ---, -.->, ==>, ~~~, <-->, --x, --o,
// -- text -->, -->|text|.
func (p *flowParser) link() (link, bool) {
	l := link{fromGroup: -1, toGroup: -1}
	p.blanks()
	if p.i+2 < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '<':
			l.tail = arrowEnd
			p.i++
		case (c == 'x' || c == 'o') && strings.IndexByte("-=", p.s[p.i+1]) >= 0:
			l.tail = map[byte]ending{'x': crossEnd, 'o': circleEnd}[c]
			p.i++
		}
	}
	first, ok := p.line(&l)
	if !ok {
		return l, false
	}
	if !first { // the line goes on behind its text
		end := -1
		for k := p.i; k+1 < len(p.s) && end < 0; k++ {
			switch t := p.s[k : k+2]; {
			case l.stroke == solid && t == "--", l.stroke == thick && t == "==", l.stroke == dotted && (t == ".-" || t == "-."):
				end = k
			}
		}
		if end < 0 {
			return l, false
		}
		l.label = label(p.s[p.i:end])
		p.i = end
		st := l.stroke
		if done, ok := p.line(&l); !ok || !done {
			return l, false
		}
		l.stroke = st
	}
	p.blanks()
	if p.i < len(p.s) && p.s[p.i] == '|' {
		n := strings.IndexByte(p.s[p.i+1:], '|')
		if n < 0 {
			return l, false
		}
		l.label = label(p.s[p.i+1 : p.i+1+n])
		p.i += n + 2
	}
	return l, true
}

// line reads the strokes of a link and its head. whole is false for an
// opening half like "--" that a text follows.
func (p *flowParser) line(l *link) (whole, ok bool) {
	from := p.i
	for p.i < len(p.s) && strings.IndexByte("-=.~", p.s[p.i]) >= 0 {
		p.i++
	}
	body := p.s[from:p.i]
	switch {
	case len(body) < 2:
		return false, false
	case strings.Trim(body, "~") == "":
		l.stroke = hidden
		return len(body) >= 3, len(body) >= 3
	case strings.Contains(body, "."):
		l.stroke = dotted
	case strings.Trim(body, "=") == "":
		l.stroke = thick
	case strings.Trim(body, "-") != "":
		return false, false
	}
	if p.i < len(p.s) {
		next := p.i+1 >= len(p.s) || p.s[p.i+1] == ' ' || p.s[p.i+1] == '|'
		switch c := p.s[p.i]; {
		case c == '>':
			l.head = arrowEnd
		case c == 'x' && next:
			l.head = crossEnd
		case c == 'o' && next:
			l.head = circleEnd
		default:
			return len(body) >= 3 && !strings.HasSuffix(body, "-."), true
		}
		p.i++
		return true, true
	}
	return len(body) >= 3, true
}
