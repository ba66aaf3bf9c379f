package key

import "testing"

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in   string
		want ID
	}{
		{"Ctrl+Shift+P", "shift+ctrl+p"}, {"shift+ctrl+p", "shift+ctrl+p"},
		{"ctrl++", "ctrl++"}, {"+", "+"}, {"ctrl+-", "ctrl+-"},
		{"esc", "escape"}, {"Return", "enter"}, {"pageup", "pageUp"}, {"PageDown", "pageDown"},
		{"super+A", "super+a"}, {"é", "é"}, {"G", "shift+g"}, {"alt+F12", "alt+f12"}, {"cmd+k", "super+k"},
	} {
		got, err := Parse(c.in)
		if err != nil || got != c.want {
			t.Errorf("Parse(%q) = %q, %v, want %q", c.in, got, err, c.want)
		}
		m, name := got.Split()
		if Make(m, name) != got {
			t.Errorf("Split(%q) = %v %q", got, m, name)
		}
	}
	for _, bad := range []string{"", "ctrl+ctrl+a", "hyper+a", "ctrl+", "f13", "banana", "ctrl+banana", "\x01"} {
		if got, err := Parse(bad); err == nil {
			t.Errorf("Parse(%q) = %q, want an error", bad, got)
		}
	}
}
