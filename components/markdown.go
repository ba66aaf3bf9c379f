package components

import (
	"bytes"
	"math"
	"regexp"
	"sync"

	"github.com/yuin/goldmark/ast"

	"tau/tui/text"
)

// MarkdownStyle holds the colours of Markdown. Nil leaves text plain.
type MarkdownStyle struct {
	Text, Heading, Link, LinkURL, Code, CodeBlock, CodeBlockBorder Style
	Quote, QuoteBorder, Hr, ListBullet, TableBorder                Style
	Bold, Italic, Underline, Strike                                Style
	DiagramBox, DiagramEdge, DiagramLabel, DiagramTitle            Style // words in boxes have the style of text
}

// Highlighter colours code.
type Highlighter interface {
	// Start begins a piece of code. It returns nil for languages it does not
	// know.
	Start(language string) LineHighlighter
}

// LineHighlighter colours the lines of one piece of code in order. The result
// shows the same text; colours are closed at its end.
type LineHighlighter interface {
	Line(line string) string
}

// MarkdownOptions configure a Markdown.
type MarkdownOptions struct {
	PadX, PadY int
	Style      MarkdownStyle
	Highlight  Highlighter // nil: code in one colour
	Hyperlinks bool        // the terminal shows OSC 8 links
	Diagrams   Diagrams    // what becomes of blocks in the language mermaid
}

// Markdown shows GitHub-flavoured Markdown, also while it is being written.
//
// Append adds a piece; what it costs depends on the block that is open at the
// end, not on the text before. Blocks that are complete are laid out once for
// a width and [Markdown.Settled] counts their lines, which never change any
// more. Finish says that nothing follows. References ([text][1]) are resolved
// at the end only.
type Markdown struct {
	o       MarkdownOptions
	raw     []byte // as given, to tell an extension from a new text
	src     []byte // cleaned
	clean   text.Sanitizer
	version uint64
	done    bool
	whole   bool // references: the text is parsed as one

	stable  int // where the open block begins
	scanned int // whole lines up to here have been looked at
	blocks  []mdBlock
	fence   *openFence

	held   int // lines of closed before the first diagram that waits for the end
	shown  int // len(src) the open block was parsed at
	tail   []mdBlock
	open   []string // lines of tail, for width; nil: not laid out
	width  int
	closed []string // lines of blocks, for width
	laid   int      // blocks in closed
	parts  mdParts
	lines  []string // of all parts, once asked for
	drawn  uint64
}

// mdBlock is a block at the top level: a part of the source and, once laid
// out, its lines.
type mdBlock struct {
	from, to int
	node     ast.Node // nil: parsed again when needed
	source   []byte   // the source node's positions refer to
}

// NewMarkdown returns an empty document.
func NewMarkdown(o MarkdownOptions) *Markdown {
	o.PadX, o.PadY = max(0, o.PadX), max(0, o.PadY)
	return &Markdown{o: o, held: -1}
}

// SetStyle changes the colours and the highlighter.
func (m *Markdown) SetStyle(s MarkdownStyle, h Highlighter) {
	m.o.Style, m.o.Highlight = s, h
	m.Invalidate()
}

// SetDiagrams changes what becomes of diagrams.
func (m *Markdown) SetDiagrams(d Diagrams) {
	if d != m.o.Diagrams {
		m.o.Diagrams = d
		m.Invalidate()
	}
}

// Invalidate drops all lines.
func (m *Markdown) Invalidate() {
	m.version++
	m.width, m.closed, m.laid, m.held, m.lines, m.open = 0, nil, 0, -1, nil, nil
	if m.fence != nil {
		m.fence.reset()
	}
}

// Version counts changes.
func (m *Markdown) Version() uint64 { return m.version }

// SetText replaces the document by a complete one. A text that begins with the
// old one costs only what is new.
func (m *Markdown) SetText(s string) {
	if s == string(m.raw) && m.done {
		return
	}
	if m.whole || len(s) < len(m.raw) || s[:len(m.raw)] != string(m.raw) {
		o, v := m.o, m.version
		*m = Markdown{o: o, held: -1, version: v + 1}
	}
	m.Append(s[len(m.raw):])
	m.Finish()
}

// Append adds a piece of text to the end.
func (m *Markdown) Append(s string) {
	if s == "" {
		return
	}
	m.raw = append(m.raw, s...)
	m.done = false
	m.version++
	m.src = m.clean.Append(m.src, s)
}

// Text returns the text as it was given.
func (m *Markdown) Text() string { return string(m.raw) }

// Finish says that the text is complete.
func (m *Markdown) Finish() {
	if m.done {
		return
	}
	m.src = m.clean.Flush(m.src)
	m.done = true
	m.version++
	if !m.whole && hasReferences(m.src) {
		m.whole = true
		m.blocks, m.fence, m.stable, m.scanned = nil, nil, 0, 0
		m.Invalidate()
	}
	if m.held >= 0 {
		m.Invalidate() // diagrams that have waited
	}
}

var referencePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^ {0,3}\[[^\]\n]+\]:`)
})

func hasReferences(src []byte) bool {
	return bytes.Contains(src, []byte("]:")) && referencePattern().Match(src)
}

// Settled implements tui.Settler.
func (m *Markdown) Settled(width int) int {
	if m.done {
		return math.MaxInt
	}
	p := m.layout(width)
	n := len(p[1])
	if m.held >= 0 {
		n = m.held
	} else if m.fence != nil && !m.fence.diagram(m.o.Diagrams) {
		n += len(p[2])
	}
	if n > 0 {
		n += len(p[0])
	}
	return n
}

// Render implements tui.Component. It copies all lines when something changed;
// RenderRange does not.
func (m *Markdown) Render(width int) []string {
	p := m.layout(width)
	if m.lines == nil && p.height() > 0 {
		// A new slice each time: whoever holds the old one may compare.
		m.lines = p.slice(make([]string, 0, p.height()), 0, p.height())
	}
	return m.lines
}

// Height implements tui.Ranger.
func (m *Markdown) Height(width int) int { return m.layout(width).height() }

// RenderRange implements tui.Ranger. It costs the lines asked for.
func (m *Markdown) RenderRange(width, from, to int) []string {
	p := m.layout(width)
	from = min(max(0, from), p.height())
	to = min(max(from, to), p.height())
	if m.lines != nil {
		return m.lines[from:to:to]
	}
	return p.slice(make([]string, 0, to-from), from, to)
}

// mdParts are the lines of a document in the order they show: settled ones,
// those of the open block that stay, those that may change.
type mdParts [5][]string

func (p mdParts) height() (n int) {
	for _, s := range p {
		n += len(s)
	}
	return n
}

// slice appends the lines from to to.
func (p mdParts) slice(out []string, from, to int) []string {
	for _, s := range p {
		if a, b := max(0, min(from, len(s))), max(0, min(to, len(s))); a < b {
			out = append(out, s[a:b]...)
		}
		from -= len(s)
		to -= len(s)
	}
	return out
}

// layout brings the parts up to date.
func (m *Markdown) layout(width int) mdParts {
	width = max(1, width)
	if m.width == width && m.drawn == m.version {
		return m.parts
	}
	m.drawn, m.lines, m.parts = m.version, nil, mdParts{}
	if m.width != width {
		m.width, m.closed, m.laid, m.held, m.open = width, nil, 0, -1, nil
		if m.fence != nil {
			m.fence.reset()
		}
	}
	if len(bytes.TrimSpace(m.src)) == 0 {
		return m.parts
	}
	m.advance()
	r := m.renderer(width)
	for ; m.laid < len(m.blocks); m.laid++ {
		before := len(m.closed)
		m.closed = r.block(m.closed, &m.blocks[m.laid])
		if m.held < 0 && r.waits(&m.blocks[m.laid]) {
			m.held = before
		}
	}
	open, fresh := m.layOpen(r)
	m.parts = mdParts{1: m.closed, 2: open, 3: fresh}
	if m.parts.height() > 0 {
		pad := make([]string, m.o.PadY)
		m.parts[0], m.parts[4] = pad, pad
	}
	return m.parts
}

// tailMax is the length from which an open block is no longer parsed anew for
// every piece: it must have grown by a sixteenth first, and what is newer is
// shown as plain text meanwhile. So a block of any length costs linear time.
const tailMax = 8 << 10

// layOpen lays out what follows the settled blocks, in two parts so that the
// first need not be copied.
func (m *Markdown) layOpen(r *mdRenderer) (open, fresh []string) {
	if m.fence != nil {
		return m.fence.render(r, len(m.closed) > 0, m.src, m.done)
	}
	rest := m.src[m.stable:]
	if len(bytes.TrimSpace(rest)) == 0 {
		return nil, nil
	}
	pending := len(m.src) - m.shown
	if m.shown <= m.stable || m.done || m.shown-m.stable < tailMax || pending > (m.shown-m.stable)/16 {
		if m.shown != len(m.src) || m.shown <= m.stable || m.tail == nil {
			m.tail = m.parse(m.stable, len(m.src))
		}
		m.shown, m.open = len(m.src), nil
	}
	if m.open == nil {
		for i := range m.tail {
			m.open = r.block(m.open, &m.tail[i])
		}
	}
	if m.shown < len(m.src) {
		for _, l := range r.wrap(r.st.Text.apply(expandTabs(string(bytes.TrimRight(m.src[m.shown:], "\n")))), r.width) {
			fresh = append(fresh, padded(r.pad, l))
		}
	}
	return m.open, fresh
}

// parse returns the blocks of a part of the source.
func (m *Markdown) parse(from, to int) []mdBlock {
	part := m.src[from:to:to]
	doc := parseMarkdown(part)
	var out []mdBlock
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		out = append(out, mdBlock{from: from + lineStart(part, n.Pos()), to: to, node: n, source: part})
		if k := len(out); k > 1 {
			out[k-2].to = out[k-1].from
		}
	}
	return out
}

func lineStart(src []byte, pos int) int {
	pos = min(max(pos, 0), len(src))
	return bytes.LastIndexByte(src[:pos], '\n') + 1
}

// advance moves the place where the open block begins as far as it is certain.
//
// Only whole lines are parsed: "1. a", blank line, "2" is a paragraph until
// ". b" arrives. All blocks but the last are final. One exception: a table that
// was split off a paragraph has the paragraph's position; if two blocks share
// their start nothing is final yet.
func (m *Markdown) advance() {
	if m.whole {
		if len(m.blocks) == 0 {
			m.blocks = m.parse(0, len(m.src))
			m.stable = len(m.src)
		}
		return
	}
	for {
		if m.fence == nil {
			m.fence = startFence(m.src, m.stable)
		}
		if m.fence != nil {
			end, closed := m.fence.scan(m.src)
			if !closed {
				return
			}
			m.blocks = append(m.blocks, mdBlock{from: m.stable, to: end})
			m.stable, m.scanned, m.fence, m.shown, m.tail, m.open = end, end, nil, 0, nil, nil
			continue
		}
		end := bytes.LastIndexByte(m.src, '\n') + 1
		if end <= m.stable || end <= m.scanned {
			return
		}
		if grown := end - m.scanned; m.scanned-m.stable > tailMax && grown < (m.scanned-m.stable)/16 && !m.done {
			return
		}
		if tail := m.src[m.stable:end]; len(tail) < 2<<10 && !bytes.Contains(tail, []byte("\n\n")) {
			return // settling later does no harm and spares a parse for each line
		}
		m.scanned = end
		blocks := m.parse(m.stable, end)
		if end == len(m.src) {
			m.tail, m.shown, m.open = blocks, end, nil // layOpen need not parse it again
		}
		if len(blocks) < 2 {
			return
		}
		last := blocks[len(blocks)-1].from
		if last <= m.stable || blocks[len(blocks)-2].from >= last {
			return
		}
		for _, b := range blocks[:len(blocks)-1] {
			m.blocks = append(m.blocks, mdBlock{from: b.from, to: b.to})
		}
		m.stable, m.shown = last, 0
		m.tail, m.open = nil, nil
		if startFence(m.src, last) == nil {
			return
		}
	}
}

func (m *Markdown) renderer(width int) *mdRenderer {
	pad := min(m.o.PadX, (width-1)/2)
	return &mdRenderer{m: m, st: m.o.Style, width: width - 2*pad, pad: spaces(pad)}
}
