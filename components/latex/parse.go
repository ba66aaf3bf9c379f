package latex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind uint8

const (
	symbol   kind = iota // text
	sequence             // kids in a row
	script               // kids[0] with sup and sub
	fraction             // kids[0] over kids[1]; text "small" keeps it on the line
	binomial             // kids[0] over kids[1]
	root                 // of kids[0]; sup is the degree
	fence                // kids[0] between open and shut, which grow
	accent               // text, a combining character, on kids[0]
	bar                  // text "over" or "under": a line along kids[0]
	brace                // text "over" or "under": a brace along kids[0]
	stack                // kids[0] with sup above and sub below
	arrow                // text, with sup above and sub below
	table                // rows; text is the environment
	boxed                // a frame around kids[0]
	space                // text: as many blanks
)

// class decides the blanks around a thing, after the classes of TeX.
type class uint8

const (
	ordinary class = iota
	operator       // functions and big operators
	binary
	relation
	opening
	closing
	punctuation
	inner // fractions and the like: set off from letters
	blank
)

type node struct {
	kind       kind
	class      class
	limits     bool // scripts of an operator go above and below
	text       string
	open, shut string
	kids       []*node
	sup, sub   *node
	rows       [][]*node
}

func sym(s string, c class) *node { return &node{text: s, class: c} }

// parser reads a formula. It never goes back, so it takes linear time.
type parser struct {
	s     string
	i     int
	depth int
	bad   bool
}

func parse(src string) (*node, bool) {
	src = strings.TrimSpace(src)
	if src == "" || len(src) > maxBytes || !utf8.ValidString(src) || strings.ContainsFunc(src, undrawable) {
		return nil, false
	}
	p := &parser{s: src}
	n := p.rows("")
	if p.bad || p.i < len(p.s) {
		return nil, false
	}
	if len(n.rows) == 1 && len(n.rows[0]) == 1 {
		n = n.rows[0][0]
	}
	return n, true
}

// undrawable is what a terminal might take for an order.
func undrawable(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
}

func (p *parser) fail() *node {
	p.bad = true
	p.i = len(p.s)
	return sym("", ordinary)
}

// enter counts a level of nesting; leave with the function it returns.
func (p *parser) enter() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail()
	}
	return func() { p.depth-- }
}

func (p *parser) blanks() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
	if p.i < len(p.s) && p.s[p.i] == '%' { // a comment
		if nl := strings.IndexByte(p.s[p.i:], '\n'); nl >= 0 {
			p.i += nl + 1
			p.blanks()
		} else {
			p.i = len(p.s)
		}
	}
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// peekCommand returns the name of the command that follows, without a
// backslash, and the place behind it.
func (p *parser) peekCommand() (name string, end int) {
	if p.i+1 >= len(p.s) || p.s[p.i] != '\\' {
		return "", p.i
	}
	end = p.i + 1
	for end < len(p.s) && letter(p.s[end]) {
		end++
	}
	if end == p.i+1 {
		_, n := utf8.DecodeRuneInString(p.s[end:])
		end += n
	}
	return p.s[p.i+1 : end], end
}

// stops reports whether a sequence ends here, whoever ends it.
func (p *parser) stops(stop byte) bool {
	switch c := p.s[p.i]; c {
	case '}', '&':
		return true
	case '\\':
		name, _ := p.peekCommand()
		return name == "\\" || name == "cr" || name == "right" || name == "end"
	default:
		return c == stop && stop != 0
	}
}

// seq reads things up to a place where a sequence ends.
func (p *parser) seq(stop byte) *node {
	defer p.enter()()
	n := &node{kind: sequence}
	for {
		p.blanks()
		if p.bad || p.i >= len(p.s) || p.stops(stop) {
			return n.simple()
		}
		if name, end := p.peekCommand(); name == "over" || name == "choose" {
			p.i = end
			top := n.simple()
			bottom := p.seq(stop)
			if name == "over" {
				return &node{kind: fraction, class: inner, kids: []*node{top, bottom}}
			}
			return &node{kind: binomial, kids: []*node{top, bottom}}
		}
		n.kids = append(n.kids, p.scripted())
	}
}

func (n *node) simple() *node {
	if len(n.kids) == 1 {
		return n.kids[0]
	}
	return n
}

// scripted reads one thing and what is above and below it.
func (p *parser) scripted() *node {
	var base *node
	if c := p.s[p.i]; c == '^' || c == '_' {
		base = sym("", ordinary)
	} else {
		base = p.one()
	}
	n := base
	for !p.bad {
		p.blanks()
		if p.i >= len(p.s) {
			break
		}
		c := p.s[p.i]
		if name, end := p.peekCommand(); name == "limits" || name == "nolimits" || name == "displaylimits" {
			p.i = end
			base.limits = name != "nolimits"
			continue
		}
		if c == '\'' {
			p.i++
			if n.kind != script {
				n = &node{kind: script, class: base.class, kids: []*node{base}}
			}
			n.sup = join(n.sup, sym("′", ordinary))
			continue
		}
		if c != '^' && c != '_' {
			break
		}
		p.i++
		arg := p.argument()
		if n.kind != script {
			n = &node{kind: script, class: base.class, kids: []*node{base}}
		}
		if c == '^' {
			n.sup = join(n.sup, arg)
		} else {
			if n.sub != nil {
				return p.fail()
			}
			n.sub = arg
		}
	}
	if n.kind == script && (base.kind == brace || base.kind == arrow || base.kind == stack) {
		if n.sup != nil {
			base.sup = n.sup
		}
		if n.sub != nil {
			base.sub = n.sub
		}
		return base
	}
	return n
}

func join(a, b *node) *node {
	if a == nil {
		return b
	}
	return &node{kind: sequence, kids: []*node{a, b}}
}

// argument reads what a command or a script applies to: a group or one thing.
func (p *parser) argument() *node {
	p.blanks()
	if p.i >= len(p.s) || p.stops(0) || p.s[p.i] == '^' || p.s[p.i] == '_' {
		return p.fail()
	}
	if c := p.s[p.i]; c >= '0' && c <= '9' {
		p.i++
		return sym(string(c), ordinary)
	}
	return p.one()
}

// group reads the text of a group as it was typed.
func (p *parser) group() string {
	p.blanks()
	if p.i >= len(p.s) || p.s[p.i] != '{' {
		p.fail()
		return ""
	}
	level := 0
	for k := p.i; k < len(p.s); k++ {
		switch p.s[k] {
		case '\\':
			k++
		case '{':
			level++
		case '}':
			if level--; level == 0 {
				s := p.s[p.i+1 : k]
				p.i = k + 1
				return s
			}
		}
	}
	p.fail()
	return ""
}

// option reads [x] if it follows.
func (p *parser) option() *node {
	p.blanks()
	if p.i >= len(p.s) || p.s[p.i] != '[' {
		return nil
	}
	p.i++
	n := p.seq(']')
	if p.i >= len(p.s) || p.s[p.i] != ']' {
		return p.fail()
	}
	p.i++
	return n
}

// one reads a character, a number, a group or a command with its arguments.
func (p *parser) one() *node {
	switch c := p.s[p.i]; {
	case c == '{':
		defer p.enter()()
		p.i++
		n := p.seq(0)
		if p.bad || p.i >= len(p.s) || p.s[p.i] != '}' {
			return p.fail()
		}
		p.i++
		return n
	case c >= '0' && c <= '9':
		k := p.i
		for p.i < len(p.s) && (p.s[p.i] >= '0' && p.s[p.i] <= '9' || p.s[p.i] == '.' && p.i+1 < len(p.s) && p.s[p.i+1] >= '0' && p.s[p.i+1] <= '9') {
			p.i++
		}
		return sym(p.s[k:p.i], ordinary)
	case c == '\\':
		name, end := p.peekCommand()
		if name == "" {
			return p.fail()
		}
		p.i = end
		return p.command(name)
	case c == '~':
		p.i++
		return &node{kind: space, class: blank, text: " "}
	case c == '\'':
		p.i++
		return sym("′", ordinary)
	case c == '$', c == '#':
		return p.fail()
	}
	// A letter with the marks that belong to it.
	k := p.i
	for p.i < len(p.s) {
		r, n := utf8.DecodeRuneInString(p.s[p.i:])
		if p.i > k && !unicode.Is(unicode.Mn, r) {
			break
		}
		p.i += n
	}
	s := p.s[k:p.i]
	return sym(s, charClass(s))
}

func charClass(s string) class {
	switch s {
	case "+", "-", "*", "±", "×", "·", "÷", "∪", "∩", "∧", "∨", "⊕", "⊗", "∘":
		return binary
	case "=", "<", ">", ":", "≤", "≥", "≠", "≈", "≡", "∈", "→", "⇒", "↦", "⊂", "⊆", "∼":
		return relation
	case "(", "[":
		return opening
	case ")", "]", "!":
		return closing
	case ",", ";":
		return punctuation
	case "∑", "∏", "∫":
		return operator
	}
	return ordinary
}
