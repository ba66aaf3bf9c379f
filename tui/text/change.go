package text

import (
	"strings"
	"unicode/utf8"
)

// A Change is the least that must be written over a line to make it another.
type Change struct {
	Col  int    // the column where Text goes
	Text string // leaves nothing switched on
	// Behind is what the line has to its right: the columns that are still to
	// be erased, from the end of Text. 0 if the new line is not shorter.
	Behind int
}

// Changed compares two lines that begin and end with nothing switched on. What
// they have in common at the start and at the end is left alone. No cluster and
// no link is cut, and a mark without a width stays with the cell it belongs to.
func Changed(old, new string) Change {
	same := commonPrefix(old, new)
	var st, cutStyle style
	cut, cutCol := 0, 0
	i, col := 0, 0
	for {
		for i < len(new) && new[i] == 0x1b {
			n := Escape(new[i:])
			if n == 0 || i+n > same {
				break
			}
			st.apply(new[i : i+n])
			i += n
		}
		if i > same || !startsCell(new[i:]) || !startsCell(old[i:]) {
			break
		}
		if st.link == "" {
			cut, cutCol, cutStyle = i, col, st
		}
		if i == len(new) || new[i] == 0x1b {
			break
		}
		n, w := next(new[i:])
		// Where the next character is the same, too, the cluster is.
		if end := i + n; end > same {
			break
		} else if end == len(new) || end+runeLen(new[end:]) > same {
			if m, _ := next(old[i:]); m != n {
				break
			}
		}
		i += n
		col += w
	}

	tail := commonSuffix(old[cut:], new[cut:])
	a := walker{s: old, i: cut, col: cutCol, st: cutStyle}
	b := walker{s: new, i: cut, col: cutCol, st: cutStyle}
	for {
		left, was := len(new)-b.i, len(old)-a.i
		if left == was && left <= tail && a.col == b.col && b.st.link == "" && a.st == b.st && startsCell(new[b.i:]) {
			break
		}
		if left == 0 && was == 0 {
			break
		}
		if left >= was {
			b.step()
		} else {
			a.step()
		}
	}
	text := new[cut:b.i]
	if !cutStyle.empty() && text != "" || !b.st.empty() {
		buf := cutStyle.open(nil)
		buf = append(buf, text...)
		text = string(b.st.closeAll(buf))
	}
	return Change{Col: cutCol, Text: text, Behind: max(0, a.col-b.col)}
}

// walker goes through a line.
type walker struct {
	s   string
	i   int
	col int
	st  style
}

func (k *walker) step() {
	if k.s[k.i] == 0x1b {
		if n := Escape(k.s[k.i:]); n > 0 {
			k.st.apply(k.s[k.i : k.i+n])
			k.i += n
			return
		}
	}
	n, w := next(k.s[k.i:])
	k.i += n
	k.col += w
}

// startsCell reports whether the first cluster of s has cells of its own. At the
// end of a line there is nothing that could belong to the cell before.
func startsCell(s string) bool {
	for len(s) > 0 {
		if s[0] == 0x1b {
			if n := Escape(s); n > 0 {
				s = s[n:]
				continue
			}
		}
		_, w := next(s)
		return w > 0
	}
	return true
}

func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i+16 <= n && a[i:i+16] == b[i:i+16] {
		i += 16
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

func commonSuffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && strings.HasSuffix(a[:len(a)-n], b[len(b)-n-1:len(b)-n]) {
		n++
	}
	return n
}
