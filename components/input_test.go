package components

import (
	"strings"
	"testing"

	"tau/tui"
	"tau/tui/text"
)

func TestInput(t *testing.T) {
	for _, c := range []struct{ name, value, keys, want string }{
		{"ctrl+w", "foo bar baz", "ctrl+w", "foo bar "},
		{"kill and yank", "foo bar baz", "ctrl+w ctrl+a ctrl+y", "bazfoo bar "},
		{"ctrl+u", "hello ", "ctrl+u", ""},
		{"ctrl+k and yank", "prefixsuffix", "ctrl+a right right right right right right ctrl+k ctrl+y", "prefixsuffix"},
		{"undo words", "", `"hello world" ctrl+-`, "hello"},
		{"alt+d twice", "hello world test", "home alt+d alt+d ctrl+y", "hello world test"},
		{"emoji", "a👨‍👩‍👧", "backspace", "a"},
	} {
		in := NewInput(InputOptions{})
		in.SetValue(c.value)
		press(t, in, c.keys)
		if in.Value() != c.want {
			t.Errorf("%s: %q", c.name, in.Value())
		}
	}
	var sent string
	in := NewInput(InputOptions{OnSubmit: func(s string) { sent = s }})
	press(t, in, `"hello\" enter`)
	if sent != `hello\` {
		t.Errorf("%q", sent)
	}
	in.SetValue("")
	in.HandlePaste("a\r\nb\tc")
	if in.Value() != "ab    c" {
		t.Errorf("%q", in.Value())
	}
}

func TestInputScrolls(t *testing.T) {
	for _, s := range []string{strings.Repeat("가나다라", 40), strings.Repeat("日本語", 50), strings.Repeat("ＡＢＣ", 60), strings.Repeat("ab👨‍👩‍👧é", 30)} {
		in := NewInput(InputOptions{})
		in.SetFocused(true)
		in.SetValue(s)
		for _, k := range []string{"", "home", "right right right right right", "end", "left left", "ctrl+left"} {
			press(t, in, k)
			for w := 1; w <= 100; w++ {
				in.Invalidate()
				lines := in.Render(w)
				checkLines(t, k, lines, w)
				if !strings.Contains(lines[0], tui.CursorMarker) {
					t.Fatalf("no cursor at width %d after %q: %q", w, k, lines[0])
				}
			}
		}
	}
	in := NewInput(InputOptions{})
	in.SetFocused(true)
	in.SetValue("你好")
	before, _, _ := strings.Cut(in.Render(40)[0], tui.CursorMarker)
	if text.Width(before) != 2+4 {
		t.Errorf("caret at column %d", text.Width(before))
	}
	in.Click(2 + 3)
	press(t, in, `"x"`)
	if in.Value() != "你x好" {
		t.Errorf("%q", in.Value())
	}
}

func TestInputMask(t *testing.T) {
	in := NewInput(InputOptions{Mask: "•"})
	in.SetFocused(true)
	in.SetValue("secret")
	if l := bare(in.Render(40)[0]); strings.TrimSpace(l) != "> ••••••" {
		t.Errorf("%q", l)
	}
}
