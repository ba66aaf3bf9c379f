package finder

import (
	"bytes"
	"strings"
)

// frequent lists characters from the commonest in session files to the rarest
// of the letters; what is not in it is rarer.
const frequent = ` "etaonisrlhdcumpfgywbvk,:.-_/\()0123456789xjqz`

// rarest returns the place of the rarest byte of a lower-case pattern: the scan
// looks for it alone, as fast as the processor can, and then around it.
func rarest(pattern []byte) int {
	best, rank := 0, -1
	for i, c := range pattern {
		r := strings.IndexByte(frequent, c)
		if r < 0 {
			r = len(frequent)
		}
		if r > rank {
			best, rank = i, r
		}
	}
	return best
}

// indexFold returns the first place at or after from where pattern is in b, or
// -1. The pattern is in lower case; ASCII letters of b match in both cases.
func indexFold(b, pattern []byte, from int) int {
	if len(pattern) == 0 {
		if from < len(b) {
			return from
		}
		return -1
	}
	at := rarest(pattern)
	low := pattern[at]
	up := low
	if low >= 'a' && low <= 'z' {
		up -= 'a' - 'A'
	}
	const unknown = -2
	nextLow, nextUp := unknown, unknown
	if up == low {
		nextUp = len(b)
	}
	for pos := from + at; pos < len(b); {
		if nextLow == unknown || nextLow < pos {
			nextLow = indexFrom(b, low, pos)
		}
		if up != low && (nextUp == unknown || nextUp < pos) {
			nextUp = indexFrom(b, up, pos)
		}
		pos = min(nextLow, nextUp)
		start := pos - at
		if start+len(pattern) > len(b) {
			return -1
		}
		if equalFold(b[start:start+len(pattern)], pattern) {
			return start
		}
		pos++
	}
	return -1
}

func indexFrom(b []byte, c byte, from int) int {
	if i := bytes.IndexByte(b[from:], c); i >= 0 {
		return from + i
	}
	return len(b)
}

func equalFold(b, lower []byte) bool {
	for i, c := range lower {
		d := b[i]
		if d-'A' < 26 {
			d += 'a' - 'A'
		}
		if d != c {
			return false
		}
	}
	return true
}

// structural are the members whose values are no text that people wrote or
// read. An image or a signature must not be decoded for every search.
var structural = []string{
	"type", "id", "parentId", "timestamp", "role", "api", "provider", "model", "responseModel", "responseId", "stopReason",
	"rawStopReason", "toolCallId", "toolName", "mimeType", "data", "textSignature", "thinkingSignature", "thoughtSignature",
	"thinkingLevel", "providerThinkingLevel", "targetId", "fromId", "firstKeptEntryId", "customType",
}

// inText reports whether the pattern is in a string of the line that is text:
// a value, and not one of the structural members.
func inText(line, pattern []byte) bool {
	at := indexFold(line, pattern, 0)
	if len(pattern) == 0 {
		return true
	}
	key := ""
	for i := 0; at >= 0; {
		open := bytes.IndexByte(line[i:], '"')
		if open < 0 {
			return false
		}
		open += i + 1
		end := stringEnd(line, open)
		if at < open { // between strings
			if at = indexFold(line, pattern, open); at < 0 {
				return false
			}
		}
		i = end + 1
		if i < len(line) && line[i] == ':' {
			key = structuralKey(line[open:end])
			continue
		}
		if at+len(pattern) <= end {
			if key == "" {
				return true
			}
			at = indexFold(line, pattern, end)
		}
	}
	return false
}

func structuralKey(key []byte) string {
	for _, s := range structural {
		if string(key) == s {
			return s
		}
	}
	return ""
}

// stringEnd returns the place of the quote that ends the string whose text
// begins at from.
func stringEnd(line []byte, from int) int {
	for i := from; ; {
		n := bytes.IndexByte(line[i:], '"')
		if n < 0 {
			return len(line)
		}
		i += n
		escapes := 0
		for j := i - 1; j >= from && line[j] == '\\'; j-- {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
		i++
	}
}
