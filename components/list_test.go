package components

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tau/tui"
)

func TestFuzzyMatch(t *testing.T) {
	for _, c := range []struct {
		query, text string
		ok          bool
	}{
		{"", "anything", true}, {"longer than text", "short", false}, {"test", "test", true}, {"abc", "aXbXc", true}, {"abc", "cba", false},
		{"ABC", "abc", true}, {"abc", "ABC", true}, {"codex52", "gpt-5.2-codex", true}, {"52codex", "codex-5.2", true}, {"日本", "a日x本", true},
		{"src ed", "components/editor/src", true},
	} {
		if _, ok := FuzzyMatch(c.query, c.text); ok != c.ok {
			t.Errorf("%q in %q: %v", c.query, c.text, ok)
		}
	}
	if s, _ := FuzzyMatch("", "x"); s != 0 {
		t.Error(s)
	}
	if s, _ := FuzzyMatch("test", "test"); s >= 0 {
		t.Error(s)
	}
	for _, c := range []struct{ query, better, worse string }{
		{"foo", "foobar", "f_o_o_bar"}, {"fb", "foo-bar", "afbx"}, {"app", "app", "application"}, {"app", "application", "a_p_p"},
		{"edit", "editor.go", "credits.go"},
	} {
		a, _ := FuzzyMatch(c.query, c.better)
		b, _ := FuzzyMatch(c.query, c.worse)
		if a >= b {
			t.Errorf("%q: %s (%v) is not better than %s (%v)", c.query, c.better, a, c.worse, b)
		}
	}
}

func TestFuzzyFilter(t *testing.T) {
	for _, c := range []struct {
		query    string
		in, want []string
	}{
		{"", []string{"b", "a"}, []string{"b", "a"}},
		{"an", []string{"apple", "banana", "cherry"}, []string{"banana"}},
		{"app", []string{"a_p_p", "application", "app"}, []string{"app", "application", "a_p_p"}},
		{"foo", []string{"bar", "foobar", "foo"}, []string{"foo", "foobar"}},
		{"x/a", []string{"ax", "a", "x"}, []string{"ax"}},
	} {
		var got []string
		for _, i := range Fuzzy(c.query, len(c.in), func(i int) string { return c.in[i] }) {
			got = append(got, c.in[i])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q", c.query, got)
		}
	}
}

func TestSelectListColumns(t *testing.T) {
	at := func(line, s string) int { return len([]rune(line[:strings.Index(line, s)])) }
	items := []Item{{Value: "a", Description: "first\nline"}, {Value: "bbbb", Description: "second"}}
	l := NewSelectList(items, SelectListOptions{MinLabel: 12, MaxLabel: 20})
	out := l.Render(80)
	if !strings.Contains(out[0], "first line") || at(out[0], "first") != 14 || at(out[1], "second") != 14 {
		t.Errorf("%q", out)
	}
	l = NewSelectList(append(items, Item{Value: strings.Repeat("x", 30), Description: "third"}), SelectListOptions{MinLabel: 12, MaxLabel: 20})
	out = l.Render(80)
	if at(out[2], "third") != 22 || at(out[0], "first") != 22 || !strings.Contains(out[2], "…") {
		t.Errorf("%q", out)
	}
	if out = l.Render(40); strings.Contains(out[0], "first") {
		t.Errorf("descriptions need room: %q", out)
	}
}

func TestSelectListKeys(t *testing.T) {
	var items []Item
	for i := range 30 {
		items = append(items, Item{Value: fmt.Sprint("item ", i)})
	}
	var chosen, moved string
	cancelled := false
	l := NewSelectList(items, SelectListOptions{MaxVisible: 5, OnSelect: func(i Item) { chosen = i.Value }, OnChange: func(i Item) { moved = i.Value },
		OnCancel: func() { cancelled = true }})
	for _, c := range []struct{ keys, want string }{
		{"down", "item 1"}, {"up up", "item 29"}, {"down", "item 0"}, {"pageUp", "item 0"}, {"pageDown pageDown", "item 10"},
		{"pageDown pageDown pageDown pageDown pageDown", "item 29"}, {"enter", "item 29"},
	} {
		press(t, l, c.keys)
		if it, _ := l.Selected(); it.Value != c.want || moved != c.want && c.keys != "enter" && c.keys != "pageUp" {
			t.Errorf("%s: %q, told %q", c.keys, it.Value, moved)
		}
	}
	out := l.Render(60)
	if chosen != "item 29" || len(out) != 6 || out[5] != "  (30/30)" || out[4] != "→ item 29" {
		t.Errorf("%q %q", chosen, out)
	}
	if !l.Press(0) || chosen != "item 29" {
		t.Error("a press selects only")
	}
	if !l.Click(0) || chosen != "item 25" {
		t.Errorf("click chose %q", chosen)
	}
	l.SetFilter("7")
	if it, _ := l.Selected(); l.Len() != 3 || it.Value != "item 7" {
		t.Errorf("%d %v", l.Len(), it)
	}
	l.SetFilter("zzz")
	press(t, l, "down enter up pageDown")
	if out := l.Render(40); len(out) != 1 || out[0] != "  No matches" {
		t.Errorf("%q", out)
	}
	press(t, l, "escape")
	if !cancelled || !sameSlice(l.Render(40), l.Render(40)) {
		t.Error("cancel or identity")
	}
}

func TestSettingsList(t *testing.T) {
	var got []string
	var finish func(string, bool)
	l := NewSettingsList([]Setting{
		{ID: "a", Label: "Auto compact", Value: "on", Values: []string{"on", "off"}, Description: "what it does"},
		{ID: "theme", Label: "Theme", Value: "dark", Submenu: func(_ string, done func(string, bool)) tui.Component {
			finish = done
			return NewText("choose", 0, 0)
		}},
	}, SettingsListOptions{Search: true, OnChange: func(id, v string) { got = append(got, id+"="+v) }})
	press(t, l, `enter " "`)
	if !slices.Equal(got, []string{"a=off", "a=on"}) {
		t.Errorf("%q", got)
	}
	press(t, l, `"the" enter`)
	if out := l.Render(40); !slices.Equal(out, []string{"choose"}) {
		t.Errorf("%q", out)
	}
	finish("light", true)
	if got[len(got)-1] != "theme=light" || !strings.Contains(strings.Join(l.Render(40), "\n"), "light") {
		t.Errorf("%q", got)
	}
	press(t, l, `backspace backspace backspace`)
	if out := strings.Join(l.Render(60), "\n"); !strings.Contains(out, "→ Auto compact  on") || !strings.Contains(out, "  what it does") {
		t.Error(out)
	}
}

func BenchmarkFuzzy10000(b *testing.B) {
	paths := make([]string, 10_000)
	for i := range paths {
		paths[i] = fmt.Sprintf("internal/package%d/server/http_handler_%d.go", i%100, i)
	}
	for b.Loop() {
		Fuzzy("pkg httphand", len(paths), func(i int) string { return paths[i] })
	}
}
