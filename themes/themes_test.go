package themes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func load(t *testing.T, name string) *Theme {
	t.Helper()
	th, err := Load(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func TestTokensAreComplete(t *testing.T) {
	if n := len(Tokens()); n != 56 {
		t.Fatalf("%d tokens, want 56", n)
	}
	for _, tok := range Tokens() {
		if got, ok := ParseToken(tok.String()); !ok || got != tok || tok.String() == "" {
			t.Errorf("token %d: name %q does not lead back", tok, tok)
		}
		if f := slots[tok].fallback; f != tok && slots[f].fallback != f {
			t.Errorf("%s falls back to %s, which is optional itself", tok, f)
		}
	}
}

func TestBuiltinContrast(t *testing.T) {
	backgrounds := map[string][]string{
		"dark":  {"#000000", "#0d1117", "#171614", "#1e1e1e", "#282c34", "#1a1b26", "#002b36"},
		"light": {"#ffffff", "#f6f8fa", "#fdf6e3", "#eeeeee", "#fbf1c7"},
	}
	body := []Token{Text, UserMessageText, CustomMessageText, ToolTitle, MdCodeBlock, MdHeading, SearchMatchText}
	quiet := []Token{Muted, ThinkingText, ToolOutput, MdQuote, ToolDiffContext, SyntaxComment, Accent, Success, ErrorColor, Warning,
		SyntaxKeyword, SyntaxString, SyntaxNumber, SyntaxType, SyntaxFunction, MdCode, BashMode, ToolDiffAdded, ToolDiffRemoved}
	for _, name := range Builtin() {
		th := load(t, name)
		list := backgrounds[th.Appearance().String()]
		check := func(tok Token, bg RGB, where string, want float64) {
			c, ok := th.Color(tok).RGB()
			if !ok {
				t.Errorf("%s: %s has no value", name, tok)
			} else if got := Contrast(c, bg); got < want {
				t.Errorf("%s: %s %s on %s: %.2f, want %.1f", name, tok, c, where, got, want)
			}
		}
		for _, s := range list {
			bg, _ := ParseRGB(s)
			for _, tok := range body {
				check(tok, bg, s, 4.5)
			}
			for _, tok := range quiet {
				check(tok, bg, s, 3)
			}
		}
		for _, b := range []Token{UserMessageBg, ToolPendingBg, ToolSuccessBg, ToolErrorBg, SelectedBg, SearchMatchBg, CustomMessageBg} {
			bg, _ := th.Color(b).RGB()
			check(Text, bg, b.String(), 4.5)
			check(Muted, bg, b.String(), 3)
		}
	}
}

func TestParseColor(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"#fff", "#ffffff"}, {"#1a2B3c", "#1a2b3c"}, {"196", "#ff0000"}, {"244", "#808080"},
		{"oklch(100% 0 0)", "#ffffff"}, {"oklch(62.8% 0.2577 29.23)", "#ff0000"},
		{"okhsl(29.23 100% 56.8%)", "#ff0000"}, {"okhsl(0 0% 50%)", "#777777"},
	} {
		got, err := ParseColor(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		rgb, _ := got.RGB()
		want, _ := ParseRGB(c.want)
		if near := func(a, b uint8) bool { return max(a, b)-min(a, b) <= 2 }; !near(rgb.R, want.R) || !near(rgb.G, want.G) || !near(rgb.B, want.B) {
			t.Errorf("%s = %s, want about %s", c.in, rgb, c.want)
		}
	}
	for _, bad := range []string{"#12345", "#ggg", "256", "-1", "red", "oklch(1)", "okhsl(1 2% x)", "okhsl(5% 5% 5%)", "oklch(200% 0 0)", "okhsl(1 2% 3%"} {
		if _, err := ParseColor(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestParseErrors(t *testing.T) {
	good, err := builtin.ReadFile("dark.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"bad colour":      {`"accent": "blue"`, `"accent": "#12345"`, `x.json:32:15: accent: "#12345" is not #rgb or #rrggbb`},
		"missing token":   {`"dim": "dim",`, ``, `x.json:31:13: dim: missing colour tokens: dim`},
		"unknown token":   {`"dim": "dim"`, `"dim": "dim", "dimm": "dim"`, `dimm: unknown colour token`},
		"own circle":      {`"muted": "okhsl(70 5% 67%)"`, `"muted": "muted"`, `muted: variable "muted" refers to itself`},
		"long circle":     {`"muted": "okhsl(70 5% 67%)"`, `"muted": "a1", "a1": "muted"`, `refers to itself`},
		"unknown var":     {`"accent": "blue"`, `"accent": "bleu"`, `accent: "bleu" is not a colour`},
		"unknown key":     {`"name"`, `"nome"`, `nome: unknown key`},
		"twice":           {`"dim": "dim"`, `"dim": "dim", "dim": "text"`, `dim: given twice`},
		"trailing comma":  {`"infoBg": "#2a2721"`, `"infoBg": "#2a2721",`, `x.json:`},
		"wrong type":      {`"accent": "blue"`, `"accent": [1]`, `accent: a colour is a string or a number`},
		"bad appearance":  {`"appearance": "dark"`, `"appearance": "grey"`, `appearance: must be`},
		"number too high": {`"accent": "blue"`, `"accent": 300`, `accent: palette index 300 is not in 0-255`},
	} {
		text := strings.Replace(string(good), c.old, c.new, 1)
		if text == string(good) {
			t.Fatalf("%s: nothing replaced", name)
		}
		_, err := Parse("x.json", []byte(text), Truecolor)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || e.Line == 0 {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	for _, s := range []string{"", "[]", "{", "null", "{} {}", "\xef\xbb\xbf{}"} {
		if _, err := Parse("x", []byte(s), Truecolor); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
	if _, err := Parse("x", append([]byte("\xef\xbb\xbf"), good...), Truecolor); err != nil {
		t.Errorf("with BOM: %v", err)
	}
}

func TestOptionalTokensFallBack(t *testing.T) {
	good, _ := builtin.ReadFile("dark.json")
	s := string(good)
	for _, l := range []string{`"scrollbarTrack": "faint",`, `"scrollbarThumb": "dim",`, `"searchMatchBg": "match",`, `"searchMatchText": "text",`, `"thinkingMax": "level5",`} {
		if !strings.Contains(s, l) {
			t.Fatal(l)
		}
		s = strings.Replace(s, l, "", 1)
	}
	th, err := Parse("x", []byte(s), Truecolor)
	if err != nil {
		t.Fatal(err)
	}
	for a, b := range map[Token]Token{ScrollbarTrack: Muted, ScrollbarThumb: Text, SearchMatchBg: SelectedBg, ThinkingMax: ThinkingXhigh} {
		if th.Color(a) != th.Color(b) {
			t.Errorf("%s is not %s", a, b)
		}
	}
}

func TestDepths(t *testing.T) {
	th := load(t, "dark")
	if s := th.Fg(Accent, "x"); !strings.HasPrefix(s, "\x1b[38;2;") || !strings.HasSuffix(s, "x\x1b[39m") {
		t.Errorf("truecolor: %q", s)
	}
	if s := th.WithDepth(Colors256).Fg(Accent, "x"); !strings.HasPrefix(s, "\x1b[38;5;") {
		t.Errorf("256: %q", s)
	}
	if s := th.WithDepth(Colors16).Fg(ErrorColor, "x"); s != "\x1b[91mx\x1b[39m" && s != "\x1b[31mx\x1b[39m" {
		t.Errorf("16: %q", s)
	}
	if s := th.WithDepth(Mono).Fg(Accent, "x") + th.WithDepth(Mono).Bg(UserMessageBg, "x"); s != "xx" {
		t.Errorf("mono: %q", s)
	}
	if s := th.WithDepth(Mono).Bg(SelectedBg, "x"); s != "\x1b[7mx\x1b[27m" {
		t.Errorf("mono selection: %q", s)
	}
	p := th.WithDepth(Plain)
	for _, tok := range Tokens() {
		if s := p.Fg(tok, "x") + p.Bold("y"); s != "xy" {
			t.Errorf("plain: %q", s)
		}
	}
	if s := th.Fg(Accent, "a"+th.Fg(Muted, "b")+"c"); !strings.Contains(s, "b\x1b[39m"+th.SGR(Accent)+"c") {
		t.Errorf("nested: %q", s)
	}
}

func TestGreysStayGrey(t *testing.T) {
	for v := range 256 {
		c := palette256(RGB{uint8(v), uint8(v), uint8(v)}.to256())
		if c.R != c.G || c.G != c.B {
			t.Errorf("grey %d became %s", v, c)
		}
	}
}

func TestDetect(t *testing.T) {
	white, black := &RGB{255, 255, 255}, &RGB{20, 20, 20}
	for _, c := range []struct {
		bg     *RGB
		scheme Appearance
		env    string
		want   Appearance
	}{
		{white, Dark, "15;0", Light}, {black, Light, "0;15", Dark}, {nil, Light, "15;0", Light},
		{nil, Unknown, "0;15", Light}, {nil, Unknown, "15;default;0", Dark}, {nil, Unknown, "0;7", Light},
		{nil, Unknown, "12;8", Dark}, {nil, Unknown, "x", Dark}, {nil, Unknown, "", Dark},
	} {
		if got := Detect(c.bg, c.scheme, c.env); got != c.want {
			t.Errorf("%v: %v", c, got)
		}
	}
}

func TestSystemIsReadableOnAnyBackground(t *testing.T) {
	for r := 0; r < 256; r += 51 {
		for g := 0; g < 256; g += 51 {
			for b := 0; b < 256; b += 51 {
				bg := RGB{uint8(r), uint8(g), uint8(b)}
				fg := RGB{128, 128, 128}
				th := System(Terminal{Foreground: &fg, Background: &bg}, Truecolor)
				c, ok := th.Color(Text).RGB()
				if !ok {
					c = fg
				}
				if k := Contrast(c, bg); k < 4.5 {
					t.Errorf("text on %s: %.2f", bg, k)
				}
				for _, tok := range []Token{Accent, Success, ErrorColor, Warning} {
					c, _ := th.Color(tok).RGB()
					if k := Contrast(c, bg); k < 4.5 {
						t.Errorf("%s on %s: %.2f", tok, bg, k)
					}
				}
				c, _ = th.Color(Muted).RGB()
				if k := Contrast(c, bg); k < 3 {
					t.Errorf("muted on %s: %.2f", bg, k)
				}
			}
		}
	}
	for _, c := range [][2]string{{"#abb2bf", "#282c34"}, {"#839496", "#002b36"}, {"#657b83", "#fdf6e3"}, {"#000000", "#ffffff"}, {"#ffffff", "#000000"}, {"#c0caf5", "#1a1b26"}} {
		fg, _ := ParseRGB(c[0])
		bg, _ := ParseRGB(c[1])
		th := System(Terminal{Foreground: &fg, Background: &bg}, Truecolor)
		muted, _ := th.Color(Muted).RGB()
		for _, tok := range []Token{UserMessageBg, ToolPendingBg, ToolSuccessBg, ToolErrorBg, CustomMessageBg} {
			panel, _ := th.Color(tok).RGB()
			if k := Contrast(muted, panel); k < 3 {
				t.Errorf("%s on %s: muted on %s %.2f", c[0], c[1], tok, k)
			}
		}
	}
	if th := System(Terminal{}, Colors256); th.SGR(Text) != "" || th.Appearance() != Dark || th.Name() != "system" {
		t.Error("unknown terminal must keep the terminal's text colour")
	}
}

func TestLoadFromFolder(t *testing.T) {
	dir := t.TempDir()
	good, _ := builtin.ReadFile("light.json")
	if err := os.WriteFile(filepath.Join(dir, "mine.json"), good, 0o600); err != nil {
		t.Fatal(err)
	}
	th, err := Load("mine", Options{Dirs: []string{filepath.Join(dir, "no"), dir}})
	if err != nil || th.Appearance() != Light {
		t.Fatal(th, err)
	}
	if _, err := Load(filepath.Join(dir, "mine.json"), Options{}); err != nil {
		t.Fatal(err)
	}
	_, err = Load("gone", Options{Dirs: []string{dir}})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "mine") {
		t.Fatal(err)
	}
}

func TestPick(t *testing.T) {
	for _, c := range []struct {
		in   string
		a    Appearance
		want string
	}{{"a/b", Light, "a"}, {"a/b", Dark, "b"}, {"dark", Light, "dark"}, {"./a/b", Light, "./a/b"}, {"/x/y.json", Dark, "/x/y.json"}} {
		if got := Pick(c.in, c.a); got != c.want {
			t.Errorf("%v: %s", c, got)
		}
	}
}

func TestDepthFromEnv(t *testing.T) {
	for _, c := range []struct {
		env  string
		want Depth
	}{
		{"TERM=xterm-256color", Colors256}, {"TERM=screen", Colors256}, {"TERM=dumb", Plain}, {"TERM=xterm COLORTERM=truecolor", Truecolor},
		{"TERM=xterm COLORTERM=truecolor NO_COLOR=1", Mono}, {"TERM=linux", Colors16}, {"TERM=xterm-kitty", Truecolor},
		{"TERM=xterm COLORTERM=truecolor TAU_TRUE_COLOR=0", Colors256}, {"TERM=xterm-direct", Truecolor}, {"", Colors256},
	} {
		m := map[string]string{}
		for _, kv := range strings.Fields(c.env) {
			k, v, _ := strings.Cut(kv, "=")
			m[k] = v
		}
		if got := DepthFromEnv(func(k string) string { return m[k] }); got != c.want {
			t.Errorf("%s: %d, want %d", c.env, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	good, _ := builtin.ReadFile("dark.json")
	f.Add(good)
	f.Add([]byte(`{"name":"x","colors":{"accent":1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		th, err := Parse("f", data, Truecolor)
		if (th == nil) == (err == nil) {
			t.Fatal("neither theme nor error")
		}
	})
}

func BenchmarkFg(b *testing.B) {
	th, err := Load("dark", Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		th.Fg(Accent, "some words")
	}
}
