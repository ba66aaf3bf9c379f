package tools

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Finding the place of an edit.
//
// The text is matched with LF line ends whatever the file has. The ladder is:
//
//  1. the exact text;
//  2. the same with look-alike quotes, dashes and spaces taken as one;
//  3. whole lines, ignoring also blanks at their ends and compatibility forms;
//  4. whole lines that are all indented by the same extra (or missing) prefix.
//
// A rung counts only if it finds exactly one place; the first that finds any
// decides. Nothing is guessed between two places, nor between tabs and spaces.

// lfText is a file's text with LF line ends and the way back.
type lfText struct {
	text string
	crs  []int // offsets in text of the newlines that were CRLF
	cr   []int // offsets in text of the newlines that were a lone CR
}

func normalizeLF(s string) lfText {
	if strings.IndexByte(s, '\r') < 0 {
		return lfText{text: s}
	}
	var b strings.Builder
	b.Grow(len(s))
	var t lfText
	for {
		i := strings.IndexByte(s, '\r')
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		if i+1 < len(s) && s[i+1] == '\n' {
			t.crs = append(t.crs, b.Len())
			i++
		} else {
			t.cr = append(t.cr, b.Len())
		}
		b.WriteByte('\n')
		s = s[i+1:]
	}
	t.text = b.String()
	return t
}

// end returns how the line break at offset i was written.
func (t lfText) end(i int) string {
	if j := sort.SearchInts(t.crs, i); j < len(t.crs) && t.crs[j] == i {
		return "\r\n"
	}
	if j := sort.SearchInts(t.cr, i); j < len(t.cr) && t.cr[j] == i {
		return "\r"
	}
	return "\n"
}

// lineEnd returns the line end of the line that offset i lies in; of a last
// line without one, that of the line before.
func (t lfText) lineEnd(i int) string {
	if j := strings.IndexByte(t.text[i:], '\n'); j >= 0 {
		return t.end(i + j)
	}
	if j := strings.LastIndexByte(t.text, '\n'); j >= 0 {
		return t.end(j)
	}
	return "\n"
}

// restore writes t.text[from:to] with its own line ends.
func (t lfText) restore(b *strings.Builder, from, to int) {
	if len(t.crs) == 0 && len(t.cr) == 0 {
		b.WriteString(t.text[from:to])
		return
	}
	for from < to {
		i := strings.IndexByte(t.text[from:to], '\n')
		if i < 0 {
			b.WriteString(t.text[from:to])
			return
		}
		b.WriteString(t.text[from : from+i])
		b.WriteString(t.end(from + i))
		from += i + 1
	}
}

// place is where an edit goes.
type place struct {
	from, to int // in the LF text
	// indent is what the file's lines have more than the edit's (add) or less
	// (drop); at most one is set.
	add, drop string
}

// finder looks for places in one file. Derived forms are made once, when the
// first edit needs them.
type finder struct {
	lf     lfText
	folded string // look-alikes as one; as long as text in runes, not bytes
	back   []int  // byte offset in text of each byte offset of a rune in folded; nil if the same
	lines  []int  // start of each line in text
	keys   []string
}

func newFinder(text string) *finder { return &finder{lf: normalizeLF(text)} }

// find returns the places of old on the first rung that has any.
func (f *finder) find(old string) []place {
	if at := all(f.lf.text, old); len(at) > 0 {
		return spans(at, len(old))
	}
	if p := f.findFolded(old); len(p) > 0 {
		return p
	}
	if p := f.findLines(old, false); len(p) > 0 {
		return p
	}
	return f.findLines(old, true)
}

// maxPlaces is how many places are told apart in a message.
const maxPlaces = 100

func all(text, sub string) []int {
	var at []int
	for from := 0; len(at) < maxPlaces; {
		i := strings.Index(text[from:], sub)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		// Overlapping places are different places.
		_, n := utf8.DecodeRuneInString(text[from+i:])
		from += i + max(n, 1)
	}
	return at
}

func spans(at []int, n int) []place {
	out := make([]place, len(at))
	for i, from := range at {
		out[i] = place{from: from, to: from + n}
	}
	return out
}

// foldRune takes look-alikes as one character.
func foldRune(r rune) rune {
	switch r {
	case '\u2018', '\u2019', '\u201a', '\u201b', '\u2032', '\u00b4', '\uff07':
		return '\''
	case '\u201c', '\u201d', '\u201e', '\u201f', '\u2033', '\uff02':
		return '"'
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2015', '\u2212', '\uff0d':
		return '-'
	case '\u00a0', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006', '\u2007', '\u2008', '\u2009', '\u200a', '\u202f', '\u205f', '\u3000':
		return ' '
	}
	return r
}

// fold maps every rune; bytes that are not UTF-8 stay. back gives, for each
// byte of the result, the offset in s of the rune it comes from, and one more
// for the end; it is nil if nothing changed.
func fold(s string) (folded string, back []int) {
	changed := false
	for _, r := range s {
		if r >= utf8.RuneSelf && foldRune(r) != r {
			changed = true
			break
		}
	}
	if !changed {
		return s, nil
	}
	var b strings.Builder
	b.Grow(len(s))
	back = make([]int, 0, len(s)+1)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		start := b.Len()
		if r == utf8.RuneError && n == 1 {
			b.WriteByte(s[i])
		} else {
			b.WriteRune(foldRune(r))
		}
		for range b.Len() - start {
			back = append(back, i)
		}
		i += n
	}
	return b.String(), append(back, len(s))
}

func (f *finder) findFolded(old string) []place {
	sub, _ := fold(old)
	if f.folded == "" {
		f.folded, f.back = fold(f.lf.text)
	}
	if f.back == nil && sub == old {
		return nil // nothing was folded on either side
	}
	at := all(f.folded, sub)
	out := spans(at, len(sub))
	if f.back != nil {
		for i := range out {
			out[i].from, out[i].to = f.back[out[i].from], f.back[out[i].to]
		}
	}
	return out
}

// lineKey is a line as the third rung compares it.
func lineKey(l string) string {
	l, _ = fold(l)
	if !ascii(l) && utf8.ValidString(l) {
		l = norm.NFKC.String(l)
	}
	return strings.TrimRightFunc(l, unicode.IsSpace)
}

func (f *finder) index() {
	if f.keys != nil {
		return
	}
	at := 0
	for _, l := range strings.Split(f.lf.text, "\n") {
		f.lines = append(f.lines, at)
		f.keys = append(f.keys, lineKey(l))
		at += len(l) + 1
	}
}

// findLines looks for old as whole lines. shifted allows one prefix more or
// less on all of them.
func (f *finder) findLines(old string, shifted bool) []place {
	f.index()
	whole := strings.HasSuffix(old, "\n")
	var want []string
	for _, l := range strings.Split(strings.TrimSuffix(old, "\n"), "\n") {
		want = append(want, lineKey(l))
	}
	// Blank lines alone could be anywhere.
	first := -1
	for i, k := range want {
		if k != "" {
			first = i
			break
		}
	}
	if first < 0 {
		return nil
	}
	var out []place
	for i := 0; i+len(want) <= len(f.keys) && len(out) < maxPlaces; i++ {
		var p place
		if shifted {
			var ok bool
			if p.add, p.drop, ok = shift(f.keys[i+first], want[first]); !ok {
				continue
			}
		}
		if !f.linesMatch(i, want, p) {
			continue
		}
		p.from = f.lines[i]
		last := i + len(want) - 1
		p.to = len(f.lf.text)
		if last+1 < len(f.lines) {
			p.to = f.lines[last+1]
			if !whole {
				p.to--
			}
		}
		out = append(out, p)
	}
	return out
}

func (f *finder) linesMatch(i int, want []string, p place) bool {
	for j, w := range want {
		k := f.keys[i+j]
		switch {
		case w == "" || k == "":
			if w != k {
				return false
			}
		case p.drop != "":
			if p.drop+k != w {
				return false
			}
		case p.add+w != k:
			return false
		}
	}
	return true
}

// shift returns the blank prefix by which two lines differ.
func shift(have, want string) (add, drop string, ok bool) {
	switch {
	case len(have) > len(want) && strings.HasSuffix(have, want):
		add = have[:len(have)-len(want)]
		return add, "", strings.TrimLeft(add, " \t") == "" && oneKind(add, indentOf(want))
	case len(want) > len(have) && strings.HasSuffix(want, have):
		drop = want[:len(want)-len(have)]
		return "", drop, strings.TrimLeft(drop, " \t") == "" && oneKind(drop, indentOf(have))
	}
	return "", "", false
}

func indentOf(l string) string { return l[:len(l)-len(strings.TrimLeft(l, " \t"))] }

// oneKind reports whether a prefix is made of one kind of blank, the kind that
// the indentation behind it begins with.
func oneKind(prefix, rest string) bool {
	if strings.Trim(prefix, prefix[:1]) != "" {
		return false
	}
	return rest == "" || rest[0] == prefix[0]
}
