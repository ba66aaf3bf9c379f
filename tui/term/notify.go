package term

import (
	"strings"

	"tau/tui/text"
)

// Notification is a way to tell the user something outside the window.
type Notification uint8

// The ways. The bell is always rung too: terminals that know none of the
// sequences, and multiplexers that swallow them, have at least that.
const (
	NotifyBell   Notification = iota
	NotifyOSC9                // iTerm2, WezTerm, Ghostty, Windows Terminal
	NotifyOSC99               // kitty
	NotifyOSC777              // rxvt-unicode, VTE, foot
)

// NotificationFor picks the way of a terminal by its environment. A terminal
// that is not known gets the bell only: some print what they do not know.
func NotificationFor(getenv func(string) string) Notification {
	name, program := getenv("TERM"), getenv("TERM_PROGRAM")
	switch {
	case getenv("TMUX") != "" || strings.HasPrefix(name, "screen") || strings.HasPrefix(name, "tmux"):
		return NotifyBell
	case getenv("KITTY_WINDOW_ID") != "" || name == "xterm-kitty":
		return NotifyOSC99
	case program == "iTerm.app" || program == "WezTerm" || program == "ghostty" || getenv("WT_SESSION") != "":
		return NotifyOSC9
	case strings.HasPrefix(name, "rxvt") || strings.HasPrefix(name, "foot") || getenv("VTE_VERSION") != "":
		return NotifyOSC777
	}
	return NotifyBell
}

// NotifySequence returns the sequence for a message. Control characters in it
// become spaces.
func NotifySequence(n Notification, title, body string) string {
	title, body = plainWords(title), plainWords(body)
	switch n {
	case NotifyOSC9:
		return "\x1b]9;" + title + ": " + body + "\x1b\\\a"
	case NotifyOSC99:
		return "\x1b]99;i=tau:d=0;" + title + "\x1b\\\x1b]99;i=tau:p=body;" + body + "\x1b\\\a"
	case NotifyOSC777:
		return "\x1b]777;notify;" + title + ";" + body + "\x1b\\\a"
	}
	return "\a"
}

// plainWords keeps a text from ending the sequence it is in, or a field of it.
func plainWords(s string) string {
	return strings.ReplaceAll(text.ReplaceControls(text.StripSequences(s)), ";", ",")
}
