package components

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tau/tui"
	"tau/tui/key"
	"tau/tui/text"
)

func TestYankPopTurnsTheRing(t *testing.T) {
	e := NewEditor(EditorOptions{})
	for _, s := range []string{"first", "second", "third"} {
		put(t, e, s+"|")
		press(t, e, "ctrl+w")
	}
	var got []string
	press(t, e, "ctrl+y")
	for range 4 {
		got = append(got, e.Text())
		press(t, e, "alt+y")
	}
	if want := []string{"third", "second", "first", "third"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	press(t, e, `ctrl+u`)
	e.SetText("")
	press(t, e, "ctrl+y")
	if e.Text() != "second" {
		t.Errorf("turning must last: %q", e.Text())
	}
	e = NewEditor(EditorOptions{})
	put(t, e, "SINGLE|")
	press(t, e, "ctrl+w")
	put(t, e, "A\nB|")
	press(t, e, "ctrl+u ctrl+u ctrl+u")
	put(t, e, "hello |world")
	press(t, e, "ctrl+y")
	if got := withCaret(e); got != "hello A\nB|world" {
		t.Errorf("%q", got)
	}
	press(t, e, "alt+y")
	if got := withCaret(e); got != "hello SINGLE|world" {
		t.Errorf("%q", got)
	}
}

func TestHistory(t *testing.T) {
	fresh := func(entries ...string) *Editor {
		e := NewEditor(EditorOptions{})
		for _, s := range entries {
			e.AddToHistory(s)
		}
		return e
	}
	steps := func(e *Editor, keys ...string) (out []string) {
		for _, k := range keys {
			press(t, e, k)
			out = append(out, e.Text())
		}
		return out
	}
	for _, c := range []struct {
		name    string
		entries []string
		keys    []string
		want    []string
	}{
		{"none", nil, []string{"up"}, []string{""}},
		{"newest first", []string{"a", "b"}, []string{"up"}, []string{"b"}},
		{"stops at the oldest", []string{"first", "second", "third"}, []string{"up", "up", "up", "up"}, []string{"third", "second", "first", "first"}},
		{"draft comes back", []string{"a"}, []string{`"draft" home`, "up", "down"}, []string{"draft", "a", "draft"}},
		{"down again", []string{"first", "second", "third"}, []string{"up", "up", "up", "down", "down", "down"}, []string{"third", "second", "first", "second", "third", ""}},
		{"editing ends browsing", []string{"entry"}, []string{`up "x"`, "down", "down"}, []string{"xentry", "xentry", "xentry"}},
		{"blanks ignored", []string{"", "  ", "\n"}, []string{"up"}, []string{""}},
		{"no repetitions", []string{"a", "a", "a"}, []string{"up", "up"}, []string{"a", "a"}},
		{"old repetitions stay", []string{"first", "second", "first"}, []string{"up", "up", "up"}, []string{"first", "second", "first"}},
		{"leaves only from the last line", []string{"one", "l1\nl2\nl3"}, []string{"up", "down", "down", "down"}, []string{"l1\nl2\nl3", "l1\nl2\nl3", "l1\nl2\nl3", ""}},
		{"undo leaves history", []string{"a"}, []string{`"dr"`, "home up", "ctrl+-", "ctrl+-"}, []string{"dr", "a", "dr", ""}},
		{"one undo for many steps", []string{"a", "b", "c"}, []string{"up up up", "ctrl+-"}, []string{"a", ""}},
	} {
		if got := steps(fresh(c.entries...), c.keys...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	e := fresh()
	for i := range 105 {
		e.AddToHistory(fmt.Sprint("prompt ", i))
	}
	for range 120 {
		press(t, e, "up")
	}
	if e.Text() != "prompt 5" {
		t.Errorf("oldest kept: %q", e.Text())
	}
	e = fresh("old")
	put(t, e, "line1\nline2|")
	press(t, e, `up "X"`)
	if e.Text() != "line1X\nline2" {
		t.Errorf("up within the text: %q", e.Text())
	}
	e = fresh("a", "b")
	press(t, e, "up up")
	e.SetText("")
	press(t, e, "up")
	if e.Text() != "b" {
		t.Errorf("SetText ends browsing: %q", e.Text())
	}
}

func TestSubmit(t *testing.T) {
	var got []string
	e := NewEditor(EditorOptions{OnSubmit: func(s string) { got = append(got, s) }})
	press(t, e, `"  hello\x " enter`)
	if !slices.Equal(got, []string{`hello\x`}) || !e.IsEmpty() {
		t.Fatalf("%q %q", got, e.Text())
	}
	press(t, e, "ctrl+-")
	if !e.IsEmpty() {
		t.Error("submit must clear undo")
	}
	e.SetDisableSubmit(true)
	press(t, e, `"x" enter`)
	if e.Text() != "x" || len(got) != 1 {
		t.Error("submitted while disabled")
	}
	// Enter and Shift+Enter swapped.
	b := DefaultBindings()
	b.Bind("tui.input.submit", "shift+enter")
	b.Bind("tui.input.newLine", "enter")
	e = NewEditor(EditorOptions{Bindings: b, OnSubmit: func(s string) { got = append(got, s) }})
	press(t, e, `"a" enter "b\" enter`)
	if got[len(got)-1] != "a\nb" {
		t.Errorf("%q", got)
	}
}

func TestPasteMarkers(t *testing.T) {
	long := strings.TrimSuffix(strings.Repeat("line $1 $& $$\n", 20), "\n")
	e := NewEditor(EditorOptions{})
	check := func(want string) {
		t.Helper()
		if got := withCaret(e); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	press(t, e, `"a"`)
	e.HandlePaste(long)
	press(t, e, `"b"`)
	check("a[paste #1 +20 lines]b|")
	if e.ExpandedText() != "a"+long+"b" {
		t.Fatal("expansion is not literal")
	}
	press(t, e, "left left")
	check("a|[paste #1 +20 lines]b")
	press(t, e, "right")
	check("a[paste #1 +20 lines]|b")
	press(t, e, "ctrl+left")
	check("a|[paste #1 +20 lines]b")
	press(t, e, "ctrl+right")
	check("a[paste #1 +20 lines]|b")
	press(t, e, "backspace")
	check("a|b")
	press(t, e, "ctrl+-")
	check("a[paste #1 +20 lines]|b")
	if e.ExpandedText() != "a"+long+"b" {
		t.Fatal("undo lost the text")
	}
	press(t, e, "left delete")
	check("a|b")
	press(t, e, "ctrl+-")

	// Numbers follow the order; deleting the first renumbers the second.
	e.SetText("")
	e.HandlePaste(long)
	e.HandlePaste(strings.Repeat("x", 1001))
	check("[paste #1 +20 lines][paste #2 1001 chars]|")
	press(t, e, "home delete")
	check("|[paste #1 1001 chars]")
	if e.ExpandedText() != strings.Repeat("x", 1001) {
		t.Fatal("wrong text behind the marker")
	}
	press(t, e, "ctrl+-")
	check("|[paste #1 +20 lines][paste #2 1001 chars]")

	// Typed look-alikes are ordinary text.
	e.SetText("")
	e.HandlePaste(long)
	press(t, e, `"[paste #1 +20 lines]" backspace`)
	check("[paste #1 +20 lines][paste #1 +20 lines|")
	if e.ExpandedText() != long+"[paste #1 +20 lines" {
		t.Fatal("a look-alike was expanded")
	}
	e.SetText(e.Text())
	if e.ExpandedText() != "[paste #1 +20 lines][paste #1 +20 lines" {
		t.Fatal("SetText must forget pastes")
	}

	// Submitting expands, killing and yanking keeps.
	var sent string
	e = NewEditor(EditorOptions{OnSubmit: func(s string) { sent = s }})
	e.HandlePaste(long)
	press(t, e, `" end" ctrl+u ctrl+y enter`)
	if sent != long+" end" {
		t.Fatalf("sent %q", sent)
	}
	press(t, e, "ctrl+y enter")
	if sent != long+" end" {
		t.Fatal("the kill ring lost a paste")
	}
}

func TestPasteText(t *testing.T) {
	for _, c := range []struct{ before, paste, after string }{
		{"|", "a\r\nb\rc", "a\nb\nc|"},
		{"x|y", "one\ntwo", "xone\ntwo|y"},
		{"cat|", "/etc/hosts", "cat /etc/hosts|"},
		{"cat |", "/etc/hosts", "cat /etc/hosts|"},
		{"|", "\x1b[Ax\x03y", "[Axy|"},
		{"|", "90:62:3F", "90:62:3F|"},
		{"|", "a\x1b[106;5ub", "a\nb|"},
		{"|", "a\x1b[13;2ub", "a\nb|"},
		{"|", "a\tb", "a\tb|"},
		{"|", "end\n", "end\n|"},
		{"|", "a\xffb", "a\uFFFDb|"},
		{"|", "a\U00100000b", "a\uFFFDb|"},
	} {
		e := NewEditor(EditorOptions{})
		put(t, e, c.before)
		e.HandlePaste(c.paste)
		if got := withCaret(e); got != c.after {
			t.Errorf("%q into %q: %q, want %q", c.paste, c.before, got, c.after)
		}
		press(t, e, "ctrl+-")
		if got := withCaret(e); got != c.before {
			t.Errorf("%q: undo gives %q", c.paste, got)
		}
	}
}

func TestWrapLine(t *testing.T) {
	const lorem = "Lorem ipsum dolor sit amet,"
	label := func(rune) string { return "[paste #1 +2000 lines]" }
	mark := string(rune(markerFirst))
	for _, c := range []struct {
		s     string
		width int
		want  []string
	}{
		{"hello world test", 11, []string{"hello ", "world test"}},
		{"hello world test", 12, []string{"hello world ", "test"}},
		{"aaaaaaaaaaaa aaaa", 12, []string{"aaaaaaaaaaaa", " aaaa"}},
		{"      aaaaaaaaaaaa", 12, []string{"      ", "aaaaaaaaaaaa"}},
		{lorem + "    consectetur", 30, []string{"Lorem ipsum dolor sit ", "amet,    consectetur"}},
		{lorem + spaces(14) + "consectetur", 30, []string{"Lorem ipsum dolor sit ", "amet," + spaces(14) + "consectetur"}},
		{lorem + spaces(15) + "consectetur", 30, []string{"Lorem ipsum dolor sit ", "amet," + spaces(15), "consectetur"}},
		{lorem + spaces(25) + "consectetur", 30, []string{"Lorem ipsum dolor sit ", "amet," + spaces(25), "consectetur"}},
		{lorem + spaces(26) + "consectetur", 30, []string{"Lorem ipsum dolor sit ", "amet," + spaces(25), " consectetur"}},
		{lorem + spaces(37) + "consectetur", 30, []string{"Lorem ipsum dolor sit ", "amet," + spaces(25), spaces(12) + "consectetur"}},
		{"日本語テスト", 11, []string{"日本語テス", "ト"}},
		{"日本語テスト", 10, []string{"日本語テス", "ト"}},
		{"", 10, []string{""}},
		{"A" + mark + "B", 10, []string{"A", mark, "", "B"}},
		{mark + " hello world", 10, []string{mark, "", " hello ", "world"}},
	} {
		var got []string
		for _, k := range wrapLine(c.s, c.width, label) {
			got = append(got, c.s[k.start:k.end])
			if k.width > c.width {
				t.Errorf("%q at %d: a row is %d wide", c.s, c.width, k.width)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q at %d: %q, want %q", c.s, c.width, got, c.want)
		}
	}
}

func TestWrapLineIsLossless(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "b", " ", " ", "日", "✅", "é", "👨‍👩‍👧", "\t", "한", "。", string(rune(markerFirst)), "word", "1️⃣", "🇩🇪"}
	label := func(rune) string { return "[paste #1 +20 lines]" }
	for range 3000 {
		var b strings.Builder
		for range rng.IntN(60) {
			b.WriteString(alphabet[rng.IntN(len(alphabet))])
		}
		s := b.String()
		width := 1 + rng.IntN(40)
		at := 0
		for _, k := range wrapLine(s, width, label) {
			if k.start != at || k.end < k.start {
				t.Fatalf("%q at %d: gap at %d", s, width, at)
			}
			at = k.end
			if k.width > width && width >= tabWidth {
				t.Fatalf("%q at %d: a row is %d wide", s, width, k.width)
			}
		}
		if at != len(s) {
			t.Fatalf("%q at %d: ends at %d", s, width, at)
		}
	}
}

func TestEditorFrame(t *testing.T) {
	e := NewEditor(EditorOptions{})
	e.SetFocused(true)
	e.SetLabels("⠹ working 41s · esc to stop", "steering 1")
	press(t, e, `"also log it"`)
	got := bareLines(e.Render(62))
	if len(got) != 3 || !strings.HasPrefix(got[0], "╭─ ⠹ working 41s · esc to stop ──") || !strings.HasSuffix(got[0], "── steering 1 ─╮") ||
		!strings.HasPrefix(got[1], "│ also log it ") || !strings.HasSuffix(got[1], " │") || got[2] != "╰"+strings.Repeat("─", 60)+"╯" {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	for _, l := range got {
		if text.Width(l) != 62 {
			t.Errorf("%q is %d wide", l, text.Width(l))
		}
	}
	narrow := bareLines(e.Render(40))
	if !strings.HasPrefix(narrow[0], "─ ⠹ working") || narrow[2] != strings.Repeat("─", 40) || !strings.HasPrefix(narrow[1], "also log it") {
		t.Errorf("%s", strings.Join(narrow, "\n"))
	}
	if a, b := e.Render(40), e.Render(40); !sameSlice(a, b) {
		t.Error("unchanged editor must return the same slice")
	}
}

func TestEditorRows(t *testing.T) {
	e := NewEditor(EditorOptions{})
	e.SetFocused(true)
	rows := func(s string, width int) []string {
		e.SetText(s)
		out := e.Render(width)
		checkLines(t, s, out, width)
		return bareLines(out[1 : len(out)-1])
	}
	for _, c := range []struct {
		s     string
		width int
		rows  int
	}{
		{"Hello ✅ World", 20, 1}, {"✅✅✅✅✅✅", 10, 2}, {"Test ✅ OK 日本", 16, 1},
		{"0123456789✅", 11, 2}, {"123456789", 10, 1}, {"1234567890", 10, 2}, {"", 20, 1}, {"0123456789", 11, 1},
		{"https://example.com/a/very/long/path/that/goes/on", 30, 2},
	} {
		if got := rows(c.s, c.width); len(got) != c.rows {
			t.Errorf("%q at %d: %d rows %q", c.s, c.width, len(got), got)
		} else {
			for _, r := range got {
				if text.Width(r) != c.width {
					t.Errorf("%q at %d: row %q is %d wide", c.s, c.width, r, text.Width(r))
				}
			}
		}
	}
	for _, r := range rows("alpha beta gamma delta epsilon zeta", 20) {
		if strings.HasPrefix(r, " ") {
			t.Errorf("row begins with a blank: %q", r)
		}
	}
	// More than five lines scroll; what is hidden is said in the rules.
	e.SetText("1\n2\n3\n4\n5\n6\n7\n8\n9")
	out := bareLines(e.Render(40))
	if len(out) != 9 || !strings.Contains(out[0], " ↑ 2 more ") {
		t.Errorf("%q", out)
	}
	press(t, e, strings.Repeat("up ", 8))
	out = bareLines(e.Render(40))
	if !strings.Contains(out[len(out)-1], " ↓ 2 more ") || !strings.HasPrefix(out[1], "1") {
		t.Errorf("%q", out)
	}
}

func TestEditorCursorCell(t *testing.T) {
	e := NewEditor(EditorOptions{})
	e.SetFocused(true)
	e.SetText("你好")
	line := e.Render(80)[1]
	before, _, ok := strings.Cut(line, tui.CursorMarker)
	if !ok || text.Width(before) != 2+4 {
		t.Errorf("marker after %d columns: %q", text.Width(before), line)
	}
	e.SetFocused(false)
	if strings.Contains(strings.Join(e.Render(80), ""), tui.CursorMarker) {
		t.Error("marker without focus")
	}
}

func TestEditorClick(t *testing.T) {
	e := NewEditor(EditorOptions{})
	e.SetText("hello\n日本語")
	e.Render(80)
	if !e.Click(2, 2+3) || withCaret(e) != "hello\n日|本語" {
		t.Errorf("%q", withCaret(e))
	}
	if !e.Click(1, 70) || withCaret(e) != "hello|\n日本語" {
		t.Errorf("%q", withCaret(e))
	}
	if e.Click(0, 3) || e.Click(3, 3) {
		t.Error("the border is not text")
	}
}

func TestStickyColumnOverResizes(t *testing.T) {
	e := NewEditor(EditorOptions{})
	put(t, e, "12345678901234567890\n\n123456789012345|67890")
	e.Render(50)
	press(t, e, "up up")
	e.Render(12)
	press(t, e, "down down")
	// Where the wish had been fulfilled, the new width's column counts.
	if l, _ := e.Caret(); l != 1 && l != 2 {
		t.Fatalf("line %d", l)
	}
	put(t, e, "12345678901234567890\n\n123456789012345|67890")
	e.Render(50)
	press(t, e, "up")
	e.Render(10)
	press(t, e, "down")
	if _, c := e.Caret(); c != 8 {
		t.Errorf("clamped to the row's last cell: %d", c)
	}
	e.Render(50)
	press(t, e, "up up")
	if l, c := e.Caret(); l != 0 || c != 15 {
		t.Errorf("%d %d", l, c)
	}
}

// TestEditorInvariants types at random and compares with what must hold.
func TestEditorInvariants(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	keys := []string{"left", "right", "up", "down", "home", "end", "ctrl+left", "ctrl+right", "backspace", "delete", "ctrl+w", "alt+d",
		"ctrl+u", "ctrl+k", "ctrl+y", "alt+y", "ctrl+-", "shift+enter", "pageUp", "pageDown", `"a"`, `"日"`, `" "`, `"é"`, `"👨‍👩‍👧"`, `"!"`, `"some words to fill a row "`, `"a much longer run of words, so that a line has many rows "`}
	for round := range 60 {
		e := NewEditor(EditorOptions{})
		e.SetFocused(true)
		e.AddToHistory("old\nentry 日本")
		for step := range 150 {
			if rng.IntN(40) == 0 {
				e.HandlePaste(strings.Repeat("x\n", 5+rng.IntN(20)))
			}
			k := keys[rng.IntN(len(keys))]
			press(t, e, k)
			b := &e.buf
			if b.at.line >= len(b.lines) || b.at.col > len(b.lines[b.at.line]) || len(b.lines) != len(b.wraps) {
				t.Fatalf("round %d step %d %s: caret %v", round, step, k, b.at)
			}
			if !utf8.ValidString(e.Text()) || b.at.col < len(b.lines[b.at.line]) && !utf8.RuneStart(b.lines[b.at.line][b.at.col]) {
				t.Fatalf("round %d step %d %s: a rune was cut", round, step, k)
			}
			width := 1 + rng.IntN(100)
			if step%3 != 0 {
				width = 12 // keep the wraps of the step before
			}
			out := e.Render(width)
			for i, l := range b.lines {
				if fresh := wrapLine(l, b.wrapWidth, e.pastes.label); !slices.Equal(e.rowsOf(i), fresh) {
					t.Fatalf("round %d step %d %s: rows of %q are %v, want %v", round, step, k, l, e.rowsOf(i), fresh)
				}
			}
			checkLines(t, k, out, width)
			if n := strings.Count(strings.Join(out, ""), tui.CursorMarker); n != 1 {
				t.Fatalf("round %d step %d %s: %d cursor markers at width %d: %q", round, step, k, n, width, out)
			}
		}
		for range 400 {
			press(t, e, "ctrl+-")
		}
		if !e.IsEmpty() {
			t.Fatalf("round %d: undo ends at %q", round, e.Text())
		}
	}
}

func BenchmarkEditorTypeInMiB(b *testing.B) {
	e := NewEditor(EditorOptions{})
	e.SetFocused(true)
	e.SetText(strings.Repeat("some words on a line of usual length, with more to come\n", 1<<20/56))
	e.Render(100)
	ev := key.Event{ID: "a", Text: "a"}
	for b.Loop() {
		e.HandleKey(ev)
		e.Render(100)
		if len(e.buf.lines[e.buf.at.line]) > 200 {
			e.HandleKey(key.Event{ID: "shift+enter"})
		}
	}
}

func BenchmarkEditorTypeInLongLine(b *testing.B) {
	e := NewEditor(EditorOptions{})
	e.SetFocused(true)
	e.SetText(strings.Repeat("some words 日本 ", 1<<20/18))
	e.Render(100)
	for b.Loop() {
		e.HandleKey(key.Event{ID: "a", Text: "a"})
		e.Render(100)
	}
}

func BenchmarkEditorSetMiB(b *testing.B) {
	s := strings.Repeat("some words on a line of usual length, with more to come\n", 1<<20/56)
	for b.Loop() {
		e := NewEditor(EditorOptions{})
		e.SetText(s)
		e.Render(100)
	}
}

func BenchmarkEditorPasteMiB(b *testing.B) {
	s := strings.Repeat("日本語 and words\n", 1<<20/20)
	for b.Loop() {
		e := NewEditor(EditorOptions{})
		e.HandlePaste(s)
		e.Render(100)
	}
}
