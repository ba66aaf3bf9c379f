package input

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// The splitting rules; "|" cuts the input into reads, "⌛" lets the time pass.
func TestSplit(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"S1", "a", "a"},
		{"S2", "abc", "a b c"},
		{"S3", "hi 世界", "h i space 世 界"},
		{"S4", "\x1b[<35;20;5m", "mouse:2,0,19,4"},
		{"S5", "\x1b[A", "up"},
		{"S6", "\x1b[11~", "f1"},
		{"S7", "\x1ba", "alt+a"},
		{"S8", "\x1bOA", "up"},
		{"S9", "\x1b|[<35|;20;5m", "mouse:2,0,19,4"},
		{"S10", "\x1b[|1;|5H", "ctrl+home"},
		{"S11", "\x1b|[|<|3|5|;|2|0|;|5|m", "mouse:2,0,19,4"},
		{"S12", "\x1b[<35⌛", "unknown:\x1b[<35"},
		{"S13", "abc\x1b[A", "a b c up"},
		{"S14", "\x1b[Aabc", "up a b c"},
		{"S15", "\x1b[A\x1b[B\x1b[C", "up down right"},
		{"S16", "abc\x1b[<35|;1;1m", "a b c mouse:2,0,0,0"},
		{"S17", "\x1b[97u", "a"},
		{"S18", "\x1b[97;1:3u", "a^"},
		{"S19", "\x1b[97u\x1b[97;1:3u", "a a^"},
		{"S20", "\x1b[97u\x1b[97;1:3u\x1b[98u\x1b[98;1:3u", "a a^ b b^"},
		{"S21", "\x1b[1;1:1A", "up"},
		{"S22", "\x1b[3;1:3~", "delete^"},
		{"S23", "a\x1b[97;1:3u", "a a^"},
		{"S24 twin", "\x1b[97ua", "a"},
		{"S24 other", "\x1b[97ub", "a b"},
		{"S24 twin once", "\x1b[97uaa", "a a"},
		{"S24 twin later", "\x1b[97u|a", "a"},
		{"S25", "h\x1b[104;1:3ui\x1b[105;1:3u", "h h^ i i^"},
		{"S26", "\x1b[<0;10;5M", "mouse:0,1,9,4"},
		{"S27", "\x1b[<0;10;5m", "mouse:1,1,9,4"},
		{"S30", "\x1b[<0;1;1M\x1b[<0;2;1M\x1b[<0;3;1m", "mouse:0,1,0,0 mouse:0,1,1,0 mouse:1,1,2,0"},
		{"S31", "\x1b[M !!c", "mouse:0,1,0,0 c"},
		{"S32", "\x1b[M| !|!", "mouse:0,1,0,0"},
		{"S34", "\x1b⌛", "escape"},
		{"S37", "\x1b[" + strings.Repeat("1;", 50) + "H", "unknown:\x1b[" + strings.Repeat("1;", 50) + "H"},
		{"S42", "\x1b[200~hello\x1b[201~", "paste:hello"},
		{"S43", "\x1b[200~he|ll|o\x1b[20|1~", "paste:hello"},
		{"S44", "a\x1b[200~x\x1b[201~b", "a paste:x b"},
		{"S45", "\x1b[200~a\nb\r\nc\x1b[201~", "paste:a\nb\nc"},
		{"S46", "\x1b[200~日本|😀\x1b[201~", "paste:日本😀"},
		{"S49", "\x1b]11;rgb:1e⌛1e/1e1e⌛/1e1e\x1b⌛\\a", "input.Color{-2 #1e1e1e} a"},
		{"S50", "\x1b]⌛abc", "alt+] a b c"},
		{"S50 one read", "\x1b]abc⌛", "alt+] a b c"},
		{"S51", "\x1b\x1b[27;1:3u", "escape escape^"},
		{"S52 cancel", "\x1b]11;rgb:\x18a", "unknown:\x1b]11;rgb: a"},
		{"S52 escape", "\x1b]11;rgb:\x1b[A", "unknown:\x1b]11;rgb: up"},
		{"S52 csi", "\x1b[?1\x1b[A", "unknown:\x1b[?1 up"},
		{"a reply never ends the keyboard", "\x1b]11;rgb:\x03a", "unknown:\x1b]11;rgb: ctrl+c a"},
		{"S53", "\xe4|\xb8|\x96", "世"},
		{"old meta", "\xe1⌛", "alt+a"},
		{"alt bracket", "\x1b[⌛A", "alt+[ shift+a"},
		{"two escapes", "\x1b\x1b⌛", "ctrl+alt+["},
		{"alt with a wide letter", "\x1b\xc3|\xa9", "alt+é"},
		{"paste then keys", "\x1b[200~x\x1b[201~\x1b|[A", "paste:x up"},
		{"two pastes", "\x1b[200~x\x1b[201~\x1b[200~y\x1b[201~", "paste:x paste:y"},
		{"K54", "\x1b[200~90:62:3F\x1b[201~", "paste:90:62:3F"},
	} {
		p := New(Options{})
		if strings.HasPrefix(c.name, "K") || strings.Contains(c.in, ";1:3") {
			p.SetKitty(true)
		}
		got := []string{}
		for i, span := range strings.Split(c.in, "⌛") {
			if i > 0 {
				for p.Wait() > 0 {
					got = append(got, showAll(p.Timeout())...)
				}
			}
			for read := range strings.SplitSeq(span, "|") {
				got = append(got, showAll(p.Feed([]byte(read)))...)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.name, c.in, s, c.want)
		}
		if len(p.Pending()) != 0 {
			t.Errorf("%s: %q left over", c.name, p.Pending())
		}
	}
}

func TestClear(t *testing.T) {
	p := New(Options{})
	p.Feed([]byte("\x1b[<35"))
	if string(p.Pending()) != "\x1b[<35" {
		t.Errorf("pending %q", p.Pending())
	}
	p.Clear()
	if p.Wait() != 0 || len(p.Timeout()) != 0 {
		t.Error("something was left after Clear")
	}
	if got := showAll(p.Feed([]byte("a"))); !slices.Equal(got, []string{"a"}) {
		t.Errorf("%q", got)
	}
}

func TestPasteIsLinear(t *testing.T) {
	p := New(Options{})
	body := strings.Repeat("0123456789abcde\n", 1<<16) // 1 MiB
	data := []byte("\x1b[200~" + body + "\x1b[201~x")
	start := time.Now()
	var got []Event
	for len(data) > 0 {
		n := min(len(data), 1024)
		got = append(got, slices.Clone(p.Feed(data[:n]))...)
		data = data[n:]
	}
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("1 MiB took %v", d)
	}
	if len(got) != 2 || got[0] != (Paste{body}) || show(got[1]) != "x" {
		t.Fatalf("%d events", len(got))
	}
}

// Any cut gives the same events (INV9).
func FuzzCuts(f *testing.F) {
	f.Add([]byte("a\x1b[A\x1b[200~x\x1b[201~\x1b]11;rgb:1/2/3\x07日\x1b[<0;1;1M"), uint16(3))
	f.Add([]byte("\x1b\x1b[27;1:3u\x1bOP\x1b[M !!\x1b[97ua\xff"), uint16(1))
	f.Fuzz(func(t *testing.T, in []byte, cut uint16) {
		whole := New(Options{})
		want := showAll(whole.Feed(in))
		p := New(Options{})
		var got []string
		step := int(cut%7) + 1
		for rest := in; len(rest) > 0; {
			n := min(step, len(rest))
			got = append(got, showAll(p.Feed(rest[:n]))...)
			rest = rest[n:]
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("%q: whole %q, cut every %d %q", in, want, step, got)
		}
		for range 100 {
			if p.Wait() == 0 {
				break
			}
			p.Timeout()
		}
		if p.Wait() != 0 {
			t.Fatalf("%q: still waiting with %q", in, p.Pending())
		}
	})
}

func BenchmarkPaste(b *testing.B) {
	data := []byte("\x1b[200~" + strings.Repeat("0123456789abcde\n", 1<<16) + "\x1b[201~")
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		p := New(Options{})
		for rest := data; len(rest) > 0; {
			n := min(len(rest), 4096)
			p.Feed(rest[:n])
			rest = rest[n:]
		}
	}
}
