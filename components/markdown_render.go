package components

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"tau/tui/text"
)

// mdRenderer lays out blocks for one width.
type mdRenderer struct {
	m     *Markdown
	st    MarkdownStyle
	width int
	pad   string
}

// block appends the lines of a top-level block to lines, with the blank line
// in front of it. Whether there is one is a matter of this block, never of the
// next: lines that are out do not change.
func (r *mdRenderer) block(lines []string, b *mdBlock) []string {
	var body []string
	if lines, ok := r.diagram(b); ok {
		body = lines
	} else if b.node != nil {
		body = r.node(b.node, b.source, r.width, flow{base: r.st.Text})
	} else {
		// Settled: parse the part again. A fence needs no parser, and must
		// not get one: it is the longest of blocks.
		part := r.m.src[b.from:b.to]
		if f := startFence(part, 0); f != nil {
			f.scan(part)
			f.feed(r, part, true)
			body = append(f.body, r.fenceLine(f.marker()))
		} else {
			doc := parseMarkdown(part)
			for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
				more := r.node(n, part, r.width, flow{base: r.st.Text})
				if len(body) > 0 && len(more) > 0 {
					body = append(body, "") // a table that was split off a paragraph
				}
				body = append(body, more...)
			}
		}
	}
	for len(body) > 0 && body[len(body)-1] == "" {
		body = body[:len(body)-1]
	}
	if len(body) == 0 {
		return lines
	}
	if len(lines) > 0 || len(r.m.closed) > 0 {
		if !r.tight(b) {
			lines = append(lines, "")
		}
	}
	for _, l := range body {
		if l != "" {
			l = r.pad + l
		}
		lines = append(lines, l)
	}
	return lines
}

// tight reports whether the block follows the one before without a blank
// line: a list right under the line that announces it.
func (r *mdRenderer) tight(b *mdBlock) bool {
	// This goes by the source alone: the blocks around may be long gone.
	if !beginsList(r.m.src[b.from:b.to]) {
		return false
	}
	before := bytes.TrimRight(r.m.src[:b.from], " \t")
	before = bytes.TrimSuffix(before, []byte("\n"))
	line := bytes.TrimSpace(before[bytes.LastIndexByte(before, '\n')+1:])
	return len(line) > 0 && bytes.IndexByte([]byte("#|`~><"), line[0]) < 0 && len(bytes.Trim(line, "-=")) > 0 && !isRule(line) && !beginsList(line)
}

// beginsList reports whether a block that starts with s is a list.
func beginsList(s []byte) bool {
	s, _, _ = bytes.Cut(bytes.TrimLeft(s, " "), []byte("\n"))
	rest := bytes.TrimLeft(s, "0123456789")
	switch {
	case len(s) == 0:
		return false
	case len(rest) < len(s):
		if len(rest) == 0 || rest[0] != '.' && rest[0] != ')' {
			return false
		}
		rest = rest[1:]
	case bytes.IndexByte([]byte("-*+"), s[0]) < 0 || isRule(s):
		return false
	default:
		rest = s[1:]
	}
	return len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t'
}

// isRule reports whether a line is a thematic break.
func isRule(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) < 3 || bytes.IndexByte([]byte("-*_"), line[0]) < 0 {
		return false
	}
	return len(bytes.Trim(line, string(line[0])+" \t")) == 0 && bytes.Count(line, line[:1]) >= 3
}

// flow is what blocks inherit from those around them.
type flow struct {
	base  Style // of text
	depth int   // nesting, to end hostile nesting
}

const depthMax = 40

// node returns the lines of a block.
func (r *mdRenderer) node(n ast.Node, src []byte, width int, f flow) []string {
	width = max(1, width)
	switch n := n.(type) {
	case *ast.Heading:
		return r.heading(n, src, width, f)
	case *ast.Paragraph, *ast.TextBlock:
		return r.paragraph(n, src, width, f)
	case *mathBlock:
		return r.mathBlock(n, src, width, f)
	case *plainBlock:
		return r.wrap(f.base.apply(expandTabs(string(n.Lines().Value(src)))), width)
	case *ast.FencedCodeBlock:
		return r.code(string(n.Language(src)), fenceInfo(n, src), n.Lines().Value(src), width)
	case *ast.CodeBlock:
		return r.code("", "", n.Lines().Value(src), width)
	case *ast.Blockquote:
		return r.quote(n, src, width, f)
	case *ast.List:
		return r.list(n, src, width, f)
	case *ast.ThematicBreak:
		return []string{r.st.Hr.apply(strings.Repeat("─", min(width, 80)))}
	case *ast.HTMLBlock:
		return r.html(n, src, width, f)
	case *extast.Table:
		return r.table(n, src, width, f)
	}
	return r.children(n, src, width, f)
}

// children lays out blocks below each other with a blank line between them.
func (r *mdRenderer) children(n ast.Node, src []byte, width int, f flow) []string {
	f.depth++
	if f.depth > depthMax {
		return r.wrap(f.base.apply(clean(rawText(n, src))), width)
	}
	var out []string
	var last ast.Node
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		lines := r.node(c, src, width, f)
		if len(lines) == 0 {
			continue
		}
		if last != nil && !(c.Kind() == ast.KindList && last.Kind() != ast.KindList && !c.HasBlankPreviousLines()) {
			out = append(out, "")
		}
		out = append(out, lines...)
		last = c
	}
	return out
}

// rawText is the source of all that is in n.
func rawText(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && c.Type() == ast.TypeBlock && c.Lines() != nil && !c.HasChildren() {
			b.Write(c.Lines().Value(src))
		} else if t, ok := c.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(src))
			if t.SoftLineBreak() || t.HardLineBreak() {
				b.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// wrap wraps a styled text; nothing stays switched on at a line's end.
func (r *mdRenderer) wrap(s string, width int) []string {
	lines := wrapped(s, width)
	for i, l := range lines {
		l = strings.TrimRight(l, " ")
		if strings.IndexByte(l, 0x1b) >= 0 {
			l += text.Close(l)
		}
		lines[i] = l
	}
	return lines
}

func (r *mdRenderer) heading(n *ast.Heading, src []byte, width int, f flow) []string {
	style := func(s string) string {
		s = r.st.Bold.apply(r.st.Heading.apply(s))
		if n.Level == 1 {
			s = r.st.Underline.apply(s)
		}
		return s
	}
	s := r.inline(n, src, style)
	if n.Level >= 3 {
		s = style(strings.Repeat("#", n.Level)+" ") + s
	}
	return r.wrap(s, width)
}

func (r *mdRenderer) quote(n ast.Node, src []byte, width int, f flow) []string {
	// Inside a quote the quote's colour replaces that of the message.
	f.base = func(s string) string { return r.st.Italic.apply(r.st.Quote.apply(s)) }
	if width < 3 {
		return r.children(n, src, width, f)
	}
	border := r.st.QuoteBorder.apply("│") + " "
	lines := r.children(n, src, width-2, f)
	for i, l := range lines {
		lines[i] = border + l
	}
	return lines
}

func (r *mdRenderer) list(n *ast.List, src []byte, width int, f flow) []string {
	f.depth++
	if f.depth > depthMax {
		return r.wrap(f.base.apply(clean(rawText(n, src))), width)
	}
	var out []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		marker := "- "
		if n.IsOrdered() {
			marker = strconv.Itoa(number) + ". "
			number++
		}
		indent := len(marker)
		if width-indent < 1 {
			indent = 0
			marker = ""
		}
		var body []string
		var last ast.Node
		for c := item.FirstChild(); c != nil; c = c.NextSibling() {
			// Lists in lists go four columns in where there is room.
			in := indent
			if c.Kind() == ast.KindList && indent > 0 && width > 24 {
				in = max(4, indent)
			}
			lines := r.node(c, src, width-in, f)
			if len(lines) == 0 {
				continue
			}
			if last != nil && c.HasBlankPreviousLines() {
				body = append(body, "")
			}
			for i, l := range lines {
				if l != "" && (last != nil || i > 0) {
					l = spaces(in) + l
				}
				body = append(body, l)
			}
			last = c
		}
		if len(body) == 0 {
			// A marker alone may be anything: leave it as it was typed.
			body = []string{""}
			if !n.IsOrdered() {
				marker = string(n.Marker) + " "
			}
		}
		body[0] = strings.TrimRight(r.st.ListBullet.apply(strings.TrimRight(marker, " "))+spaces(min(1, indent))+body[0], " ")
		if len(out) > 0 && item.HasBlankPreviousLines() {
			out = append(out, "")
		}
		out = append(out, body...)
	}
	return out
}

// html shows HTML as it was typed, without comments.
func (r *mdRenderer) html(n *ast.HTMLBlock, src []byte, width int, f flow) []string {
	b := n.Lines().Value(src)
	if n.HasClosure() {
		b = append(b[:len(b):len(b)], n.ClosureLine.Value(src)...)
	}
	s := strings.TrimSpace(withoutComments(string(b)))
	if s == "" {
		return nil
	}
	return r.wrap(f.base.apply(expandTabs(s)), width)
}

// withoutComments removes comments, also one that is not closed yet.
func withoutComments(s string) string {
	for {
		i := strings.Index(s, "<!--")
		if i < 0 {
			return s
		}
		j := strings.Index(s[i:], "-->")
		if j < 0 {
			return s[:i]
		}
		s = s[:i] + s[i+j+3:]
	}
}
