package store

import (
	"bytes"
	"encoding/hex"
)

// wholeSurrogates takes halves of surrogate pairs out of JSON text. JavaScript
// programs write them when a text was cut inside a character; they stand for
// nothing, and no provider takes them. It returns line itself if there are none.
func wholeSurrogates(line []byte) []byte {
	if !bytes.Contains(line, []byte(`\ud`)) && !bytes.Contains(line, []byte(`\uD`)) {
		return line
	}
	out := make([]byte, 0, len(line))
	for i := 0; i < len(line); {
		if line[i] != '\\' || i+1 >= len(line) {
			out = append(out, line[i])
			i++
			continue
		}
		u := escaped(line[i:])
		switch {
		case u >= 0xd800 && u < 0xdc00:
			if low := escaped(line[i+6:]); low >= 0xdc00 && low < 0xe000 {
				out = append(out, line[i:i+12]...)
				i += 12
			} else {
				i += 6
			}
		case u >= 0xdc00 && u < 0xe000:
			i += 6
		default:
			out = append(out, line[i:i+2]...)
			i += 2
		}
	}
	return out
}

// escaped returns the number of an escape such as \u00e9 that s begins with, or
// -1.
func escaped(s []byte) int {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	var b [2]byte
	if _, err := hex.Decode(b[:], s[2:6]); err != nil {
		return -1
	}
	return int(b[0])<<8 | int(b[1])
}
