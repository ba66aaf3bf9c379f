package components

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"tau/tui"
	"tau/tui/term"
	"tau/tui/termtest"
	"tau/tui/text"
	"tau/tui/vt"
)

// onScreen draws components on a terminal and looks at it.
func onScreen(t *testing.T, w, h int, setup func(u *tui.UI), look func(u *tui.UI, dev *termtest.Device, do func(func()))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		dev := termtest.New(w, h)
		u := tui.New(term.New(dev, term.Options{Getenv: func(string) string { return "" }}), tui.Options{})
		setup(u)
		done := make(chan error)
		go func() { done <- u.Run(context.Background()) }()
		settle := func() { synctest.Wait(); time.Sleep(200 * time.Millisecond); synctest.Wait() }
		settle()
		look(u, dev, func(f func()) { u.Post(f); u.RequestRender(); settle() })
		u.Post(func() { u.Quit(nil) })
		<-done
	})
}

func cursorOf(dev *termtest.Device) (row, col int) {
	dev.Screen(func(v *vt.Terminal) { row, col = v.Cursor() })
	return row, col
}

// TestCases holds the inputs that broke such programs before, by their ids, as
// far as components see them.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		id, name string
		run      func(t *testing.T)
	}{
		{"C-01", "width of clusters in wrapping, cutting and the editor", caseWidths},
		{"C-02", "wide character at the wrap edge", caseWrapEdge},
		{"C-03", "long text without spaces", caseNoSpaces},
		{"C-04", "tabs", caseTabs},
		{"C-05", "control sequences in pieces", caseSequences},
		{"C-06", "progress bars", caseProgress},
		{"C-07", "a line of 10 MB", caseLongLine},
		{"C-08", "links and colours across cuts", caseLinks},
		{"C-09", "tables wider than the screen", caseTables},
		{"C-10", "Markdown next to CJK punctuation", casePunctuation},
		{"C-11", "hostile Markdown", caseHostile},
		{"C-13", "a block that grows", caseGrowing},
		{"C-17", "large pastes", casePaste},
		{"C-21", "input methods", caseInputMethod},
		{"C-22", "editing by cluster", caseClusters},
	} {
		t.Run(c.id+" "+c.name, c.run)
	}
}

func caseWidths(t *testing.T) {
	b, err := os.ReadFile("../tui/text/testdata/strings.json")
	if err != nil {
		t.Fatal(err)
	}
	var data struct {
		Cases []struct {
			Text  string
			Width int
		}
	}
	if err := json.Unmarshal(b, &data); err != nil || len(data.Cases) < 20 {
		t.Fatal(err, len(data.Cases))
	}
	for _, c := range data.Cases {
		if got := text.Width(text.Slice(c.Text, 0, 1000)); got != c.Width {
			t.Errorf("%q cut: %d, want %d", c.Text, got, c.Width)
		}
		sum := 0
		for _, l := range text.Wrap(c.Text, 1000) {
			sum += text.Width(l)
		}
		if sum != c.Width && strings.TrimSpace(c.Text) == c.Text && !strings.ContainsAny(c.Text, "\n\r") {
			t.Errorf("%q wrapped: %d, want %d", c.Text, sum, c.Width)
		}
	}
}

func caseWrapEdge(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  string
	}{
		{"ab日本", 1, "a|b|…|…"}, {"ab日本", 2, "ab|日|本"}, {"ab日本", 3, "ab|日|本"}, {"ab日本", 4, "ab日|本"},
		{"👨‍👩‍👧", 1, "…"}, {"👨‍👩‍👧", 2, "👨‍👩‍👧"},
	} {
		for name, lines := range map[string][]string{"text": NewText(c.s, 0, 0).Render(c.width), "wrap": text.Wrap(c.s, c.width)} {
			for i, l := range lines {
				lines[i] = strings.TrimRight(l, " ")
			}
			if got := strings.Join(lines, "|"); got != c.want {
				t.Errorf("%s %q at %d: %q, want %q", name, c.s, c.width, got, c.want)
			}
		}
	}
}

func caseNoSpaces(t *testing.T) {
	for _, s := range []string{strings.Repeat("漢", 200), "abc" + strings.Repeat("漢", 200)} {
		for name, lines := range map[string][]string{"text": NewText(s, 0, 0).Render(40), "markdown": markdown(t, s, 40)} {
			all := ""
			for i, l := range lines {
				l = strings.TrimRight(text.StripSequences(l), " ")
				all += l
				if w := text.Width(l); w > 40 || w < 39 && i < len(lines)-1 {
					t.Errorf("%s: line %d is %d wide", name, i, w)
				}
			}
			if all != s {
				t.Errorf("%s: text is lost", name)
			}
		}
	}
}

func caseTabs(t *testing.T) {
	diff := NewDiff(DiffOptions{})
	diff.SetTexts("x\n", "\t\tx\n")
	ed := NewEditor(EditorOptions{})
	ed.SetFocused(true)
	ed.HandlePaste("a\tb\tc")
	for _, w := range []int{5, 20, 80} {
		checkLines(t, "text", NewText("a\tb\tc", 0, 0).Render(w), w)
		checkLines(t, "diff", diff.Render(w), w)
		checkLines(t, "editor", ed.Render(w), w)
	}
	if got := strings.TrimRight(NewText("a\tb\tc", 0, 0).Render(20)[0], " "); text.Width(got) != 3+2*text.TabWidth {
		t.Errorf("%q", got)
	}
	onScreen(t, 30, 8, func(u *tui.UI) { u.SetRoot(tui.NewVStack(tui.Fixed(ed))); u.Focus(ed) }, func(u *tui.UI, dev *termtest.Device, _ func(func())) {
		row, col := cursorOf(dev)
		line := strings.Split(dev.String(), "\n")[row]
		if i := strings.Index(line, "c"); i < 0 || text.Width(line[:i])+1 != col {
			t.Errorf("the cursor is in column %d of %q", col, line)
		}
	})
}

func caseSequences(t *testing.T) {
	const s = "A\x1b[2J\x1b[10;10HB\x1b[31mC\x1b[0m\x1b]0;title\aD\x1b[?1049hE\x1b[<35;59;1MF"
	for cut := range len(s) {
		var z text.Sanitizer
		got := z.Append(nil, s[:cut])
		got = z.Append(got, s[cut:])
		if got := text.StripSequences(string(z.Flush(got))); got != "ABCDEF" {
			t.Fatalf("cut at %d: %q", cut, got)
		}
	}
	onScreen(t, 20, 4, func(u *tui.UI) { u.SetRoot(NewText(s, 0, 0)) }, func(u *tui.UI, dev *termtest.Device, _ func(func())) {
		if dev.String() != "ABCDEF" {
			t.Errorf("%q", dev.String())
		}
		dev.Screen(func(v *vt.Terminal) {
			if v.Title() != "" || v.Stats().Sequences["ED2"] != 1 { // that of the start
				t.Errorf("title %q, %+v", v.Title(), v.Stats())
			}
		})
	})
}

func caseProgress(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "get %d%%\r", i/50)
	}
	b.WriteString("get 100%\ndone\n")
	for _, s := range []string{"get 10%\rget 55%\rget 100%\ndone\n", "get 10%\rget 100%\r\ndone\r\n", b.String()} {
		if got := text.Sanitize(text.CollapseCR(s)); got != "get 100%\ndone\n" {
			t.Errorf("%.40q", got)
		}
	}
}

func caseLongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	line := strings.Repeat("0123456789", 1<<20)
	diff := NewDiff(DiffOptions{})
	diff.SetTexts("x\n", line+"\n")
	for name, c := range map[string]tui.Component{"text": NewText(line, 0, 0), "truncated": NewTruncatedText(line, 0, 0), "diff": diff} {
		for _, w := range []int{80, 40, 120} {
			start := time.Now()
			if got := c.Render(w); len(got) == 0 {
				t.Errorf("%s: nothing", name)
			}
			// Linear is a few tenths of a second, even with the race detector
			// a few seconds; quadratic would be hours.
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("%s at %d: %v", name, w, d)
			}
		}
	}
}

func caseLinks(t *testing.T) {
	const link = "\x1b]8;;https://example.test/\x07\x1b[31ma long red label of a link\x1b[39m\x1b]8;;\x07"
	cut := text.Truncate(link, 10, "…")
	if i := strings.Index(cut, "…"); text.Close(cut[:i]) != "" || text.Width(cut) != 10 {
		t.Errorf("%q", cut)
	}
	lines := text.Wrap(link, 14)
	if len(lines) != 3 || !strings.Contains(lines[1], "https://example.test/") || strings.Contains(text.Close(lines[0]), "]8") {
		t.Errorf("%q", lines)
	}
	if got := text.Wrap("aaaaa bbb", 5); len(got) != 2 || got[1] != "bbb" {
		t.Errorf("%q", got)
	}
	m := NewMarkdown(MarkdownOptions{Style: styled(), Hyperlinks: true})
	m.SetText("| a | b |\n|---|---|\n| [a long label of a link](https://example.test/) | x |\n")
	linked := 0
	for _, l := range m.Render(24) {
		plain := text.StripSequences(l)
		for col := range text.Width(plain) {
			_, on := text.LinkAt(l, col)
			cell := text.StripSequences(text.Slice(plain, col, 1))
			if on && (cell == "│" || cell == "─") {
				t.Errorf("a border is in the link: %q", l)
			}
			if on {
				linked++
			}
		}
	}
	if linked == 0 {
		t.Error("no link")
	}
}

func caseTables(t *testing.T) {
	src := "| 名前 | 🇩🇰 | ✅ | long |\n|---|---|---|---|\n| 漢字 | 🇩🇪 | ✅ | " + strings.Repeat("word ", 60) + "|\n| x | y | z | 한국 |\n"
	for _, w := range []int{120, 40, 12, 4} {
		lines := markdown(t, src, w) // checks the widths
		if len(lines) == 0 {
			t.Errorf("nothing at %d", w)
		}
		borders := map[int]int{}
		for _, l := range lines {
			p := text.StripSequences(l)
			if strings.HasPrefix(p, "┌") || strings.HasPrefix(p, "├") || strings.HasPrefix(p, "└") || strings.HasPrefix(p, "│") {
				borders[text.Width(strings.TrimRight(p, " "))]++
			}
		}
		if len(borders) > 1 {
			t.Errorf("at %d lines end at different columns: %v\n%s", w, borders, strings.Join(lines, "\n"))
		}
		if w >= 40 && len(borders) != 1 {
			t.Errorf("at %d: no table\n%s", w, strings.Join(lines, "\n"))
		}
	}
}

func casePunctuation(t *testing.T) {
	for _, c := range []struct{ src, plain, bold, link string }{
		{"**重要：**請看", "重要：請看", "重要：", ""},
		{"**「引用」**です", "「引用」です", "「引用」", ""},
		{"see https://example.test/a，然後", "see https://example.test/a，然後", "", "https://example.test/a"},
		{"https://example.test/b。", "https://example.test/b。", "", "https://example.test/b"},
	} {
		m := NewMarkdown(MarkdownOptions{Style: styled(), Hyperlinks: true})
		m.SetText(c.src)
		l := m.Render(80)[0]
		if got := strings.TrimRight(text.StripSequences(l), " "); got != c.plain {
			t.Errorf("%q: %q", c.src, got)
		}
		if c.bold != "" && !strings.Contains(l, "\x1b[1m"+c.bold) {
			t.Errorf("%q: not bold: %q", c.src, l)
		}
		if c.link != "" {
			if url, ok := text.LinkAt(l, text.Width(c.plain[:strings.Index(c.plain, "https")])); !ok || url != c.link {
				t.Errorf("%q: link %q", c.src, url)
			}
		}
	}
}

func caseHostile(t *testing.T) {
	table := "\n\n| a | b |\n|---|---|\n| c | d |\n"
	for name, src := range map[string]string{
		"quotes": strings.Repeat(">", 200) + " x", "brackets": strings.Repeat("[", 5000),
		"prose": "```\nThis isn't code, it's prose\n```", "unknown": "```nosuch\nx = 1\n```", "dollars": "$$",
	} {
		// The best of three: the machine may be busy.
		best := time.Hour
		for range 3 {
			start := time.Now()
			lines := markdown(t, src+table, 80)
			best = min(best, time.Since(start))
			if name != "quotes" && !strings.Contains(strings.Join(lines, "\n"), "│ c") {
				t.Errorf("%s: the table behind it is not drawn\n%s", name, strings.Join(lines, "\n"))
			}
		}
		if best > 100*time.Millisecond {
			t.Errorf("%s: %v", name, best)
		}
	}
	m := NewMarkdown(MarkdownOptions{})
	m.Append("```\ncode\n")
	height := len(m.Render(80))
	for _, piece := range []string{"`", "`", "`", "`", "\n"} {
		m.Append(piece)
		if h := len(m.Render(80)); h < height || h > height+1 {
			t.Errorf("the height jumps from %d to %d", height, h)
		}
	}
}

func caseGrowing(t *testing.T) {
	// Ten times the text may take ten times as long, not a hundred times.
	took := func(n int) time.Duration {
		m := NewMarkdown(MarkdownOptions{})
		m.Append("```cpp\n")
		start := time.Now()
		for i := range n {
			m.Append(fmt.Sprintf("auto x%d = 1'000'000;\n", i))
			h := m.Height(80)
			m.RenderRange(80, max(0, h-40), h)
		}
		return time.Since(start)
	}
	took(200)
	if a, b := took(500), took(5000); b > 60*a+200*time.Millisecond {
		t.Errorf("500 pieces took %v, 5000 took %v", a, b)
	}
}

func casePaste(t *testing.T) {
	long := strings.TrimSuffix(strings.Repeat("pasted line\n", 500), "\n")
	other := strings.TrimSuffix(strings.Repeat("other\n", 40), "\n")
	ed := NewEditor(EditorOptions{})
	put(t, ed, "before [paste #1 +500 lines] |after")
	ed.HandlePaste(long)
	ed.HandlePaste(other)
	if strings.Contains(ed.Text(), "pasted line") {
		t.Error("the paste is shown whole")
	}
	want := "before [paste #1 +500 lines] " + long + other + "after"
	if got := ed.ExpandedText(); got != want {
		t.Errorf("%d bytes, want %d: %.80q", len(got), len(want), got)
	}
	before := ed.Text()
	press(t, ed, "backspace")
	if got := ed.ExpandedText(); got != "before [paste #1 +500 lines] "+long+"after" {
		t.Errorf("backspace leaves %.80q", got)
	}
	press(t, ed, "ctrl+-")
	if ed.Text() != before || ed.ExpandedText() != want {
		t.Errorf("undo gives %q", ed.Text())
	}
	press(t, ed, "left")
	if l, c := ed.Caret(); l != 0 || !strings.HasPrefix(ed.Lines()[0][c:], "[paste #") {
		t.Errorf("left goes into a marker: %d in %q", c, ed.Lines()[0])
	}
}

func caseInputMethod(t *testing.T) {
	ed := NewEditor(EditorOptions{})
	in := NewInput(InputOptions{Prompt: "/ "})
	log := NewText("x", 0, 0)
	onScreen(t, 40, 12, func(u *tui.UI) {
		u.SetRoot(tui.NewVStack(tui.Fill(tui.NewScrollView(u, log)), tui.Fixed(in), tui.Fixed(ed)))
	}, func(u *tui.UI, dev *termtest.Device, do func(func())) {
		caret := func(what, before string) {
			t.Helper()
			row, col := cursorOf(dev)
			line := strings.Split(dev.String(), "\n")[row]
			i := strings.Index(line, before)
			if i < 0 || text.Width(line[:i+len(before)]) != col {
				t.Errorf("%s: the cursor is in column %d of %q", what, col, line)
			}
			dev.Screen(func(v *vt.Terminal) {
				if !v.Modes().CursorVisible {
					t.Errorf("%s: the cursor is hidden", what)
				}
			})
		}
		do(func() { u.Focus(ed); ed.Insert("你好") })
		caret("prompt", "你好")
		for i := range 20 {
			do(func() { log.SetText(strings.Repeat("words ", i)) })
			caret("streaming", "你好")
		}
		var o *tui.Overlay
		do(func() {
			o = u.ShowOverlay(NewSelectList([]Item{{Value: "a"}, {Value: "b"}}, SelectListOptions{}), tui.OverlayOptions{Above: ed, NonCapturing: true})
		})
		caret("menu", "你好")
		do(func() { o.Hide(); u.Focus(in); in.SetValue("你好") })
		caret("filter", "你好")
	})
}

func caseClusters(t *testing.T) {
	const s = "a👨‍👩‍👧é日"
	for _, c := range []struct {
		key, from string
		want      []string
	}{
		{"left", s + "|", []string{"a👨‍👩‍👧é|日", "a👨‍👩‍👧|é日", "a|👨‍👩‍👧é日", "|a👨‍👩‍👧é日"}},
		{"backspace", s + "|", []string{"a👨‍👩‍👧é|", "a👨‍👩‍👧|", "a|", "|"}},
		{"delete", "|" + s, []string{"|👨‍👩‍👧é日", "|é日", "|日", "|"}},
	} {
		ed := NewEditor(EditorOptions{})
		put(t, ed, c.from)
		for _, want := range c.want {
			press(t, ed, c.key)
			if got := withCaret(ed); got != want || !utf8.ValidString(got) {
				t.Errorf("%s: %q, want %q", c.key, got, want)
			}
		}
	}
}
