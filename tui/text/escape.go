package text

import "strings"

// Escape returns the length of the escape sequence at the start of s, or 0 if
// there is none. Known are CSI with any final byte and the string sequences
// OSC, DCS, APC, PM and SOS ended by BEL or ST. A sequence that is not complete
// is no sequence: its ESC is a character without width.
func Escape(s string) int {
	if len(s) < 2 || s[0] != 0x1b {
		return 0
	}
	switch s[1] {
	case '[':
		i := 2
		for i < len(s) && s[i] >= 0x30 && s[i] <= 0x3f {
			i++
		}
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
			i++
		}
		if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
			return i + 1
		}
	case ']', '_', 'P', '^', 'X':
		for i := 2; i < len(s); i++ {
			switch s[i] {
			case 0x07:
				return i + 1
			case '\n', '\r':
				// Lines are split before they are measured: a string that runs over a
				// line end is no sequence.
				return 0
			case 0x1b:
				if i+1 < len(s) && s[i+1] == '\\' {
					return i + 2
				}
				return 0
			}
		}
	}
	return 0
}

// StripSequences removes every escape sequence and keeps all else; cells of
// pictures become blanks.
func StripSequences(s string) string {
	s = blankPictures(s)
	i := strings.IndexByte(s, 0x1b)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		s = s[i:]
		n := Escape(s)
		if n == 0 {
			n = 1
		}
		s = s[n:]
		i = strings.IndexByte(s, 0x1b)
	}
	b.WriteString(s)
	return b.String()
}

// ReplaceControls turns each run of control characters (C0, DEL and C1) into
// one space. It makes text fit for titles and one-line labels.
func ReplaceControls(s string) string {
	isControl := func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	var b strings.Builder
	in := false
	for _, r := range s {
		if isControl(r) {
			if !in {
				b.WriteByte(' ')
			}
			in = true
			continue
		}
		in = false
		b.WriteRune(r)
	}
	return b.String()
}

// ExpandTabs replaces every tab with [TabWidth] spaces. The rule does not
// depend on the column, so that wrapped, indented and cut text keeps its width.
func ExpandTabs(s string) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	return strings.ReplaceAll(s, "\t", tabSpaces)
}
