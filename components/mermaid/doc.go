// Package mermaid draws Mermaid diagrams with box characters.
//
//	┌───────┐     ╭────────╮
//	│ Start ├────▶│ Finish │
//	└───────┘     ╰────────╯
//
// [Draw] knows flowcharts, sequence, state and class diagrams, and pies. It is a
// pure function: the same text and width give the same lines. What it does not
// understand in full, or what does not fit, it does not draw; nothing of a
// diagram is left out.
//
// Flowcharts, states and classes become a graph (graph.go), which is laid out in
// layers: every node gets a rank (rank.go), an order within it (order.go; what is laid out is in plan.go) and a
// place across it (place.go); the edges run through channels between the ranks
// (route.go); paint.go puts all of it on a canvas of cells (canvas.go). That is
// done in two axes, main (along the edges) and cross; which of them is
// horizontal is a matter of the last step.
package mermaid

import (
	"strings"

	"tau/tui/text"
)

// Bounds of what is drawn. Diagrams beyond them are better read as text.
const (
	maxBytes = 32 << 10
	maxNodes = 120
	maxEdges = 250
	maxItems = 1500 // nodes and the places edges pass through
	maxRows  = 400
	maxCols  = 400
)

// Role says what a piece of a line is, for its colour.
type Role uint8

// The roles.
const (
	Text  Role = iota // words in boxes
	Box               // their frames
	Edge              // lines and arrowheads
	Label             // words on lines
	Title             // names of groups and of the diagram
)

// Span is a piece of a line.
type Span struct {
	Text string
	Role Role
}

// Draw lays out a diagram in at most width columns. It reports false if the
// source is not understood, too large, or does not fit.
func Draw(src string, width int) ([][]Span, bool) {
	if len(src) > maxBytes || width < 1 {
		return nil, false
	}
	width = min(width, maxCols)
	lines, title := statements(text.Sanitize(src))
	if len(lines) == 0 {
		return nil, false
	}
	kind, _, _ := strings.Cut(lines[0], " ")
	var c *canvas
	switch strings.TrimSuffix(kind, ":") {
	case "graph", "flowchart", "flowchart-elk":
		c = drawGraph(parseFlow(lines), width)
	case "stateDiagram", "stateDiagram-v2":
		c = drawGraph(parseStates(lines), width)
	case "classDiagram", "classDiagram-v2":
		c = drawGraph(parseClasses(lines), width)
	case "sequenceDiagram":
		c = drawSequence(parseSequence(lines), width)
	case "pie":
		c = drawPie(lines, width)
	}
	if c == nil {
		return nil, false
	}
	rows := c.spans()
	if title != "" {
		w := 0
		for _, r := range rows {
			w = max(w, spansWidth(r))
		}
		t := text.Truncate(title, width, "…")
		head := []Span{{strings.Repeat(" ", max(0, (w-text.Width(t))/2)), Text}, {t, Title}}
		rows = append([][]Span{head, nil}, rows...)
	}
	return rows, true
}

// Render is [Draw] without roles.
func Render(src string, width int) ([]string, bool) {
	rows, ok := Draw(src, width)
	if !ok {
		return nil, false
	}
	out := make([]string, len(rows))
	for i, row := range rows {
		var b strings.Builder
		for _, s := range row {
			b.WriteString(s.Text)
		}
		out[i] = b.String()
	}
	return out, true
}

func spansWidth(row []Span) (w int) {
	for _, s := range row {
		w += text.Width(s.Text)
	}
	return w
}
