package components

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Limits of highlighting: beyond them code is shown in one colour.
const (
	highlightBytes = 64 << 10 // of a block
	highlightLine  = 2 << 10  // of a line
)

// codeIndent is how far code stands in from its fence.
const codeIndent = "  "

// coder colours the lines of one piece of code.
type coder struct {
	r    *mdRenderer
	hl   LineHighlighter
	size int
}

func (r *mdRenderer) coder(lang string) *coder {
	c := &coder{r: r}
	if r.m.o.Highlight != nil && lang != "" {
		c.hl = r.m.o.Highlight.Start(lang)
	}
	return c
}

// line returns a code line as screen lines.
func (c *coder) line(out []string, s string, width int) []string {
	indent := codeIndent
	if width <= len(indent)+1 {
		indent = ""
	}
	s = strings.TrimRight(expandTabs(s), " \r")
	c.size += len(s) + 1
	if c.hl != nil && c.size <= highlightBytes && len(s) <= highlightLine {
		s = c.hl.Line(s)
	} else {
		c.hl = nil
		s = c.r.st.CodeBlock.apply(s)
	}
	for _, l := range c.r.wrap(s, width-len(indent)) {
		if l != "" {
			l = indent + l
		}
		out = append(out, l)
	}
	return out
}

func (r *mdRenderer) fenceLine(s string) string {
	return r.st.CodeBlockBorder.apply(fitLabel(oneLine(s), r.width))
}

func (r *mdRenderer) code(lang, info string, code []byte, width int) []string {
	border := func(s string) string { return r.st.CodeBlockBorder.apply(fitLabel(oneLine(s), width)) }
	out := []string{border("```" + info)}
	c := r.coder(lang)
	if len(code) > 0 {
		for l := range strings.SplitSeq(strings.TrimSuffix(string(code), "\n"), "\n") {
			out = c.line(out, l, width)
		}
	}
	return append(out, border("```"))
}

func fenceInfo(n *ast.FencedCodeBlock, src []byte) string {
	if n.Info == nil {
		return ""
	}
	return strings.TrimSpace(string(n.Info.Segment.Value(src)))
}

// openFence is a fenced block at the top level whose end has not come yet. Its
// whole lines are laid out once, as they come, without any parser: an open
// fence is where long answers spend most of their time.
type openFence struct {
	char   byte
	n      int // length of the fence
	indent int // blanks before it, taken off the code lines too
	info   string
	start  int // of the code
	at     int // code up to here has been looked at
	end    int // of the code, once the fence is closed

	body []string // laid out lines, the opening one first
	rows []string // body with padding and the blank line in front
	fed  int      // code up to here is in body
	hl   *coder
}

// startFence recognises the line of an opening fence at pos. It needs the
// whole line.
func startFence(src []byte, pos int) *openFence {
	nl := bytes.IndexByte(src[pos:], '\n')
	if nl < 3 {
		return nil
	}
	line := src[pos : pos+nl]
	t := bytes.TrimLeft(line, " ")
	f := &openFence{indent: len(line) - len(t), start: pos + nl + 1}
	if f.indent > 3 || len(t) < 3 || t[0] != '`' && t[0] != '~' {
		return nil
	}
	f.char = t[0]
	rest := bytes.TrimLeft(t, string(f.char))
	f.n = len(t) - len(rest)
	if f.n < 3 || f.char == '`' && bytes.IndexByte(rest, '`') >= 0 {
		return nil
	}
	f.info = strings.TrimSpace(string(rest))
	f.at, f.fed = f.start, f.start
	return f
}

func (f *openFence) reset() { f.body, f.rows, f.fed, f.hl = nil, nil, f.start, nil }

// closes reports whether a line ends the block.
func (f *openFence) closes(line []byte) bool {
	t := bytes.TrimLeft(line, " ")
	if len(line)-len(t) > 3 {
		return false
	}
	t = bytes.TrimRight(t, " \t")
	return len(t) >= f.n && len(bytes.Trim(t, string(f.char))) == 0
}

// scan looks for the closing line among whole lines and returns the place
// behind it.
func (f *openFence) scan(src []byte) (end int, closed bool) {
	for {
		nl := bytes.IndexByte(src[f.at:], '\n')
		if nl < 0 {
			return 0, false
		}
		if f.closes(src[f.at : f.at+nl]) {
			f.end = f.at
			return f.at + nl + 1, true
		}
		f.at += nl + 1
	}
}

func (f *openFence) language() string {
	lang, _, _ := strings.Cut(f.info, " ")
	return lang
}

func (f *openFence) marker() string { return "```" }

// feed lays out the whole lines up to the end of the code. last says that no
// more will come, so a line without its end counts too.
func (f *openFence) feed(r *mdRenderer, src []byte, last bool) {
	if f.body == nil {
		f.body = append(f.body, r.fenceLine("```"+f.info))
		f.hl = r.coder(f.language())
	}
	f.hl.r = r
	end := f.at
	if f.end > 0 {
		end = f.end
	}
	for f.fed < end {
		nl := bytes.IndexByte(src[f.fed:end], '\n')
		if nl < 0 {
			break
		}
		f.body = f.hl.line(f.body, f.strip(src[f.fed:f.fed+nl]), r.width)
		f.fed += nl + 1
	}
	if rest := src[f.fed:]; last && f.end == 0 && f.strip(rest) != "" && !f.closes(rest) {
		f.body = f.hl.line(f.body, f.strip(rest), r.width)
		f.fed = len(src)
	}
}

// strip takes the fence's own indent off a code line.
func (f *openFence) strip(line []byte) string {
	for i := 0; i < f.indent && len(line) > 0 && line[0] == ' '; i++ {
		line = line[1:]
	}
	return string(line)
}

// render returns the block as it stands, with the bottom line it will have.
func (f *openFence) render(r *mdRenderer, gap bool, src []byte, done bool) (rows, fresh []string) {
	if rest := src[f.at:]; done && f.closes(rest) && f.diagram(r.m.o.Diagrams) {
		// The closing line is the last and has no line break.
		if lines, ok := r.draw(f, src, f.at); ok {
			if gap {
				rows = append(rows, "")
			}
			for _, l := range lines {
				rows = append(rows, padded(r.pad, l))
			}
			return rows, nil
		}
	}
	f.feed(r, src, done)
	if len(f.rows) == 0 && gap {
		f.rows = append(f.rows, "")
	}
	lead := 0
	if gap {
		lead = 1
	}
	for _, l := range f.body[len(f.rows)-lead:] {
		f.rows = append(f.rows, padded(r.pad, l))
	}
	if rest := src[f.fed:]; f.strip(rest) != "" && !f.partialClose(rest) {
		c := &coder{r: r} // without touching the highlighter's state
		for _, l := range c.line(nil, f.strip(rest), r.width) {
			fresh = append(fresh, padded(r.pad, l))
		}
	}
	return f.rows, append(fresh, padded(r.pad, r.fenceLine(f.marker())))
}

func padded(pad, l string) string {
	if l == "" {
		return l
	}
	return pad + l
}

// partialClose reports whether an unfinished line may become the closing
// fence. It is not shown: the block would grow and shrink again.
func (f *openFence) partialClose(line []byte) bool {
	t := bytes.TrimLeft(line, " ")
	return len(line)-len(t) <= 3 && len(bytes.Trim(bytes.TrimRight(t, " \t"), string(f.char))) == 0
}
