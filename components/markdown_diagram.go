package components

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"

	"tau/components/mermaid"
)

// Diagrams says when blocks in the language mermaid are drawn. A block that
// cannot be drawn, or has no room, is shown as code.
type Diagrams uint8

// The ways.
const (
	DiagramsClosed Diagrams = iota // as soon as the block is complete
	DiagramsFinal                  // when the text is
	DiagramsOff                    // never
)

// diagram reports whether a block may become a drawing. Such a block is not
// settled before it has.
func (f *openFence) diagram(d Diagrams) bool {
	return d != DiagramsOff && strings.EqualFold(f.language(), "mermaid")
}

// fenceOf returns the fence of a block at the top level that is a diagram and
// closed.
func (r *mdRenderer) fenceOf(b *mdBlock) (f *openFence, part []byte, end int) {
	if b.node != nil && b.node.Kind() != ast.KindFencedCodeBlock {
		return nil, nil, 0
	}
	part = r.m.src[b.from:b.to]
	f = startFence(part, 0)
	if f == nil || !f.diagram(r.m.o.Diagrams) {
		return nil, nil, 0
	}
	if _, closed := f.scan(part); closed {
		return f, part, f.end
	}
	if r.m.done && f.closes(part[f.at:]) {
		return f, part, f.at
	}
	return nil, nil, 0
}

// waits reports whether a block is a diagram that is drawn at the end.
func (r *mdRenderer) waits(b *mdBlock) bool {
	if r.m.o.Diagrams != DiagramsFinal || r.m.done {
		return false
	}
	f, _, _ := r.fenceOf(b)
	return f != nil
}

// diagram draws a block, if it is a diagram and its time has come.
func (r *mdRenderer) diagram(b *mdBlock) ([]string, bool) {
	if r.m.o.Diagrams == DiagramsFinal && !r.m.done {
		return nil, false
	}
	f, part, end := r.fenceOf(b)
	if f == nil {
		return nil, false
	}
	return r.draw(f, part, end)
}

func (r *mdRenderer) draw(f *openFence, src []byte, end int) ([]string, bool) {
	var code strings.Builder
	for l := range bytes.Lines(src[f.start:end]) {
		code.WriteString(f.strip(l))
	}
	rows, ok := orSource(func() ([][]mermaid.Span, bool) { return mermaid.Draw(code.String(), r.width) })
	if !ok {
		return nil, false
	}
	styles := [...]Style{
		mermaid.Text: r.st.Text, mermaid.Box: r.st.DiagramBox, mermaid.Edge: r.st.DiagramEdge,
		mermaid.Label: r.st.DiagramLabel, mermaid.Title: r.st.DiagramTitle,
	}
	out := make([]string, len(rows))
	for i, row := range rows {
		var b strings.Builder
		for _, s := range row {
			b.WriteString(styles[s.Role].apply(s.Text))
		}
		out[i] = b.String()
	}
	return out, true
}

// orSource calls what draws a diagram or a formula. Models write things nobody
// has thought of: a fault there shows the source, and not an error in its place.
func orSource[T any](draw func() (T, bool)) (out T, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return draw()
}
