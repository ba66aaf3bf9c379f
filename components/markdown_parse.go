package components

import (
	"bytes"
	"sync"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Limits against text made to be slow: emphasis costs the square of the
// delimiters in a block, and some other constructs search to the block's end
// from every place.
const (
	inlineMax    = 32 << 10 // longer paragraphs are shown plain
	delimiterMax = 600      // in a block; later ones are text
	bracketMax   = 1000     // in a paragraph; with more it is shown plain
)

// markdownParser builds the parser on first use.
var markdownParser = sync.OnceValue(func() parser.Parser {
	p := parser.NewParser(
		parser.WithBlockParsers(append(parser.DefaultBlockParsers(), util.Prioritized(mathBlockParser{}, 750))...),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(mathParser{}, 150),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(emphasisParser{}, 500),
		),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
			util.Prioritized(longParagraphs{}, 900))...),
	)
	md := goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.Table, extension.TaskList, extension.Linkify))
	return md.Parser()
})

func parseMarkdown(src []byte) ast.Node { return markdownParser().Parse(gtext.NewReader(src)) }

// plainBlock is a paragraph shown as it was typed.
type plainBlock struct{ ast.BaseBlock }

var kindPlain = sync.OnceValue(func() ast.NodeKind { return ast.NewNodeKind("PlainBlock") })

func (*plainBlock) Kind() ast.NodeKind            { return kindPlain() }
func (*plainBlock) IsRaw() bool                   { return true }
func (n *plainBlock) Dump(source []byte, lev int) { ast.DumpHelper(n, source, lev, nil, nil) }

// longParagraphs takes paragraphs out of the inline parser's way that would
// cost it too much.
type longParagraphs struct{}

func (longParagraphs) Transform(n *ast.Paragraph, r gtext.Reader, _ parser.Context) {
	size, brackets := 0, 0
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		size += s.Len()
		brackets += bytes.Count(s.Value(r.Source()), []byte("["))
	}
	if size <= inlineMax && brackets <= bracketMax || n.Parent() == nil {
		return
	}
	p := &plainBlock{}
	p.SetLines(n.Lines())
	p.SetPos(n.Pos())
	p.SetBlankPreviousLines(n.HasBlankPreviousLines())
	n.Parent().ReplaceChild(n.Parent(), n, p)
}

// emphasisParser reads *, _ and ~~. It differs from CommonMark's rules in
// three ways: a CJK character next to a delimiter counts like a space, since
// CJK text has none (**重要：**請看 is bold); strikethrough needs two tildes; and
// the number of delimiters in a block is limited.
type emphasisParser struct{}

func (emphasisParser) Trigger() []byte { return []byte{'*', '_', '~'} }

type delimiterCount struct {
	block ast.Node
	n     int
}

// delimiterKey has to exist before the first parse: contexts are as large as
// there are keys when they are made.
var delimiterKey = parser.NewContextKey()

func (emphasisParser) Parse(parent ast.Node, block gtext.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	least, processor := 1, parser.DelimiterProcessor(emphasis{})
	if line[0] == '~' {
		least, processor = 2, strikes{}
	}
	d := parser.ScanDelimiter(line, before, least, processor)
	if d == nil || line[0] == '~' && (d.OriginalLength > 2 || before == '~') {
		return nil
	}
	count, _ := pc.Get(delimiterKey).(*delimiterCount)
	if count == nil || count.block != parent {
		count = &delimiterCount{block: parent}
		pc.Set(delimiterKey, count)
	}
	if count.n++; count.n > delimiterMax {
		return nil
	}
	after := ' '
	if d.OriginalLength < len(line) {
		after = util.ToRune(line, d.OriginalLength)
	}
	if line[0] != '_' {
		if isCJK(before) && !unicode.IsSpace(after) {
			d.CanOpen = true
		}
		if isCJK(after) && !unicode.IsSpace(before) {
			d.CanClose = true
		}
	}
	d.Segment = segment.WithStop(segment.Start + d.OriginalLength)
	block.Advance(d.OriginalLength)
	pc.PushDelimiter(d)
	return d
}

func (emphasisParser) CloseBlock(_ ast.Node, _ gtext.Reader, pc parser.Context) {}

type emphasis struct{}

func (emphasis) IsDelimiter(b byte) bool                   { return b == '*' || b == '_' }
func (emphasis) CanOpenCloser(a, b *parser.Delimiter) bool { return a.Char == b.Char }
func (emphasis) OnMatch(consumes int) ast.Node             { return ast.NewEmphasis(consumes) }

type strikes struct{}

func (strikes) IsDelimiter(b byte) bool                   { return b == '~' }
func (strikes) CanOpenCloser(a, b *parser.Delimiter) bool { return a.Char == b.Char }
func (strikes) OnMatch(int) ast.Node                      { return extast.NewStrikethrough() }
