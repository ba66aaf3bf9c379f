package export

import "strings"

// clean takes control sequences of terminals and control characters out of a
// text, and carriage returns of line ends.
func clean(s string) string {
	if strings.IndexFunc(s, control) < 0 {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			i = sequenceEnd(s, i+1)
			continue
		}
		end := i + 1
		for end < len(s) && s[end] != 0x1b {
			end++
		}
		for _, r := range s[i:end] {
			if !control(r) {
				b.WriteRune(r)
			}
		}
		i = end
	}
	return b.String()
}

// control reports characters that are not shown; bidirectional overrides are
// among them, because they make a text look like another.
func control(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}

// sequenceEnd returns where the escape sequence ends whose ESC is before i.
func sequenceEnd(s string, i int) int {
	if i >= len(s) {
		return i
	}
	switch s[i] {
	case '[': // CSI: parameters, then one of @ to ~
		for i++; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < ' ' {
				return i
			}
		}
		return i
	case ']', 'P', 'X', '^', '_': // OSC and other strings: to BEL or ST
		for i++; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b {
				if i+1 < len(s) && s[i+1] == '\\' {
					return i + 2
				}
				return i
			}
		}
		return i
	}
	for i < len(s) && s[i] >= ' ' && s[i] < 0x30 {
		i++ // intermediate bytes
	}
	if i < len(s) && s[i] < 0x80 {
		i++
	}
	return i
}
