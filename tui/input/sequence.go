package input

import (
	"strconv"
	"strings"
	"unicode"

	"tau/tui/key"
)

// sequence handles a complete control sequence: its parameters (and
// intermediates), its final byte, and all of it.
func (p *Parser) sequence(params string, final byte, raw string) {
	if params != "" {
		switch params[0] {
		case '<':
			if m, ok := sgrMouse(params[1:], final); ok {
				p.emit(m)
				return
			}
			p.emit(Unknown{raw})
			return
		case '?':
			p.emit(privateReply(params[1:], final, raw))
			return
		case '>', '=':
			p.emit(Unknown{raw})
			return
		}
	}
	if params == "" {
		switch final {
		case 'I':
			p.emit(Focus{true})
			return
		case 'O':
			p.emit(Focus{false})
			return
		case 'Z':
			p.key(key.Event{ID: "shift+tab"})
			return
		case 'a', 'b', 'c', 'd', 'e': // rxvt
			p.key(key.Event{ID: key.Make(key.Shift, letterKey(final-'a'+'A'))})
			return
		}
	}
	f, ok := fields(params)
	if !ok {
		p.emit(Unknown{raw})
		return
	}
	switch final {
	case 'u':
		p.csiU(f, raw)
		return
	case '~':
		if f.at(0, 0) == 27 && len(f) >= 3 {
			p.modifyOtherKeys(f, raw)
			return
		}
		if f.at(0, 0) == 13 && f.at(1, 0) == 2 {
			// By the book Shift+F3, but what some people have their
			// terminal send for Shift+Enter.
			p.key(key.Event{ID: "shift+enter", Also: "shift+f3"})
			return
		}
		if name := tildeKey(f.at(0, 0)); name != "" {
			p.modified(name, f, raw)
			return
		}
	case '^':
		if len(params) == 1 {
			p.key(rxvtKey(params[0], key.Ctrl))
			return
		}
	case 't':
		if f.at(0, 0) == 6 && len(f) == 3 && f.at(1, 0) > 0 && f.at(2, 0) > 0 {
			p.emit(CellSize{Width: f.at(2, 0), Height: f.at(1, 0)})
			return
		}
	case 'R':
		if len(f) == 2 && f.at(0, 0) > 0 && f.at(1, 0) > 0 {
			p.emit(CursorPosition{Row: f.at(0, 0), Col: f.at(1, 0)})
			return
		}
	default:
		if name := letterKey(final); name != "" && len(f) <= 2 {
			p.modified(name, f, raw)
			return
		}
	}
	p.emit(Unknown{raw})
}

// params are the numeric parameters of a sequence with their sub-parameters;
// -1 stands for an empty one.
type params [][]int

func fields(s string) (params, bool) {
	if s == "" {
		return nil, true
	}
	var out params
	for f := range strings.SplitSeq(s, ";") {
		var sub []int
		for v := range strings.SplitSeq(f, ":") {
			n := -1
			if v != "" {
				var err error
				if n, err = strconv.Atoi(v); err != nil || n < 0 || n > 0x7fffffff {
					return nil, false
				}
			}
			sub = append(sub, n)
		}
		out = append(out, sub)
	}
	return out, true
}

func (p params) at(i, j int) int {
	if i < len(p) && j < len(p[i]) {
		return p[i][j]
	}
	return -1
}

// modifiers reads a modifier field with its event type. ok is false if a bit
// is set that ids cannot name (hyper, meta).
func (p params) modifiers(i int) (m key.Mod, a key.Action, ok bool) {
	v := p.at(i, 0)
	if v < 1 {
		v = 1
	}
	bits := (v - 1) &^ (64 | 128) // Caps Lock and Num Lock never matter
	switch p.at(i, 1) {
	case 2:
		a = key.Repeat
	case 3:
		a = key.Release
	}
	return key.Mod(bits & 15), a, bits&^15 == 0
}

func (p *Parser) modified(name string, f params, raw string) {
	m, a, ok := f.modifiers(1)
	if !ok {
		p.emit(Unknown{raw})
		return
	}
	p.key(key.Event{ID: key.Make(m, name), Action: a})
}

// csiU handles the Kitty form CSI code:shifted:base ; modifiers:event ; text u.
func (p *Parser) csiU(f params, raw string) {
	code := rune(f.at(0, 0))
	m, a, ok := f.modifiers(1)
	if code < 0 || code > unicode.MaxRune || !ok {
		p.emit(Unknown{raw})
		return
	}
	if name := functional(code); name != "" {
		ev := key.Event{ID: key.Make(m, name), Action: a}
		if r := keypadText(code); r != "" || name == "space" {
			if name == "space" {
				r = " "
			}
			if m&^key.Shift == 0 && a != key.Release {
				ev.Text = r
			}
		}
		p.key(ev)
		return
	}
	if code < 0x20 || code >= 0x7f && code < 0xa0 || code >= 57344 && code <= 63743 {
		// Media keys, modifiers by themselves, F13 and up.
		p.emit(Unknown{raw})
		return
	}
	shifted, base := rune(f.at(0, 1)), rune(f.at(0, 2))
	ident := unicode.ToLower(code)
	if ident != code && unicode.IsUpper(code) {
		m |= key.Shift
	}
	typed := code
	if m&key.Shift != 0 {
		switch {
		case shifted > 0:
			typed = shifted
		case unicode.IsLower(ident):
			typed = unicode.ToUpper(ident)
		}
	}
	name := ident
	if m&^key.Shift != 0 && base > 0x20 && base < 0x7f && !latin(ident) {
		// Shortcuts go by the place of the key where the layout has no
		// Latin letters.
		name = unicode.ToLower(base)
	}
	ev := key.Event{ID: key.Make(m, string(name)), Action: a}
	if m&key.Shift != 0 && shifted > 0 && !unicode.IsLetter(shifted) && shifted != code {
		ev.ID, ev.Also = key.Make(m&^key.Shift, string(shifted)), ev.ID
	}
	if m&^key.Shift == 0 && a != key.Release {
		ev.Text = string(typed)
		if len(f) > 2 && len(f[2]) > 0 {
			if t := textOf(f[2]); t != "" {
				ev.Text = t
			}
		}
	}
	p.key(ev)
	if m == 0 && a != key.Release {
		p.twin = string(code)
	}
}

func textOf(codes []int) string {
	var b strings.Builder
	for _, c := range codes {
		if c < 0x20 || c >= 0x7f && c < 0xa0 || c > unicode.MaxRune {
			return ""
		}
		b.WriteRune(rune(c))
	}
	return b.String()
}

// latin reports whether a layout that types r can be trusted for shortcuts.
func latin(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' ||
		r > 0x20 && r < 0x7f || r >= 0xc0 && r < 0x250
}

// modifyOtherKeys handles xterm's CSI 27 ; modifiers ; code ~.
func (p *Parser) modifyOtherKeys(f params, raw string) {
	code := rune(f.at(2, 0))
	m, a, ok := f.modifiers(1)
	if code < 0 || code > unicode.MaxRune || !ok {
		p.emit(Unknown{raw})
		return
	}
	if name := functional(code); name != "" {
		ev := key.Event{ID: key.Make(m, name), Action: a}
		if name == "space" && m&^key.Shift == 0 {
			ev.Text = " "
		}
		p.key(ev)
		return
	}
	if code < 0x20 || code >= 0x7f && code < 0xa0 || code >= 57344 && code <= 63743 {
		p.emit(Unknown{raw})
		return
	}
	name := unicode.ToLower(code)
	if name != code {
		m |= key.Shift
	}
	ev := key.Event{ID: key.Make(m, string(name)), Action: a}
	if m&key.Shift != 0 && strings.ContainsRune(`~!@#$%^&*()_+{}|:"<>?`, code) {
		ev.ID, ev.Also = key.Make(m&^key.Shift, string(code)), ev.ID
	}
	if m&^key.Shift == 0 {
		ev.Text = string(code)
	}
	p.key(ev)
}

// functional names the keys that have a code but are no characters.
func functional(code rune) string {
	switch code {
	case 8, 127:
		return "backspace"
	case 9:
		return "tab"
	case 10, 13, 57414:
		return "enter"
	case 27:
		return "escape"
	case 32:
		return "space"
	case 57417:
		return "left"
	case 57418:
		return "right"
	case 57419:
		return "up"
	case 57420:
		return "down"
	case 57421:
		return "pageUp"
	case 57422:
		return "pageDown"
	case 57423:
		return "home"
	case 57424:
		return "end"
	case 57425:
		return "insert"
	case 57426:
		return "delete"
	case 57427:
		return "clear"
	}
	return keypadText(code)
}

// keypadText returns what a keypad key types.
func keypadText(code rune) string {
	const keys = "0123456789./*-+"
	if code >= 57399 && code < 57399+rune(len(keys)) {
		return keys[code-57399 : code-57398]
	}
	switch code {
	case 57415:
		return "="
	case 57416:
		return ","
	}
	return ""
}
