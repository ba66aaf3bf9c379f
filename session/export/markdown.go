package export

import (
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	ghtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// newMarkdown renders text that nobody vouches for: markup in it is shown, not
// obeyed; pictures, which would be loaded, become links; links that run
// something lose their target.
func newMarkdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.GFM),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(tame{}, 100))),
	)
}

func (p *page) markdown(text string) string {
	var b strings.Builder
	if err := p.md.Convert([]byte(clean(text)), &b); err != nil {
		return "<pre>" + html.EscapeString(clean(text)) + "</pre>"
	}
	return b.String()
}

// tame renders what could load or run something.
type tame struct{}

func (tame) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, rawHTML)
	r.Register(ast.KindHTMLBlock, htmlBlock)
	r.Register(ast.KindImage, image)
}

func rawHTML(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	raw := n.(*ast.RawHTML)
	for i := range raw.Segments.Len() {
		s := raw.Segments.At(i)
		_, _ = w.WriteString(html.EscapeString(string(s.Value(src)))) // a failed write is reported by its flush
	}
	return ast.WalkSkipChildren, nil
}

func htmlBlock(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	block := n.(*ast.HTMLBlock)
	if entering {
		_, _ = w.WriteString("<pre>")
		for i := range block.Lines().Len() {
			s := block.Lines().At(i)
			_, _ = w.WriteString(html.EscapeString(string(s.Value(src))))
		}
		return ast.WalkContinue, nil
	}
	if block.HasClosure() {
		_, _ = w.WriteString(html.EscapeString(string(block.ClosureLine.Value(src))))
	}
	_, _ = w.WriteString("</pre>")
	return ast.WalkContinue, nil
}

func image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, _ = w.WriteString("</a>")
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("<a")
	if to := n.(*ast.Image).Destination; !ghtml.IsDangerousURL(to) {
		_, _ = w.WriteString(` href="` + html.EscapeString(string(util.URLEscape(to, true))) + `"`)
	}
	_, _ = w.WriteString(">")
	return ast.WalkContinue, nil
}
