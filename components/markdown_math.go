package components

import (
	"bytes"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"

	"tau/components/latex"
	"tau/tui/text"
)

// mathParser reads formulas: $x$ and \(x\) in a line, $$x$$ and \[x\] also over
// lines of a paragraph. What is not clearly a formula (a price, a variable of
// the shell), is not closed, or holds a command that is not known stays as it
// was typed.
type mathParser struct{}

// mathNode is a formula in a line.
type mathNode struct {
	ast.BaseInline
	text    string // as one line
	source  string // without its delimiters
	display bool   // stands by itself where it can
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
				return &mathNode{text: s, source: body.String(), display: open == "$$" || open == `\[`}
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
	return orSource(func() (string, bool) { return latex.Inline(t) })
}

// mathBlock is a formula between lines that hold only $$ or \[ and \]. Its
// lines are no Markdown: one may begin with a sign that would start a list.
type mathBlock struct {
	ast.BaseBlock
	open   string
	closed bool
}

var kindMathBlock = sync.OnceValue(func() ast.NodeKind { return ast.NewNodeKind("MathBlock") })

func (*mathBlock) Kind() ast.NodeKind            { return kindMathBlock() }
func (*mathBlock) IsRaw() bool                   { return true }
func (n *mathBlock) Dump(source []byte, lev int) { ast.DumpHelper(n, source, lev, nil, nil) }

func (n *mathBlock) shut() string {
	if n.open == "$$" {
		return "$$"
	}
	return `\]`
}

// mathBlockParser reads a mathBlock. One that is not closed ends at the first
// blank line and is shown as it was typed.
type mathBlockParser struct{}

func (mathBlockParser) Trigger() []byte { return []byte{'$', '\\'} }

func (mathBlockParser) Open(_ ast.Node, reader gtext.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	open := string(bytes.TrimSpace(line))
	if open != "$$" && open != `\[` {
		return nil, parser.NoChildren
	}
	if p, ok := pc.LastOpenedBlock().Node.(*ast.Paragraph); ok && open == "$$" && bytes.Count(p.Lines().Value(reader.Source()), []byte("$$"))%2 == 1 {
		return nil, parser.NoChildren // it ends a formula of the paragraph
	}
	reader.AdvanceToEOL()
	return &mathBlock{open: open}, parser.NoChildren
}

func (mathBlockParser) Continue(node ast.Node, reader gtext.Reader, _ parser.Context) parser.State {
	n := node.(*mathBlock)
	line, segment := reader.PeekLine()
	t := bytes.TrimSpace(line)
	switch {
	case n.closed || len(t) == 0:
		return parser.Close
	case string(t) == n.shut():
		n.closed = true
		reader.AdvanceToEOL()
		return parser.Close
	}
	n.Lines().Append(segment)
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

func (mathBlockParser) Close(ast.Node, gtext.Reader, parser.Context) {}
func (mathBlockParser) CanInterruptParagraph() bool                  { return true }
func (mathBlockParser) CanAcceptIndentedLine() bool                  { return false }

func (r *mdRenderer) mathBlock(n *mathBlock, src []byte, width int, f flow) []string {
	body := strings.TrimRight(string(n.Lines().Value(src)), "\n")
	if n.closed {
		if lines, ok := r.drawing(body, width, f); ok {
			return lines
		}
	}
	raw := n.open + "\n" + body
	if n.closed {
		raw += "\n" + n.shut()
	}
	return r.wrap(f.base.apply(expandTabs(strings.ReplaceAll(raw, "\n\n", "\n"))), width)
}

// mathIndent is how far a formula of its own stands in.
const mathIndent = 2

// drawing lays out a formula that stands by itself.
func (r *mdRenderer) drawing(source string, width int, f flow) ([]string, bool) {
	indent := mathIndent
	lines, ok := orSource(func() ([]string, bool) { return latex.Render(source, width-indent) })
	if !ok {
		indent = 0
		if lines, ok = orSource(func() ([]string, bool) { return latex.Render(source, width) }); !ok {
			return nil, false
		}
	}
	for i, l := range lines {
		if l != "" {
			lines[i] = text.Spaces(indent) + f.base.apply(l)
		}
	}
	return lines, true
}

// paragraph lays out text; formulas that stand by themselves get lines of
// their own.
func (r *mdRenderer) paragraph(n ast.Node, src []byte, width int, f flow) []string {
	var out []string
	from := n.FirstChild()
	flush := func(to ast.Node) {
		var b strings.Builder
		for c := from; c != nil && c != to; c = c.NextSibling() {
			r.span(&b, c, src, f.base, 0)
		}
		s := strings.Trim(b.String(), "\n")
		if len(out) > 0 {
			s = withoutLead(s)
		}
		if strings.TrimSpace(text.StripSequences(s)) != "" {
			out = append(out, r.wrap(s, width)...)
		}
	}
	for c := from; c != nil; c = c.NextSibling() {
		m, ok := c.(*mathNode)
		if !ok || !m.display {
			continue
		}
		lines, ok := r.drawing(m.source, width, f)
		if !ok {
			continue
		}
		flush(c)
		out = append(out, lines...)
		from = c.NextSibling()
	}
	flush(nil)
	return out
}

// withoutLead drops blanks and line breaks from the front of a styled text.
func withoutLead(s string) string {
	k := 0
	for k < len(s) {
		if n := text.Escape(s[k:]); n > 0 {
			k += n
			continue
		}
		if s[k] != ' ' && s[k] != '\n' {
			return s
		}
		s = s[:k] + s[k+1:]
	}
	return s
}
