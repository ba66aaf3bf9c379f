package tools

import "strings"

// The patterns of ignore files, as gitignore(5) describes them and git's
// wildmatch decides where that is silent. They work on bytes.

// splitPattern cuts a pattern at its slashes, but not inside brackets, where a
// slash is a member that never matches.
func splitPattern(p string) []string {
	var segs []string
	start := 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			if i+1 < len(p) && p[i+1] == '/' {
				segs = append(segs, p[start:i])
				start = i + 2
			}
			i++
		case '[':
			if end := classEnd(p, i); end > 0 {
				i = end
			}
		case '/':
			segs = append(segs, p[start:i])
			start = i + 1
		}
	}
	return append(segs, p[start:])
}

// matchPath matches the parts of a path. A part ** stands for any number of
// parts, at the end for at least one.
func matchPath(segs []string, path string) bool {
	// A mismatch goes back to the last ** and lets it take one part more, which
	// is enough, since what is before it has matched.
	star, resume := -1, ""
	i, rest, more := 0, path, true
	for {
		if i < len(segs) && segs[i] == "**" {
			if i == len(segs)-1 {
				return more
			}
			star, resume = i, rest
			i++
			continue
		}
		switch {
		case i == len(segs) && !more:
			return true
		case i < len(segs) && more:
			part, after, slash := strings.Cut(rest, "/")
			if matchPart(segs[i], part) {
				i++
				rest, more = after, slash
				continue
			}
		}
		if star < 0 {
			return false
		}
		_, after, slash := strings.Cut(resume, "/")
		if !slash {
			return false
		}
		resume = after
		i, rest, more = star+1, resume, true
	}
}

// matchPart matches one part of a path.
func matchPart(p, s string) bool {
	i, j := 0, 0
	star, resume := -1, 0
	for {
		if i < len(p) && p[i] == '*' {
			for i < len(p) && p[i] == '*' {
				i++
			}
			if i == len(p) {
				return true
			}
			star, resume = i, j
			continue
		}
		if j == len(s) {
			if i == len(p) {
				return true
			}
			return false // what is left of the pattern wants a character
		}
		if i < len(p) {
			if n := matchByte(p[i:], s[j]); n > 0 {
				i += n
				j++
				continue
			}
		}
		if star < 0 {
			return false
		}
		resume++
		i, j = star, resume
	}
}

// matchByte matches the first element of p, which is no star, and returns its
// length, or 0 if it does not match.
func matchByte(p string, c byte) int {
	switch p[0] {
	case '?':
		return 1
	case '\\':
		if len(p) > 1 && p[1] == c {
			return 2
		}
		return 0
	case '[':
		end := classEnd(p, 0)
		if end > 0 && inClass(p[1:end], c) {
			return end + 1
		}
		return 0
	}
	if p[0] == c {
		return 1
	}
	return 0
}

// classEnd returns where the brackets that open at i close, or -1.
func classEnd(p string, i int) int {
	i++
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		i++
	}
	for first := true; i < len(p); first = false {
		switch {
		case p[i] == ']' && !first:
			return i
		case p[i] == '\\':
			i += 2
		case p[i] == '[' && i+1 < len(p) && p[i+1] == ':':
			if end := strings.Index(p[i+2:], ":]"); end >= 0 {
				i += 2 + end + 2
			} else {
				i++
			}
		default:
			i++
		}
	}
	return -1
}

// inClass reports whether c is in the set that stands between brackets.
func inClass(set string, c byte) bool {
	not := set != "" && (set[0] == '!' || set[0] == '^')
	if not {
		set = set[1:]
	}
	in := false
	for i := 0; i < len(set); {
		if strings.HasPrefix(set[i:], "[:") {
			if end := strings.Index(set[i+2:], ":]"); end >= 0 {
				ok, known := namedClass(set[i+2:i+2+end], c)
				if !known {
					return false
				}
				in = in || ok
				i += 2 + end + 2
				continue
			}
		}
		lo, n := member(set[i:])
		i += n
		if i+1 < len(set) && set[i] == '-' {
			hi, n := member(set[i+1:])
			i += 1 + n
			in = in || lo <= c && c <= hi
			continue
		}
		in = in || lo == c
	}
	return in != not
}

func member(set string) (byte, int) {
	if set[0] == '\\' && len(set) > 1 {
		return set[1], 2
	}
	return set[0], 1
}

// namedClass is a POSIX class, of ASCII.
func namedClass(name string, c byte) (in, known bool) {
	lower, upper, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
	graph := c > ' ' && c < 0x7f
	switch name {
	case "alpha":
		return lower || upper, true
	case "digit":
		return digit, true
	case "alnum":
		return lower || upper || digit, true
	case "lower":
		return lower, true
	case "upper":
		return upper, true
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r', true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < ' ' || c == 0x7f, true
	case "graph":
		return graph, true
	case "print":
		return graph || c == ' ', true
	case "punct":
		return graph && !lower && !upper && !digit, true
	case "xdigit":
		return digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F', true
	}
	return false, false
}
