package latex

import (
	"strings"
	"unicode"
)

// command reads the arguments of a command whose name has been read.
func (p *parser) command(name string) *node {
	defer p.enter()()
	if p.bad {
		return p.fail()
	}
	switch name {
	case "frac", "dfrac", "cfrac", "tfrac", "sfrac":
		n := &node{kind: fraction, class: inner, kids: []*node{p.argument(), p.argument()}}
		if name == "tfrac" || name == "sfrac" {
			n.text = "small"
		}
		return n
	case "binom", "dbinom", "tbinom":
		return &node{kind: binomial, kids: []*node{p.argument(), p.argument()}}
	case "sqrt":
		degree := p.option()
		return &node{kind: root, sup: degree, kids: []*node{p.argument()}}
	case "text", "textbf", "textit", "textrm", "textsf", "texttt", "textnormal", "mbox", "hbox":
		return sym(plainText(p.group()), ordinary)
	case "mathrm", "mathbf", "mathit", "mathsf", "mathtt", "mathnormal", "boldsymbol", "bm", "pmb", "mathstrut":
		return p.argument()
	case "operatorname":
		star := p.i < len(p.s) && p.s[p.i] == '*'
		if star {
			p.i++
		}
		n := sym(plainText(p.group()), operator)
		n.limits = star
		return n
	case "mathbb", "mathcal", "mathscr", "mathfrak":
		return alphabet(name, p.argument())
	case "left":
		return p.fenced()
	case "middle":
		d, ok := p.delimiter()
		if !ok {
			return p.fail()
		}
		return sym(d, relation)
	case "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl", "Biggr", "bigm", "Bigm":
		d, ok := p.delimiter()
		if !ok {
			return p.fail()
		}
		switch {
		case strings.HasSuffix(name, "l") || d == "(" || d == "[" || d == "{":
			return sym(d, opening)
		case strings.HasSuffix(name, "m"):
			return sym(d, relation)
		}
		return sym(d, closing)
	case "overline", "bar":
		return &node{kind: bar, text: "over", kids: []*node{p.argument()}}
	case "underline":
		return &node{kind: bar, text: "under", kids: []*node{p.argument()}}
	case "overbrace", "underbrace":
		return &node{kind: brace, text: strings.TrimSuffix(name, "brace"), kids: []*node{p.argument()}}
	case "overset", "stackrel":
		above := p.argument()
		base := p.argument()
		return &node{kind: stack, class: base.class, sup: above, kids: []*node{base}}
	case "underset":
		below := p.argument()
		base := p.argument()
		return &node{kind: stack, class: base.class, sub: below, kids: []*node{base}}
	case "xrightarrow", "xleftarrow", "xRightarrow", "xLeftarrow", "xleftrightarrow", "xmapsto":
		below := p.option()
		return &node{kind: arrow, class: relation, text: name[1:], sub: below, sup: p.argument()}
	case "boxed", "fbox":
		return &node{kind: boxed, class: inner, kids: []*node{p.argument()}}
	case "substack":
		return p.wrapped("substack")
	case "begin":
		return p.environment()
	case "not":
		n := p.argument()
		if n.kind != symbol || n.text == "" {
			return p.fail()
		}
		return sym(n.text+"\u0338", n.class)
	case "pmod":
		return sym("(mod "+inline(p.argument(), false)+")", inner)
	case "pod":
		return sym("("+inline(p.argument(), false)+")", inner)
	case "phantom", "hphantom", "vphantom":
		w := columns(inline(p.argument(), false))
		if name == "vphantom" {
			w = 0
		}
		return &node{kind: space, class: blank, text: strings.Repeat(" ", min(w, 40))}
	case "hspace", "mspace", "hskip", "vspace":
		p.group()
		return &node{kind: space, class: blank, text: " "}
	case "color", "label", "style":
		p.group()
		return &node{kind: space, class: blank}
	case "textcolor":
		p.group()
		return p.argument()
	case "tag":
		return sym("  ("+plainText(p.group())+")", ordinary)
	case "displaystyle", "textstyle", "scriptstyle", "nonumber", "notag", "hline", "rm", "bf", "it", "!", "/", "relax", "mathsurround", "allowbreak", "centering":
		return &node{kind: space, class: blank}
	case ",", ";", ":", ">", " ", "enspace", "thinspace":
		return &node{kind: space, class: blank, text: " "}
	case "quad":
		return &node{kind: space, class: blank, text: "  "}
	case "qquad":
		return &node{kind: space, class: blank, text: "    "}
	case "{", "lbrace", "lbrack", "langle", "lfloor", "lceil", "lvert", "lVert", "lgroup":
		return sym(delimiterNames()[name], opening)
	case "}", "rbrace", "rbrack", "rangle", "rfloor", "rceil", "rvert", "rVert", "rgroup":
		return sym(delimiterNames()[name], closing)
	case "|", "Vert", "vert":
		return sym(delimiterNames()[name], ordinary)
	case "%", "$", "&", "#", "_":
		return sym(name, ordinary)
	}
	if mark, ok := accents()[name]; ok {
		return &node{kind: accent, text: mark, kids: []*node{p.argument()}}
	}
	if n, ok := symbols()[name]; ok {
		c := n // operators are changed by \limits
		return &c
	}
	return p.fail()
}

// plainText is what \text and its like show.
func plainText(s string) string {
	s = strings.NewReplacer("$", "", `\ `, " ", `\,`, " ", `\;`, " ", `\-`, "", `\_`, "_", `\%`, "%", `\&`, "&", `\#`, "#", "~", " ", "\n", " ", "\t", " ", "\r", "").Replace(s)
	if strings.ContainsAny(s, `\{}`) {
		s = strings.NewReplacer("{", "", "}", "").Replace(s)
	}
	return s
}

// alphabet changes the letters of a symbol into those of another alphabet.
// Script letters outside of Unicode's first plane are missing from most fonts
// and stay as they are.
func alphabet(name string, n *node) *node {
	switch n.kind {
	case sequence:
		for i, k := range n.kids {
			n.kids[i] = alphabet(name, k)
		}
	case symbol:
		n.text = strings.Map(func(r rune) rune {
			switch name {
			case "mathbb":
				return doubleStruck(r)
			case "mathcal", "mathscr":
				if s, ok := scripts()[r]; ok {
					return s
				}
			}
			return r
		}, n.text)
	}
	return n
}

func doubleStruck(r rune) rune {
	if d, ok := doubles()[r]; ok {
		return d
	}
	switch {
	case r >= 'A' && r <= 'Z':
		return 0x1d538 + r - 'A'
	case r >= 'a' && r <= 'z':
		return 0x1d552 + r - 'a'
	case r >= '0' && r <= '9':
		return 0x1d7d8 + r - '0'
	}
	return r
}

// delimiter reads what \left, \right and \big take.
func (p *parser) delimiter() (string, bool) {
	p.blanks()
	if p.i >= len(p.s) {
		return "", false
	}
	if p.s[p.i] == '\\' {
		name, end := p.peekCommand()
		d, ok := delimiterNames()[name]
		if !ok {
			if n, known := symbols()[name]; known && strings.HasSuffix(name, "arrow") {
				d, ok = n.text, true
			}
		}
		if ok {
			p.i = end
		}
		return d, ok
	}
	c := p.s[p.i]
	p.i++
	switch c {
	case '.':
		return "", true
	case '<':
		return "⟨", true
	case '>':
		return "⟩", true
	case '(', ')', '[', ']', '|', '/':
		return string(c), true
	}
	return "", false
}

func (p *parser) fenced() *node {
	open, ok := p.delimiter()
	if !ok {
		return p.fail()
	}
	body := p.seq(0)
	name, end := p.peekCommand()
	if name != "right" {
		return p.fail()
	}
	p.i = end
	shut, ok := p.delimiter()
	if !ok {
		return p.fail()
	}
	return &node{kind: fence, open: open, shut: shut, kids: []*node{body}}
}

// wrapped reads a group of rows.
func (p *parser) wrapped(env string) *node {
	p.blanks()
	if p.i >= len(p.s) || p.s[p.i] != '{' {
		return p.fail()
	}
	p.i++
	n := p.rows(env)
	if p.i >= len(p.s) || p.s[p.i] != '}' {
		return p.fail()
	}
	p.i++
	return n
}

// environment reads \begin{x} … \end{x}.
func (p *parser) environment() *node {
	env := strings.TrimSuffix(p.group(), "*")
	var open, shut string
	switch env {
	case "matrix", "smallmatrix", "aligned", "align", "alignat", "gathered", "gather", "equation", "split", "multline", "eqnarray":
	case "array":
		p.group() // columns
	case "cases", "dcases":
		open = "{"
	case "rcases":
		shut = "}"
	case "pmatrix":
		open, shut = "(", ")"
	case "bmatrix":
		open, shut = "[", "]"
	case "Bmatrix":
		open, shut = "{", "}"
	case "vmatrix":
		open, shut = "|", "|"
	case "Vmatrix":
		open, shut = "‖", "‖"
	default:
		return p.fail()
	}
	if env == "alignat" {
		p.group()
	}
	n := p.rows(env)
	if name, end := p.peekCommand(); name == "end" {
		p.i = end
	} else {
		return p.fail()
	}
	if strings.TrimSuffix(p.group(), "*") != env {
		return p.fail()
	}
	if open == "" && shut == "" {
		return n
	}
	return &node{kind: fence, open: open, shut: shut, kids: []*node{n}}
}

// rows reads cells and rows up to the end of what holds them.
func (p *parser) rows(env string) *node {
	defer p.enter()()
	n := &node{kind: table, class: inner, text: env}
	row := []*node{}
	for !p.bad {
		row = append(row, p.seq(0))
		if p.i >= len(p.s) {
			break
		}
		if p.s[p.i] == '&' {
			p.i++
			continue
		}
		name, end := p.peekCommand()
		if name != "\\" && name != "cr" {
			break
		}
		p.i = end
		if p.i < len(p.s) && p.s[p.i] == '[' { // [2pt]
			if k := strings.IndexByte(p.s[p.i:], ']'); k > 0 && k < 12 && !strings.ContainsFunc(p.s[p.i+1:p.i+k], func(r rune) bool {
				return !unicode.IsDigit(r) && !unicode.IsLower(r) && r != '.' && r != '-'
			}) {
				p.i += k + 1
			}
		}
		n.rows = append(n.rows, row)
		row = []*node{}
	}
	if len(row) > 1 || len(row) == 1 && !row[0].empty() || len(n.rows) == 0 {
		n.rows = append(n.rows, row)
	}
	return n
}

// empty reports whether a node shows nothing.
func (n *node) empty() bool {
	switch n.kind {
	case sequence:
		for _, k := range n.kids {
			if !k.empty() {
				return false
			}
		}
		return true
	case space:
		return true
	}
	return false
}
