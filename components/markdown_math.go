package components

import (
	"bytes"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
)

// mathParser reads formulas: $x$ and \(x\) in a line, $$x$$ and \[x\] also over
// lines of a paragraph. What is not clearly a formula (a price, a variable of
// the shell), is not closed, or holds a command that is not known stays as it
// was typed.
type mathParser struct{}

// mathNode is a formula as it is shown.
type mathNode struct {
	ast.BaseInline
	text string
}

var kindMath = sync.OnceValue(func() ast.NodeKind { return ast.NewNodeKind("Math") })

func (*mathNode) Kind() ast.NodeKind            { return kindMath() }
func (n *mathNode) Dump(source []byte, lev int) { ast.DumpHelper(n, source, lev, nil, nil) }

func (mathParser) Trigger() []byte { return []byte{'$', '\\'} }

// Formulas longer than this are left alone.
const (
	mathBytes = 2000
	mathLines = 30
)

func (mathParser) Parse(_ ast.Node, block gtext.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	var open, shut string
	switch {
	case bytes.HasPrefix(line, []byte("$$")):
		open, shut = "$$", "$$"
	case bytes.HasPrefix(line, []byte(`\[`)):
		open, shut = `\[`, `\]`
	case bytes.HasPrefix(line, []byte(`\(`)):
		open, shut = `\(`, `\)`
	case line[0] == '$':
		open, shut = "$", "$"
	default:
		return nil
	}
	nr, pos := block.Position()
	block.Advance(len(open))
	var body strings.Builder
	for range mathLines {
		line, _ := block.PeekLine()
		if line == nil {
			break
		}
		i := bytes.Index(line[:min(len(line), mathBytes)], []byte(shut))
		if i >= 0 {
			body.Write(line[:i])
			after := byte(' ')
			if k := i + len(shut); k < len(line) {
				after = line[k]
			}
			block.Advance(i + len(shut))
			if s, ok := formula(body.String(), open, after); ok {
				return &mathNode{text: s}
			}
			break
		}
		if open == "$" || open == `\(` || body.Len()+len(line) > mathBytes {
			break
		}
		body.Write(line)
		block.AdvanceLine()
	}
	block.SetPosition(nr, pos)
	return nil
}

// formula converts the text between delimiters, if it is a formula.
func formula(s, open string, after byte) (string, bool) {
	t := strings.TrimSpace(s)
	if t == "" {
		return "", false
	}
	if open == "$" {
		if t != s || after >= '0' && after <= '9' || after >= 'a' && after <= 'z' || after >= 'A' && after <= 'Z' {
			return "", false
		}
		single := len(t) == 1 && unicode.IsLetter(rune(t[0]))
		if !single && !strings.ContainsAny(t, `\^_{=`) {
			return "", false
		}
	}
	m := mathReader{s: t}
	out := strings.TrimSpace(m.until(0))
	return out, !m.bad && out != ""
}

// mathReader turns LaTeX into plain characters as far as Unicode has them.
type mathReader struct {
	s     string
	i     int
	depth int
	bad   bool // something has no plain form
}

// until converts up to a closing byte, or to the end.
func (m *mathReader) until(end byte) string {
	m.depth++
	defer func() { m.depth-- }()
	if m.depth > 20 {
		m.bad = true
	}
	var b strings.Builder
	for m.i < len(m.s) && !m.bad {
		if end != 0 && m.s[m.i] == end {
			m.i++
			return b.String()
		}
		b.WriteString(m.next())
	}
	if end != 0 {
		m.bad = true
	}
	return b.String()
}

// next converts one thing: a character, a group, a command with its arguments.
func (m *mathReader) next() string {
	c := m.s[m.i]
	switch c {
	case '{':
		m.i++
		return m.until('}')
	case '}':
		m.bad = true
		return ""
	case '^', '_':
		m.i++
		return m.script(c)
	case '\\':
		m.i++
		return m.command()
	case '&':
		m.i++
		return ""
	case '~':
		m.i++
		return " "
	case '\'':
		m.i++
		return "′"
	}
	for k := range m.s[m.i:] {
		if k > 0 {
			s := m.s[m.i : m.i+k]
			m.i += k
			return s
		}
	}
	s := m.s[m.i:]
	m.i = len(m.s)
	return s
}

// argument converts the group or thing that follows.
func (m *mathReader) argument() string {
	for m.i < len(m.s) && m.s[m.i] == ' ' {
		m.i++
	}
	if m.i >= len(m.s) {
		m.bad = true
		return ""
	}
	return m.next()
}

// raw returns the group that follows as it was typed.
func (m *mathReader) raw() string {
	if m.i >= len(m.s) || m.s[m.i] != '{' {
		return m.argument()
	}
	n := strings.IndexByte(m.s[m.i:], '}')
	if n < 0 {
		m.bad = true
		return ""
	}
	s := m.s[m.i+1 : m.i+n]
	m.i += n + 1
	return s
}

func (m *mathReader) script(kind byte) string {
	arg := strings.TrimSpace(m.argument())
	table := mathTables().super
	if kind == '_' {
		table = mathTables().sub
	}
	var b strings.Builder
	for _, r := range arg {
		t, ok := table[r]
		if !ok {
			return string(kind) + grouped(arg)
		}
		b.WriteRune(t)
	}
	return b.String()
}

// grouped puts brackets around what is more than one character or word.
func grouped(s string) string {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '′' {
			return "(" + s + ")"
		}
	}
	return s
}

func (m *mathReader) command() string {
	if m.i >= len(m.s) {
		m.bad = true
		return ""
	}
	n := 0
	for m.i+n < len(m.s) && (m.s[m.i+n] >= 'a' && m.s[m.i+n] <= 'z' || m.s[m.i+n] >= 'A' && m.s[m.i+n] <= 'Z') {
		n++
	}
	if n == 0 {
		c := m.s[m.i]
		m.i++
		switch c {
		case '\\':
			return "\n"
		case ',', ';', ':', ' ', '>':
			return " "
		case '!':
			return ""
		case '|':
			return "‖"
		case '{', '}', '%', '$', '&', '#', '_':
			return string(c)
		}
		m.bad = true
		return ""
	}
	name := m.s[m.i : m.i+n]
	m.i += n
	switch name {
	case "frac", "dfrac", "tfrac", "cfrac":
		a := m.argument()
		return grouped(a) + "/" + grouped(m.argument())
	case "binom":
		a := m.argument()
		return "C(" + a + ", " + m.argument() + ")"
	case "sqrt":
		root := "√"
		if m.i < len(m.s) && m.s[m.i] == '[' {
			m.i++
			deg := m.until(']')
			switch deg {
			case "3":
				root = "∛"
			case "4":
				root = "∜"
			default:
				root = deg + "√"
			}
		}
		return root + grouped(m.argument())
	case "text", "textbf", "textit", "textrm", "mathrm", "mathbf", "mathit", "mathsf", "operatorname", "mbox", "boldsymbol":
		return m.raw()
	case "mathbb":
		var b strings.Builder
		for _, r := range m.raw() {
			t, ok := mathTables().double[r]
			if !ok {
				t = r
			}
			b.WriteRune(t)
		}
		return b.String()
	case "mathcal", "mathfrak", "mathscr":
		return m.raw()
	case "left", "right", "big", "Big", "bigg", "Bigg", "displaystyle", "limits", "nolimits", "bigl", "bigr":
		if m.i < len(m.s) && m.s[m.i] == '.' {
			m.i++
		}
		return ""
	case "hat", "widehat":
		return m.argument() + "\u0302"
	case "bar", "overline":
		return m.argument() + "\u0304"
	case "tilde":
		return m.argument() + "\u0303"
	case "vec":
		return m.argument() + "\u20d7"
	case "dot":
		return m.argument() + "\u0307"
	case "quad", "qquad":
		return "  "
	}
	if s, ok := mathTables().symbols[name]; ok {
		return s
	}
	m.bad = true
	return ""
}
