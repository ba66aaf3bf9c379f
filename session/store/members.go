package store

import (
	"bytes"
	"unicode/utf8"
)

// members walks over the members of the JSON object in b without decoding
// them, and hands each name and value to fn until that returns false. Names with
// escapes are handed over as they stand. ok is false if b does not look like an
// object; what is inside of values is not checked.
func members(b []byte, fn func(name, value []byte) bool) (ok bool) {
	i := blanks(b, 0)
	if i >= len(b) || b[i] != '{' {
		return false
	}
	for i = blanks(b, i+1); i < len(b); {
		if b[i] == '}' {
			return blanks(b, i+1) == len(b)
		}
		end := stringEnd(b, i)
		if end < 0 {
			return false
		}
		name := b[i+1 : end-1]
		if i = blanks(b, end); i >= len(b) || b[i] != ':' {
			return false
		}
		from := blanks(b, i+1)
		if i = valueEnd(b, from); i < 0 {
			return false
		}
		if !fn(name, b[from:i]) {
			return true
		}
		if i = blanks(b, i); i < len(b) && b[i] == ',' {
			if i = blanks(b, i+1); i < len(b) && b[i] == '}' {
				return false
			}
		}
	}
	return false
}

func blanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns where the string at i ends, or -1.
func stringEnd(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for from := i + 1; ; {
		k := bytes.IndexByte(b[from:], '"')
		if k < 0 {
			return -1
		}
		at := from + k
		slashes := 0
		for at-slashes > i+1 && b[at-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at + 1
		}
		from = at + 1
	}
}

// valueEnd returns where the value at i ends, or -1.
func valueEnd(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				if i = stringEnd(b, i); i < 0 {
					return -1
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	}
	from := i
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
		i++
	}
	if i == from {
		return -1
	}
	return i
}

// plainString returns the text of a string value without escapes.
func plainString(value []byte) ([]byte, bool) {
	if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
		return nil, false
	}
	return value[1 : len(value)-1], true
}

// anyHead reads the head of an entry whose members are in any order, and the
// role of its message. ok is false where only decoding helps.
func anyHead(line []byte) (h lineHead, who []byte, ok bool) {
	fine := true
	text := func(value []byte) []byte {
		s, ok := plainString(value)
		fine = fine && ok && len(s) > 0 && utf8.Valid(s)
		return s
	}
	whole := members(line, func(name, value []byte) bool {
		switch string(name) {
		case "type":
			h.typ = text(value)
		case "id":
			h.id = text(value)
		case "parentId":
			if h.parent = nil; string(value) != "null" {
				h.parent = text(value)
			}
		case "message":
			fine = members(value, func(name, value []byte) bool {
				if string(name) == "role" {
					who = text(value)
				}
				return true
			}) && fine
		default:
			// A name with escapes may be one of these.
			fine = fine && bytes.IndexByte(name, '\\') < 0
		}
		return fine
	})
	return h, who, whole && fine && h.typ != nil && h.id != nil
}

// member returns the value of a member of the object in b, or nil.
func member(b []byte, name string) (out []byte) {
	members(b, func(n, value []byte) bool {
		if string(n) == name {
			out = value
		}
		return true // the last one counts
	})
	return out
}
