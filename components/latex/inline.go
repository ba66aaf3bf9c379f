package latex

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tau/tui/text"
)

func columns(s string) int { return text.Width(s) }

// inline writes a node as one line. tight leaves the blanks around operators
// out, as in scripts and fractions.
func inline(n *node, tight bool) string {
	if n == nil {
		return ""
	}
	switch n.kind {
	case symbol, space:
		return n.text
	case sequence:
		var b strings.Builder
		for i, k := range n.kids {
			if gap(n.kids, i, tight) {
				b.WriteByte(' ')
			}
			b.WriteString(inline(k, tight))
		}
		return strings.TrimSpace(b.String())
	case script:
		base := inline(n.kids[0], tight)
		if n.kids[0].kind == fraction {
			base = "(" + base + ")"
		}
		return base + lowered(n.sub) + raised(n.sup)
	case fraction:
		return numerator(inline(n.kids[0], true)) + "/" + denominator(n.kids[1])
	case binomial:
		return "C(" + inline(n.kids[0], tight) + ", " + inline(n.kids[1], tight) + ")"
	case root:
		return rootSign(n.sup) + grouped(inline(n.kids[0], tight))
	case fence:
		body := inline(n.kids[0], tight)
		if n.open == "{" && n.shut == "" {
			return "{ " + body
		}
		return n.open + body + n.shut
	case accent:
		return marked(inline(n.kids[0], tight), n.text, false)
	case bar:
		if n.text == "under" {
			return marked(inline(n.kids[0], tight), "\u0332", true)
		}
		return marked(inline(n.kids[0], tight), "\u0305", true)
	case brace, stack:
		s := inline(n.kids[0], tight)
		for _, label := range []*node{n.sub, n.sup} {
			if label != nil {
				s += "[" + inline(label, true) + "]"
			}
		}
		return s
	case arrow:
		return arrowLine(n.text, inline(n.sup, true)+inline(n.sub, true), 0)
	case boxed:
		return "[" + inline(n.kids[0], tight) + "]"
	case table:
		return inlineRows(n, tight)
	}
	return ""
}

// inlineRows writes a matrix as (a, b; c, d) and other rows with semicolons.
func inlineRows(n *node, tight bool) string {
	between := " "
	switch n.text {
	case "matrix", "smallmatrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "array", "cases", "dcases", "rcases":
		between = ", "
	}
	var rows []string
	for _, row := range n.rows {
		var cells []string
		for _, c := range row {
			if s := inline(c, tight); s != "" {
				cells = append(cells, s)
			}
		}
		s := strings.Join(cells, between)
		if between == ", " {
			s = strings.ReplaceAll(s, ",, ", ", ") // cells of cases often end in a comma
		}
		if s != "" {
			rows = append(rows, s)
		}
	}
	if n.text == "substack" {
		return strings.Join(rows, ", ")
	}
	return strings.Join(rows, "; ")
}

// gap reports whether a blank stands before kids[i].
func gap(kids []*node, i int, tight bool) bool {
	if i == 0 {
		return false
	}
	a, b := kids[i-1], kids[i]
	if a.class == blank || b.class == blank {
		return false
	}
	if a.class == operator && (b.class == ordinary || b.class == operator || b.class == inner) && a.text != "" || b.class == operator && (a.class == ordinary || a.class == closing || a.class == inner) ||
		a.class == operator && a.kind == script && (b.class == ordinary || b.class == operator || b.class == inner) {
		return true
	}
	if a.class == inner && (b.class == ordinary || b.class == inner) || b.class == inner && (a.class == ordinary || a.class == closing) {
		return true
	}
	if tight {
		return false
	}
	switch {
	case a.class == relation:
		return b.class != relation
	case b.class == relation:
		return true
	case a.class == punctuation:
		return b.class != closing
	case b.class == binary && !unary(kids, i), a.class == binary && !unary(kids, i-1):
		return true
	}
	return false
}

// unary reports whether the sign at i has nothing on its left or right.
func unary(kids []*node, i int) bool {
	if i == 0 || i == len(kids)-1 {
		return true
	}
	switch kids[i-1].class {
	case binary, relation, opening, punctuation, operator, blank:
		return true
	}
	return false
}

func raised(n *node) string  { return scripted(n, "^", superscripts()) }
func lowered(n *node) string { return scripted(n, "_", subscripts()) }

func scripted(n *node, mark string, have map[rune]rune) string {
	if n == nil {
		return ""
	}
	s := inline(n, true)
	if t, ok := translated(s, have); ok {
		return t
	}
	if utf8.RuneCountInString(s) > 1 && !enclosed(s) && (mark == "^" || grouped(s) != s) {
		return mark + "(" + s + ")" // e^iπ would be read as (e^i)π
	}
	return mark + s
}

// numerator puts brackets around what would fall apart before a slash: not
// around words, factorials and calls.
func numerator(s string) string {
	if i := strings.IndexByte(s, '('); i > 0 && enclosed(s[i:]) && grouped(s[:i]) == s[:i] {
		return s
	}
	if t := strings.TrimSuffix(s, "!"); t != "" && grouped(t) == t {
		return s
	}
	return grouped(s)
}

// denominator puts brackets around products too, except dx: 1/2a is read as
// (1/2)a.
func denominator(n *node) string {
	s := inline(n, true)
	if n.kind != sequence || enclosed(s) || len(n.kids) == 2 && (n.kids[0].text == "d" || n.kids[0].text == "∂") {
		return grouped(s)
	}
	return "(" + s + ")"
}

// translated writes s in small characters, if there are such for all of it.
func translated(s string, have map[rune]rune) (string, bool) {
	var b strings.Builder
	for _, r := range s {
		t, ok := have[r]
		if !ok {
			return "", false
		}
		b.WriteRune(t)
	}
	return b.String(), true
}

// grouped puts brackets around what is more than one word.
func grouped(s string) string {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("′.∞∂⁺⁻√∛∜", r) && !unicode.Is(unicode.No, r) {
			if enclosed(s) {
				return s
			}
			return "(" + s + ")"
		}
	}
	return s
}

// enclosed reports whether s is one pair of brackets with all else in it.
func enclosed(s string) bool {
	if !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") {
		return false
	}
	level := 0
	for i, r := range s {
		switch r {
		case '(':
			level++
		case ')':
			if level--; level == 0 && i < len(s)-1 {
				return false
			}
		}
	}
	return level == 0
}

func rootSign(degree *node) string {
	if degree == nil {
		return "√"
	}
	switch s := inline(degree, true); s {
	case "2":
		return "√"
	case "3":
		return "∛"
	case "4":
		return "∜"
	default:
		if t, ok := translated(s, superscripts()); ok {
			return t + "√"
		}
		return "[" + s + "]√"
	}
}

// marked puts a combining character on a word: on all of its letters, or on
// the middle one.
func marked(s, mark string, all bool) string {
	n := utf8.RuneCountInString(s)
	if n == 0 {
		return s
	}
	var b strings.Builder
	i := 0
	for _, r := range s {
		b.WriteRune(r)
		if (all || i == (n-1)/2) && r != ' ' && !unicode.IsMark(r) {
			b.WriteString(mark)
		}
		i++
	}
	return b.String()
}

// arrowLine draws an arrow with a label in its line, or of a width.
func arrowLine(name, label string, width int) string {
	left, line, right := "─", "─", "→"
	switch name {
	case "leftarrow":
		left, right = "←", "─"
	case "Rightarrow":
		left, line, right = "═", "═", "⇒"
	case "Leftarrow":
		left, line, right = "⇐", "═", "═"
	case "leftrightarrow":
		left = "←"
	case "mapsto":
		left = "├"
	}
	if label != "" {
		return left + label + right
	}
	return left + strings.Repeat(line, max(0, width-2)) + right
}
