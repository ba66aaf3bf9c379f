package tools

import (
	"errors"
	"strings"
)

// rendered returns what the place becomes: the new text with the file's line
// ends and indentation. Lines that the edit did not mean to change keep the
// bytes they have, which matters where the place was found by look-alikes.
func (f *finder) rendered(p place, old, new string) (string, error) {
	was := strings.Split(f.lf.text[p.from:p.to], "\n")
	from := strings.Split(old, "\n")
	to := strings.Split(new, "\n")
	if len(was) == len(from)-1 && from[len(from)-1] == "" {
		// The file's last line has no end, so the new one gets none either.
		from = from[:len(from)-1]
		if to[len(to)-1] == "" && len(to) > 1 {
			to = to[:len(to)-1]
		}
	}
	if p.add+p.drop != "" {
		// The shift says what to do with the new text only if that was indented
		// like the old.
		if in, ok := sharedIndent(to); ok {
			if was, _ := sharedIndent(from); in != was {
				return "", errShift
			}
		}
	}
	kept := unchanged(from, to)
	nl := f.lf.lineEnd(p.from)
	starts := make([]int, len(was))
	at := p.from
	for i, l := range was {
		starts[i] = at
		at += len(l) + 1
	}
	var b strings.Builder
	for j, l := range to {
		i := -1
		if len(was) == len(from) {
			i = kept[j]
		}
		switch {
		case i >= 0:
			b.WriteString(was[i])
		default:
			s, err := p.indent(l)
			if err != nil {
				return "", err
			}
			b.WriteString(s)
		}
		if j == len(to)-1 {
			break
		}
		if i >= 0 && i < len(was)-1 {
			b.WriteString(f.lf.end(starts[i] + len(was[i])))
		} else {
			b.WriteString(nl)
		}
	}
	return b.String(), nil
}

var (
	errIndent = errors.New("newText is indented less than oldText was given")
	errShift  = errors.New("oldText is not indented as in the file, and newText not as oldText, so its indentation is unclear; give both as in the file")
)

// sharedIndent returns the blanks that all lines begin with; ok is false if
// there are only blank lines.
func sharedIndent(lines []string) (in string, ok bool) {
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if !ok {
			in, ok = indentOf(l), true
		}
		for !strings.HasPrefix(l, in) {
			in = in[:len(in)-1]
		}
	}
	return in, ok
}

// indent gives a new line the shift of its place.
func (p place) indent(l string) (string, error) {
	switch {
	case strings.TrimSpace(l) == "":
		return l, nil
	case p.drop != "":
		rest, ok := strings.CutPrefix(l, p.drop)
		if !ok {
			return "", errIndent
		}
		return rest, nil
	}
	return p.add + l, nil
}

// unchanged pairs the lines of to that an edit leaves as they are in from: for
// each line of to the index in from, or -1. Beyond a size only the lines at
// both ends are paired.
func unchanged(from, to []string) []int {
	out := make([]int, len(to))
	for j := range out {
		out[j] = -1
	}
	head := 0
	for head < len(from) && head < len(to) && from[head] == to[head] {
		out[head] = head
		head++
	}
	tail := 0
	for tail < len(from)-head && tail < len(to)-head && from[len(from)-1-tail] == to[len(to)-1-tail] {
		tail++
		out[len(to)-tail] = len(from) - tail
	}
	a, b := from[head:len(from)-tail], to[head:len(to)-tail]
	const most = 1 << 20
	if len(a) == 0 || len(b) == 0 || len(a)*len(b) > most {
		return out
	}
	// The longest common subsequence of the middle.
	table := make([][]int32, len(a)+1)
	for i := range table {
		table[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			out[head+j] = head + i
			i++
			j++
		case table[i+1][j] >= table[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}
