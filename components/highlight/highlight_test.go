package highlight

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/chroma/v2"
)

func show(tokens []chroma.Token) string {
	short := map[chroma.TokenType]string{chroma.Comment: "c", chroma.Keyword: "k", chroma.KeywordType: "t", chroma.KeywordConstant: "n", chroma.NameFunction: "f",
		chroma.LiteralString: "s", chroma.LiteralNumber: "n", chroma.NameAttribute: "a", chroma.NameTag: "g", chroma.NameClass: "t", chroma.NameVariable: "v",
		chroma.NameDecorator: "d", chroma.GenericInserted: "+", chroma.GenericDeleted: "-", chroma.GenericHeading: "h"}
	var b strings.Builder
	for _, t := range tokens {
		if k := short[t.Type]; k != "" {
			b.WriteString(k + "⟨" + t.Value + "⟩")
		} else {
			b.WriteString(t.Value)
		}
	}
	return b.String()
}

func TestTokens(t *testing.T) {
	for _, c := range []struct{ lang, in, want string }{
		{"go", `func f(x int) string { return "a\"b" + strconv.Itoa(0x1F) } // c`, `k⟨func⟩ f⟨f⟩(x t⟨int⟩) t⟨string⟩ { k⟨return⟩ s⟨"a\"b"⟩ + strconv.f⟨Itoa⟩(n⟨0x1F⟩) } c⟨// c⟩`},
		{"go", "x := `a\nb` + 'c' /* d\ne */ y", "x := s⟨`a⟩\ns⟨b`⟩ + s⟨'c'⟩ c⟨/* d⟩\nc⟨e */⟩ y"},
		{"python", "@cached\ndef f(self):\n    \"\"\"doc\n    more\"\"\"\n    return None  # no", "d⟨@cached⟩\nk⟨def⟩ f⟨f⟩(n⟨self⟩):\n    s⟨\"\"\"doc⟩\ns⟨    more\"\"\"⟩\n    k⟨return⟩ n⟨None⟩  c⟨# no⟩"},
		{"ts", "const a: number = `x ${1}`; type T = Foo | null", "k⟨const⟩ a: t⟨number⟩ = s⟨`x ${1}`⟩; k⟨type⟩ T = t⟨Foo⟩ | n⟨null⟩"},
		{"json", `{"a": "b", "c": [1.5e-3, true, null]}`, `{a⟨"a"⟩: s⟨"b"⟩, a⟨"c"⟩: [n⟨1.5e-3⟩, n⟨true⟩, n⟨null⟩]}`},
		{"rust", "fn f<'a>(x: &'a str) { println!(\"{}\", 'c'); /* a /* b */ c */ }", "k⟨fn⟩ f<'a>(x: &'a t⟨str⟩) { f⟨println⟩!(s⟨\"{}\"⟩, s⟨'c'⟩); c⟨/* a /* b */ c */⟩ }"},
		{"cpp", "#include <x>\nlong n = 1'000'000; // sep", "k⟨#include⟩ <x>\nt⟨long⟩ n = n⟨1'000'000⟩; c⟨// sep⟩"},
		{"bash", "echo \"$HOME\" # hi\na=${#x}", "t⟨echo⟩ s⟨\"$HOME\"⟩ c⟨# hi⟩\na=v⟨$⟩{#x}"},
		{"yaml", "a: b # c\nlist:\n  - x: 1\ntext: |\n  raw: 1\nend: true", "a⟨a⟩:s⟨ b⟩c⟨ # c⟩\na⟨list⟩:\n  - a⟨x⟩: n⟨1⟩\na⟨text⟩: |\ns⟨  raw: 1⟩\na⟨end⟩: n⟨true⟩"},
		{"toml", "[a.b]\nk = \"v\" # c", "g⟨[a.b]⟩\na⟨k ⟩= s⟨\"v\"⟩ c⟨# c⟩"},
		{"html", "<a href=\"x\">t</a><!-- c\nd -->", "<g⟨a⟩ a⟨href⟩=s⟨\"x\"⟩>t<g⟨/a⟩>c⟨<!-- c⟩\nc⟨d -->⟩"},
		{"css", ".a:hover {\n  color: #fff;\n}", "g⟨.a:hover ⟩{\n  a⟨color⟩: #f⟨fff⟩;\n}"},
		{"sql", "SELECT 'it''s' FROM t -- c", "k⟨SELECT⟩ s⟨'it''s'⟩ k⟨FROM⟩ t c⟨-- c⟩"},
		{"diff", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z", "h⟨--- a⟩\nh⟨+++ b⟩\nk⟨@@ -1 +1 @@⟩\n-⟨-x⟩\n+⟨+y⟩\n z"},
		{"md", "# T\n`c` x\n```go\nvar x\n```\n> q", "h⟨# T⟩\ns⟨`c`⟩ x\n```go\nk⟨var⟩ x\n```\nc⟨> q⟩"},
	} {
		got, ok := Tokens(c.lang, c.in)
		if !ok {
			t.Errorf("%s is not known", c.lang)
			continue
		}
		if s := show(got); s != strings.Replace(c.want, "#f⟨fff⟩", "#fff", 1) {
			t.Errorf("%s:\n%s\nwant\n%s", c.lang, s, c.want)
		}
	}
}

func TestUnknownLanguages(t *testing.T) {
	h := New(Styles{})
	for _, l := range []string{"", "nosuch", "text", "plaintext"} {
		if h.Start(l) != nil {
			t.Errorf("%q is known", l)
		}
	}
	for file, want := range map[string]string{"a/b.go": "go", "X.PY": "python", "Makefile": "bash", "a.tsx": "typescript", "noext": "", "a.xyz": "", `C:\a\b.rs`: "rust", "go.mod": "gomod"} {
		if got := Language(file); got != want {
			t.Errorf("%s: %q", file, got)
		}
	}
}

// TestTokensAreLossless: whatever comes in comes out.
func TestTokensAreLossless(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "\"", "'", "`", "/*", "*/", "//", "#", "\\", " ", "\n", "{", "}", "<", ">", "-->", "<!--", "日本", "0x1", "1'0", "--", ": ", "- ", "|", "=", "[", "]", "```", "$", "@x", "\"\"\"", "é", "\xff", "+", "r#\"", "!("}
	for name := range builders() {
		for range 300 {
			var b strings.Builder
			for range rng.IntN(50) {
				b.WriteString(parts[rng.IntN(len(parts))])
			}
			tokens, ok := Tokens(name, b.String())
			if !ok {
				t.Fatalf("%s cannot be found by its own name", name)
			}
			var out strings.Builder
			for _, tok := range tokens {
				out.WriteString(tok.Value)
			}
			if out.String() != b.String() {
				t.Fatalf("%s: %q became %q", name, b.String(), out.String())
			}
		}
	}
}

func TestEveryAliasLeadsSomewhere(t *testing.T) {
	for a := range aliases() {
		if find(a) == nil {
			t.Errorf("%s leads nowhere", a)
		}
	}
}

func TestHostileCodeIsLinear(t *testing.T) {
	for name, c := range map[string]struct{ lang, code string }{
		"digits":         {"cpp", strings.Repeat(strings.Repeat("1'2", 20)+" ", 1000)},
		"minified":       {"js", strings.Repeat("function a(b){return b?\"x\":'y'+`z`}", 8000)},
		"open comment":   {"go", "/*" + strings.Repeat("x\n", 20000)},
		"open quotes":    {"python", strings.Repeat("\"'", 30000)},
		"backslashes":    {"bash", strings.Repeat("\\", 60000)},
		"angle brackets": {"html", strings.Repeat("<", 60000)},
		"char quotes":    {"rust", strings.Repeat("'", 30000)},
		"json strings":   {"json", strings.Repeat("\"a\" ", 15000)},
	} {
		start := time.Now()
		if _, ok := Tokens(c.lang, c.code); !ok {
			t.Fatal(c.lang)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s: %v for %d bytes", name, d, len(c.code))
		}
	}
}

func BenchmarkGo(b *testing.B) {
	line := "\tif err := f(x, \"some text\", 0x1F); err != nil { // why"
	h := New(Styles{Keyword: func(s string) string { return "\x1b[35m" + s + "\x1b[39m" }}).Start("go")
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		h.Line(line)
	}
}
