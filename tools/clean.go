package tools

import (
	"encoding/binary"
	"unicode/utf8"
)

// cleaner turns the raw bytes of a command into text: valid UTF-8 without
// control characters but tab and newline, whatever the cuts between writes.
// Escape sequences go; a carriage return begins the line anew and a backspace
// takes a character back, so that a progress bar leaves its last state.
//
// Every newline of the input is a newline of the output: none is swallowed by
// an unfinished escape sequence, so line numbers agree with the raw bytes.
type cleaner struct {
	to    *tail
	state escape
	part  [utf8.UTFMax]byte // beginning of a character that is not complete
	nPart int
	cr    bool // a carriage return was seen, what follows decides on it
	bad   bool // the last thing written stands for invalid bytes
}

// escape is where in an escape sequence (ECMA-48, 5.3 to 5.6) the input is.
type escape uint8

const (
	ground       escape = iota
	afterEscape         // ESC, then intermediates and one final byte
	inControl           // CSI, up to a byte from @ to ~
	inString            // OSC, DCS, APC, PM, SOS: up to BEL or ESC \
	stringEscape        // ESC inside a string
)

// plain reports whether a byte needs no thought.
func plain(c byte) bool { return c-0x20 < 0x5f || c == '\n' || c == '\t' }

func (c *cleaner) write(p []byte) {
	for c.nPart > 0 && len(p) > 0 {
		c.part[c.nPart] = p[0]
		part := c.part[:c.nPart+1]
		if !utf8.FullRune(part) {
			c.nPart++
			p = p[1:]
			continue
		}
		c.nPart = 0
		if r, n := utf8.DecodeRune(part); r != utf8.RuneError || n > 1 {
			c.rune(part, r)
			p = p[1:]
		} else {
			c.invalid()
		}
	}
	for len(p) > 0 {
		if c.state == ground {
			if n := c.run(p); n > 0 {
				c.text(p[:n])
				p = p[n:]
				continue
			}
			if n := control(p); n > 0 {
				p = p[n:]
				continue
			}
		}
		if p[0] < utf8.RuneSelf {
			c.ascii(p[0])
			p = p[1:]
			continue
		}
		if !utf8.FullRune(p) {
			c.nPart = copy(c.part[:], p)
			return
		}
		r, n := utf8.DecodeRune(p)
		if r == utf8.RuneError && n == 1 {
			c.invalid()
		} else {
			c.rune(p[:n], r)
		}
		p = p[n:]
	}
}

// control returns the length of the control sequence that p begins with, if all
// of it is there; colours are the commonest.
func control(p []byte) int {
	if len(p) < 3 || p[0] != 0x1b || p[1] != '[' {
		return 0
	}
	for i := 2; i < len(p); i++ {
		switch c := p[i]; {
		case c >= 0x40 && c < 0x7f:
			return i + 1
		case c < 0x20 || c >= 0x7f:
			return 0
		}
	}
	return 0
}

// finish says that no more bytes come.
func (c *cleaner) finish() {
	if c.nPart > 0 {
		c.nPart = 0
		c.invalid()
	}
}

// run returns how many of the first bytes are text as it stands.
func (c *cleaner) run(p []byte) int {
	i := 0
	for i < len(p) {
		// Eight at a time where all of them are printable ASCII.
		for i+8 <= len(p) && printable(binary.LittleEndian.Uint64(p[i:])) {
			i += 8
		}
		if i == len(p) {
			break
		}
		if plain(p[i]) {
			i++
			continue
		}
		if p[i] < 0xc2 {
			break
		}
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError || isC1(r) {
			break
		}
		i += n
	}
	return i
}

// printable reports whether all eight bytes of w are from 0x20 to 0x7e.
func printable(w uint64) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	del := w ^ 0x7f*ones
	return (w|(w-0x20*ones)|(del-ones))&tops == 0
}

func isC1(r rune) bool { return r >= 0x80 && r < 0xa0 }

func (c *cleaner) text(p []byte) {
	if c.cr {
		c.cr = false
		if p[0] != '\n' {
			c.to.dropLine()
		}
	}
	c.bad = false
	c.to.append(p)
}

func (c *cleaner) rune(p []byte, r rune) {
	switch {
	case isC1(r):
		// The same as ESC and the character 0x40 below, in terminals that
		// decode UTF-8 first.
		switch c.state {
		case ground, afterEscape, inControl:
			c.state = ground
			c.introduce(byte(r) - 0x40)
		}
	case c.state == ground:
		c.text(p)
	case c.state != inString:
		c.state = ground
	}
}

// invalid stands for bytes that are not UTF-8. A series of them is shown once,
// so that binary output stays small.
func (c *cleaner) invalid() {
	if c.state != ground || c.bad {
		return
	}
	c.text([]byte("\ufffd"))
	c.bad = true
}

func (c *cleaner) ascii(b byte) {
	switch {
	case b == '\n':
		c.state = ground
		c.text([]byte{b})
		return
	case b == 0x1b:
		if c.state == inString {
			c.state = stringEscape
		} else {
			c.state = afterEscape
		}
		return
	case b == 0x18 || b == 0x1a: // CAN and SUB end any sequence
		c.state = ground
		return
	}
	switch c.state {
	case ground:
		switch b {
		case '\r':
			c.cr = true
		case '\b':
			c.to.dropRune()
		}
	case stringEscape, afterEscape:
		// Anything but a backslash after ESC begins a new sequence.
		if c.state == afterEscape && b >= 0x20 && b < 0x30 || b < 0x20 {
			return
		}
		c.state = ground
		c.introduce(b)
	case inControl:
		if b >= 0x40 && b < 0x7f {
			c.state = ground
		} else if b == '\r' {
			c.cr = true
		}
	case inString:
		if b == 7 {
			c.state = ground
		}
	}
}

// introduce begins the sequence that ESC and b stand for.
func (c *cleaner) introduce(b byte) {
	switch b {
	case '[':
		c.state = inControl
	case ']', 'P', '_', '^', 'X':
		c.state = inString
	}
}
