package mermaid

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tau/tui/text"
)

// drawPie shows the shares of a pie as bars.
func drawPie(lines []string, width int) *canvas {
	head := strings.TrimSpace(strings.TrimPrefix(lines[0], "pie"))
	data := false
	if rest, ok := strings.CutPrefix(head, "showData"); ok {
		data, head = true, strings.TrimSpace(rest)
	}
	title, ok := strings.CutPrefix(head, "title ")
	if !ok && head != "" {
		return nil
	}
	var names []string
	var values []float64
	sum := 0.0
	for _, l := range lines[1:] {
		if t, ok := strings.CutPrefix(l, "title "); ok {
			title = t
			continue
		}
		if l == "showData" {
			data = true
			continue
		}
		i := strings.LastIndexByte(l, ':')
		if i < 0 || !strings.HasPrefix(l, `"`) {
			return nil
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(l[i+1:]), 64)
		if err != nil || v < 0 || math.IsInf(v, 0) || math.IsNaN(v) || len(names) >= 60 {
			return nil
		}
		names, values, sum = append(names, label(l[:i])), append(values, v), sum+v
	}
	if len(names) == 0 || sum <= 0 || math.IsInf(sum, 0) {
		return nil
	}
	notes := make([]string, len(names))
	for i, v := range values {
		notes[i] = fmt.Sprintf("%5.1f%%", 100*v/sum)
		if data {
			notes[i] += "  " + strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	nw, vw := widest(names), widest(notes)
	room := min(40, width-nw-vw-4)
	if room < 8 || strings.Contains(strings.Join(names, ""), "\n") {
		return nil
	}
	c := newCanvas(nw+room+vw+4, len(names)+2)
	if c == nil {
		return nil
	}
	c.write(0, 0, text.Truncate(strings.TrimSpace(title), c.w, "…"), Title)
	top := 2
	if title == "" {
		top = 0
	}
	for i, v := range values {
		c.write(nw-text.Width(names[i]), top+i, names[i], Text)
		eighths := int(math.Round(8 * float64(room) * v / sum))
		c.write(nw+2, top+i, strings.Repeat("█", eighths/8), Edge)
		if r := eighths % 8; r > 0 {
			c.write(nw+2+eighths/8, top+i, string([]rune("▏▎▍▌▋▊▉")[r-1]), Edge)
		}
		c.write(nw+2+room+2, top+i, notes[i], Label)
	}
	return c
}
