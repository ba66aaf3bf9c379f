package components

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tau/tui"
	"tau/tui/key"
	"tau/tui/text"
)

// keyEvents reads a list of keys: names such as ctrl+w, and text to type in
// quotes.
func keyEvents(t testing.TB, keys string) []key.Event {
	t.Helper()
	var out []key.Event
	for keys = strings.TrimSpace(keys); keys != ""; keys = strings.TrimSpace(keys) {
		if keys[0] == '"' {
			end := strings.IndexByte(keys[1:], '"')
			if end < 0 {
				t.Fatalf("unclosed quote in %q", keys)
			}
			for _, r := range keys[1 : end+1] {
				ev := key.Event{ID: key.ID(r), Text: string(r)}
				if r == ' ' {
					ev.ID = "space"
				}
				out = append(out, ev)
			}
			keys = keys[end+2:]
			continue
		}
		name, rest, _ := strings.Cut(keys, " ")
		out = append(out, key.Event{ID: key.ID(name)})
		keys = rest
	}
	return out
}

type handler interface{ HandleKey(key.Event) bool }

func press(t testing.TB, h handler, keys string) {
	t.Helper()
	for _, ev := range keyEvents(t, keys) {
		h.HandleKey(ev)
	}
}

// put sets the text with the caret at "|".
func put(t testing.TB, e *Editor, s string) {
	t.Helper()
	i := strings.IndexByte(s, '|')
	if i < 0 {
		t.Fatalf("no caret in %q", s)
	}
	e.SetText(s[:i] + s[i+1:])
	line := strings.Count(s[:i], "\n")
	e.buf.at = position{line, i - strings.LastIndexByte(s[:i], '\n') - 1}
	e.buf.undo = nil
	e.buf.newUnit()
}

// withCaret returns the text with "|" at the caret.
func withCaret(e *Editor) string {
	l, c := e.Caret()
	lines := e.Lines()
	lines[l] = lines[l][:c] + "|" + lines[l][c:]
	return strings.Join(lines, "\n")
}

// fakeTicker runs timers by hand.
type fakeTicker struct{ fs []*func() }

func (t *fakeTicker) After(_ time.Duration, f func()) func() {
	p := &f
	t.fs = append(t.fs, p)
	return func() { *p = nil }
}

func (t *fakeTicker) fire() (ran int) {
	fs := t.fs
	t.fs = nil
	for _, p := range fs {
		if *p != nil {
			(*p)()
			ran++
		}
	}
	return ran
}

// pending counts timers not cancelled.
func (t *fakeTicker) pending() (n int) {
	for _, p := range t.fs {
		if *p != nil {
			n++
		}
	}
	return n
}

// checkLines fails on a line that is too wide or holds what no line may hold.
func checkLines(t testing.TB, what string, lines []string, width int) {
	t.Helper()
	for i, l := range lines {
		if w := text.Width(l); w > width {
			t.Fatalf("%s: line %d is %d wide, over %d: %q", what, i, w, width, l)
		}
		if strings.ContainsAny(l, "\n\r\t") || !utf8.ValidString(l) {
			t.Fatalf("%s: line %d holds a control character: %q", what, i, l)
		}
	}
}

// bare removes colours and the cursor marker.
func bare(s string) string {
	s = strings.ReplaceAll(s, tui.CursorMarker, "")
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			return s
		}
		j := strings.IndexByte(s[i:], 'm')
		s = s[:i] + s[i+j+1:]
	}
}

func bareLines(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = bare(l)
	}
	return out
}
