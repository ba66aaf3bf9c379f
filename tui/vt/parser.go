package vt

import (
	"strings"
	"unicode/utf8"
)

type parseState uint8

const (
	ground parseState = iota
	escape
	escapeInter
	csiState
	strState
	strEscape
)

type parser struct {
	state parseState
	buf   []byte
	kind  byte
	utf   []byte
}

// Write takes output of a program. It never fails.
func (t *Terminal) Write(p []byte) (int, error) {
	t.stats.Writes++
	t.stats.Bytes += len(p)
	for _, c := range p {
		was := t.modes.Sync
		t.stats.frame++
		t.byte(c)
		if !was && !t.modes.Sync {
			t.stats.OutsideSync++
		}
	}
	return len(p), nil
}

// WriteString is Write for a string.
func (t *Terminal) WriteString(s string) { _, _ = t.Write([]byte(s)) }

func (t *Terminal) byte(c byte) {
	ps := &t.parse
	switch ps.state {
	case ground:
		t.ground(c)
	case escape:
		switch {
		case c == '[':
			ps.state, ps.buf = csiState, ps.buf[:0]
		case c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X':
			ps.state, ps.kind, ps.buf = strState, c, ps.buf[:0]
		case c >= 0x20 && c <= 0x2f:
			ps.state, ps.buf = escapeInter, append(ps.buf[:0], c)
		default:
			ps.state = ground
			t.escape(c)
		}
	case escapeInter:
		if c >= 0x30 {
			ps.state = ground
		}
	case csiState:
		switch {
		case c >= 0x20 && c <= 0x3f:
			ps.buf = append(ps.buf, c)
		case c >= 0x40 && c <= 0x7e:
			ps.state = ground
			t.csi(string(ps.buf), c)
		case c == 0x1b:
			ps.state = escape
		case c < 0x20:
			t.ground(c) // executed inside the sequence
		default:
			ps.state = ground
		}
	case strState:
		switch c {
		case 0x07:
			ps.state = ground
			t.str(ps.kind, string(ps.buf))
		case 0x1b:
			ps.state = strEscape
		case 0x18, 0x1a:
			ps.state = ground
		default:
			ps.buf = append(ps.buf, c)
		}
	case strEscape:
		if c == '\\' {
			ps.state = ground
			t.str(ps.kind, string(ps.buf))
			return
		}
		ps.state = escape
		t.byte(c)
	}
}

func (t *Terminal) ground(c byte) {
	ps := &t.parse
	if len(ps.utf) > 0 {
		if c&0xc0 == 0x80 {
			ps.utf = append(ps.utf, c)
			if utf8.FullRune(ps.utf) {
				r, _ := utf8.DecodeRune(ps.utf)
				ps.utf = ps.utf[:0]
				t.rune(r)
			}
			return
		}
		ps.utf = ps.utf[:0]
		t.rune(utf8.RuneError)
	}
	s := t.cur
	switch {
	case c >= 0x80:
		ps.utf = append(ps.utf, c)
		if utf8.FullRune(ps.utf) {
			ps.utf = ps.utf[:0]
			t.rune(utf8.RuneError)
		}
	case c >= 0x20 && c != 0x7f:
		t.print(rune(c))
	case c == 0x1b:
		ps.state = escape
	case c == '\r':
		s.x = 0
		t.lastOK = false
	case c == '\n', c == 0x0b, c == 0x0c:
		if s.x == t.w {
			s.x = t.w - 1
		}
		t.lineFeed()
	case c == '\b':
		t.lastOK = false
		s.x = max(0, min(s.x, t.w-1)-1)
	case c == '\t':
		t.lastOK = false
		s.x = min(t.w-1, (s.x/8+1)*8)
	case c == 0x07:
		t.bells++
	}
}

func (t *Terminal) rune(r rune) {
	if r >= 0x80 && r < 0xa0 {
		t.count("C1")
		return
	}
	t.print(r)
}

// escape handles ESC and a final byte.
func (t *Terminal) escape(c byte) {
	s := t.cur
	t.lastOK = false
	switch c {
	case 'c':
		t.count("RIS")
		w, h, st, a, m := t.w, t.h, t.stats, t.answers, t.pictureModel
		*t = *New(w, h)
		t.stats, t.answers, t.pictureModel = st, a, m
	case 'D':
		t.lineFeed()
	case 'E':
		s.x = 0
		t.lineFeed()
	case 'M':
		t.count("RI")
		if s.y == s.top {
			t.scrollDown(s.top, s.bottom, 1)
		} else if s.y > 0 {
			s.y--
		}
	case '7':
		s.save = saved{s.x, s.y, t.pen}
	case '8':
		t.restore(s.save)
	}
}

func (t *Terminal) restore(v saved) {
	// Nothing saved means the state of a fresh terminal.
	t.moveTo(v.y, v.x)
	t.pen = v.pen
}

// str handles a string sequence.
func (t *Terminal) str(kind byte, body string) {
	if kind == '_' && strings.HasPrefix(body, "G") {
		t.graphics(body[1:])
		return
	}
	if kind != ']' {
		t.count(string(rune(kind)) + "-string")
		return
	}
	code, rest, _ := strings.Cut(body, ";")
	t.count("OSC" + code)
	switch code {
	case "0", "2":
		t.title = rest
	case "8":
		_, url, _ := strings.Cut(rest, ";")
		t.pen.Link = url
	case "1337":
		if strings.HasPrefix(rest, "File=") {
			t.inlinePicture(rest)
		}
	case "52":
		_, t.clipboard, _ = strings.Cut(rest, ";")
	case "9":
		if p, ok := strings.CutPrefix(rest, "4;"); ok {
			t.progress = p
		}
	case "7501":
		if rest != "?" {
			t.status = rest
			t.reports++
		} else if t.answers.Status {
			t.reply("\x1b]7501;?\x1b\\")
		}
	case "10":
		if rest == "?" && t.answers.Foreground != "" {
			t.reply("\x1b]10;" + t.answers.Foreground + "\x1b\\")
		}
	case "11":
		if rest == "?" && t.answers.Background != "" {
			t.reply("\x1b]11;" + t.answers.Background + "\x1b\\")
		}
	}
}

func (t *Terminal) reply(s string) { t.replies = append(t.replies, s...) }
