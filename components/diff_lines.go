package components

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/aymanbagabas/go-udiff"
)

// diffMax is how much text, after what both ends share, is compared line by
// line; more is shown as replaced as a whole.
const diffMax = 8 << 20

// diffRows compares two texts. The lines both begin and end with are taken off
// first: edits are small and files are large.
func diffRows(old, new string) []diffRow {
	a, b := strings.SplitAfter(old, "\n"), strings.SplitAfter(new, "\n")
	a, b = dropEmpty(a), dropEmpty(b)
	pre := 0
	for pre < len(a) && pre < len(b) && a[pre] == b[pre] {
		pre++
	}
	suf := 0
	for suf < len(a)-pre && suf < len(b)-pre && a[len(a)-1-suf] == b[len(b)-1-suf] {
		suf++
	}
	w := diffWriter{old: 1, new: 1}
	w.keep(a[:pre])
	w.change(a[pre:len(a)-suf], b[pre:len(b)-suf])
	w.keep(a[len(a)-suf:])
	return w.rows
}

// dropEmpty takes off the empty piece behind the last line feed.
func dropEmpty(lines []string) []string {
	if n := len(lines); n > 0 && lines[n-1] == "" {
		return lines[:n-1]
	}
	return lines
}

type diffWriter struct {
	rows     []diffRow
	old, new int // numbers of the next lines
}

func (w *diffWriter) keep(lines []string) {
	for _, l := range lines {
		w.rows = append(w.rows, diffRow{kind: ' ', number: w.new, text: l})
		w.old++
		w.new++
	}
}

func (w *diffWriter) remove(lines []string) {
	for _, l := range lines {
		w.rows = append(w.rows, diffRow{kind: '-', number: w.old, text: l})
		w.old++
	}
}

func (w *diffWriter) add(lines []string) {
	for _, l := range lines {
		w.rows = append(w.rows, diffRow{kind: '+', number: w.new, text: l})
		w.new++
	}
}

func (w *diffWriter) change(a, b []string) {
	size := 0
	for _, l := range a {
		size += len(l)
	}
	for _, l := range b {
		size += len(l)
	}
	if len(a) <= 1 && len(b) <= 1 || len(a) == 0 || len(b) == 0 || size > diffMax {
		w.remove(a)
		w.add(b)
		return
	}
	old, at := strings.Join(a, ""), 0
	for _, e := range udiff.Lines(old, strings.Join(b, "")) {
		w.keep(dropEmpty(strings.SplitAfter(old[at:e.Start], "\n")))
		w.remove(dropEmpty(strings.SplitAfter(old[e.Start:e.End], "\n")))
		w.add(dropEmpty(strings.SplitAfter(e.New, "\n")))
		at = e.End
	}
	w.keep(dropEmpty(strings.SplitAfter(old[at:], "\n")))
}

// fold leaves out unchanged lines that are far from a change, and makes the
// others drawable.
func fold(rows []diffRow, context int) []diffRow {
	near := make([]bool, len(rows))
	changed := false
	mark := func(i, step int) {
		for k := 1; k <= context; k++ {
			j := i + k*step
			if j < 0 || j >= len(rows) || rows[j].kind != ' ' {
				return
			}
			near[j] = true
		}
	}
	for i, r := range rows {
		if r.kind != ' ' {
			near[i], changed = true, true
			mark(i, -1)
			mark(i, 1)
		}
	}
	if !changed {
		return nil
	}
	var out []diffRow
	for i := 0; i < len(rows); {
		if near[i] {
			r := rows[i]
			r.text = diffText(r.text)
			out = append(out, r)
			i++
			continue
		}
		from := i
		for i < len(rows) && !near[i] {
			i++
		}
		if i-from == 1 {
			// A gap would take as much room as the line.
			r := rows[from]
			r.text = diffText(r.text)
			out = append(out, r)
			continue
		}
		out = append(out, diffRow{kind: '~', text: fmt.Sprintf("%d lines", i-from)})
	}
	return out
}

var (
	hunkPattern    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$`) })
	displayPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([-+ ]) *(\d+) (.*)$`) })
)

// parsePatch reads a unified diff or the display form.
func parsePatch(patch string) []diffRow {
	if !strings.HasPrefix(patch, "@@ ") && !strings.Contains(patch, "\n@@ ") {
		return parseDisplay(patch)
	}
	var w diffWriter
	inHunk := false
	for l := range strings.SplitSeq(strings.TrimSuffix(patch, "\n"), "\n") {
		if m := hunkPattern().FindStringSubmatch(head(l, diffLineMax)); m != nil {
			if len(w.rows) > 0 || m[3] != "" {
				w.rows = append(w.rows, diffRow{kind: '~', text: diffText(m[3])})
			}
			w.old, _ = strconv.Atoi(m[1])
			w.new, _ = strconv.Atoi(m[2])
			inHunk = true
			continue
		}
		if !inHunk {
			continue
		}
		body := []string{""}
		if l != "" {
			body[0] = diffText(l[1:])
		}
		switch {
		case l == "" || l[0] == ' ':
			w.keep(body)
		case l[0] == '+':
			w.add(body)
		case l[0] == '-':
			w.remove(body)
		case l[0] == '\\':
			w.rows = append(w.rows, diffRow{kind: '~', text: "no newline at the end"})
		default:
			inHunk = false // the header of the next file
		}
	}
	return w.rows
}

func parseDisplay(patch string) []diffRow {
	var rows []diffRow
	for l := range strings.SplitSeq(strings.TrimSuffix(patch, "\n"), "\n") {
		if m := displayPattern().FindStringSubmatch(head(l, diffLineMax)); m != nil {
			n, _ := strconv.Atoi(m[2])
			rows = append(rows, diffRow{kind: m[1][0], number: n, text: diffText(m[3])})
			continue
		}
		if t := strings.TrimSpace(l); t == "..." || t == "…" || t == "" {
			rows = append(rows, diffRow{kind: '~'})
			continue
		}
		kind := byte(' ')
		if l[0] == '+' || l[0] == '-' {
			kind, l = l[0], l[1:]
		}
		rows = append(rows, diffRow{kind: kind, text: diffText(l)})
	}
	return rows
}
