package components

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"tau/tui/text"
)

// inline returns the text in n. Each piece gets all styles around it by
// itself, so nothing has to be restored where a span ends.
func (r *mdRenderer) inline(n ast.Node, src []byte, style Style) string {
	var b strings.Builder
	r.spans(&b, n, src, style, 0)
	return strings.TrimRight(b.String(), "\n")
}

func (r *mdRenderer) spans(b *strings.Builder, n ast.Node, src []byte, style Style, depth int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.span(b, c, src, style, depth)
	}
}

// both applies a style inside another.
func both(inner, outer Style) Style {
	if inner == nil {
		return outer
	}
	return func(s string) string { return outer.apply(inner(s)) }
}

func (r *mdRenderer) span(b *strings.Builder, n ast.Node, src []byte, style Style, depth int) {
	if depth > depthMax {
		b.WriteString(style.apply(clean(rawText(n, src))))
		return
	}
	switch n := n.(type) {
	case *ast.Text:
		v := n.Segment.Value(src)
		if !n.IsRaw() {
			v = util.UnescapePunctuations(v)
		}
		s := string(v)
		if i := strings.Index(s, "<!--"); i >= 0 {
			s = s[:i] // a comment not closed yet
		}
		if n.SoftLineBreak() || n.HardLineBreak() {
			s = strings.TrimRight(s, " ")
		}
		b.WriteString(style.apply(expandTabs(s)))
		if n.SoftLineBreak() || n.HardLineBreak() {
			b.WriteByte('\n')
		}
	case *ast.String:
		b.WriteString(style.apply(expandTabs(string(n.Value))))
	case *ast.CodeSpan:
		var code strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				code.Write(t.Segment.Value(src))
				if t.SoftLineBreak() {
					code.WriteByte(' ')
				}
			}
		}
		s := strings.ReplaceAll(code.String(), "\n", " ")
		b.WriteString(both(r.st.Code, style).apply(expandTabs(s)))
	case *ast.Emphasis:
		inner := r.st.Italic
		if n.Level == 2 {
			inner = r.st.Bold
		}
		r.spans(b, n, src, both(inner, style), depth+1)
	case *extast.Strikethrough:
		r.spans(b, n, src, both(r.st.Strike, style), depth+1)
	case *ast.Link:
		var label strings.Builder
		r.spans(&label, n, src, both(both(r.st.Link, r.st.Underline), style), depth+1)
		r.link(b, label.String(), rawText(n, src), string(n.Destination), style)
	case *ast.AutoLink:
		label, url := string(n.Label(src)), string(n.URL(src))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(url, "mailto:") {
			url = "mailto:" + url
		}
		r.link(b, both(both(r.st.Link, r.st.Underline), style).apply(label), label, url, style)
	case *ast.Image:
		alt := rawText(n, src)
		if alt == "" {
			alt = string(n.Destination)
		}
		r.link(b, both(r.st.Link, style).apply(oneLine(alt)), alt, string(n.Destination), style)
	case *ast.RawHTML:
		var html strings.Builder
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			html.Write(s.Value(src))
		}
		b.WriteString(style.apply(expandTabs(withoutComments(html.String()))))
	case *mathNode:
		b.WriteString(style.apply(n.text))
	case *extast.TaskCheckBox:
		if n.IsChecked {
			b.WriteString(style.apply("[x] "))
		} else {
			b.WriteString(style.apply("[ ] "))
		}
	default:
		r.spans(b, n, src, style, depth+1)
	}
}

// link writes a link: the label alone where the terminal can follow it, else
// with the address behind it unless the label says it.
func (r *mdRenderer) link(b *strings.Builder, label, plainLabel, url string, style Style) {
	url = strings.Map(func(c rune) rune {
		if c < 0x20 || c == 0x7f {
			return -1
		}
		return c
	}, url)
	if r.m.o.Hyperlinks && text.SafeURL(url) {
		b.WriteString(text.Link(label, url))
		return
	}
	b.WriteString(label)
	if plainLabel == url || "mailto:"+plainLabel == url || "http://"+plainLabel == url || url == "" {
		return
	}
	b.WriteString(both(r.st.LinkURL, style).apply(" (" + url + ")"))
}
