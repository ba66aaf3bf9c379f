package term

import "testing"

func TestNotifications(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"TERM": "xterm-256color"}, "\a"},
		{map[string]string{"TERM": "xterm-kitty"}, "\x1b]99;i=tau:d=0;t\x1b\\\x1b]99;i=tau:p=body;a b, c\x1b\\\a"},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "\x1b]9;t: a b, c\x1b\\\a"},
		{map[string]string{"TERM": "foot"}, "\x1b]777;notify;t;a b, c\x1b\\\a"},
		{map[string]string{"TERM": "xterm-kitty", "TMUX": "x"}, "\a"},
	} {
		n := NotificationFor(func(k string) string { return tt.env[k] })
		if got := NotifySequence(n, "t", "a\x1b[31m\x07b; c"); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.env, got, tt.want)
		}
	}
}
