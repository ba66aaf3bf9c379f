package finder

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"

	"tau/ai/openjson"
)

// Query is a parsed search: words, "phrases in quotes", or re: and a regular
// expression that goes to the end. All of them have to occur. Case does not
// matter.
type Query struct{ terms []term }

type term struct {
	text string         // lower case
	re   *regexp.Regexp // nil: text itself is looked for
	raw  []byte         // part of text as it is written in JSON, ASCII in lower case; to find candidates
	// cased has the text in the usual cases if raw is empty.
	cased [][]byte
	// also are further texts that a match of re contains, like raw.
	also [][]byte
}

const maxTerms = 60 // more are left out

// Parse reads a query. Its error is that of the regular expression.
func Parse(s string) (Query, error) {
	var q Query
	for s = strings.TrimSpace(s); s != "" && len(q.terms) < maxTerms; s = strings.TrimSpace(s) {
		var t term
		switch {
		case strings.HasPrefix(s, "re:"):
			src := strings.TrimSpace(s[len("re:"):])
			s = ""
			if src == "" {
				continue
			}
			re, err := regexp.Compile("(?i)" + src)
			if err != nil {
				return Query{}, fmt.Errorf("search: %w", err)
			}
			t.re = re
			for _, lit := range literals(src) {
				raw := candidate(lit)
				if len(raw) > len(t.raw) {
					raw, t.raw = t.raw, raw
				}
				if len(raw) > 0 {
					t.also = append(t.also, raw)
				}
			}
		case s[0] == '"':
			rest := s[1:]
			end := strings.IndexByte(rest, '"')
			if end < 0 {
				end = len(rest) // still being typed
			}
			t.text = strings.ToLower(strings.TrimSpace(rest[:end]))
			s = rest[min(end+1, len(rest)):]
		default:
			end := strings.IndexFunc(s, unicode.IsSpace)
			if end < 0 {
				end = len(s)
			}
			t.text = strings.ToLower(s[:end])
			s = s[end:]
		}
		if t.text == "" && t.re == nil {
			continue
		}
		if t.re == nil {
			t.raw = candidate(t.text)
			if len(t.raw) == 0 {
				t.cased = cases(t.text)
			}
		}
		q.terms = append(q.terms, t)
	}
	return q, nil
}

// longestFirst puts the terms that are likely to be rare first.
func (q Query) longestFirst() Query {
	q.terms = slices.Clone(q.terms)
	slices.SortStableFunc(q.terms, func(a, b term) int { return len(b.raw) - len(a.raw) })
	return q
}

// Empty reports whether the query has no terms; it then matches everything.
func (q Query) Empty() bool { return len(q.terms) == 0 }

// candidate returns the longest part of the text, as JSON has it, in which no
// other letters than ASCII have two cases: only theirs are folded in scanning.
func candidate(text string) []byte {
	b, err := openjson.Encode(text)
	if err != nil || len(b) < 2 {
		return nil
	}
	longest := ""
	for _, part := range strings.FieldsFunc(string(b[1:len(b)-1]), func(r rune) bool {
		return r == '\\' || r >= utf8.RuneSelf && (unicode.ToUpper(r) != r || unicode.ToLower(r) != r)
	}) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return []byte(longest)
}

// cases returns the text as JSON has it, in lower case, upper case, and with a
// capital.
func cases(text string) (out [][]byte) {
	first, size := utf8.DecodeRuneInString(text)
	for _, s := range [...]string{text, strings.ToUpper(text), string(unicode.ToUpper(first)) + text[size:]} {
		if b, err := openjson.Encode(s); err == nil {
			out = append(out, b[1:len(b)-1])
		}
	}
	return out
}

// mayBeIn is a quick look at a line that has the term's raw part somewhere.
func (t term) mayBeIn(line []byte) bool {
	if !inText(line, t.raw) {
		return false
	}
	for _, more := range t.also {
		if !inText(line, more) {
			return false
		}
	}
	for _, c := range t.cased {
		if bytes.Contains(line, c) {
			return true
		}
	}
	return len(t.cased) == 0
}

// literals returns texts that everything the expression matches contains, in
// lower case.
func literals(src string) (out []string) {
	re, err := syntax.Parse(src, syntax.Perl)
	if err != nil {
		return nil
	}
	var walk func(*syntax.Regexp)
	walk = func(re *syntax.Regexp) {
		switch re.Op {
		case syntax.OpLiteral:
			out = append(out, strings.ToLower(string(re.Rune)))
		case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
			for _, sub := range re.Sub {
				walk(sub)
			}
		case syntax.OpRepeat:
			if re.Min > 0 {
				walk(re.Sub[0])
			}
		}
	}
	walk(re.Simplify())
	return out
}

// find returns where the term is in text; lower is text in lower case, of the
// same length, or nil if lengths differ.
func (t term) find(text, lower string) (from, to int, ok bool) {
	if t.re != nil {
		if at := t.re.FindStringIndex(text); at != nil {
			return at[0], at[1], true
		}
		return 0, 0, false
	}
	if i := strings.Index(lower, t.text); i >= 0 {
		return min(i, len(text)), min(i+len(t.text), len(text)), true
	}
	return 0, 0, false
}

// lowered returns text in lower case. Where that changes the length of a
// character, the character stays, so that places are the same in both.
func lowered(text string) string {
	low := strings.ToLower(text)
	if len(low) == len(text) {
		return low
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			r = l
		}
		b.WriteRune(r)
	}
	if b.Len() == len(text) {
		return b.String()
	}
	ascii := []byte(text) // it is not UTF-8
	for i, c := range ascii {
		if c-'A' < 26 {
			ascii[i] += 'a' - 'A'
		}
	}
	return string(ascii)
}

// Rank says how well a row of the list matches: larger is better, 0 is not at
// all. A match of the name counts most, then one of the id, first message or
// folder, then letters of name or folder in their order. It looks only at the
// row; Search looks into the session.
func (q Query) Rank(s Session) int {
	const (
		inName  = 1000
		inRest  = 500
		inOrder = 1
	)
	if q.Empty() {
		return 1
	}
	name := lowered(s.Name)
	rest := s.ID + "\n" + s.First + "\n" + s.CWD
	low := lowered(rest)
	rank := 0
	for _, t := range q.terms {
		if _, _, ok := t.find(s.Name, name); ok {
			rank += inName
			continue
		}
		if _, _, ok := t.find(rest, low); ok {
			rank += inRest
			continue
		}
		if t.re != nil {
			return 0
		}
		m := fuzzy.Find(t.text, []string{s.Name, s.CWD})
		if len(m) == 0 {
			return 0
		}
		rank += inOrder + min(max(m[0].Score, 0), 100)
	}
	return rank
}
