package term

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"tau/tui/text"
)

// Status is what a program tells the terminal about itself, so that a list of
// windows can show which of them work and which wait for the user (OSC 7501,
// https://www.superlogical.com/rex/docs/build/program-status).
type Status struct {
	State   string // idle, working, blocked, done or error; "": nothing is told
	Kind    string // what it is blocked by: permission, question or auth
	Message string // one line; longer than 2048 bytes it is cut
	App     string // name of the program, of letters, digits and _.+-
}

// askStatus asks whether the terminal takes reports. It answers with the same
// sequence.
const askStatus = "\x1b]7501;?\x1b\\"

// statusMax is the protocol's limit of a message, in bytes before base64.
const statusMax = 2048

// answer is what is known of the answer to a question.
type answer uint8

const (
	no answer = iota
	open
	yes
)

// statusBefore is what the environment says of the terminal.
func statusBefore(getenv func(string) string) answer {
	switch getenv("TAU_PROGRAM_STATUS") {
	case "1":
		return yes
	case "0":
		return no
	}
	return open
}

// StatusSequence returns what tells the terminal that the program does s. It is
// empty if nothing is new, or the terminal is not known to listen; should it
// answer later, or after the next Start, it is told then.
func (t *Term) StatusSequence(s Status) string {
	if s == t.status {
		return ""
	}
	t.status = s
	return t.statusDue()
}

func (t *Term) statusDue() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.started || t.statusAsk != yes || t.status.State == "" {
		return ""
	}
	t.modes.status = true
	return t.status.sequence()
}

func (t *Term) sendStatus() {
	if s := t.statusDue(); s != "" {
		t.direct(s)
	}
}

func (s Status) sequence() string {
	pairs := []string{"state=" + s.State}
	if s.App != "" {
		pairs = append(pairs, "app="+s.App)
	}
	if s.State == "blocked" && s.Kind != "" {
		pairs = append(pairs, "kind="+s.Kind)
	}
	msg := strings.TrimSpace(text.ReplaceControls(text.StripSequences(s.Message)))
	if len(msg) > statusMax {
		n := statusMax
		for n > 0 && !utf8.RuneStart(msg[n]) {
			n--
		}
		msg = msg[:n]
	}
	if msg != "" {
		pairs = append(pairs, "msg="+base64.StdEncoding.EncodeToString([]byte(msg)))
	}
	return "\x1b]7501;" + strings.Join(pairs, ":") + "\x1b\\"
}
