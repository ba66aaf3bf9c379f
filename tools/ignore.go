package tools

import "strings"

// rule is one line of an ignore file.
type rule struct {
	negate  bool
	dirOnly bool
	how     ruleKind
	text    string   // what how speaks of
	segs    []string // of a path pattern
}

// ruleKind says what a rule is compared with; the commonest kinds need no
// pattern matching.
type ruleKind uint8

const (
	nameIs    ruleKind = iota // the name equals text
	nameEnds                  // the name ends in text
	nameMatch                 // the name matches the pattern text
	pathIs                    // the path below the file's folder equals text
	pathMatch                 // that path matches segs
)

// parseRule reads a line; ok is false for comments and blank lines.
func parseRule(line string) (r rule, ok bool) {
	line = trimBlanks(strings.TrimSuffix(line, "\r"))
	if line == "" || line[0] == '#' {
		return r, false
	}
	if line[0] == '!' {
		r.negate = true
		line = line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.dirOnly = true
		line = line[:len(line)-1]
	}
	if line == "" {
		return r, false
	}
	plain, special := unescape(line)
	if !strings.Contains(line, "/") {
		switch {
		case !special:
			r.how, r.text = nameIs, plain
		case line[0] == '*' && !strings.ContainsAny(line[1:], `*?[\`):
			r.how, r.text = nameEnds, line[1:]
		default:
			r.how, r.text = nameMatch, line
		}
		return r, true
	}
	line = strings.TrimPrefix(line, "/")
	if !special {
		r.how, r.text = pathIs, strings.TrimPrefix(plain, "/")
		return r, true
	}
	r.how, r.segs = pathMatch, splitPattern(line)
	return r, true
}

// trimBlanks takes the blanks at the end away that no backslash protects.
func trimBlanks(s string) string {
	end := len(s)
	for end > 0 && s[end-1] == ' ' {
		slashes := 0
		for i := end - 2; i >= 0 && s[i] == '\\'; i-- {
			slashes++
		}
		if slashes%2 == 1 {
			break
		}
		end--
	}
	return s[:end]
}

// unescape returns the text a pattern stands for, and whether it has anything
// in it that stands for more than itself.
func unescape(p string) (text string, special bool) {
	if !strings.ContainsAny(p, `*?[\`) {
		return p, false
	}
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '*', '?', '[':
			return "", true
		case '\\':
			if i++; i == len(p) {
				return "", true // a lone backslash matches nothing; the matcher knows
			}
		}
		b.WriteByte(p[i])
	}
	return b.String(), false
}

func (r *rule) matches(path, name string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	switch r.how {
	case nameIs:
		return name == r.text
	case nameEnds:
		return strings.HasSuffix(name, r.text)
	case nameMatch:
		return matchPart(r.text, name)
	case pathIs:
		return path == r.text
	case pathMatch:
		return matchPath(r.segs, path)
	}
	return false
}

// rules are those of one ignore file for the folder it is in, and those of
// weaker files behind it.
type rules struct {
	list   []rule
	base   int // length of the folder's path with its slash
	weaker *rules
}

// parseRules puts the rules of a file in front of weaker ones. dir is the
// folder they are for, without a slash at its end.
func parseRules(text, dir string, weaker *rules) *rules {
	r := &rules{base: len(dir) + 1, weaker: weaker}
	if strings.HasSuffix(dir, "/") {
		r.base-- // the root of the file system
	}
	for line := range strings.SplitSeq(strings.TrimPrefix(text, bomUTF8), "\n") {
		if one, ok := parseRule(line); ok {
			r.list = append(r.list, one)
		}
	}
	if len(r.list) == 0 {
		return weaker
	}
	return r
}

// ignores reports whether a file is left out. The nearest file with a rule for
// it decides, in it the last such rule. path is absolute with slashes, and lies
// in a folder that is not left out itself.
func (r *rules) ignores(path, name string, dir bool) bool {
	for ; r != nil; r = r.weaker {
		rel := path[r.base:]
		for i := len(r.list) - 1; i >= 0; i-- {
			if r.list[i].matches(rel, name, dir) {
				return !r.list[i].negate
			}
		}
	}
	return false
}
