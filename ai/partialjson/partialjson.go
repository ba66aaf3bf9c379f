// Package partialjson reads JSON that is still being written, such as the
// arguments of a tool call while a model streams them.
//
// A [Scanner] is fed the text piece by piece. At any moment [Scanner.Closed]
// returns a whole JSON document that holds everything that is certain so far:
// open strings, lists and objects are closed, a key without a value is left
// out, a literal is completed. Feeding is linear in the text, and nothing is
// parsed or copied until Closed is called, so that a caller can feed each
// delta and ask once a frame.
//
//	var s partialjson.Scanner
//	s.Write(`{"path":"a.go","content":"pack`)
//	s.Closed() // {"path":"a.go","content":"pack"}
//
// What models get wrong inside strings is mended on the way without loss:
// unknown escapes are taken literally, raw control characters are escaped,
// halves of surrogate pairs and bytes that are not UTF-8 become U+FFFD. Any
// other error stops the scanner at the last good place; see [Scanner.Err].
//
// A Scanner is for one goroutine.
package partialjson

import (
	"fmt"
	"unicode/utf8"
)

// maxDepth is that of encoding/json, which would refuse deeper documents.
const maxDepth = 10_000

// Close returns prefix as a whole document, or nil if no value has begun.
func Close(prefix string) []byte {
	var s Scanner
	s.Write(prefix)
	return s.Closed()
}

type state uint8

const (
	wantValue state = iota
	wantFirstValue
	wantKey
	wantFirstKey
	wantColon
	wantComma
	inString
	inNumber
	inLiteral
	atEnd
)

// Scanner is the state of a document that is being written. The zero value is
// an empty document.
type Scanner struct {
	out   []byte // the mended text
	stack []byte // open containers: '{' or '['
	state state
	safe  int // out[:safe] and the closers of stack are a document
	read  int // bytes fed, for error messages
	err   error

	key bool // the string is a key
	str stringState
	num numberState

	numGood int    // out[:numGood] ends in a whole number
	literal string // the literal's rest that has not come
}

// Write feeds the next piece of text.
func (s *Scanner) Write(text string) {
	for i := 0; i < len(text) && s.err == nil; {
		if s.state == inString {
			n, done := s.stringText(text[i:])
			i += n
			s.read += n
			if done {
				s.endString()
			}
			continue
		}
		if s.step(text[i]) {
			i++
			s.read++
		}
	}
}

// Err returns why the text is not the beginning of a JSON document, or nil.
func (s *Scanner) Err() error { return s.err }

// Done reports whether the text is a whole document.
func (s *Scanner) Done() bool {
	if s.err != nil || len(s.stack) > 0 {
		return false
	}
	return s.state == atEnd || s.state == inNumber && s.num.whole()
}

// Closed returns the document as far as it is known, or nil if no value has
// begun. The result is the caller's own.
func (s *Scanner) Closed() []byte {
	end, tail := s.safe, ""
	if s.err == nil {
		switch {
		case s.state == inString && !s.key:
			end, tail = len(s.out), `"`
		case s.state == inNumber && s.numGood > 0:
			end = s.numGood
		case s.state == inLiteral:
			end, tail = len(s.out), s.literal
		}
	}
	if end == 0 && tail == "" {
		return nil
	}
	doc := make([]byte, 0, end+len(tail)+len(s.stack))
	doc = append(append(doc, s.out[:end]...), tail...)
	for i := len(s.stack) - 1; i >= 0; i-- {
		doc = append(doc, s.stack[i]+2) // '{'+2 is '}', '['+2 is ']'
	}
	return doc
}

// step takes one byte outside of strings. It reports false if the byte ended
// a number and has to be looked at again.
func (s *Scanner) step(c byte) bool {
	switch s.state {
	case inNumber:
		if s.num.next(c) {
			s.out = append(s.out, c)
			if s.num.whole() {
				s.numGood = len(s.out)
			}
			return true
		}
		if !s.num.whole() {
			s.fail(c, "in a number")
			return true
		}
		s.endValue()
		return false
	case inLiteral:
		if c != s.literal[0] {
			s.fail(c, "in a literal")
			return true
		}
		s.out = append(s.out, c)
		if s.literal = s.literal[1:]; s.literal == "" {
			s.endValue()
		}
		return true
	}
	if c == ' ' || c == '\n' || c == '\t' || c == '\r' {
		s.out = append(s.out, c)
		return true
	}
	switch s.state {
	case wantFirstValue:
		if c == ']' {
			s.pop(c)
			return true
		}
		s.value(c)
	case wantValue:
		s.value(c)
	case wantFirstKey, wantKey:
		switch {
		case c == '"':
			s.beginString(true)
		case c == '}' && s.state == wantFirstKey:
			s.pop(c)
		default:
			s.fail(c, "where a key should be")
		}
	case wantColon:
		if c != ':' {
			s.fail(c, "where a colon should be")
			return true
		}
		s.out = append(s.out, c)
		s.state = wantValue
	case wantComma:
		top := s.stack[len(s.stack)-1]
		switch {
		case c == ',' && top == '{':
			s.out = append(s.out, c)
			s.state = wantKey
		case c == ',':
			s.out = append(s.out, c)
			s.state = wantValue
		case c == top+2:
			s.pop(c)
		default:
			s.fail(c, "after a value")
		}
	case atEnd:
		s.fail(c, "after the end")
	}
	return true
}

func (s *Scanner) value(c byte) {
	switch {
	case c == '{' || c == '[':
		if len(s.stack) == maxDepth {
			s.fail(c, "nested too deeply")
			return
		}
		s.out = append(s.out, c)
		s.stack = append(s.stack, c)
		s.safe = len(s.out)
		s.state = wantFirstKey
		if c == '[' {
			s.state = wantFirstValue
		}
	case c == '"':
		s.beginString(false)
	case c == '-' || c >= '0' && c <= '9':
		s.num = numberStart
		s.num.next(c)
		s.out = append(s.out, c)
		s.numGood = 0
		if s.num.whole() {
			s.numGood = len(s.out)
		}
		s.state = inNumber
	case c == 't' || c == 'f' || c == 'n':
		s.literal = map[byte]string{'t': "rue", 'f': "alse", 'n': "ull"}[c]
		s.out = append(s.out, c)
		s.state = inLiteral
	default:
		s.fail(c, "where a value should be")
	}
}

func (s *Scanner) beginString(key bool) {
	s.out = append(s.out, '"')
	s.key, s.state, s.str = key, inString, stringState{}
}

func (s *Scanner) endString() {
	s.out = append(s.out, '"')
	if s.key {
		s.state = wantColon
		return
	}
	s.endValue()
}

func (s *Scanner) pop(c byte) {
	s.out = append(s.out, c)
	s.stack = s.stack[:len(s.stack)-1]
	s.endValue()
}

func (s *Scanner) endValue() {
	s.safe = len(s.out)
	s.state = wantComma
	if len(s.stack) == 0 {
		s.state = atEnd
	}
}

func (s *Scanner) fail(c byte, where string) {
	what := fmt.Sprintf("byte 0x%02x", c)
	if c < utf8.RuneSelf && c >= ' ' {
		what = "character '" + string(rune(c)) + "'"
	}
	s.err = fmt.Errorf("unexpected %s %s at byte %d", what, where, s.read)
}
