package tools

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// change is one line of a diff.
type change struct {
	op   byte // ' ', '-' or '+'
	text string
}

// lineDiff is the difference of two texts: the changed region with its context,
// and where it begins. What is equal at both ends is not looked at twice, so
// the cost is that of the change, whatever the size of the file.
type lineDiff struct {
	start   int // line number, from 1, of the first line of changes, in both texts
	changes []change
	total   int // lines of the longer text
}

const contextLines = 4

func diffLines(before, after string) lineDiff {
	head := commonHead(before, after)
	tail := commonTail(before[head:], after[head:])
	a, b := before[head:len(before)-tail], after[head:len(after)-tail]

	d := lineDiff{total: max(strings.Count(before, "\n"), strings.Count(after, "\n")) + 1}
	lead := lastLines(before[:head], contextLines)
	d.start = strings.Count(before[:head-len(lead)], "\n") + 1
	for _, l := range splitLines(lead) {
		d.changes = append(d.changes, change{' ', l})
	}
	at := 0
	for _, e := range udiff.Lines(a, b) {
		for _, l := range splitLines(a[at:e.Start]) {
			d.changes = append(d.changes, change{' ', l})
		}
		for _, l := range splitLines(a[e.Start:e.End]) {
			d.changes = append(d.changes, change{'-', l})
		}
		for _, l := range splitLines(e.New) {
			d.changes = append(d.changes, change{'+', l})
		}
		at = e.End
	}
	for _, l := range splitLines(a[at:]) {
		d.changes = append(d.changes, change{' ', l})
	}
	for _, l := range splitLines(firstLines(before[len(before)-tail:], contextLines)) {
		d.changes = append(d.changes, change{' ', l})
	}
	return d
}

// commonHead returns the length of the whole lines both texts begin with.
func commonHead(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return strings.LastIndexByte(a[:n], '\n') + 1
}

// commonTail returns the length of the whole lines both texts end with.
func commonTail(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	// The tail must begin at the start of a line in both.
	for n > 0 && (startsInLine(a, n) || startsInLine(b, n)) {
		i := strings.IndexByte(a[len(a)-n:], '\n')
		if i < 0 {
			return 0
		}
		n -= i + 1
	}
	return n
}

func startsInLine(s string, n int) bool { return n < len(s) && s[len(s)-n-1] != '\n' }

func lastLines(s string, n int) string {
	at := len(s)
	for range n {
		if at == 0 {
			break
		}
		at = strings.LastIndexByte(s[:at-1], '\n') + 1
	}
	return s[at:]
}

func firstLines(s string, n int) string {
	at := 0
	for range n {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return s
		}
		at += i + 1
	}
	return s[:at]
}

// splitLines splits after each newline; the lines keep their ends.
func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// spans returns the ranges of changes that are shown: each change with its
// context, neighbours joined.
func (d lineDiff) spans() [][2]int {
	var out [][2]int
	for i, c := range d.changes {
		if c.op == ' ' {
			continue
		}
		from, to := max(0, i-contextLines), min(len(d.changes), i+1+contextLines)
		if n := len(out); n > 0 && from <= out[n-1][1] {
			out[n-1][1] = to
		} else {
			out = append(out, [2]int{from, to})
		}
	}
	return out
}

// longLine is where lines of the display form are cut.
const longLine = 500

// display writes the diff as people read it: sign, line number, text.
// firstChanged is the number of the first changed line in the new text.
func (d lineDiff) display() (text string, firstChanged int) {
	width := len(strconv.Itoa(d.total))
	var b strings.Builder
	oldLine, newLine := d.start, d.start
	spans := d.spans()
	shown := func(i int) bool {
		return len(spans) > 0 && i >= spans[0][0] && i < spans[0][1]
	}
	skipped := false
	for i, c := range d.changes {
		for len(spans) > 0 && i >= spans[0][1] {
			spans = spans[1:]
		}
		if shown(i) {
			if skipped && b.Len() > 0 {
				fmt.Fprintf(&b, " %*s ...\n", width, "")
			}
			skipped = false
			n := oldLine
			if c.op == '+' {
				n = newLine
			}
			if c.op != ' ' && firstChanged == 0 {
				firstChanged = newLine
			}
			fmt.Fprintf(&b, "%c%*d %s\n", c.op, width, n, cutLine(strings.TrimRight(c.text, "\r\n"), longLine))
		} else {
			skipped = true
		}
		if c.op != '+' {
			oldLine++
		}
		if c.op != '-' {
			newLine++
		}
	}
	return strings.TrimSuffix(b.String(), "\n"), firstChanged
}

// unified writes the diff as a patch.
func (d lineDiff) unified(path string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", path, path)
	for _, s := range d.spans() {
		oldLine, newLine := d.start, d.start
		for _, c := range d.changes[:s[0]] {
			if c.op != '+' {
				oldLine++
			}
			if c.op != '-' {
				newLine++
			}
		}
		var olds, news int
		for _, c := range d.changes[s[0]:s[1]] {
			if c.op != '+' {
				olds++
			}
			if c.op != '-' {
				news++
			}
		}
		// An empty side is counted from the line before it.
		if olds == 0 {
			oldLine--
		}
		if news == 0 {
			newLine--
		}
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", oldLine, olds, newLine, news)
		for _, c := range d.changes[s[0]:s[1]] {
			b.WriteByte(c.op)
			b.WriteString(c.text)
			if !strings.HasSuffix(c.text, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	return b.String()
}

// cutLine shortens a line on a character edge.
func cutLine(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
