package term

import (
	"encoding/base64"
	"strconv"
	"time"

	"tau/tui/input"
	"tau/tui/text"
)

// Feed turns a chunk from Input into events. Replies of the keyboard
// negotiation are used here and left out; replies to other queries are among
// the events, and never look like keys. The events are valid until the next
// call of Feed or Timeout.
func (t *Term) Feed(chunk []byte) []input.Event {
	return t.filter(t.parser.Feed(chunk))
}

// Wait returns how long after the last Feed to call Timeout; 0 for not at all.
func (t *Term) Wait() time.Duration {
	if t.parser == nil {
		return 0
	}
	return t.parser.Wait()
}

// Timeout returns the events that became certain because time has passed.
func (t *Term) Timeout() []input.Event { return t.filter(t.parser.Timeout()) }

// Kitty reports whether the Kitty keyboard protocol is on.
func (t *Term) Kitty() bool { return t.kitty }

// Fenced reports whether the terminal has answered all it will answer to the
// colour query of Start. It is true if there was none.
func (t *Term) Fenced() bool {
	for _, f := range t.owed {
		if f == colorFence {
			return false
		}
	}
	return true
}

func (t *Term) filter(events []input.Event) []input.Event {
	kept := events[:0]
	for _, ev := range events {
		switch ev := ev.(type) {
		case input.KittyFlags:
			t.keyboard(ev.Flags != 0)
			continue
		case input.StatusReply:
			if t.statusAsk == open {
				t.statusAsk = yes
				t.sendStatus()
			}
			continue
		case input.DeviceAttributes:
			if len(t.owed) > 0 {
				first := t.owed[0]
				t.owed = t.owed[1:]
				if first == keyboardFence {
					if t.statusAsk == open {
						t.statusAsk = no // the answer would have come before this one
					}
					if !t.negotiated {
						t.keyboard(false)
					}
					continue
				}
			}
		}
		kept = append(kept, ev)
	}
	return kept
}

// keyboard acts on the answer to the keyboard query: the Kitty protocol, or
// else xterm's modifyOtherKeys.
func (t *Term) keyboard(kitty bool) {
	t.negotiated, t.kitty = true, kitty
	t.parser.SetKitty(kitty)
	t.mu.Lock()
	on := t.modes.modifyKeys
	live := t.started
	if live {
		t.modes.modifyKeys = !kitty
	}
	t.mu.Unlock()
	switch {
	case !live || on == !kitty:
	case kitty:
		t.direct("\x1b[>4;0m")
	default:
		t.direct("\x1b[>4;2m")
	}
}

// direct writes a control string at once, behind a frame that is in flight.
func (t *Term) direct(s string) {
	t.Settle()
	_ = t.write([]byte(s))
}

// Title returns the sequence that sets the window title.
func Title(title string) string {
	return "\x1b]0;" + text.ReplaceControls(text.StripSequences(title)) + "\x07"
}

// CopySequence returns the sequence that puts s on the clipboard of the
// terminal's machine (OSC 52).
func CopySequence(s string) string {
	return "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(s)) + "\x07"
}

// Progress is a state of the progress display of the window (OSC 9;4).
type Progress uint8

// The states.
const (
	NoProgress    Progress = 0
	Percent       Progress = 1
	Failed        Progress = 2
	Indeterminate Progress = 3
)

// ProgressSequence returns the sequence that shows p, and remembers that the
// display must be cleared at the end. percent counts for Percent only.
func (t *Term) ProgressSequence(p Progress, percent int) string {
	t.mu.Lock()
	t.modes.progress = p != NoProgress
	t.mu.Unlock()
	s := "\x1b]9;4;" + strconv.Itoa(int(p))
	if p == Percent {
		s += ";" + strconv.Itoa(min(max(percent, 0), 100))
	}
	return s + "\x07"
}
