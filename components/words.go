package components

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"tau/tui/text"
)

// cluster returns the grapheme cluster at the start of s and its columns as
// the text fields draw it. Paste markers stand alone.
func cluster(s string) (string, int) {
	if c := s[0]; c < utf8.RuneSelf {
		if len(s) == 1 || s[1] < utf8.RuneSelf {
			if c == '\t' {
				return s[:1], tabWidth
			}
			return s[:1], 1
		}
	}
	if r, n := utf8.DecodeRuneInString(s); isMarker(r) {
		return s[:n], 1
	}
	c, w := text.Next(s)
	if c == "" {
		return s[:1], 1
	}
	if r, n := utf8.DecodeRuneInString(c); reorders(r) {
		return c[:n], 1 // drawn as a dot
	}
	// A marker never joins what stands before it.
	if i := strings.IndexFunc(c, isMarker); i > 0 {
		c = c[:i]
		_, w = text.Next(c)
	}
	if c[0] == '\t' {
		w = tabWidth
	}
	return c, w
}

// nextCluster returns the offset after the cluster at i.
func nextCluster(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	c, _ := cluster(s[i:])
	return i + len(c)
}

// prevCluster returns the offset of the cluster that ends at i.
func prevCluster(s string, i int) int {
	if i <= 0 {
		return 0
	}
	// Two ASCII characters never form a cluster: start from such a place.
	start := i - 1
	for start > 0 && (s[start] >= utf8.RuneSelf || s[start-1] >= utf8.RuneSelf) {
		start--
	}
	for {
		n := nextCluster(s, start)
		if n >= i {
			return start
		}
		start = n
	}
}

// reorders reports whether r is one of the invisible characters that change the
// direction of text. On a screen they make it show what it does not say.
func reorders(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

type charClass uint8

const (
	classSpace charClass = iota
	classWord
	classOther // punctuation, symbols, emoji
	classMarker
)

func classOf(r rune) charClass {
	switch {
	case isMarker(r):
		return classMarker
	case unicode.IsSpace(r):
		return classSpace
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return classWord
	}
	return classOther
}

// wordRight returns the offset where the word after i ends: blanks are
// skipped, then one word or one run of punctuation goes. Scripts without
// spaces are cut by the Unicode word rules.
func wordRight(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if classOf(r) != classSpace {
			break
		}
		i += n
	}
	if i >= len(s) {
		return len(s)
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	class := classOf(r)
	if class == classMarker {
		return i + n
	}
	end := runEnd(s, i, class)
	if class == classWord && !plain(s[i:end]) {
		word, _, _ := uniseg.FirstWordInString(s[i:end], -1)
		return i + len(word)
	}
	return end
}

func runEnd(s string, i int, class charClass) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		c := classOf(r)
		// Joiners and variation selectors stay with what they follow.
		if c != class && (class != classOther || !joins(r)) {
			break
		}
		i += n
	}
	return i
}

func joins(r rune) bool { return r == 0x200d || r >= 0xfe00 && r <= 0xfe0f || unicode.IsMark(r) }

// wordLeft is the mirror image of wordRight.
func wordLeft(s string, i int) int {
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if classOf(r) != classSpace {
			break
		}
		i -= n
	}
	if i == 0 {
		return 0
	}
	r, n := utf8.DecodeLastRuneInString(s[:i])
	class := classOf(r)
	if class == classMarker {
		return i - n
	}
	if joins(r) && prevCluster(s, i) < i-n {
		// The last rune belongs to an emoji or the like.
		r, _ = utf8.DecodeRuneInString(s[prevCluster(s, i):])
		class = classOf(r)
	}
	start := i
	for start > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:start])
		c := classOf(r)
		if c != class && (class != classOther || !joins(r)) {
			break
		}
		start -= n
	}
	if class != classWord || plain(s[start:i]) {
		return start
	}
	// Only forwards do the word rules apply: walk to the last word.
	for {
		word, _, _ := uniseg.FirstWordInString(s[start:i], -1)
		if start+len(word) >= i {
			return start
		}
		start += len(word)
	}
}

// isCJK reports whether lines may break on both sides of r.
func isCJK(r rune) bool {
	return r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff01 && r <= 0xff60)
}
