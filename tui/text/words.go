package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const asciiPunctuation = "(){}[]<>.,;:'\"!?+-=*/\\|&%^$#@~`"

func punctuation(c byte) bool { return strings.IndexByte(asciiPunctuation, c) >= 0 }

// A Span is a range of bytes that editors treat as one unit.
type Span struct{ Start, End int }

// WordLeft returns the start of the word before byte pos of s: spaces are
// skipped, then one word (of a Unicode word segment, what follows its last
// ASCII punctuation), or one run of punctuation, or one of the atomic spans.
func WordLeft(s string, pos int, atomic ...Span) int {
	pos = min(max(pos, 0), len(s))
	for pos > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:pos])
		if !unicode.IsSpace(r) || inSpan(atomic, pos-n) {
			break
		}
		pos -= n
	}
	if pos == 0 {
		return 0
	}
	lo := 0
	for _, a := range atomic {
		if a.Start < pos && pos <= a.End {
			return a.Start
		}
		if a.End <= pos {
			lo = max(lo, a.End)
		}
	}
	if punctuation(s[pos-1]) {
		for pos > lo && punctuation(s[pos-1]) {
			pos--
		}
		return pos
	}
	// The segment that ends at pos: segments are found from the line's start.
	lo = max(lo, strings.LastIndexByte(s[:pos], '\n')+1)
	last, rest, state := lo, s[lo:pos], -1
	for rest != "" {
		var w string
		w, rest, state = uniseg.FirstWordInString(rest, state)
		if rest == "" {
			last = pos - len(w)
		}
	}
	for i := pos - 1; i >= last; i-- {
		if punctuation(s[i]) {
			return i + 1
		}
	}
	return last
}

// WordRight is the mirror of [WordLeft]: it returns the end of the word behind
// byte pos.
func WordRight(s string, pos int, atomic ...Span) int {
	pos = min(max(pos, 0), len(s))
	for pos < len(s) {
		r, n := utf8.DecodeRuneInString(s[pos:])
		if !unicode.IsSpace(r) || inSpan(atomic, pos) {
			break
		}
		pos += n
	}
	if pos == len(s) {
		return pos
	}
	hi := len(s)
	for _, a := range atomic {
		if a.Start <= pos && pos < a.End {
			return a.End
		}
		if a.Start >= pos {
			hi = min(hi, a.Start)
		}
	}
	if punctuation(s[pos]) {
		for pos < hi && punctuation(s[pos]) {
			pos++
		}
		return pos
	}
	w, _, _ := uniseg.FirstWordInString(s[pos:hi], -1)
	for i := 0; i < len(w); i++ {
		if punctuation(w[i]) {
			return pos + i
		}
	}
	return pos + len(w)
}

func inSpan(spans []Span, pos int) bool {
	for _, a := range spans {
		if a.Start <= pos && pos < a.End {
			return true
		}
	}
	return false
}

// WordAt returns the columns of the word of line at column col, as a double
// click selects it: Unicode word segments joined by any of / - + \ ~ _ . so
// that paths and identifiers are one word. Between words it is one cell.
func WordAt(line string, col int) (from, to int) {
	plain := StripSequences(line)
	joins := func(w string) bool { return len(w) == 1 && strings.IndexByte(`/-+\~_.`, w[0]) >= 0 }
	wordy := func(w string) bool {
		r, _ := utf8.DecodeRuneInString(w)
		return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
	}
	c, state, rest := 0, -1, plain
	start := -1 // start of the chain being collected
	for rest != "" {
		var w string
		w, rest, state = uniseg.FirstWordInString(rest, state)
		cw := Width(w)
		if wordy(w) || joins(w) {
			if start < 0 {
				start = c
			}
		} else {
			if start >= 0 && col >= start && col < c {
				return start, c
			}
			start = -1
			if col >= c && col < c+cw {
				return CellRange(plain, col)
			}
		}
		c += cw
	}
	if start >= 0 && col >= start && col < c {
		return start, c
	}
	return CellRange(plain, col)
}
