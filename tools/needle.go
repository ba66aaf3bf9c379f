package tools

import (
	"bytes"
	"strings"
)

// needle is a text to look for, as it is or without regard to the case of
// ASCII letters.
type needle struct {
	text string // in lower case if fold
	fold bool
	rare int // of a folded text: the byte that is looked for first
}

func newNeedle(text string, fold bool) needle {
	n := needle{text: text, fold: fold && strings.ToLower(text) != strings.ToUpper(text)}
	if n.fold {
		n.text = strings.ToLower(text)
		for i := range len(n.text) {
			if rank(n.text[i]) < rank(n.text[n.rare]) {
				n.rare = i
			}
		}
	}
	return n
}

// rank orders bytes by how common they are in source text and prose, roughly.
func rank(c byte) int {
	return strings.IndexByte("qzjxkvwyb0123456789;:!?#@$%^&*+=<>|\\~`'\"[]{}()gpfmuhcdlsinoratE,._-/ e", c)
}

// index returns where the text is first, or -1.
func (n *needle) index(b []byte) int {
	if !n.fold {
		return bytes.Index(b, []byte(n.text))
	}
	lower := n.text[n.rare]
	upper := lower
	if lower >= 'a' && lower <= 'z' {
		upper -= 'a' - 'A'
	}
	// The places of both forms are looked for once each.
	l, u := -1, -1
	for at := n.rare; at+len(n.text)-n.rare <= len(b); {
		if l < at {
			l = indexFrom(b, at, lower)
		}
		if u < at {
			u = l
			if upper != lower {
				u = indexFrom(b, at, upper)
			}
		}
		i := min(l, u)
		if i+len(n.text)-n.rare > len(b) {
			return -1
		}
		if equalFold(b[i-n.rare:], n.text) {
			return i - n.rare
		}
		at = i + 1
	}
	return -1
}

func indexFrom(b []byte, at int, c byte) int {
	if i := bytes.IndexByte(b[at:], c); i >= 0 {
		return at + i
	}
	return len(b)
}

// equalFold compares the beginning of b with a text in lower case.
func equalFold(b []byte, lower string) bool {
	for i := range len(lower) {
		c := b[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
