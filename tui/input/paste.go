package input

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"tau/tui/text"
)

// cleanPaste makes the bytes between paste brackets into text.
func cleanPaste(b []byte) string {
	if bytes.IndexByte(b, 0x1b) >= 0 {
		b = decodeControls(b)
	}
	s := string(b)
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	s = text.StripSequences(s)
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, lineEnds(s))
}

func lineEnds(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// decodeControls turns CSI code ; 5 u back into the control byte it stands
// for: tmux popups with extended keys re-encode a pasted line feed that way.
func decodeControls(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		i := bytes.IndexByte(b, 0x1b)
		if i < 0 {
			break
		}
		out = append(out, b[:i]...)
		b = b[i:]
		n, c := controlKey(b)
		if n == 0 {
			out = append(out, 0x1b)
			b = b[1:]
			continue
		}
		out = append(out, c)
		b = b[n:]
	}
	return append(out, b...)
}

func controlKey(b []byte) (n int, c byte) {
	if len(b) < 6 || b[1] != '[' {
		return 0, 0
	}
	code, i := 0, 2
	for ; i < len(b) && i < 6 && b[i] >= '0' && b[i] <= '9'; i++ {
		code = code*10 + int(b[i]-'0')
	}
	if !bytes.HasPrefix(b[i:], []byte(";5u")) {
		return 0, 0
	}
	switch {
	case code >= 'a' && code <= 'z':
		return i + 3, byte(code - 'a' + 1)
	case code >= '@' && code <= '_':
		return i + 3, byte(code - '@')
	}
	return 0, 0
}
