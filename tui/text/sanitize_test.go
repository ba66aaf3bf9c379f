package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSanitize(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "hello\nworld\t!", "hello\nworld\t!"},
		{"catalogue C-05", "A\x1b[2J\x1b[10;10HB\x1b[31mC\x1b[0m\x1b]0;title\x07D\x1b[?1049hE\x1b[<35;59;1MF", "AB\x1b[31mC\x1b[0mDEF"},
		{"line ends", "a\r\nb\rc\r", "a\nb\nc\n"},
		{"controls", "a\x00\x07\x08\x0b\x7fb", "ab"},
		{"reset terminal", "a\x1bcb\x1b(Bc\x1b7d", "abcd"},
		{"modify keys is not a colour", "a\x1b[>4;2mb\x1b[?1mc", "abc"},
		{"link", "\x1b]8;;https://x.test\x07a\x1b]8;;\x07", "\x1b]8;;https://x.test\x07a\x1b]8;;\x07"},
		{"bad link", "\x1b]8;;javascript:alert(1)\x07a\x1b]8;;\x07", "a\x1b]8;;\x07"},
		{"link with a break", "\x1b]8;;http://x\nrest", "\nrest"},
		{"unterminated string ends at the line", "a\x1b]0;never\nb", "a\nb"},
		{"clipboard", "\x1b]52;c;aGk=\x07x", "x"},
		{"dcs and apc", "\x1bPq..\x1b\\a\x1b_Gx\x1b\\b\x1b^p\x1b\\c\x1bXs\x1b\\d", "abcd"},
		{"eight bit csi", "a\u009b31mb\u0085c\u009d0;t\x07d", "a\x1b[31mbcd"},
		{"bytes", "a\xff\xc3b", "a\uFFFD\uFFFDb"},
		{"surrogate", "\xed\xa0\x80x", "\uFFFD\uFFFDx"},
		{"bidi", "a\u202eb\u2066c", "abc"},
		{"separators", "a\u2028b", "a\nb"},
		{"emoji stays", "👨\u200d👩\u200d👧é日", "👨\u200d👩\u200d👧é日"},
		{"restart inside", "\x1b[3\x1b[31mx", "\x1b[31mx"},
		{"cancel", "\x1b[3\x18x", "x"},
		{"colon colour", "\x1b[38:2::1:2:3mx", "\x1b[38:2::1:2:3mx"},
	} {
		if got := Sanitize(c.in); got != c.want {
			t.Errorf("%s: Sanitize(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
		// The same in pieces of one byte.
		var z Sanitizer
		var out []byte
		for i := range len(c.in) {
			out = z.Append(out, c.in[i:i+1])
		}
		if got := string(z.Flush(out)); got != c.want {
			t.Errorf("%s: in pieces %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCollapseCR(t *testing.T) {
	if got := CollapseCR("get 10%\rget 55%\rget 100%\ndone\r\nx"); got != "get 100%\ndone\nx" {
		t.Errorf("%q", got)
	}
}

func FuzzSanitize(f *testing.F) {
	f.Add("a\x1b[31mb\x1b]8;;http://x\x07", 3)
	f.Add("\x1b]0;t\x1b\\\u009b1m\xe6\x97\r\n", 5)
	f.Fuzz(func(t *testing.T, s string, cut int) {
		got := Sanitize(s)
		if !utf8.ValidString(got) && got != s {
			t.Fatalf("Sanitize(%q) = %q: not UTF-8", s, got)
		}
		if again := Sanitize(got); again != got {
			t.Fatalf("Sanitize is not stable: %q, %q", got, again)
		}
		for rest := got; rest != ""; {
			if n := Escape(rest); n > 0 {
				if !styling(rest[:n]) {
					t.Fatalf("Sanitize(%q) let %q through", s, rest[:n])
				}
				rest = rest[n:]
				continue
			}
			r, n := utf8.DecodeRuneInString(rest)
			if r != '\n' && r != '\t' && (r < 0x20 || r >= 0x7f && r < 0xa0) {
				t.Fatalf("Sanitize(%q) let %U through", s, r)
			}
			rest = rest[n:]
		}
		if cut > 0 && cut < len(s) {
			var z Sanitizer
			out := z.Append(nil, s[:cut])
			out = z.Append(out, s[cut:])
			if pieces := string(z.Flush(out)); pieces != got {
				t.Fatalf("Sanitize(%q) = %q, in two pieces %q", s, got, pieces)
			}
		}
	})
}

func BenchmarkSanitize(b *testing.B) {
	s := strings.Repeat("\x1b[32mok\x1b[0m  tau/session\t0.41s 日本\r\n", 300)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Sanitize(s)
	}
}
