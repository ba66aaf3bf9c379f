package components

import "testing"

// before, keys, after: the text with the caret as a bar.
var editorTriples = []struct{ name, before, keys, after string }{
	// typing and clusters
	{"backslash shows at once", "|", `"\"`, `\|`},
	{"backslash enter breaks the line", `a\|`, "enter", "a\n|"},
	{"only one backslash goes", `\\\|`, "enter", "\\\\\n|"},
	{"backslash text is literal", "|", `"\x"`, `\x|`},
	{"umlauts and emoji", "|", `"Hello äöü 😀"`, "Hello äöü 😀|"},
	{"shift+backspace", "ab|", "shift+backspace", "a|"},
	{"backspace umlaut", "äöü|", "backspace", "äö|"},
	{"backspace emoji", "😀👍|", "backspace", "😀|"},
	{"left over umlauts", "äöü|", `left left "x"`, "äx|öü"},
	{"left over emoji", "😀👍🎉|", `left left "x"`, "😀x|👍🎉"},
	{"home types at front", "ab|", `ctrl+a "x"`, "x|ab"},
	{"newline keys", "a|b", "shift+enter", "a\n|b"},
	{"ctrl+j", "a|b", "ctrl+j", "a\n|b"},
	{"keys without text insert nothing", "|", "f5 ctrl+alt+q super+c", "|"},
	{"backspace joins lines", "a\n|b", "backspace", "a|b"},
	{"delete joins lines", "a|\nb", "delete", "a|b"},
	{"left crosses lines", "a\n|b", "left", "a|\nb"},
	{"right crosses lines", "a|\nb", "right", "a\n|b"},
	{"family is one step", "a👨‍👩‍👧é日|", "left left left", "a|👨‍👩‍👧é日"},
	{"family backspace", "a👨‍👩‍👧é日|", "backspace backspace backspace", "a|"},
	{"family delete", "|a👨‍👩‍👧é日", "delete delete delete", "|日"},

	// words
	{"ctrl+w word", "foo bar baz|", "ctrl+w", "foo bar |"},
	{"ctrl+w blanks and word", "foo bar   |", "ctrl+w", "foo |"},
	{"ctrl+w punctuation run", "foo bar...|", "ctrl+w", "foo bar|"},
	{"ctrl+w last line only", "line one\nline two|", "ctrl+w", "line one\nline |"},
	{"ctrl+w eats the line end", "line one\n|", "ctrl+w", "line one|"},
	{"ctrl+w emoji", "foo 😀😀 bar|", "ctrl+w ctrl+w", "foo |"},
	{"alt+backspace", "foo bar|", "alt+backspace", "foo |"},
	{"word left 1", "foo bar... baz|", "ctrl+left", "foo bar... |baz"},
	{"word left 2", "foo bar... baz|", "ctrl+left ctrl+left", "foo bar|... baz"},
	{"word left 3", "foo bar... baz|", "ctrl+left ctrl+left ctrl+left", "foo |bar... baz"},
	{"word right 1", "foo |bar... baz", "ctrl+right", "foo bar|... baz"},
	{"word right 2", "foo |bar... baz", "ctrl+right ctrl+right", "foo bar...| baz"},
	{"word right 3", "foo |bar... baz", "ctrl+right ctrl+right ctrl+right", "foo bar... baz|"},
	{"word right skips blanks", "|   foo bar", "ctrl+right", "   foo| bar"},

	// kill ring
	{"ctrl+w then yank", "foo bar baz|", "ctrl+w ctrl+a ctrl+y", "baz|foo bar "},
	{"ctrl+u then yank", "hello |world", "ctrl+u ctrl+y", "hello |world"},
	{"ctrl+k then yank", "|hello world", "ctrl+k ctrl+y", "hello world|"},
	{"yank nothing", "a|", "ctrl+y", "a|"},
	{"three kills accumulate", "one two three|", "ctrl+w ctrl+w ctrl+w ctrl+y", "one two three|"},
	{"ctrl+u over lines", "line1\nline2\nline3|", "ctrl+u ctrl+u ctrl+u ctrl+u ctrl+u ctrl+y", "line1\nline2\nline3|"},
	{"ctrl+w over lines", "1\n2\n3|", "ctrl+w ctrl+w ctrl+w ctrl+w ctrl+w ctrl+y", "1\n2\n3|"},
	{"ctrl+k appends", "ab|\ncd", "ctrl+k ctrl+k ctrl+y", "ab\ncd|"},
	{"alt+d twice", "|hello world test", "alt+d alt+d ctrl+y", "hello world| test"},
	{"alt+d joins lines", "ab|\ncd", "alt+d", "ab|cd"},
	{"alt+d joins, yank restores", "ab|\ncd", "alt+d ctrl+y", "ab\n|cd"},
	{"typing splits kills", "foo bar|", `ctrl+w "x" ctrl+w ctrl+y`, "foo x|"},
	{"pop needs a yank", "a b|", "ctrl+w ctrl+w alt+y", "|"},
	{"pop after typing does nothing", "one two|", `ctrl+w left right "x" ctrl+w ctrl+y "z" alt+y`, "one xz|"},
	{"yank in the middle", "a|b", `"w" ctrl+w ctrl+y`, "aw|b"},

	// jump
	{"jump forward", "|hello world", `ctrl+] "o"`, "hell|o world"},
	{"jump forward again", "hell|o world", `ctrl+] "o"`, "hello w|orld"},
	{"jump across lines", "|abc\ndef\nghi", `ctrl+] "g"`, "abc\ndef\n|ghi"},
	{"jump back", "hello world|", `ctrl+alt+] "o"`, "hello w|orld"},
	{"jump back across lines", "abc\ndef\nghi|", `ctrl+alt+] "a"`, "|abc\ndef\nghi"},
	{"jump nowhere", "|hello", `ctrl+] "z"`, "|hello"},
	{"jump back nowhere", "hello|", `ctrl+alt+] "z"`, "hello|"},
	{"jump minds case", "|Hello World", `ctrl+] "h"`, "|Hello World"},
	{"jump minds case, found", "|Hello World", `ctrl+] "W"`, "Hello |World"},
	{"jump key cancels", "|hello", `ctrl+] ctrl+] "o"`, "o|hello"},
	{"escape cancels jump", "|hello", `ctrl+] escape "o"`, "o|hello"},
	{"back key cancels", "hello|", `ctrl+alt+] ctrl+alt+] "o"`, "helloo|"},
	{"jump to punctuation", "|foo(bar) = baz", `ctrl+] "("`, "foo|(bar) = baz"},
	{"jump to equals", "|foo(bar) = baz", `ctrl+] "="`, "foo(bar) |= baz"},
	{"control key ends jump and acts", "|ab", `ctrl+] right "x"`, "ax|b"},
	{"jump in nothing", "|", `ctrl+] "x"`, "|"},

	// sticky column
	{"up through an empty line", "0123456789012345\n\n0123456789|012345", "up", "0123456789012345\n|\n0123456789012345"},
	{"column comes back", "0123456789012345\n\n0123456789|012345", "up up", "0123456789|012345\n\n0123456789012345"},
	{"downwards", "0123456789|012345\n\n0123456789012345", "down down", "0123456789012345\n\n0123456789|012345"},
	{"left resets", "0123456789\n\n01234|56789", "up left up", "|0123456789\n\n0123456789"},
	{"typing resets", "0123456789\n\n01234|56789", `up "x" up`, "0|123456789\nx\n0123456789"},
	{"home resets", "0123456789\n12\n01234|56789", "up ctrl+a up", "|0123456789\n12\n0123456789"},
	{"7 2 2 2 7", "abcdefghij\nab\nab\nab\nabcdefg|hij", "up up up up", "abcdefg|hij\nab\nab\nab\nabcdefghij"},
	{"up in the first line goes to its start", "ab|c", "up", "|abc"},
	{"down in the last line goes to its end", "a|bc", "down", "abc|"},

	// undo
	{"undo nothing", "|", "ctrl+-", "|"},
	{"undo word", "|", `"hello world" ctrl+-`, "hello|"},
	{"undo both words", "|", `"hello world" ctrl+- ctrl+-`, "|"},
	{"blanks one by one", "|", `"a  " ctrl+-`, "a |"},
	{"undo newline", "|", `"hello" shift+enter "world" ctrl+-`, "hello\n|"},
	{"undo newline 2", "|", `"hello" shift+enter "world" ctrl+- ctrl+-`, "hello|"},
	{"undo backspace", "ab|", "backspace ctrl+-", "ab|"},
	{"undo delete", "|ab", "delete ctrl+-", "|ab"},
	{"undo ctrl+w", "ab cd|", "ctrl+w ctrl+-", "ab cd|"},
	{"undo ctrl+k", "a|b", `ctrl+k ctrl+- "|"`, "a||b"},
	{"undo ctrl+u", "ab|c", "ctrl+u ctrl+-", "ab|c"},
	{"undo yank", "ab|", "ctrl+w ctrl+y ctrl+-", "|"},
	{"moving splits units", "|", `"abc" ctrl+a ctrl+e "de" ctrl+-`, "abc|"},
	{"moving splits units 2", "|", `"abc" ctrl+a ctrl+e "de" ctrl+- ctrl+-`, "|"},
	{"no-ops push nothing", "|", `"ab" delete ctrl+k ctrl+- `, "|"},
	{"typing after a jump", "|abc", `"x" ctrl+] "c" "y" ctrl+-`, "xab|c"},
}

func TestEditorKeys(t *testing.T) {
	for _, c := range editorTriples {
		t.Run(c.name, func(t *testing.T) {
			e := NewEditor(EditorOptions{})
			put(t, e, c.before)
			press(t, e, c.keys)
			if got := withCaret(e); got != c.after {
				t.Errorf("got %q, want %q", got, c.after)
			}
		})
	}
}
