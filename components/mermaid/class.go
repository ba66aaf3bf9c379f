package mermaid

import (
	"slices"
	"strings"
)

// parseClasses reads a class diagram. It returns nil for what it does not
// understand.
func parseClasses(lines []string) *graph {
	p := &classParser{g: newGraph(), in: -1, open: -1, parts: map[int]*classParts{}}
	for _, l := range lines[1:] {
		if !p.statement(l) || len(p.g.edges) > maxEdges || len(p.g.nodes) > 2*maxNodes {
			return nil
		}
	}
	if p.open >= 0 || p.in >= 0 {
		return nil
	}
	for n, c := range p.parts {
		v := &p.g.nodes[n]
		if c.kind != "" {
			v.label = "«" + c.kind + "»\n" + v.label
		}
		for _, s := range [][]string{c.fields, c.methods} {
			if len(s) > 0 {
				v.sections = append(v.sections, strings.Join(s, "\n"))
			}
		}
	}
	return p.g
}

type classParts struct {
	kind            string
	fields, methods []string
}

type classParser struct {
	g     *graph
	in    int // namespace
	open  int // class whose members follow; -1: none
	parts map[int]*classParts
}

func (p *classParser) class(s string) (int, bool) {
	s, _, _ = strings.Cut(strings.TrimSpace(s), ":::")
	words := ""
	if i := strings.IndexByte(s, '['); i > 0 && strings.HasSuffix(s, "]") {
		words, s = label(s[i+1:len(s)-1]), s[:i]
	}
	s = strings.Trim(strings.TrimSpace(s), "`")
	if s == "" || strings.ContainsAny(s, " \"{}()<>:|*") {
		return 0, false
	}
	id, generic, ok := strings.Cut(s, "~")
	n := p.g.node(id, p.in)
	v := &p.g.nodes[n]
	v.shape = classBox
	if v.group < 0 {
		v.group = p.in
	}
	if ok && !v.named {
		v.label = id + "<" + strings.TrimSuffix(generic, "~") + ">"
	}
	if words != "" {
		v.label, v.named = words, true
	}
	if p.parts[n] == nil {
		p.parts[n] = &classParts{}
	}
	return n, true
}

func (p *classParser) statement(l string) bool {
	if p.open >= 0 {
		if l == "}" {
			p.open = -1
			return true
		}
		return p.member(p.open, l)
	}
	word, rest, _ := strings.Cut(l, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case word == "classDef" || word == "style" || word == "cssClass" || word == "click" || word == "link" || word == "callback":
		return true
	case word == "direction":
		d, ok := parseDirection(rest)
		p.g.dir = d
		return ok
	case word == "namespace":
		name, ok := strings.CutSuffix(rest, "{")
		p.in = p.g.addGroup("", strings.TrimSpace(name), p.in)
		return ok
	case l == "}":
		if p.in < 0 {
			return false
		}
		p.in = p.g.groups[p.in].parent
		return true
	case word == "note":
		if words, ok := strings.CutPrefix(rest, "for "); ok {
			id, words, ok := strings.Cut(words, `"`)
			if !ok {
				return false
			}
			n, ok := p.class(id)
			if ok {
				addNote(p.g, n, strings.TrimSuffix(words, `"`), p.in)
			}
			return ok
		}
		addNote(p.g, -1, rest, p.in)
		return true
	case strings.HasPrefix(l, "<<"):
		kind, id, ok := strings.Cut(l[2:], ">>")
		n, good := p.class(id)
		if ok && good {
			p.parts[n].kind = kind
		}
		return ok && good
	case word == "class":
		body, members, opens := strings.Cut(rest, "{")
		n, ok := p.class(body)
		if !ok {
			return false
		}
		members, shut := strings.CutSuffix(strings.TrimSpace(members), "}")
		if opens && !shut {
			p.open = n
		}
		members = strings.TrimSpace(members)
		return members == "" || p.member(n, members)
	}
	if p.relation(l) {
		return true
	}
	id, member, ok := strings.Cut(l, ":")
	n, good := p.class(id)
	if good && ok {
		return p.member(n, strings.TrimSpace(member))
	}
	return good
}

func (p *classParser) member(n int, s string) bool {
	c := p.parts[n]
	if kind, ok := strings.CutPrefix(s, "<<"); ok {
		c.kind = strings.TrimSuffix(kind, ">>")
		return true
	}
	// List~int~ is List<int>.
	for i := 0; strings.Contains(s, "~") && i < 20; i++ {
		s = strings.Replace(strings.Replace(s, "~", "<", 1), "~", ">", 1)
	}
	s = strings.TrimRight(strings.Join(strings.Fields(s), " "), "$*")
	if strings.Contains(s, "(") {
		c.methods = append(c.methods, s)
	} else {
		c.fields = append(c.fields, s)
	}
	return len(c.methods)+len(c.fields) < 100
}

// relation reads A "1" <|-- "*" B : words.
func (p *classParser) relation(l string) bool {
	l, words, _ := strings.Cut(l, " : ")
	quoted := false
	at := -1
	for i := 0; i+1 < len(l); i++ {
		if l[i] == '"' {
			quoted = !quoted
		}
		if t := l[i : i+2]; !quoted && (t == "--" || t == "..") {
			at = i
			break
		}
	}
	if at < 0 {
		return false
	}
	e := link{label: label(words), fromGroup: -1, toGroup: -1}
	if l[at] == '.' {
		e.stroke = dotted
	}
	left, right := l[:at], strings.TrimLeft(l[at:], l[at:at+1])
	left, e.tail = cutEnd(left, []string{"<|", "*", "o", "<", "()"}, true)
	right, e.head = cutEnd(right, []string{"|>", "*", "o", ">", "()"}, false)
	left, right = strings.TrimSpace(left), strings.TrimSpace(right)
	if i := strings.IndexByte(left, '"'); i > 0 && strings.HasSuffix(left, `"`) {
		e.tailLabel, left = label(left[i:]), left[:i]
	}
	if strings.HasPrefix(right, `"`) {
		card, rest, ok := strings.Cut(right[1:], `"`)
		if !ok {
			return false
		}
		e.headLabel, right = label(card), rest
	}
	// A label may follow without a blank before its colon.
	if id, more, ok := strings.Cut(right, ":"); ok && !strings.HasPrefix(more, "::") && e.label == "" {
		e.label, right = label(more), id
	}
	var ok bool
	if e.from, ok = p.class(left); !ok {
		return false
	}
	if e.to, ok = p.class(right); !ok {
		return false
	}
	p.g.edges = append(p.g.edges, e)
	return true
}

// cutEnd takes the end of a relation off a text.
func cutEnd(s string, marks []string, after bool) (string, ending) {
	ends := []ending{triangleEnd, diamondEnd, hollowEnd, arrowEnd, circleEnd}
	i := slices.IndexFunc(marks, func(m string) bool {
		if m == "o" { // or the last letter of a name
			return after && strings.HasSuffix(s, " o") || !after && strings.HasPrefix(s, "o ")
		}
		return after && strings.HasSuffix(s, m) || !after && strings.HasPrefix(s, m)
	})
	switch {
	case i < 0:
		return s, plainEnd
	case after:
		return strings.TrimSuffix(s, marks[i]), ends[i]
	}
	return strings.TrimPrefix(s, marks[i]), ends[i]
}
