package components

import (
	"unicode"
	"unicode/utf8"
)

const (
	wordTokensMax = 500 // in a line; comparing costs the product of two lines
	wordPairsMax  = 400 // in a diff
	wordCommonMin = 0.4 // with less in common the lines are just two lines
)

// pairWords finds the changed words where as many lines were removed as were
// added in their place.
func pairWords(rows []diffRow) {
	pairs := 0
	for i := 0; i < len(rows); {
		if rows[i].kind != '-' {
			i++
			continue
		}
		from := i
		for i < len(rows) && rows[i].kind == '-' {
			i++
		}
		mid := i
		for i < len(rows) && rows[i].kind == '+' {
			i++
		}
		if i-mid != mid-from {
			continue
		}
		for k := range i - mid {
			if pairs++; pairs > wordPairsMax {
				return
			}
			a, b := &rows[from+k], &rows[mid+k]
			a.words, b.words = changedWords(a.text, b.text)
		}
	}
}

// changedWords returns the parts of two lines that differ, by whole words. It
// returns none where the lines have too little in common.
func changedWords(a, b string) (inA, inB []span) {
	x, y := wordTokens(a), wordTokens(b)
	if len(x) == 0 || len(y) == 0 || len(x) > wordTokensMax || len(y) > wordTokensMax {
		return nil, nil
	}
	pre := 0
	for pre < len(x) && pre < len(y) && x[pre].of(a) == y[pre].of(b) {
		pre++
	}
	suf := 0
	for suf < len(x)-pre && suf < len(y)-pre && x[len(x)-1-suf].of(a) == y[len(y)-1-suf].of(b) {
		suf++
	}
	keepX, keepY := make([]bool, len(x)), make([]bool, len(y))
	for i := range pre {
		keepX[i], keepY[i] = true, true
	}
	for i := range suf {
		keepX[len(x)-1-i], keepY[len(y)-1-i] = true, true
	}
	lcs(a, b, x[pre:len(x)-suf], y[pre:len(y)-suf], keepX[pre:], keepY[pre:])
	common := 0
	for i, t := range x {
		if keepX[i] {
			common += t.to - t.from
		}
	}
	if float64(common) < wordCommonMin*float64(max(len(a), len(b))) || common == len(a) && common == len(b) {
		return nil, nil
	}
	return gaps(x, keepX), gaps(y, keepY)
}

func (s span) of(text string) string { return text[s.from:s.to] }

// lcs marks a longest common subsequence of two token lists.
func lcs(a, b string, x, y []span, keepX, keepY []bool) {
	n, m := len(x), len(y)
	if n == 0 || m == 0 {
		return
	}
	table := make([]uint16, (n+1)*(m+1))
	at := func(i, j int) *uint16 { return &table[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if x[i].of(a) == y[j].of(b) {
				*at(i, j) = *at(i+1, j+1) + 1
			} else {
				*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case x[i].of(a) == y[j].of(b):
			keepX[i], keepY[j] = true, true
			i++
			j++
		case *at(i+1, j) >= *at(i, j+1):
			i++
		default:
			j++
		}
	}
}

// gaps joins the tokens that are not kept.
func gaps(tokens []span, keep []bool) []span {
	var out []span
	for i, t := range tokens {
		if keep[i] {
			continue
		}
		if n := len(out); n > 0 && out[n-1].to == t.from {
			out[n-1].to = t.to
			continue
		}
		out = append(out, t)
	}
	return out
}

// wordTokens splits a line in words, runs of blanks and single other
// characters.
func wordTokens(s string) []span {
	var out []span
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		from := i
		i += n
		class := tokenClass(r)
		for class != classOther && i < len(s) {
			r, n := utf8.DecodeRuneInString(s[i:])
			if tokenClass(r) != class {
				break
			}
			i += n
		}
		if out = append(out, span{from, i}); len(out) > wordTokensMax {
			return out
		}
	}
	return out
}

func tokenClass(r rune) charClass {
	switch {
	case unicode.IsSpace(r):
		return classSpace
	case isCJK(r):
		return classOther
	}
	return classOf(r)
}
