package input

import (
	"unicode"

	"tau/tui/key"
)

// plain is the key of a character outside any sequence.
func (p *Parser) plain(r rune) key.Event {
	switch r {
	case '\r':
		return key.Event{ID: "enter"}
	case '\n':
		// With the Kitty protocol Enter never comes as LF; what does is
		// a mapping for Shift+Enter that people put into their terminal.
		if p.kitty {
			return key.Event{ID: "shift+enter", Also: "ctrl+j"}
		}
		return key.Event{ID: "enter", Also: "ctrl+j"}
	case '\t':
		return key.Event{ID: "tab", Also: "ctrl+i"}
	case 0x7f:
		return key.Event{ID: "backspace"}
	case 0x08:
		if p.opt.CtrlBackspace {
			return key.Event{ID: "ctrl+backspace", Also: "ctrl+h"}
		}
		return key.Event{ID: "backspace", Also: "ctrl+h"}
	case ' ':
		return key.Event{ID: "space", Text: " "}
	}
	if r < 0x20 {
		return control(r, 0)
	}
	if r >= 0x80 && r < 0xa0 {
		return key.Event{}
	}
	return printable(r)
}

// printable is the key that types r.
func printable(r rune) key.Event {
	ev := key.Event{ID: key.ID(string(r)), Text: string(r)}
	if l := unicode.ToLower(r); l != r {
		ev.ID = key.Make(key.Shift, string(l))
	}
	return ev
}

// control is the key of a control byte.
func control(r rune, m key.Mod) key.Event {
	m |= key.Ctrl
	switch r {
	case 0:
		return key.Event{ID: key.Make(m, "space")}
	case 0x1b:
		return key.Event{ID: key.Make(m, "[")}
	case 0x1c:
		return key.Event{ID: key.Make(m, `\`)}
	case 0x1d:
		return key.Event{ID: key.Make(m, "]")}
	case 0x1e:
		return key.Event{ID: key.Make(m, "^"), Also: key.Make(m, "6")}
	case 0x1f:
		return key.Event{ID: key.Make(m, "-"), Also: key.Make(m, "_")}
	}
	return key.Event{ID: key.Make(m, string('a'+r-1))}
}

// alt is the key of ESC and a character.
func (p *Parser) alt(r rune) key.Event {
	switch r {
	case 0x7f, 0x08:
		return key.Event{ID: "alt+backspace"}
	}
	if p.kitty {
		if r == '\r' {
			return key.Event{ID: "shift+enter"}
		}
		// The protocol sends every key with Alt as a sequence of its own.
		return key.Event{}
	}
	switch r {
	case '\r':
		return key.Event{ID: "alt+enter"}
	case '\n':
		return key.Event{ID: "alt+enter", Also: "ctrl+alt+j"}
	case '\t':
		return key.Event{ID: "alt+tab"}
	case ' ':
		return key.Event{ID: "alt+space"}
	case 'b':
		return key.Event{ID: "alt+left", Also: "alt+b"}
	case 'f':
		return key.Event{ID: "alt+right", Also: "alt+f"}
	case 'p':
		return key.Event{ID: "alt+up", Also: "alt+p"}
	case 'n':
		return key.Event{ID: "alt+down", Also: "alt+n"}
	case 'B':
		return key.Event{ID: "alt+left", Also: "shift+alt+b"}
	case 'F':
		return key.Event{ID: "alt+right", Also: "shift+alt+f"}
	}
	if r < 0x20 {
		return control(r, key.Alt)
	}
	m := key.Alt
	if l := unicode.ToLower(r); l != r {
		m, r = m|key.Shift, l
	}
	return key.Event{ID: key.Make(m, string(r))}
}

// ss3 is the key of ESC O and a byte.
func ss3(c byte) key.Event {
	switch c {
	case 'M':
		return key.Event{ID: "enter"}
	case 'a', 'b', 'c', 'd', 'e': // rxvt
		return key.Event{ID: key.Make(key.Ctrl, letterKey(c-'a'+'A'))}
	case 'R':
		return key.Event{ID: "f3"}
	case 'I':
		return key.Event{ID: "tab"}
	case 'X':
		return key.Event{ID: "=", Text: "="}
	}
	if c >= 'j' && c <= 'y' { // keypad in application mode
		const keypad = "*+,-./0123456789"
		s := keypad[c-'j' : c-'j'+1]
		return key.Event{ID: key.ID(s), Text: s}
	}
	return key.Event{ID: key.ID(letterKey(c))}
}

// letterKey names the key of a final letter in CSI and SS3 sequences.
func letterKey(c byte) string {
	switch c {
	case 'A':
		return "up"
	case 'B':
		return "down"
	case 'C':
		return "right"
	case 'D':
		return "left"
	case 'E':
		return "clear"
	case 'F':
		return "end"
	case 'H':
		return "home"
	case 'P':
		return "f1"
	case 'Q':
		return "f2"
	case 'S':
		return "f4"
	}
	return ""
}

// tildeKey names the key of CSI n ~.
func tildeKey(n int) string {
	switch n {
	case 1, 7:
		return "home"
	case 2:
		return "insert"
	case 3:
		return "delete"
	case 4, 8:
		return "end"
	case 5:
		return "pageUp"
	case 6:
		return "pageDown"
	case 11, 12, 13, 14, 15:
		return "f" + string(rune('0'+n-10))
	case 17, 18, 19, 20:
		return "f" + string(rune('0'+n-11))
	case 21:
		return "f10"
	case 23:
		return "f11"
	case 24:
		return "f12"
	}
	return ""
}

// rxvtKey is the key of CSI n $ (Shift) and CSI n ^ (Ctrl).
func rxvtKey(n byte, m key.Mod) key.Event {
	if name := tildeKey(int(n - '0')); name != "" {
		return key.Event{ID: key.Make(m, name)}
	}
	return key.Event{}
}

// consoleKey is the key of CSI [ and a byte.
func consoleKey(c byte) key.Event {
	switch {
	case c >= 'A' && c <= 'E':
		return key.Event{ID: key.ID("f" + string(rune('1'+c-'A')))}
	case c == '5':
		return key.Event{ID: "pageUp"}
	case c == '6':
		return key.Event{ID: "pageDown"}
	}
	return key.Event{}
}
