// Package lookalike recognizes JSON documents that differ from an earlier one
// in a single string.
//
// That is what nearly all events of a streamed answer are, and decoding by
// reflection is most of the cost of reading one. A document with the same
// bytes before and after one string means the same with another text, so it
// need not be decoded again: [Form.Learn] remembers a decoded document, and
// [Form.Match] returns the string of one that looks alike.
package lookalike

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Form is what was learned; the zero value matches nothing. It is for one
// goroutine.
type Form struct{ head, tail []byte }

// Match returns the JSON text of the string, with its quotes, of a document of
// the known form. Unquote checks that it is one whole string.
func (f *Form) Match(data []byte) (quoted []byte, ok bool) {
	if f.head == nil || len(data) < len(f.head)+len(f.tail)+2 || !bytes.HasPrefix(data, f.head) || !bytes.HasSuffix(data, f.tail) {
		return nil, false
	}
	return data[len(f.head) : len(data)-len(f.tail)], true
}

// MatchLoose is Match for documents whose numbers may differ too, such as
// counts that grow with each event. What the numbers say is then not known; the
// caller looks at those that matter, or decodes the last such document.
func (f *Form) MatchLoose(data []byte) (quoted []byte, ok bool) {
	if f.head == nil {
		return nil, false
	}
	start, ok := looseHead(data, f.head)
	if !ok || start == len(data) || data[start] != '"' {
		return nil, false
	}
	end := start + 1
	for {
		at := bytes.IndexByte(data[end:], '"')
		if at < 0 {
			return nil, false
		}
		end += at + 1
		slashes := 0
		for data[end-2-slashes] == '\\' {
			slashes++ // stops at the opening quote at the latest
		}
		if slashes%2 == 0 {
			break
		}
	}
	n, ok := looseHead(data[end:], f.tail)
	return data[start:end], ok && end+n == len(data)
}

// looseHead reports whether a begins with b when every run of digits is taken
// for the same, and how long that beginning is in a.
func looseHead(a, b []byte) (n int, ok bool) {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case digit(a[i]) && digit(b[j]):
			for i < len(a) && digit(a[i]) {
				i++
			}
			for j < len(b) && digit(b[j]) {
				j++
			}
		case a[i] != b[j]:
			return 0, false
		default:
			i++
			j++
		}
	}
	return i, j == len(b)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// Unpadded is data without the filling that some servers put at its end, so
// that the length of an event does not tell that of its text: a member "p" or
// "obfuscation" with a random number of letters. What is left is not a document
// by itself.
func Unpadded(data []byte) []byte {
	member := `,"p":"`
	at := bytes.LastIndex(data, []byte(member))
	if at < 0 {
		member = `,"obfuscation":"`
		if at = bytes.LastIndex(data, []byte(member)); at < 0 {
			return data
		}
	}
	letters, ok := bytes.CutSuffix(data[at+len(member):], []byte(`"}`))
	if !ok {
		return data
	}
	for _, c := range letters {
		if c == '"' || c == '\\' {
			return data // something comes after it
		}
	}
	return data[:at]
}

// Unquote decodes quoted. It reports false if that is anything but one string.
func Unquote(quoted []byte) (string, bool) {
	n := len(quoted)
	if n < 2 || quoted[0] != '"' || quoted[n-1] != '"' {
		return "", false
	}
	inner := quoted[1 : n-1]
	for _, c := range inner {
		if c < ' ' || c == '"' || c == '\\' {
			var s string
			err := json.Unmarshal(quoted, &s)
			return s, err == nil
		}
	}
	return string(inner), utf8.Valid(inner)
}

// Learn remembers the valid document data, in which the member key has the
// string text. The caller knows that the document says nothing else. It
// reports false, and remembers nothing, if the place of the string is not
// certain.
func (f *Form) Learn(data []byte, key, text string) bool {
	name := []byte(`"` + key + `":`)
	at := bytes.Index(data, name)
	if at < 0 || bytes.Contains(data[at+1:], name) {
		return false
	}
	start := at + len(name)
	for start < len(data) && data[start] == ' ' {
		start++
	}
	end := start + 1
	for end < len(data) && data[end] != '"' {
		if data[end] == '\\' {
			end++
		}
		end++
	}
	if end++; end > len(data) {
		return false
	}
	if got, ok := Unquote(data[start:end]); !ok || got != text {
		return false
	}
	f.head = append(f.head[:0], data[:start]...)
	f.tail = append(f.tail[:0], data[end:]...)
	return true
}
