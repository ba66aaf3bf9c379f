package tools

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

// encoding is how a text file is stored.
type encoding uint8

const (
	utf8Plain encoding = iota
	utf8BOM
	utf16LE // with BOM
	utf16BE // with BOM
	bytes8  // not UTF-8: some 8-bit encoding; bytes are kept as they are
)

const bomUTF8 = "\xef\xbb\xbf"

// decode returns the text of a file without its BOM. Bytes that are not UTF-8
// stay in the string as they are.
func decode(b []byte) (text string, enc encoding, err error) {
	switch {
	case bytes.HasPrefix(b, []byte(bomUTF8)):
		b, enc = b[3:], utf8BOM
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		text, err = decodeUTF16(b[2:], binary.LittleEndian)
		return text, utf16LE, err
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		text, err = decodeUTF16(b[2:], binary.BigEndian)
		return text, utf16BE, err
	}
	if !utf8.Valid(b) {
		enc = bytes8
	}
	return string(b), enc, nil
}

func decodeUTF16(b []byte, order binary.ByteOrder) (string, error) {
	if len(b)%2 != 0 {
		return "", errors.New("it begins like UTF-16 but has an odd number of bytes")
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	for i := 0; i < len(units); i++ {
		if utf16.IsSurrogate(rune(units[i])) {
			if i+1 >= len(units) || utf16.DecodeRune(rune(units[i]), rune(units[i+1])) == utf8.RuneError {
				return "", errors.New("it begins like UTF-16 but holds half a character")
			}
			i++
		}
	}
	return string(utf16.Decode(units)), nil
}

// encode is the inverse of decode.
func encode(text string, enc encoding) ([]byte, error) {
	switch enc {
	case utf8BOM:
		return append([]byte(bomUTF8), text...), nil
	case utf16LE:
		return encodeUTF16(text, binary.LittleEndian), nil
	case utf16BE:
		return encodeUTF16(text, binary.BigEndian), nil
	}
	return []byte(text), nil
}

func encodeUTF16(text string, order binary.ByteOrder) []byte {
	units := utf16.Encode([]rune(text))
	out := make([]byte, 2+2*len(units))
	order.PutUint16(out, 0xfeff)
	for i, u := range units {
		order.PutUint16(out[2+2*i:], u)
	}
	return out
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
