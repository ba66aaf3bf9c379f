package graphics

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		env  string
		want Protocol
	}{
		{"TERM=xterm-256color", None},
		{"TERM=xterm-kitty", Kitty},
		{"TERM=xterm-256color KITTY_WINDOW_ID=1", Kitty},
		{"TERM=xterm-ghostty", Kitty},
		{"TERM_PROGRAM=WezTerm", Kitty},
		{"TERM_PROGRAM=iTerm.app", ITerm2},
		{"TERM_PROGRAM=mintty", ITerm2},
		{"TERM_PROGRAM=vscode", None},
		{"TERM=tmux-256color KITTY_WINDOW_ID=1 TMUX=/tmp/x", None},
		{"TERM=screen KITTY_WINDOW_ID=1", None},
		{"TERM=xterm-kitty STY=1", None},
		{"TERM=xterm-kitty TAU_IMAGE_PROTOCOL=none", None},
		{"TERM=xterm TAU_IMAGE_PROTOCOL=kitty", Kitty},
		{"TERM=xterm TAU_IMAGE_PROTOCOL=iTerm2", ITerm2},
	} {
		env := map[string]string{}
		for _, kv := range strings.Fields(c.env) {
			k, v, _ := strings.Cut(kv, "=")
			env[k] = v
		}
		if got := Detect(func(k string) string { return env[k] }); got != c.want {
			t.Errorf("%s: %v, want %v", c.env, got, c.want)
		}
	}
}

func TestUpload(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 1000)
	encoded := Encode(data)
	for _, room := range []int{1, 5000, 9000, 1 << 20} {
		var all []byte
		for next := 0; next < len(encoded); {
			before := len(all)
			all, next = Upload(all, 7, encoded, next, room)
			if n := len(all) - before; n > max(room, Chunk+64) {
				t.Errorf("room for %d, %d bytes", room, n)
			}
		}
		var sent strings.Builder
		parts := strings.Split(strings.TrimSuffix(string(all), "\x1b\\"), "\x1b\\")
		for i, p := range parts {
			head, body, _ := strings.Cut(p, ";")
			if i == 0 != strings.HasPrefix(head, "\x1b_Ga=t,f=100,i=7,") || !strings.Contains(head, "q=2") {
				t.Errorf("piece %d: %q", i, head)
			}
			if last := i == len(parts)-1; len(body) > Chunk || strings.HasSuffix(head, "m=0") != last {
				t.Errorf("piece %d: %q, %d bytes", i, head, len(body))
			}
			sent.WriteString(body)
		}
		if got, err := base64.StdEncoding.DecodeString(sent.String()); err != nil || !bytes.Equal(got, data) {
			t.Error("data is not what was sent")
		}
	}
}

func TestSequences(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{string(Place(nil, 7, 2, Part{X: 9, Y: 18, W: 27, H: 36}, 3, 2)), "\x1b_Ga=p,q=2,C=1,i=7,p=2,x=9,y=18,w=27,h=36,c=3,r=2\x1b\\"},
		{string(Remove(nil, 7, 2)), "\x1b_Ga=d,d=i,q=2,i=7,p=2\x1b\\"},
		{string(Free(nil, 7)), "\x1b_Ga=d,d=I,q=2,i=7\x1b\\"},
		{string(Abort(nil, 7)), "\x1b_Gq=2,m=0;\x1b\\\x1b_Ga=d,d=I,q=2,i=7\x1b\\"},
		{string(Inline(nil, "QUJD", 3, 4, 2)), "\x1b7\x1b]1337;File=inline=1;preserveAspectRatio=0;size=3;width=4;height=2:QUJD\a\x1b8"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
