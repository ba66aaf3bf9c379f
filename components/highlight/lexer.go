package highlight

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
)

// quote is a kind of string.
type quote struct {
	open, close string
	multi       bool // goes on in the next line
	raw         bool // no backslash escapes
	double      bool // the closing quote twice is one character of the string
}

// lexer scans one piece of code, line by line.
type lexer struct {
	lang *language
	find func(name string) *language // languages inside this one
	out  []chroma.Token
	src  string // the line being scanned
	from int    // where its last token begins
	to   int    // and ends

	comment int    // depth of block comments
	str     *quote // the string the line begins in
	state   int    // of a language's own scanner
	fence   *lexer // the language inside a Markdown fence
}

// line returns the tokens of the next line, which has no line end.
func (l *lexer) line(s string) []chroma.Token {
	l.out, l.src, l.from, l.to = l.out[:0], s, 0, 0
	if l.lang.scan != nil {
		l.lang.scan(l, s)
	} else {
		l.code(s)
	}
	return l.out
}

// put appends the next part of the line, joined to what has the same type. The
// parts follow each other without gaps, so joining is taking a longer part.
func (l *lexer) put(t chroma.TokenType, s string) {
	if s == "" {
		return
	}
	n := len(l.out) - 1
	if n < 0 || l.out[n].Type != t {
		l.out = append(l.out, chroma.Token{Type: t})
		n++
		l.from = l.to
	}
	l.to += len(s)
	l.out[n].Value = l.src[l.from:l.to]
}

// code scans a line of a language with words, strings and comments.
func (l *lexer) code(s string) {
	g := l.lang
	start := true // only blanks so far
	for s != "" {
		switch {
		case l.comment > 0:
			s = l.inComment(s)
			continue
		case l.str != nil:
			s = l.inString(s)
			continue
		}
		c := s[0]
		if c == ' ' || c == '\t' {
			n := len(s) - len(strings.TrimLeft(s, " \t"))
			l.put(chroma.Text, s[:n])
			s = s[n:]
			continue
		}
		if p := prefixOf(s, g.lineComments); p != "" && (p != "#" || !g.hashNeedsSpace || start || lastIsBlank(l.out)) {
			l.put(chroma.Comment, s)
			return
		}
		if g.block[0] != "" && strings.HasPrefix(s, g.block[0]) {
			l.put(chroma.Comment, g.block[0])
			l.comment = 1
			s = s[len(g.block[0]):]
			continue
		}
		if g.preproc && start && c == '#' {
			n := 1 + wordLen(strings.TrimLeft(s[1:], " \t"), g) + len(s[1:]) - len(strings.TrimLeft(s[1:], " \t"))
			l.put(chroma.Keyword, s[:n])
			s = s[n:]
			start = false
			continue
		}
		start = false
		if q := l.quoteAt(s); q != nil {
			l.put(chroma.LiteralString, q.open)
			l.str = q
			s = s[len(q.open):]
			if s == "" && !q.multi {
				l.str = nil
			}
			continue
		}
		switch {
		case c >= '0' && c <= '9' || c == '.' && len(s) > 1 && s[1] >= '0' && s[1] <= '9':
			n := numberLen(s)
			l.put(chroma.LiteralNumber, s[:n])
			s = s[n:]
		case wordLen(s, g) > 0:
			s = l.word(s)
		case c == '@' && wordLen(s[1:], g) > 0:
			n := 1 + wordLen(s[1:], g)
			l.put(chroma.NameDecorator, s[:n])
			s = s[n:]
		case strings.IndexByte("()[]{},;", c) >= 0:
			l.put(chroma.Punctuation, s[:1])
			s = s[1:]
		case c < utf8.RuneSelf:
			l.put(chroma.Operator, s[:1])
			s = s[1:]
		default:
			_, n := utf8.DecodeRuneInString(s)
			l.put(chroma.Text, s[:n])
			s = s[n:]
		}
	}
	if l.str != nil && !l.str.multi {
		l.str = nil // an unfinished string ends with its line
	}
}

func lastIsBlank(out []chroma.Token) bool {
	return len(out) > 0 && strings.HasSuffix(out[len(out)-1].Value, " ")
}

func prefixOf(s string, list []string) string {
	for _, p := range list {
		if strings.HasPrefix(s, p) {
			return p
		}
	}
	return ""
}

func (l *lexer) quoteAt(s string) *quote {
	for i := range l.lang.quotes {
		q := &l.lang.quotes[i]
		if !strings.HasPrefix(s, q.open) {
			continue
		}
		if q.open == "'" && l.lang.charQuote && !isChar(s) {
			continue // a lifetime, or a separator inside a number
		}
		return q
	}
	return nil
}

// isChar reports whether s begins with a character literal such as 'x'.
func isChar(s string) bool {
	if strings.HasPrefix(s, `'\`) {
		return strings.IndexByte(s[2:], '\'') >= 0
	}
	if len(s) < 3 {
		return false
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	return strings.HasPrefix(s[1+n:], "'")
}

func (l *lexer) inComment(s string) string {
	b := l.lang.block
	for i := 0; i < len(s); i++ {
		if l.lang.nested && strings.HasPrefix(s[i:], b[0]) {
			l.comment++
			i += len(b[0]) - 1
			continue
		}
		if strings.HasPrefix(s[i:], b[1]) {
			l.comment--
			i += len(b[1])
			if l.comment == 0 {
				l.put(chroma.Comment, s[:i])
				return s[i:]
			}
			i--
		}
	}
	l.put(chroma.Comment, s)
	return ""
}

func (l *lexer) inString(s string) string {
	q := l.str
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && !q.raw {
			i++
			continue
		}
		if strings.HasPrefix(s[i:], q.close) {
			n := i + len(q.close)
			if q.double && strings.HasPrefix(s[n:], q.close) {
				i = n + len(q.close) - 1
				continue
			}
			l.put(chroma.LiteralString, s[:n])
			l.str = nil
			return s[n:]
		}
	}
	l.put(chroma.LiteralString, s)
	return ""
}

// word scans an identifier or keyword.
func (l *lexer) word(s string) string {
	g := l.lang
	n := wordLen(s, g)
	w := s[:n]
	key := w
	if g.foldCase {
		key = strings.ToLower(w)
	}
	t, known := g.words[key]
	if !known {
		t = chroma.Name
		switch rest := strings.TrimLeft(s[n:], " "); {
		case g.sigil != "" && strings.HasPrefix(w, g.sigil):
			t = chroma.NameVariable
		case strings.HasPrefix(rest, "(") || g.macros && strings.HasPrefix(rest, "!("):
			t = chroma.NameFunction
		case g.upperTypes && w[0] >= 'A' && w[0] <= 'Z' && strings.ToUpper(w) != w:
			t = chroma.NameClass
		case g.keys && strings.HasPrefix(rest, ":"):
			t = chroma.NameAttribute
		}
	}
	l.put(t, w)
	return s[n:]
}

// wordLen returns the length of the identifier at the start of s.
func wordLen(s string, g *language) int {
	for i, r := range s {
		switch {
		case r == '_' || r == '$' && g.sigil == "$" || r == '%' && g.sigil == "%":
		case r < utf8.RuneSelf:
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
				continue
			}
			if i > 0 && (r >= '0' && r <= '9' || g.dash && r == '-') {
				continue
			}
			return i
		case !unicode.IsLetter(r) && !unicode.IsMark(r):
			return i
		}
	}
	return len(s)
}

// numberLen returns the length of the number at the start of s, with digit
// separators, exponents and suffixes.
func numberLen(s string) int {
	i := 0
	for i < len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.':
			if c == '.' && i+1 < len(s) && s[i+1] == '.' {
				return i // a range
			}
		case (c == '+' || c == '-') && i > 0 && (s[i-1] == 'e' || s[i-1] == 'E') && !strings.HasPrefix(s, "0x"):
		case c == '\'' && i+1 < len(s) && (s[i+1] >= '0' && s[i+1] <= '9' || s[i+1] >= 'a' && s[i+1] <= 'f'):
		default:
			return i
		}
		i++
	}
	return i
}
