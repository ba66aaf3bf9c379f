package input

import (
	"testing"

	"tau/tui/key"
)

// What one sequence is: the id, the second name, what it types.
func TestKeys(t *testing.T) {
	const k = true
	for _, c := range []struct {
		name  string
		kitty bool
		in    string
		id    key.ID
		also  key.ID
		text  string
	}{
		{"K1", k, "\x1b[1089::99;5u", "ctrl+c", "", ""},
		{"K2", k, "\x1b[1074::100;5u", "ctrl+d", "", ""},
		{"K3", k, "\x1b[1103::122;5u", "ctrl+z", "", ""},
		{"K4", k, "\x1b[1079::112;6u", "shift+ctrl+p", "", ""},
		{"K5", k, "\x1b[99;5u", "ctrl+c", "", ""},
		{"K6", k, "\x1b[49u", "1", "", "1"},
		{"K6 ctrl", k, "\x1b[49;5u", "ctrl+1", "", ""},
		{"K7", k, "\x1b[99:67:99;2u", "shift+c", "", "C"},
		{"K9", k, "\x1b[1089:1057:99;6:2u", "shift+ctrl+c", "", ""},
		{"K10", k, "\x1b[107::118;5u", "ctrl+k", "", ""},
		{"K11", k, "\x1b[47::91;5u", "ctrl+/", "", ""},
		{"K14", false, "\x1b[27;5;99~", "ctrl+c", "", ""},
		{"K15", false, "\x1b[27;5;100~", "ctrl+d", "", ""},
		{"K16", false, "\x1b[27;5;122~", "ctrl+z", "", ""},
		{"K17 ctrl", false, "\x1b[27;5;13~", "ctrl+enter", "", ""},
		{"K17 shift", false, "\x1b[27;2;13~", "shift+enter", "", ""},
		{"K17 alt", false, "\x1b[27;3;13~", "alt+enter", "", ""},
		{"K18 shift", false, "\x1b[27;2;9~", "shift+tab", "", ""},
		{"K18 ctrl", false, "\x1b[27;5;9~", "ctrl+tab", "", ""},
		{"K18 alt", false, "\x1b[27;3;9~", "alt+tab", "", ""},
		{"K19", false, "\x1b[27;5;47~", "ctrl+/", "", ""},
		{"K20 ctrl", false, "\x1b[27;5;49~", "ctrl+1", "", ""},
		{"K20 shift", false, "\x1b[27;2;49~", "shift+1", "", "1"},
		{"K21", false, "\x03", "ctrl+c", "", ""},
		{"K22", false, "\x04", "ctrl+d", "", ""},
		{"K24", false, "\n", "enter", "ctrl+j", ""},
		{"K25", k, "\n", "shift+enter", "ctrl+j", ""},
		{"K26", false, "\x00", "ctrl+space", "", ""},
		{"K27 1c", false, "\x1c", `ctrl+\`, "", ""},
		{"K27 1d", false, "\x1d", "ctrl+]", "", ""},
		{"K27 1f", false, "\x1f", "ctrl+-", "ctrl+_", ""},
		{"K28 1c", false, "\x1b\x1c", `ctrl+alt+\`, "", ""},
		{"K28 1d", false, "\x1b\x1d", "ctrl+alt+]", "", ""},
		{"K28 1f", false, "\x1b\x1f", "ctrl+alt+-", "ctrl+alt+_", ""},
		{"K29 7f", false, "\x7f", "backspace", "", ""},
		{"K29 08", false, "\x08", "backspace", "ctrl+h", ""},
		{"K30 space", false, "\x1b ", "alt+space", "", ""},
		{"K30 08", false, "\x1b\x08", "alt+backspace", "", ""},
		{"K30 7f kitty", k, "\x1b\x7f", "alt+backspace", "", ""},
		{"K30 03", false, "\x1b\x03", "ctrl+alt+c", "", ""},
		{"K30 B", false, "\x1bB", "alt+left", "shift+alt+b", ""},
		{"K30 f", false, "\x1bf", "alt+right", "alt+f", ""},
		{"K30 a", false, "\x1ba", "alt+a", "", ""},
		{"K30 1", false, "\x1b1", "alt+1", "", ""},
		{"K30 kitty", k, "\x1ba", "", "", ""},
		{"alt enter", false, "\x1b\r", "alt+enter", "", ""},
		{"alt enter kitty", k, "\x1b\r", "shift+enter", "", ""},
		{"K31", false, "\x1b[D", "left", "", ""},
		{"K32 home", false, "\x1bOH", "home", "", ""},
		{"K32 end", false, "\x1bOF", "end", "", ""},
		{"K33 f1", false, "\x1bOP", "f1", "", ""},
		{"K33 f12", false, "\x1b[24~", "f12", "", ""},
		{"K33 clear", false, "\x1b[E", "clear", "", ""},
		{"K34", false, "\x1bp", "alt+up", "alt+p", ""},
		{"K35 a", false, "\x1b[a", "shift+up", "", ""},
		{"K35 Oa", false, "\x1bOa", "ctrl+up", "", ""},
		{"K35 2$", false, "\x1b[2$", "shift+insert", "", ""},
		{"K35 2^", false, "\x1b[2^", "ctrl+insert", "", ""},
		{"K35 7$", false, "\x1b[7$", "shift+home", "", ""},
		{"K40", k, "\x1b[99;17u", "", "", ""},
		{"K42 tab", false, "\t", "tab", "ctrl+i", ""},
		{"K42 space", false, " ", "space", "", " "},
		{"K46", false, "\x1b[[5~", "pageUp", "", ""},
		{"K47 0", k, "\x1b[57399u", "0", "", "0"},
		{"K47 enter", k, "\x1b[57414u", "enter", "", ""},
		{"K47 up", k, "\x1b[57419u", "up", "", ""},
		{"K48", k, "\x1b[57376u", "", "", ""},
		{"K49 caps", k, "\x1b[97;69u", "ctrl+a", "", ""},
		{"K49 num arrow", k, "\x1b[1;129A", "up", "", ""},
		{"K49 both", k, "\x1b[3;194~", "shift+delete", "", ""},
		{"K50 kitty", k, "\x1b[61:43;6u", "ctrl++", "shift+ctrl+=", ""},
		{"K50 xterm", false, "\x1b[27;6;43~", "ctrl++", "shift+ctrl++", ""},
		{"K51", k, "\x1b[97;9u", "super+a", "", ""},
		{"K52", false, "\x1b[27;2;65~", "shift+a", "", "A"},
		{"K53 f3", k, "\x1b[13;5~", "ctrl+f3", "", ""},
		{"K53 f1", k, "\x1b[1;2P", "shift+f1", "", ""},
		{"mapped shift enter", false, "\x1b[13;2~", "shift+enter", "shift+f3", ""},
		{"shift tab", false, "\x1b[Z", "shift+tab", "", ""},
		{"keypad enter", false, "\x1bOM", "enter", "", ""},
		{"capital", false, "L", "shift+l", "", "L"},
		{"capital umlaut", false, "É", "shift+é", "", "É"},
		{"shift space", k, "\x1b[32;2u", "shift+space", "", " "},
		{"shift backspace", k, "\x1b[127;2u", "shift+backspace", "", ""},
		{"shifted symbol", k, "\x1b[49:33;2u", "!", "shift+1", "!"},
		{"modifier alone", k, "\x1b[57441;2u", "", "", ""},
		{"console f3", false, "\x1b[[C", "f3", "", ""},
	} {
		p := New(Options{})
		p.SetKitty(c.kitty)
		var got key.Event
		n := 0
		for _, ev := range p.Feed([]byte(c.in)) {
			if e, ok := ev.(key.Event); ok {
				got = e
				n++
			}
		}
		if got.ID != c.id || got.Also != c.also || got.Text != c.text || n > 1 {
			t.Errorf("%s: %q is %q/%q typing %q (%d events), want %q/%q typing %q",
				c.name, c.in, got.ID, got.Also, got.Text, n, c.id, c.also, c.text)
		}
		if len(p.Pending()) != 0 {
			t.Errorf("%s: %q left over", c.name, p.Pending())
		}
	}
}

func TestKeyActions(t *testing.T) {
	p := New(Options{})
	p.SetKitty(true)
	for in, want := range map[string]key.Event{
		"\x1b[1089::99;5:3u": {ID: "ctrl+c", Action: key.Release},
		"\x1b[97;1:2u":       {ID: "a", Text: "a", Action: key.Repeat},
		"\x1b[1;5:3D":        {ID: "ctrl+left", Action: key.Release},
	} {
		if got := p.Feed([]byte(in)); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %+v, want %+v", in, got, want)
		}
	}
}

func TestWindowsTerminalBackspace(t *testing.T) {
	env := map[string]string{"WT_SESSION": "1"}
	p := New(FromEnv(func(k string) string { return env[k] }))
	if ev := p.Feed([]byte{8})[0].(key.Event); ev.ID != "ctrl+backspace" || !ev.Is("ctrl+h") {
		t.Errorf("%+v", ev)
	}
	env["SSH_TTY"] = "x"
	p = New(FromEnv(func(k string) string { return env[k] }))
	if ev := p.Feed([]byte{8})[0].(key.Event); ev.ID != "backspace" {
		t.Errorf("%+v", ev)
	}
}

func TestReplies(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\", "input.Color{-2 #1e1e2e}"},
		{"\x1b]10;rgba:ffff/8080/0000/ffff\x07", "input.Color{-1 #ff8000}"},
		{"\x1b]4;12;#ffff0000ffff\x07", "input.Color{12 #ff00ff}"},
		{"\x1b]4;12;rgb:f/0/8\x07", "input.Color{12 #ff0088}"},
		{"\x1b]11;#102030\x07", "input.Color{-2 #102030}"},
		{"\x1b[?997;1n", "input.Scheme{true}"},
		{"\x1b[?997;2n", "input.Scheme{false}"},
		{"\x1b[6;18;9t", "input.CellSize{9 18}"},
		{"\x1b[?62;4;52c", "input.DeviceAttributes{[62 4 52]}"},
		{"\x1b[?2026;2$y", "input.ModeReport{2026 2}"},
		{"\x1b[?5u", "input.KittyFlags{5}"},
		{"\x1b[12;40R", "input.CursorPosition{12 40}"},
		{"\x1b[I", "input.Focus{true}"},
		{"\x1b[O", "input.Focus{false}"},
		{"\x1bP>|kitty(0.30)\x1b\\", "unknown:"},
		{"\x1b_Gi=1;OK\x1b\\", "unknown:"},
		{"\x1b[>41;0;0c", "unknown:"},
	} {
		p := New(Options{})
		got := p.Feed([]byte(c.in))
		want := c.want
		if want == "unknown:" {
			want += c.in
		}
		if len(got) != 1 || show(got[0]) != want {
			t.Errorf("%q: %q, want %q", c.in, showAll(got), want)
		}
	}
	p := New(Options{})
	if got := p.Feed([]byte("\x1b[?997;1n\x1b[?997;2nx")); len(got) != 3 {
		t.Errorf("glued reports: %q", showAll(got))
	}
	p.Feed([]byte("\x1b[?7u"))
	if got := p.Feed([]byte("\n")); show(got[0]) != "shift+enter" {
		t.Errorf("the flags reply does not switch: %q", showAll(got))
	}
}

func TestMouse(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Mouse
	}{
		{"\x1b[<64;3;4M", Mouse{Action: MouseWheel, X: 2, Y: 3, DY: -1}},
		{"\x1b[<65;3;4M", Mouse{Action: MouseWheel, X: 2, Y: 3, DY: 1}},
		{"\x1b[<73;3;4M", Mouse{Action: MouseWheel, X: 2, Y: 3, DY: 1, Alt: true}},
		{"\x1b[<32;3;4M", Mouse{Action: MouseMotion, Button: Left, X: 2, Y: 3}},
		{"\x1b[<35;3;4M", Mouse{Action: MouseMotion, X: 2, Y: 3}},
		{"\x1b[<2;3;4m", Mouse{Action: MouseRelease, Button: Right, X: 2, Y: 3}},
		{"\x1b[<20;1;1M", Mouse{Action: MousePress, Button: Left, Shift: true, Ctrl: true}},
		{"\x1b[M#!!", Mouse{Action: MouseRelease}},
	} {
		p := New(Options{})
		if got := p.Feed([]byte(c.in)); len(got) != 1 || got[0] != c.want {
			t.Errorf("%q: %+v, want %+v", c.in, got, c.want)
		}
	}
}
