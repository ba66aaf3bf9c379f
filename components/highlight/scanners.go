package highlight

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// scanDiff colours whole lines by their first character.
func scanDiff(l *lexer, s string) {
	t := chroma.Text
	switch {
	case strings.HasPrefix(s, "+++"), strings.HasPrefix(s, "---"), strings.HasPrefix(s, "diff "), strings.HasPrefix(s, "index "):
		t = chroma.GenericHeading
	case strings.HasPrefix(s, "@@"):
		t = chroma.Keyword
	case strings.HasPrefix(s, "+"):
		t = chroma.GenericInserted
	case strings.HasPrefix(s, "-"):
		t = chroma.GenericDeleted
	}
	l.put(t, s)
}

// scanJSON tells keys from other strings.
func scanJSON(l *lexer, s string) {
	l.code(s)
	for i, t := range l.out {
		if t.Type != chroma.LiteralString {
			continue
		}
		for _, next := range l.out[i+1:] {
			if next.Type == chroma.Text && strings.TrimSpace(next.Value) == "" {
				continue
			}
			if strings.HasPrefix(next.Value, ":") {
				l.out[i].Type = chroma.NameAttribute
			}
			break
		}
	}
}

// scanTOML colours section headings and keys.
func scanTOML(l *lexer, s string) {
	t := strings.TrimLeft(s, " \t")
	if l.str == nil {
		if strings.HasPrefix(t, "[") && strings.Contains(t, "]") && !strings.Contains(t, "=") {
			l.put(chroma.NameTag, s)
			return
		}
		if i := strings.IndexByte(s, '='); i > 0 && t[0] != '#' && t[0] != ';' && !strings.ContainsAny(s[:i], `,{[`) {
			l.put(chroma.NameAttribute, s[:i])
			s = s[i:]
		}
	}
	l.code(s)
}

// scanYAML colours keys, and leaves block scalars (| and >) alone.
func scanYAML(l *lexer, s string) {
	t := strings.TrimLeft(s, " ")
	indent := len(s) - len(t)
	if l.state > 0 {
		if t == "" || indent >= l.state {
			l.put(chroma.LiteralString, s)
			return
		}
		l.state = 0
	}
	if strings.HasPrefix(t, "---") || strings.HasPrefix(t, "...") || strings.HasPrefix(t, "%") {
		l.put(chroma.Keyword, s)
		return
	}
	for strings.HasPrefix(t, "- ") {
		rest := strings.TrimLeft(t[2:], " ")
		n := len(s) - len(rest)
		l.put(chroma.Punctuation, s[:n])
		s, t = rest, rest
		indent += n
	}
	if i := keyEnd(t); i > 0 {
		n := len(s) - len(t) + i
		l.put(chroma.NameAttribute, s[:n])
		l.put(chroma.Punctuation, s[n:n+1])
		s = s[n+1:]
		if v := strings.TrimSpace(s); v != "" && (v[0] == '|' || v[0] == '>') {
			l.state = indent + 1
		}
	}
	v := strings.TrimSpace(s)
	if v == "" || strings.IndexByte("\"'[{#&*!|>-0123456789", v[0]) >= 0 || l.lang.words[strings.ToLower(v)] != 0 {
		l.code(s)
		return
	}
	if i := strings.Index(s, " #"); i >= 0 {
		l.put(chroma.LiteralString, s[:i])
		l.put(chroma.Comment, s[i:])
		return
	}
	l.put(chroma.LiteralString, s)
}

// keyEnd returns the offset of the colon behind a key, or -1.
func keyEnd(s string) int {
	if s == "" || s[0] == '#' {
		return -1
	}
	from := 0
	if s[0] == '"' || s[0] == '\'' {
		i := strings.IndexByte(s[1:], s[0])
		if i < 0 {
			return -1
		}
		from = i + 2
	}
	i := strings.IndexByte(s[from:], ':')
	if i < 0 || from+i+1 < len(s) && s[from+i+1] != ' ' {
		return -1
	}
	return from + i
}

// scanCSS colours selectors outside braces and properties inside them.
func scanCSS(l *lexer, s string) {
	if l.comment == 0 && l.state == 0 {
		t := strings.TrimLeft(s, " \t")
		if i := strings.IndexByte(s, '{'); t != "" && t[0] != '@' && !strings.HasPrefix(t, "/") && (i >= 0 || !strings.Contains(s, ":")) {
			if i < 0 {
				i = len(s)
			}
			l.put(chroma.NameTag, s[:i])
			l.track(s[:i])
			s = s[i:]
		}
	}
	l.track(s)
	l.code(s)
}

// track counts braces.
func (l *lexer) track(s string) {
	l.state = max(0, l.state+strings.Count(s, "{")-strings.Count(s, "}"))
}

// States of scanMarkup.
const (
	markupText = iota
	markupTag
	markupComment
	markupDouble // in a value in double quotes
	markupSingle
)

// scanMarkup scans HTML and XML.
func scanMarkup(l *lexer, s string) {
	until := func(end string, t chroma.TokenType, next int) {
		i := strings.Index(s, end)
		if i < 0 {
			l.put(t, s)
			s = ""
			return
		}
		l.put(t, s[:i+len(end)])
		s = s[i+len(end):]
		l.state = next
	}
	for s != "" {
		switch l.state {
		case markupComment:
			until("-->", chroma.Comment, markupText)
		case markupDouble:
			until(`"`, chroma.LiteralString, markupTag)
		case markupSingle:
			until("'", chroma.LiteralString, markupTag)
		case markupTag:
			n := strings.IndexAny(s, " \t=\"'>/")
			switch {
			case n < 0:
				l.put(chroma.NameAttribute, s)
				s = ""
				continue
			case n > 0:
				l.put(chroma.NameAttribute, s[:n])
				s = s[n:]
			}
			switch s[0] {
			case '"':
				l.put(chroma.LiteralString, s[:1])
				l.state = markupDouble
			case '\'':
				l.put(chroma.LiteralString, s[:1])
				l.state = markupSingle
			case '>':
				l.put(chroma.Punctuation, s[:1])
				l.state = markupText
			case '=', '/':
				l.put(chroma.Punctuation, s[:1])
			default:
				l.put(chroma.Text, s[:1])
			}
			s = s[1:]
		default:
			i := strings.IndexByte(s, '<')
			if i < 0 {
				l.put(chroma.Text, s)
				return
			}
			l.put(chroma.Text, s[:i])
			s = s[i:]
			if strings.HasPrefix(s, "<!--") {
				l.put(chroma.Comment, "<!--")
				s, l.state = s[4:], markupComment
				continue
			}
			n := 1
			for n < len(s) && strings.IndexByte(" \t>=\"'", s[n]) < 0 && !(s[n] == '/' && n > 1) {
				n++
			}
			l.put(chroma.Punctuation, s[:1])
			l.put(chroma.NameTag, s[1:n])
			s, l.state = s[n:], markupTag
		}
	}
}

// scanMarkdown colours headings, quotes and code; fences get their language's
// lexer. The length of the open fence is the state.
func scanMarkdown(l *lexer, s string) {
	t := strings.TrimLeft(s, " ")
	ticks := len(t) - len(strings.TrimLeft(t, "`"))
	if tildes := len(t) - len(strings.TrimLeft(t, "~")); tildes > ticks {
		ticks = tildes
	}
	if l.state > 0 {
		if ticks >= l.state && strings.Trim(t, "`~ ") == "" {
			l.state, l.fence = 0, nil
			l.put(chroma.Punctuation, s)
			return
		}
		if l.fence != nil {
			l.out = append(l.out, l.fence.line(s)...)
			return
		}
		l.put(chroma.LiteralString, s)
		return
	}
	switch {
	case ticks >= 3:
		l.state = ticks
		if g := l.find(strings.Trim(t, "`~ ")); g != nil && g.name != "markdown" {
			l.fence = &lexer{lang: g}
		}
		l.put(chroma.Punctuation, s)
	case strings.HasPrefix(t, "#"):
		l.put(chroma.GenericHeading, s)
	case strings.HasPrefix(t, ">"):
		l.put(chroma.Comment, s)
	default:
		for s != "" {
			i := strings.IndexByte(s, '`')
			j := -1
			if i >= 0 {
				j = strings.IndexByte(s[i+1:], '`')
			}
			if j < 0 {
				l.put(chroma.Text, s)
				return
			}
			l.put(chroma.Text, s[:i])
			l.put(chroma.LiteralString, s[i:i+j+2])
			s = s[i+j+2:]
		}
	}
}
