package term

import "strings"

// Screen is what a program wants of the screen.
type Screen struct {
	// Alternate uses the alternate screen: the program owns every row, and
	// the user's screen comes back at the end. Autowrap is off there.
	Alternate bool
	// Mouse asks for mouse reports. Motion without a button held is only
	// asked for outside of multiplexers, which it floods.
	Mouse bool
}

// modeSet is what is switched on at the moment.
type modeSet struct {
	screen     Screen
	motion     bool // mode 1003
	paste      bool
	focus      bool
	scheme     bool // mode 2031
	kitty      bool // flags are pushed
	modifyKeys bool
	hidden     bool // the cursor
	progress   bool
	status     bool // a status was sent and not taken back
	body       bool // a frame may have been cut
	upload     bool // of a picture, begun and not ended
}

const (
	enterAlt  = "\x1b[?1049h\x1b[?7l"
	leaveAlt  = "\x1b[?7h\x1b[?1049l"
	clearHome = "\x1b[2J\x1b[H"
	// Kitty flags: 1 disambiguate, 4 alternate keys. Not 2, event types: with it
	// kitty 0.26 sends Enter, Tab and Backspace a second time when they are let go.
	pushKitty = "\x1b[>5u"
	popKitty  = "\x1b[<u"
	askKitty  = "\x1b[?u"
	askDA1    = "\x1b[c"

	// ColorQuery asks for the foreground and the background colour.
	ColorQuery = "\x1b]10;?\x1b\\\x1b]11;?\x1b\\"
)

// enterScreen switches to the screen s and remembers it. Kitty flags belong to
// a screen, so they are pushed after it is entered.
func (m *modeSet) enterScreen(b *strings.Builder, s Screen, multiplexed bool) {
	m.screen = s
	if s.Alternate {
		b.WriteString(enterAlt)
	}
	if s.Mouse {
		b.WriteString("\x1b[?1000h\x1b[?1002h")
		if m.motion = !multiplexed; m.motion {
			b.WriteString("\x1b[?1003h")
		}
		b.WriteString("\x1b[?1006h")
	}
	if s.Alternate {
		b.WriteString(clearHome)
	}
	b.WriteString("\x1b[?25l")
	m.hidden = true
	b.WriteString(pushKitty)
	m.kitty = true
}

// leaveScreen undoes enterScreen.
func (m *modeSet) leaveScreen(b *strings.Builder) {
	if m.kitty {
		b.WriteString(popKitty)
		m.kitty = false
	}
	if m.screen.Mouse {
		b.WriteString("\x1b[?1006l")
		if m.motion {
			b.WriteString("\x1b[?1003l")
		}
		b.WriteString("\x1b[?1002l\x1b[?1000l")
	}
	if m.screen.Alternate {
		b.WriteString(leaveAlt)
	}
	m.screen, m.motion = Screen{}, false
}

// restore returns what undoes everything.
func (m modeSet) restore() string {
	var b strings.Builder
	if m.upload {
		b.WriteString("\x1b\\\x1b_Gq=2,m=0;\x1b\\")
	}
	if m.body {
		b.WriteString("\x1b[?2026l\x1b[?7h\x1b[0m\x1b]8;;\x1b\\")
	}
	if m.progress {
		b.WriteString("\x1b]9;4;0\x07")
	}
	if m.status {
		b.WriteString(Status{State: "clear"}.sequence())
	}
	if m.scheme {
		b.WriteString("\x1b[?2031l")
	}
	if m.focus {
		b.WriteString("\x1b[?1004l")
	}
	if m.paste {
		b.WriteString("\x1b[?2004l")
	}
	if m.modifyKeys {
		b.WriteString("\x1b[>4;0m")
	}
	hidden := m.hidden
	m.leaveScreen(&b)
	if hidden {
		b.WriteString("\x1b[?25h")
	}
	return b.String()
}
