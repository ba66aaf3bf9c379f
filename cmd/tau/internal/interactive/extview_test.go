package interactive

import (
	"testing"

	"tau/tui"
	"tau/tui/input"
	"tau/tui/key"
)

// Lines of extensions keep colours and links, and nothing else that a terminal
// would obey.
func TestFit(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                                 "plain",
		"\x1b[1;38;2;1;2;3mred\x1b[0m":          "\x1b[1;38;2;1;2;3mred\x1b[0m",
		"\x1b]8;;http://x\x1b\\l\x1b]8;;\x1b\\": "\x1b]8;;http://x\x1b\\l\x1b]8;;\x1b\\",
		"a\x1b[2Jb\x1b[Hc":                      "abc",
		"a\x1b]52;c;aGk=\x07b":                  "ab",
		"a\x1b[?1049hb\x1bcc":                   "abcc",
		"a\rb\bc\x07":                           "abc",
		"a\u009b2Jb":                            "a\ufffd2Jb",
		"x" + extCursor + "y":                   "x" + tui.CursorMarker + "y",
		extCursorStart + "y" + extCursorEnd:     "y",
		"0123456789abcdefghijklmnop":            "0123456789abcdefghij",
	} {
		if got := fit(in, 20); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// A key that is given to an extension as bytes is read as the same key again.
func TestKeyBytes(t *testing.T) {
	for _, id := range []string{
		"escape", "enter", "tab", "shift+tab", "backspace", "up", "down", "left", "right", "home", "end", "pageUp", "pageDown", "delete", "insert",
		"f1", "f5", "f12", "ctrl+a", "ctrl+c", "ctrl+z", "alt+x", "ctrl+up", "alt+left", "ctrl+alt+p", "shift+ctrl+u", "shift+enter", "ctrl+delete", "space",
	} {
		want, err := key.Parse(id)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		p := input.New(input.Options{})
		data := keyBytes(key.Event{ID: want})
		evs := append(p.Feed([]byte(data)), p.Timeout()...)
		if len(evs) != 1 {
			t.Errorf("%s: %q is %v", id, data, evs)
			continue
		}
		if k, ok := evs[0].(key.Event); !ok || !k.Is(want) {
			t.Errorf("%s: %q is %v", id, data, evs[0])
		}
	}
	if got := keyBytes(key.Event{ID: "é", Text: "é"}); got != "é" {
		t.Errorf("é: %q", got)
	}
	if got := keyBytes(key.Event{ID: "shift+a", Text: "A"}); got != "A" {
		t.Errorf("A: %q", got)
	}
}

func TestHarmless(t *testing.T) {
	for seq, want := range map[string]bool{
		"\x1b]777;notify;a;b\x07": true, "\x1b]9;hi\x07": true, "\x1b]0;t\x07": true, "\x1b]52;c;x\x07": false, "\x1b[2J": false, "\x1b]4;1;?\x07": false,
	} {
		if got := harmless(seq); got != want {
			t.Errorf("%q: %v", seq, got)
		}
	}
}
