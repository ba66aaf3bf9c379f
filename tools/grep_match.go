package tools

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// matcher finds lines. Where a pattern is or holds a text that every match must
// have, that text is looked for first, which is many times faster than to try
// the expression on every line.
type matcher struct {
	need []needle       // one of them is in every match; empty if there is none
	re   *regexp.Regexp // nil if the only needle is the pattern
	prog *syntax.Prog   // of re
	cr   bool           // the pattern names the carriage return, so that of a line's end is searched too
}

// shortNeedle is a length below which a text is in too many lines for it to be
// looked for first.
const shortNeedle = 3

var errNewline = errors.New("the pattern holds a line break, but lines are matched one by one; search for a part of it that stands on one line")

func newMatcher(pattern string, literal, fold bool) (*matcher, error) {
	if literal {
		if strings.ContainsRune(pattern, '\n') {
			return nil, errNewline
		}
		if !fold || ascii(pattern) {
			return &matcher{need: []needle{newNeedle(pattern, fold)}}, nil
		}
		pattern = regexp.QuoteMeta(pattern)
	}
	prefix := ""
	if fold {
		prefix = "(?i)"
	}
	// The flags of Go's regexp with those of Perl, as Compile has them.
	tree, err := syntax.Parse(prefix+pattern, syntax.Perl)
	if err != nil {
		return nil, explain(pattern, err)
	}
	if needsNewline(tree) {
		return nil, errNewline
	}
	re, err := regexp.Compile(prefix + pattern)
	if err != nil {
		return nil, explain(pattern, err)
	}
	tree = tree.Simplify()
	if tree.Op == syntax.OpLiteral && (tree.Flags&syntax.FoldCase == 0 || asciiFold(tree.Rune)) {
		return &matcher{need: []needle{newNeedle(string(tree.Rune), tree.Flags&syntax.FoldCase != 0)}}, nil
	}
	prog, err := syntax.Compile(tree)
	if err != nil {
		return nil, explain(pattern, err)
	}
	m := &matcher{need: required(tree), re: re, prog: prog, cr: namesCR(tree)}
	for _, n := range m.need {
		if len(n.text) < shortNeedle && len(prog.Inst) <= maxProgram {
			m.need = nil
			break
		}
	}
	return m, nil
}

// explain says what is wrong with an expression and how to go on.
func explain(pattern string, err error) error {
	var se *syntax.Error
	reason := err.Error()
	if errors.As(err, &se) {
		reason = fmt.Sprintf("%s: %s", se.Code, se.Expr)
		if se.Code == syntax.ErrInvalidPerlOp {
			reason += " (the syntax is RE2, which has no look-around and no back-references)"
		} else if se.Code == syntax.ErrInvalidEscape && len(se.Expr) == 2 && se.Expr[1] >= '1' && se.Expr[1] <= '9' {
			reason += " (the syntax is RE2, which has no back-references)"
		}
	}
	return fmt.Errorf("%q is not a regular expression: %s. To search for it as text set literal", pattern, reason)
}

// needsNewline reports whether every match holds a line break that is written
// in the pattern.
func needsNewline(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				return true
			}
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if needsNewline(sub) {
				return true
			}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needsNewline(re.Sub[0])
	}
	return false
}

// namesCR reports whether an expression holds a carriage return by itself, not
// merely in a class as wide as \s.
func namesCR(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return slices.Contains(re.Rune, '\r')
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] == '\r' && re.Rune[i+1] == '\r' {
				return true
			}
		}
	}
	return slices.ContainsFunc(re.Sub, namesCR)
}

// required returns texts of which every match has one, or none if there are no
// useful ones.
func required(re *syntax.Regexp) []needle {
	switch re.Op {
	case syntax.OpLiteral:
		fold := re.Flags&syntax.FoldCase != 0
		if fold && !asciiFold(re.Rune) {
			return nil
		}
		return []needle{newNeedle(string(re.Rune), fold)}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []needle
		for _, sub := range re.Sub {
			if got := required(sub); worth(got) > worth(best) {
				best = got
			}
		}
		return best
	case syntax.OpAlternate:
		var all []needle
		for _, sub := range re.Sub {
			got := required(sub)
			if got == nil {
				return nil
			}
			all = append(all, got...)
		}
		if len(all) <= 8 {
			return all
		}
	}
	return nil
}

// worth is the length of the shortest text; among equals fewer texts are better.
func worth(n []needle) int {
	if len(n) == 0 {
		return 0
	}
	least := 1 << 20
	for _, one := range n {
		least = min(least, len(one.text))
	}
	return least*10 - len(n)
}

// asciiFold reports whether the text can be compared byte by byte without
// regard to case. That the Kelvin sign is also a k, and the long s an s, is
// given up for speed.
func asciiFold(text []rune) bool {
	for _, r := range text {
		if r >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// next returns where in b, at or after from, the next line with a match begins
// and ends (without its line break), and where in the line the match is; start
// is -1 if there is none.
func (m *matcher) next(b []byte, from int, at *cursors) (start, end, match int) {
	for from < len(b) {
		i := from
		if len(m.need) > 0 {
			if i = at.next(m.need, b, from); i < 0 {
				return -1, 0, 0
			}
			start = bytes.LastIndexByte(b[from:i], '\n') + 1 + from
		} else if at.dfa != nil {
			var ok bool
			if start, end, ok = at.dfa.next(b, from); ok {
				if start < 0 {
					return -1, 0, 0
				}
				return start, end, m.within(b[start:end])
			}
			at.dfa = nil
			continue
		} else {
			start = from
		}
		if end = bytes.IndexByte(b[i:], '\n'); end < 0 {
			end = len(b)
		} else {
			end += i
		}
		if m.re == nil {
			return start, end, i - start
		}
		if match = m.within(b[start:end]); match >= 0 {
			return start, end, match
		}
		from = end + 1
	}
	return -1, 0, 0
}

// within returns where in a line the match is, or -1.
func (m *matcher) within(line []byte) int {
	if !m.cr {
		line = bytes.TrimSuffix(line, []byte{'\r'})
	}
	loc := m.re.FindIndex(line)
	if loc == nil {
		return -1
	}
	return loc[0]
}

// cursors are what the search of one goroutine knows: where each needle comes
// next in the buffer, and the states of the expression.
type cursors struct {
	at  [8]int
	set bool
	dfa *dfa
}

const noMore = int(^uint(0) >> 1)

func (c *cursors) next(need []needle, b []byte, from int) int {
	best := noMore
	for k := range need {
		if !c.set || c.at[k] < from {
			c.at[k] = noMore
			if i := need[k].index(b[from:]); i >= 0 {
				c.at[k] = from + i
			}
		}
		best = min(best, c.at[k])
	}
	c.set = true
	if best == noMore {
		return -1
	}
	return best
}
