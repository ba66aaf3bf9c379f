package partialjson

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// stringState is what of a string has been read but cannot be written yet.
type stringState struct {
	escape  string // "", `\`, `\u`, `\u1` ...
	high    string // an escaped first half of a surrogate pair
	partial []byte // the beginning of a UTF-8 sequence
}

const replacement = "\ufffd"

// stringText takes text inside a string, up to and with the closing quote. It
// returns the number of bytes taken and whether the string has ended.
func (s *Scanner) stringText(text string) (n int, done bool) {
	st := &s.str
	for n < len(text) {
		if st.escape == "" && st.high == "" && len(st.partial) == 0 {
			run := n
			for n < len(text) && text[n] >= ' ' && text[n] < utf8.RuneSelf && text[n] != '"' && text[n] != '\\' {
				n++
			}
			s.out = append(s.out, text[run:n]...)
			if n == len(text) {
				return n, false
			}
		}
		c := text[n]
		if st.escape != "" {
			if s.escapeByte(c) {
				n++
			}
			continue
		}
		if len(st.partial) > 0 || c >= utf8.RuneSelf {
			if s.multiByte(c) {
				n++
			}
			continue
		}
		if c == '\\' {
			st.escape = `\`
			n++
			continue
		}
		s.flushHigh()
		n++
		switch {
		case c == '"':
			return n, true
		case c < ' ':
			s.out = appendControl(s.out, c)
		default:
			s.out = append(s.out, c)
		}
	}
	return n, false
}

// escapeByte takes a byte after a backslash. It reports false if the escape
// was none and the byte stands for itself.
func (s *Scanner) escapeByte(c byte) bool {
	st := &s.str
	if st.escape == `\` {
		if c == 'u' {
			st.escape = `\u`
			return true
		}
		s.flushHigh()
		st.escape = ""
		if strings.IndexByte(`"\/bfnrt`, c) >= 0 {
			s.out = append(s.out, '\\', c)
			return true
		}
		s.out = append(s.out, `\\`...)
		return false
	}
	if !isHex(c) {
		s.flushHigh()
		s.out = append(s.out, '\\')
		s.out = append(s.out, st.escape...)
		st.escape = ""
		return false
	}
	if st.escape += string(rune(c)); len(st.escape) < 6 {
		return true
	}
	code := st.escape
	st.escape = ""
	switch lead := strings.ToLower(code[2:4]); {
	case lead >= "d8" && lead <= "db":
		s.flushHigh()
		st.high = code
	case lead >= "dc" && lead <= "df":
		if st.high == "" {
			s.out = append(s.out, replacement...)
			break
		}
		s.out = append(append(s.out, st.high...), code...)
		st.high = ""
	default:
		s.flushHigh()
		s.out = append(s.out, code...)
	}
	return true
}

// multiByte takes a byte of a UTF-8 sequence. It reports false if the byte
// does not belong to the sequence begun before it.
func (s *Scanner) multiByte(c byte) bool {
	st := &s.str
	if len(st.partial) > 0 && utf8.RuneStart(c) {
		st.partial = st.partial[:0]
		s.out = append(s.out, replacement...)
		return false
	}
	s.flushHigh()
	st.partial = append(st.partial, c)
	if !utf8.FullRune(st.partial) {
		return true
	}
	if r, size := utf8.DecodeRune(st.partial); r == utf8.RuneError && size == 1 {
		s.out = append(s.out, replacement...)
	} else {
		s.out = append(s.out, st.partial...)
	}
	st.partial = st.partial[:0]
	return true
}

func (s *Scanner) flushHigh() {
	if s.str.high != "" {
		s.out = append(s.out, replacement...)
		s.str.high = ""
	}
}

func appendControl(out []byte, c byte) []byte {
	switch c {
	case '\n':
		return append(out, `\n`...)
	case '\t':
		return append(out, `\t`...)
	case '\r':
		return append(out, `\r`...)
	}
	return fmt.Appendf(out, `\u%04x`, c)
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
