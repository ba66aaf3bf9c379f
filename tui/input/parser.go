package input

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"

	"tau/tui/key"
)

// Options say how long a [Parser] waits and what the terminal is like. The
// zero value is for a local terminal.
type Options struct {
	// Escape is how long ESC alone may be the start of a sequence.
	// 0 means 10 ms.
	Escape time.Duration
	// Sequence is how long the rest of a character or of an introducer may
	// take that could also be a key with Alt. 0 means 50 ms.
	Sequence time.Duration
	// Certain is how long the rest of something may take that can only be
	// a sequence. 0 means 500 ms.
	Certain time.Duration
	// CtrlBackspace says that byte 0x08 is Ctrl+Backspace, as in Windows
	// Terminal.
	CtrlBackspace bool
}

// FromEnv returns the options for the terminal that the environment
// describes: over SSH, ESC waits 100 ms; TAU_TUI_ESC_TIMEOUT (milliseconds)
// overrides that.
func FromEnv(getenv func(string) string) Options {
	var o Options
	ssh := getenv("SSH_CONNECTION") != "" || getenv("SSH_TTY") != ""
	if ssh {
		o.Escape = 100 * time.Millisecond
	}
	if ms, err := strconv.Atoi(getenv("TAU_TUI_ESC_TIMEOUT")); err == nil && ms > 0 && ms <= 10000 {
		o.Escape = time.Duration(ms) * time.Millisecond
	}
	o.CtrlBackspace = getenv("WT_SESSION") != "" && !ssh
	return o
}

// A Parser splits terminal input into events. See the package comment.
type Parser struct {
	opt   Options
	kitty bool

	buf     []byte // not yet decided
	out     []Event
	pasting bool
	paste   []byte
	scanned int // bytes of paste known to hold no end marker

	// twin is the text of the last unit if that was an unmodified printable
	// key in CSI-u form: some layouts send the plain character after it.
	twin string
}

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"

	// maxString bounds a reply: a terminal that never ends one must not
	// swallow the keyboard for good.
	maxString = 64 << 10
)

// New returns a parser.
func New(o Options) *Parser {
	if o.Escape <= 0 {
		o.Escape = 10 * time.Millisecond
	}
	if o.Sequence <= 0 {
		o.Sequence = 50 * time.Millisecond
	}
	if o.Certain <= 0 {
		o.Certain = 500 * time.Millisecond
	}
	o.Sequence = max(o.Sequence, o.Escape)
	o.Certain = max(o.Certain, o.Sequence)
	return &Parser{opt: o}
}

// SetKitty says whether the Kitty keyboard protocol is on, which changes the
// meaning of LF and of ESC before a character. A KittyFlags reply sets it too.
func (p *Parser) SetKitty(on bool) { p.kitty = on }

// Feed takes what was read and returns the events it completes. The events are
// valid until the next call.
func (p *Parser) Feed(data []byte) []Event {
	p.out = p.out[:0]
	p.feed(data)
	return p.out
}

func (p *Parser) feed(data []byte) {
	if p.pasting {
		var done bool
		if data, done = p.takePaste(data); !done {
			return
		}
	}
	if len(p.buf) > 0 {
		p.buf = append(p.buf, data...)
		data = p.buf
	}
	rest := p.split(data, false)
	p.buf = append(p.buf[:0], rest...)
}

// Wait returns how long to wait for more input before calling [Parser.Timeout],
// or 0 if nothing is undecided (or only time-independent input is).
func (p *Parser) Wait() time.Duration {
	b := p.buf
	switch {
	case p.pasting || len(b) == 0:
		return 0
	case b[0] != 0x1b:
		return p.opt.Sequence // part of a character
	case len(b) == 1, len(b) == 2 && b[1] == 0x1b:
		return p.opt.Escape
	case b[1] == '[':
		if len(b) > 2 {
			return p.opt.Certain
		}
		return p.opt.Sequence
	case stringIntro(b[1]):
		switch replyHeader(b) {
		case headerYes:
			return 0
		case headerMaybe:
			if len(b) > 2 {
				return p.opt.Certain
			}
		}
		return p.opt.Sequence
	}
	return p.opt.Sequence
}

// Timeout decides what is undecided, as if no more input came. The events are
// valid until the next call.
func (p *Parser) Timeout() []Event {
	p.out = p.out[:0]
	if p.pasting || len(p.buf) == 0 || p.Wait() == 0 {
		return p.out
	}
	work := append([]byte(nil), p.buf...)
	p.buf = p.buf[:0]
	rest := p.split(work, true)
	p.buf = append(p.buf, rest...)
	return p.out
}

// Clear drops what is undecided, including an unfinished paste.
func (p *Parser) Clear() {
	p.buf, p.paste, p.pasting, p.scanned, p.twin = p.buf[:0], nil, false, 0, ""
}

// Pending returns the undecided bytes.
func (p *Parser) Pending() []byte { return p.buf }

// takePaste takes paste text from data. done says that the paste has ended;
// rest is what follows it.
func (p *Parser) takePaste(data []byte) (rest []byte, done bool) {
	p.paste = append(p.paste, data...)
	i := bytes.Index(p.paste[p.scanned:], []byte(pasteEnd))
	if i < 0 {
		p.scanned = max(0, len(p.paste)-len(pasteEnd)+1)
		return nil, false
	}
	i += p.scanned
	body, rest := p.paste[:i], p.paste[i+len(pasteEnd):]
	p.pasting, p.paste, p.scanned = false, nil, 0
	if t := cleanPaste(body); t != "" {
		p.emit(Paste{t})
	}
	return rest, true
}

func (p *Parser) emit(ev Event) {
	if k, ok := ev.(KittyFlags); ok {
		p.kitty = k.Flags != 0
	}
	p.out = append(p.out, ev)
}

func (p *Parser) key(ev key.Event) {
	if ev.ID != "" {
		p.out = append(p.out, ev)
	}
}

// split takes complete units from the front of b and returns the rest. If
// final is set, one undecided unit is decided as it stands.
func (p *Parser) split(b []byte, final bool) []byte {
	for len(b) > 0 {
		twin := p.twin
		p.twin = ""
		n, more := p.unit(b, twin, final)
		if more {
			p.twin = twin
			return b
		}
		b = b[n:]
		if p.pasting {
			var done bool
			if b, done = p.takePaste(b); !done {
				return nil
			}
		}
	}
	return b
}

// unit handles the unit at the start of b and returns its length. more means
// that b does not hold enough to decide.
func (p *Parser) unit(b []byte, twin string, final bool) (n int, more bool) {
	c := b[0]
	if c != 0x1b {
		if c < utf8.RuneSelf {
			if twin != "" && len(twin) == 1 && twin[0] == c {
				return 1, false
			}
			p.key(p.plain(rune(c)))
			return 1, false
		}
		if !utf8.FullRune(b) && !final {
			return 0, true
		}
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			// The old meta encoding: Alt sets the eighth bit.
			p.key(p.alt(rune(c - 0x80)))
			return 1, false
		}
		if twin == string(r) {
			return size, false
		}
		p.key(p.plain(r))
		return size, false
	}
	if len(b) == 1 {
		if !final {
			return 0, true
		}
		p.key(key.Event{ID: "escape"})
		return 1, false
	}
	switch c := b[1]; {
	case c == 0x1b:
		if len(b) == 2 {
			if !final {
				return 0, true
			}
		} else if b[2] == '[' || b[2] == 'O' || stringIntro(b[2]) {
			// WezTerm sends the press of Escape raw and its release as
			// a sequence, glued together.
			p.key(key.Event{ID: "escape"})
			return 1, false
		}
		p.key(p.alt(0x1b))
		return 2, false
	case c == '[':
		return p.csi(b, final)
	case c == 'O':
		if len(b) == 2 {
			if !final {
				return 0, true
			}
			p.key(p.alt('O'))
			return 2, false
		}
		if ev := ss3(b[2]); ev.ID != "" {
			p.key(ev)
			return 3, false
		}
		p.key(p.alt('O'))
		return 2, false
	case stringIntro(c):
		return p.str(b, final)
	case c < utf8.RuneSelf:
		p.key(p.alt(rune(c)))
		return 2, false
	}
	if !utf8.FullRune(b[1:]) && !final {
		return 0, true
	}
	r, size := utf8.DecodeRune(b[1:])
	if r != utf8.RuneError {
		p.key(p.alt(r))
	}
	return 1 + size, false
}

func stringIntro(c byte) bool {
	return c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X'
}

// csi handles a control sequence.
func (p *Parser) csi(b []byte, final bool) (n int, more bool) {
	if len(b) > 2 {
		switch b[2] {
		case 'M': // legacy mouse: three bytes follow
			if len(b) < 6 {
				return p.cutCSI(b, final)
			}
			p.emit(legacyMouse(b[3], b[4], b[5]))
			return 6, false
		case '[': // Linux console function keys
			if len(b) < 4 {
				return p.cutCSI(b, final)
			}
			n := 4
			if b[3] >= '1' && b[3] <= '8' { // PuTTY: CSI [ 5 ~
				if n = 5; len(b) < n {
					return p.cutCSI(b, final)
				}
			}
			p.key(consoleKey(b[3]))
			return n, false
		}
	}
	for i := 2; i < len(b); i++ {
		c := b[i]
		switch {
		case c == '$' && i == 3 && b[2] >= '2' && b[2] <= '8':
			// rxvt ends its Shift keys in an intermediate byte.
			p.key(rxvtKey(b[2], key.Shift))
			return i + 1, false
		case c >= 0x20 && c <= 0x3f:
			if i >= 256 {
				p.emit(Unknown{string(b[:i])})
				return i, false
			}
		case c >= 0x40 && c <= 0x7e:
			if string(b[:i+1]) == pasteStart {
				p.pasting, p.paste, p.scanned = true, nil, 0
				return i + 1, false
			}
			p.sequence(string(b[2:i]), c, string(b[:i+1]))
			return i + 1, false
		default:
			// ESC, CAN, SUB, other controls and characters end a sequence
			// that is not one.
			if i == 2 {
				p.key(p.alt('['))
			} else {
				p.emit(Unknown{string(b[:i])})
			}
			if c == 0x18 || c == 0x1a {
				i++
			}
			return i, false
		}
	}
	return p.cutCSI(b, final)
}

func (p *Parser) cutCSI(b []byte, final bool) (n int, more bool) {
	if !final {
		return 0, true
	}
	if len(b) == 2 {
		p.key(p.alt('['))
	} else {
		p.emit(Unknown{string(b)})
	}
	return len(b), false
}

// str handles a string sequence.
func (p *Parser) str(b []byte, final bool) (n int, more bool) {
	header := replyHeader(b)
	for i := 2; i < len(b); i++ {
		c := b[i]
		switch {
		case c == 0x07:
			p.reply(b[1], string(b[2:i]), string(b[:i+1]))
			return i + 1, false
		case c == 0x1b:
			if i+1 == len(b) {
				if final && header != headerYes {
					return p.altIntro(b)
				}
				return 0, true
			}
			if b[i+1] == '\\' {
				p.reply(b[1], string(b[2:i]), string(b[:i+2]))
				return i + 2, false
			}
			if header == headerNo {
				return p.altIntro(b)
			}
			p.emit(Unknown{string(b[:i])})
			return i, false
		case c < 0x20:
			if header == headerNo {
				return p.altIntro(b)
			}
			p.emit(Unknown{string(b[:i])})
			if c == 0x18 || c == 0x1a {
				i++
			}
			return i, false
		case i >= maxString:
			p.emit(Unknown{string(b[:32])})
			return i, false
		}
	}
	if final && header != headerYes {
		return p.altIntro(b)
	}
	return 0, true
}

// altIntro decides that an introducer was a key with Alt; what follows it is
// input of its own.
func (p *Parser) altIntro(b []byte) (n int, more bool) {
	p.key(p.alt(rune(b[1])))
	return 2, false
}
