package mermaid

import (
	"strconv"
	"strings"
)

// parseStates reads a state diagram. It returns nil for what it does not
// understand.
func parseStates(lines []string) *graph {
	p := &stateParser{g: newGraph(), in: -1}
	for i := 1; i < len(lines); i++ {
		l := lines[i]
		if strings.HasPrefix(l, "note ") && !strings.Contains(l, ":") {
			var words []string
			for i++; i < len(lines) && lines[i] != "end note"; i++ {
				words = append(words, lines[i])
			}
			if i == len(lines) {
				return nil
			}
			l += " : " + strings.Join(words, "\n")
		}
		if !p.statement(l) || len(p.g.edges) > maxEdges || len(p.g.nodes) > 2*maxNodes {
			return nil
		}
	}
	if p.in >= 0 {
		return nil
	}
	for _, gr := range p.g.groups { // a description may come after the group
		if i, ok := p.g.index[gr.id]; ok && p.g.nodes[i].named {
			p.g.groups[p.g.names[gr.id]].title = p.g.nodes[i].label
		}
	}
	return p.g
}

type stateParser struct {
	g  *graph
	in int
}

func (p *stateParser) state(id string) (int, bool) {
	id = strings.TrimSpace(id)
	id, _, _ = strings.Cut(id, ":::")
	if id == "" || strings.ContainsAny(id, "{}\"<>") {
		return 0, false
	}
	n := p.g.node(id, p.in)
	v := &p.g.nodes[n]
	if v.shape == rect {
		v.shape = rounded
	}
	if v.group < 0 {
		v.group = p.in
	}
	return n, true
}

// mark is [*], the start or end of what it stands in.
func (p *stateParser) mark(s shape) int {
	id := "[*]" + strconv.Itoa(int(s)) + "/" + strconv.Itoa(p.in)
	n := p.g.node(id, p.in)
	p.g.nodes[n].shape, p.g.nodes[n].label = s, ""
	return n
}

func (p *stateParser) statement(l string) bool {
	word, rest, _ := strings.Cut(l, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case word == "classDef" || word == "class" || word == "style" || word == "scale" || l == "hide empty description":
		return true
	case word == "direction":
		d, ok := parseDirection(rest)
		if p.in < 0 {
			p.g.dir = d
		}
		return ok
	case l == "}":
		if p.in < 0 {
			return false
		}
		p.in = p.g.groups[p.in].parent
		return true
	case word == "note":
		return p.note(rest)
	case word == "state":
		return p.declaration(rest)
	}
	if from, to, ok := strings.Cut(l, "-->"); ok {
		to, words, _ := strings.Cut(to, ":")
		if strings.HasPrefix(words, "::") { // a class, not a label
			words = ""
		}
		from, to = strings.TrimSpace(from), strings.TrimSpace(to)
		e := link{label: label(words), head: arrowEnd, fromGroup: -1, toGroup: -1}
		ok := true
		if from == "[*]" {
			e.from = p.mark(startPoint)
		} else if e.from, ok = p.state(from); !ok {
			return false
		}
		if to == "[*]" {
			e.to = p.mark(endPoint)
		} else if e.to, ok = p.state(to); !ok {
			return false
		}
		p.g.edges = append(p.g.edges, e)
		return true
	}
	id, words, ok := strings.Cut(l, ":")
	if strings.ContainsAny(strings.TrimSpace(id), " -") {
		return false
	}
	n, good := p.state(id)
	if good && ok {
		p.describe(n, label(words))
	}
	return good
}

func (p *stateParser) describe(n int, words string) {
	v := &p.g.nodes[n]
	if v.named {
		words = v.label + "\n" + words
	}
	v.label, v.named = words, true
}

// declaration reads what follows "state".
func (p *stateParser) declaration(s string) bool {
	body := strings.HasSuffix(s, "{")
	s = strings.TrimSpace(strings.TrimSuffix(s, "{"))
	title := ""
	if strings.HasPrefix(s, `"`) {
		words, id, ok := strings.Cut(s[1:], `"`)
		id, isAs := strings.CutPrefix(strings.TrimSpace(id), "as ")
		if !ok || !isAs {
			return false
		}
		title, s = label(words), strings.TrimSpace(id)
	}
	id, kind, _ := strings.Cut(s, "<<")
	id = strings.TrimSpace(id)
	if body {
		if strings.ContainsAny(id, " \"") || id == "" {
			return false
		}
		if title == "" {
			title = id
		}
		p.in = p.g.addGroup(id, title, p.in)
		return true
	}
	n, ok := p.state(id)
	if !ok {
		return false
	}
	if title != "" {
		p.describe(n, title)
	}
	switch strings.TrimSuffix(kind, ">>") {
	case "":
	case "choice":
		p.g.nodes[n].shape, p.g.nodes[n].label = diamond, ""
	case "fork", "join":
		p.g.nodes[n].shape, p.g.nodes[n].label = barPoint, ""
	default:
		return false
	}
	return true
}

// note reads "right of X : words". It becomes a node of its own.
func (p *stateParser) note(s string) bool {
	s, ok := strings.CutPrefix(s, "right of ")
	if !ok {
		if s, ok = strings.CutPrefix(s, "left of "); !ok {
			return false
		}
	}
	id, words, ok := strings.Cut(s, ":")
	if !ok {
		return false
	}
	of, ok := p.state(id)
	if !ok {
		return false
	}
	addNote(p.g, of, words, p.g.nodes[of].group)
	return true
}

// addNote hangs a note on a node; of is -1 for one that stands alone.
func addNote(g *graph, of int, words string, in int) {
	n := g.node("note/"+strconv.Itoa(len(g.nodes)), in)
	g.nodes[n].label, g.nodes[n].shape = label(words), note
	if of >= 0 {
		g.edges = append(g.edges, link{from: of, to: n, stroke: dotted, fromGroup: -1, toGroup: -1})
	}
}
