// Package key names keys.
//
// A key id is a key with its modifiers, such as "ctrl+p", "shift+enter",
// "pageUp" or "é". [Parse] brings an id written by a person into the form that
// events carry, so that ids compare with ==. Package tui/input makes events
// from the bytes of a terminal; package tui/keymap binds ids to actions.
package key

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ID names a key with its modifiers, which come in the order shift, ctrl, alt,
// super. Letters are lower case ("shift+l" is what types L).
type ID string

// Action is what happened to a key.
type Action uint8

// The actions. Terminals without the Kitty protocol only report presses.
const (
	Press Action = iota
	Repeat
	Release
)

// Event is one key. Pastes, mouse reports and terminal replies are other
// types of input and never look like keys.
type Event struct {
	ID ID
	// Also is another name of the same key, or empty. A symbol that took
	// Shift has two ("ctrl++" and "shift+ctrl+="), and so have control
	// bytes that two keys send ("enter" and "ctrl+j"). Bindings match
	// either.
	Also   ID
	Text   string // what the key types; empty for keys that type nothing
	Action Action
}

// Is reports whether id names the key of ev.
func (ev Event) Is(id ID) bool { return id != "" && (ev.ID == id || ev.Also == id) }

// Mod is a set of modifiers, with the bits of the Kitty protocol.
type Mod uint8

// The modifiers that ids can name.
const (
	Shift Mod = 1 << iota
	Alt
	Ctrl
	Super
)

// Make returns the id of a key with modifiers.
func Make(m Mod, name string) ID {
	if m == 0 {
		return ID(name)
	}
	var b strings.Builder
	for _, p := range [...]struct {
		m Mod
		s string
	}{{Shift, "shift+"}, {Ctrl, "ctrl+"}, {Alt, "alt+"}, {Super, "super+"}} {
		if m&p.m != 0 {
			b.WriteString(p.s)
		}
	}
	b.WriteString(name)
	return ID(b.String())
}

// Split is the reverse of [Make].
func (id ID) Split() (Mod, string) {
	var m Mod
	rest := string(id)
	for {
		i := strings.IndexByte(rest, '+')
		if i <= 0 || i == len(rest)-1 {
			return m, rest
		}
		bit := modifier(rest[:i])
		if bit == 0 {
			return m, rest
		}
		m |= bit
		rest = rest[i+1:]
	}
}

func modifier(s string) Mod {
	switch s {
	case "shift":
		return Shift
	case "ctrl":
		return Ctrl
	case "alt":
		return Alt
	case "super":
		return Super
	}
	return 0
}

// Parse reads an id in the form people write: modifiers in any order, any
// case, with the usual second names (esc, return, cmd, option, ...).
func Parse(s string) (ID, error) {
	var m Mod
	rest := strings.TrimSpace(s)
	for {
		i := strings.IndexByte(rest, '+')
		if i <= 0 || i == len(rest)-1 {
			break
		}
		name := strings.ToLower(strings.TrimSpace(rest[:i]))
		switch name {
		case "control":
			name = "ctrl"
		case "option", "meta":
			name = "alt"
		case "cmd", "command", "win":
			name = "super"
		}
		bit := modifier(name)
		if bit == 0 {
			return "", fmt.Errorf("key %q: %q is no modifier (use shift, ctrl, alt, super)", s, rest[:i])
		}
		if m&bit != 0 {
			return "", fmt.Errorf("key %q: %s is named twice", s, name)
		}
		m |= bit
		rest = strings.TrimSpace(rest[i+1:])
	}
	if rest == "" {
		return "", fmt.Errorf("key %q: no key is named", s)
	}
	if utf8.RuneCountInString(rest) == 1 {
		r, _ := utf8.DecodeRuneInString(rest)
		if unicode.IsUpper(r) && m == 0 {
			m |= Shift // "G" is the key that types G
		}
		if !unicode.IsPrint(r) {
			return "", fmt.Errorf("key %q: not a printable character", s)
		}
		return Make(m, string(unicode.ToLower(r))), nil
	}
	if name := named(strings.ToLower(rest)); name != "" {
		return Make(m, name), nil
	}
	return "", fmt.Errorf("key %q: unknown key %q", s, rest)
}

// named returns the canonical form of a lower-case key name, or "".
func named(s string) string {
	switch s {
	case "escape", "enter", "tab", "space", "backspace", "delete", "insert", "clear",
		"home", "end", "up", "down", "left", "right",
		"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12":
		return s
	case "esc":
		return "escape"
	case "return":
		return "enter"
	case "pageup", "pgup":
		return "pageUp"
	case "pagedown", "pgdown", "pgdn":
		return "pageDown"
	case "del":
		return "delete"
	case "ins":
		return "insert"
	case "plus":
		return "+"
	case "minus":
		return "-"
	}
	return ""
}
