package components

import (
	"math/rand/v2"
	"strings"
	"testing"

	"tau/tui/key"
)

// vimTriples begin in normal mode with the caret on the character after "|".
// What comes out is what vim makes of it.
var vimTriples = []struct{ name, before, keys, after string }{
	{"left and right", "a|bc", `"hl"`, "a|bc"},
	{"not over the end", "ab|c", `"lll"`, "ab|c"},
	{"count", "|abcdef", `"3l"`, "abc|def"},
	{"down and up", "a|b\ncd\ne", `"jjk"`, "ab\n|cd\ne"},
	{"words", "|one two.three", `"www"`, "one two.|three"},
	{"big words", "|one two.three four", `"WW"`, "one two.three |four"},
	{"word over lines", "|one\n\n two", `"ww"`, "one\n\n |two"},
	{"back", "one two.th|ree", `"bbb"`, "one |two.three"},
	{"back big", "one two.th|ree", `"B"`, "one |two.three"},
	{"end of word", "|one two", `"ee"`, "one tw|o"},
	{"line start and end", "  one |two", `"0"`, "|  one two"},
	{"first character", "  one |two", `"^"`, "  |one two"},
	{"line end", "|one", `"$"`, "on|e"},
	{"first and last line", "a\nb\n|c", `"gg"`, "|a\nb\nc"},
	{"last line", "|a\nb\nc", `"G"`, "a\nb\n|c"},
	{"line by number", "|a\nb\nc", `"2G"`, "a\n|b\nc"},
	{"find", "|a,b,c", `"f,"`, "a|,b,c"},
	{"find again", "|a,b,c", `"f,;"`, "a,b|,c"},
	{"find back", "a,b,|c", `"F,;"`, "a|,b,c"},
	{"find the other way", "|a,b,c", `"f,;,"`, "a|,b,c"},
	{"till", "|a,b,c", `"t,;"`, "a,|b,c"},
	{"paragraphs", "|a\nb\n\nc", `"}"`, "a\nb\n|\nc"},

	{"delete a character", "a|bc", `"x"`, "a|c"},
	{"delete three", "|abcd", `"3x"`, "|d"},
	{"delete the last", "ab|c", `"x"`, "a|b"},
	{"delete back", "ab|c", `"X"`, "a|c"},
	{"delete a word", "|one two three", `"dw"`, "|two three"},
	{"delete two words", "|one two three", `"2dw"`, "|three"},
	{"counts multiply", "|a b c d e f g", `"2d3w"`, "|g"},
	{"delete the last word", "one |two\nthree", `"dw"`, "one| \nthree"},
	{"delete to the end", "one |two", `"D"`, "one| "},
	{"delete to a character", "|a(b)c", `"df)"`, "|c"},
	{"delete till", "|a(b)c", `"dt)"`, "|)c"},
	{"delete a line", "a\n|b\nc", `"dd"`, "a\n|c"},
	{"delete the last line", "a\n|b", `"dd"`, "|a"},
	{"delete lines down", "|a\nb\nc", `"dj"`, "|c"},
	{"delete all", "|a", `"dd"`, "|"},
	{"delete to the first line", "a\nb\n|c", `"dgg"`, "|"},

	{"change a word", "|one two", `"cwsix" escape`, "si|x two"},
	{"change one letter", "|a two", `"cwb" escape`, "|b two"},
	{"change to the end", "one |two", `"C2" escape`, "one |2"},
	{"change a line", "  on|e\nb", `"cctwo" escape`, "  tw|o\nb"},
	{"substitute", "|abc", `"sx" escape`, "|xbc"},
	{"replace", "a|bc", `"rx"`, "a|xc"},
	{"replace three", "|abcd", `"3rx"`, "xx|xd"},
	{"other case", "|aBc", `"~~~"`, "Ab|C"},
	{"insert", "a|c", `"ib" escape`, "a|bc"},
	{"append", "|ac", `"ab" escape`, "a|bc"},
	{"insert at the start", "  a|b", `"Ix" escape`, "  |xab"},
	{"append at the end", "|ab", `"Ac" escape`, "ab|c"},
	{"open below", "  |a\nb", `"ox" escape`, "  a\n  |x\nb"},
	{"open above", "  |a", `"Ox" escape`, "  |x\n  a"},
	{"join", "|a\n  b\nc", `"J"`, "a| b\nc"},
	{"indent", "|a\nb", `">j"`, "  |a\n  b"},
	{"outdent", "    |a", `"<<"`, "  |a"},

	{"yank and put", "|one two", `"yw$p"`, "one twoone| "},
	{"put before", "|ab", `"xP"`, "|ab"},
	{"swap", "|ab", `"xp"`, "b|a"},
	{"put a line", "|a\nb", `"yyjp"`, "a\nb\n|a"},
	{"put a line above", "a\n|b", `"yyP"`, "a\n|b\nb"},
	{"move a line", "|a\nb", `"ddp"`, "b\n|a"},
	{"put three times", "|ab", `"x3p"`, "baa|a"},

	{"inner word", "one t|wo three", `"diw"`, "one | three"},
	{"a word", "one t|wo three", `"daw"`, "one |three"},
	{"a last word", "one t|wo", `"daw"`, "on|e"},
	{"inner quotes", `say "he|llo" now`, `"ci'"`, `say "he|llo" now`},
	{"in brackets", "f(a, |b)", `"di("`, "f(|)"},
	{"around brackets", "f(a, |b) x", `"da)"`, "f| x"},
	{"nested", "f(g(|x), y)", `"dib"`, "f(g(|), y)"},
	{"over lines", "{\n|a\n}", `"di{"`, "{|}"},
	{"a paragraph", "|a\nb\n\nc", `"dap"`, "|c"},

	{"undo", "|abc", `"xxu"`, "|bc"},
	{"repeat", "|abcd", `"x.."`, "|d"},
	{"repeat a change", "|one one", `"cwtwo" escape "w."`, "two tw|o"},
	{"repeat an insert", "|", `"iab" escape "."`, "aa|bb"},
	{"repeat an open line", "|a", `"ob" escape "."`, "a\nb\n|b"},

	{"select and delete", "|abcd", `"vld"`, "|cd"},
	{"select lines", "a\n|b\nc", `"Vjd"`, "|a"},
	{"select a word", "one t|wo three", `"viwd"`, "one | three"},
	{"select and change", "|abc", `"vlcx" escape`, "|xc"},
	{"the other end", "a|bcd", `"vlohd"`, "|d"},
	{"select and put", "|ab cd", `"yiwwviwp"`, "ab a|b"},
	{"upper case", "|abc", `"vlU"`, "|ABc"},
	{"select and leave", "|abc", `"vl" escape`, "a|bc"},

	{"an operator that is given up", "|abc", `"d" escape "x"`, "|bc"},
	{"an unknown command", "|abc", `"dqx"`, "|bc"},
	{"wide characters", "|日本語", `"lx"`, "日|語"},
	{"a word of them", "|日本 x", `"x"`, "|本 x"},
}

func TestVim(t *testing.T) {
	for _, c := range vimTriples {
		t.Run(c.name, func(t *testing.T) {
			e := NewEditor(EditorOptions{})
			e.SetVim(true)
			put(t, e, c.before)
			e.vim.mode = VimNormal
			press(t, e, c.keys)
			if got := withCaret(e); got != c.after {
				t.Errorf("got %q, want %q", got, c.after)
			}
		})
	}
}

func TestVimModes(t *testing.T) {
	sent := ""
	e := NewEditor(EditorOptions{OnSubmit: func(s string) { sent = s }})
	e.SetVim(true)
	press(t, e, `"hello"`)
	if e.Text() != "hello" || e.VimMode().String() != "INSERT" {
		t.Errorf("%q in %s", e.Text(), e.VimMode())
	}
	press(t, e, `escape "v"`)
	if e.VimMode() != VimVisual {
		t.Errorf("mode %s", e.VimMode())
	}
	if out := strings.Join(e.Render(40), "\n"); !strings.Contains(out, "\x1b[7m") {
		t.Errorf("the selection does not show: %q", out)
	}
	if press(t, e, `escape`); e.VimMode() != VimNormal {
		t.Errorf("mode %s", e.VimMode())
	}
	if e.HandleKey(key.Event{ID: "escape"}) {
		t.Error("Esc in normal mode belongs to the application")
	}
	press(t, e, `enter`)
	if sent != "hello" || e.VimMode() != VimInsert {
		t.Errorf("sent %q, then %s", sent, e.VimMode())
	}
	e.SetVim(false)
	if press(t, e, `"dd"`); e.Text() != "dd" || e.VimMode() != VimOff {
		t.Errorf("%q in %s", e.Text(), e.VimMode())
	}
}

// Whatever is typed, the caret stays in the text and nothing panics.
func TestVimSurvivesAnything(t *testing.T) {
	const keys = "hjklwbeWBE0^$gGfFtT;,{}dcyxXsSDCYpPJ~u.iaIAoOvV<>r123\"'()[]{}日é "
	all := []rune(keys)
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		e := NewEditor(EditorOptions{})
		e.SetVim(true)
		e.SetText("func main() {\n\tsay(\"日本 héllo\", 'x')\n}\n\nlast line")
		e.vim.mode = VimNormal
		for range 60 {
			ev := key.Event{}
			switch r.IntN(9) {
			case 0:
				ev.ID = "escape"
			case 1:
				ev.ID = key.ID([]string{"left", "right", "up", "down", "backspace", "home", "end"}[r.IntN(7)])
			default:
				c := all[r.IntN(len(all))]
				ev = key.Event{ID: key.ID(string(c)), Text: string(c)}
			}
			e.HandleKey(ev)
			l, col := e.Caret()
			if l >= len(e.Lines()) || col > len(e.Lines()[l]) {
				t.Fatalf("seed %d: the caret is at %d:%d of %q", seed, l, col, e.Lines())
			}
		}
		e.Render(30)
	}
}
