package components

import (
	"strings"
	"testing"
)

// scripted answers at once from a function, or holds the answers back.
type scripted struct {
	f     func(r CompletionRequest) *Suggestions
	hold  bool
	calls int
	held  []func()
}

func (s *scripted) Complete(r CompletionRequest, done func(*Suggestions)) func() {
	s.calls++
	out := s.f(r)
	if s.hold {
		s.held = append(s.held, func() { done(out) })
		return func() {}
	}
	done(out)
	return nil
}

func words(prefix string, values ...string) *Suggestions {
	s := &Suggestions{Prefix: prefix}
	for _, v := range values {
		s.Items = append(s.Items, Completion{Value: v})
	}
	return s
}

// matching offers the values that begin with the last word.
func matching(values ...string) func(r CompletionRequest) *Suggestions {
	return func(r CompletionRequest) *Suggestions {
		b := r.Before()
		word := b[strings.LastIndexAny(b, " ")+1:]
		s := &Suggestions{Prefix: word}
		for _, v := range values {
			if strings.HasPrefix(v, word) {
				s.Items = append(s.Items, Completion{Value: v})
			}
		}
		return s
	}
}

func commands(r CompletionRequest) *Suggestions {
	b := r.Before()
	if name, arg, ok := strings.Cut(b, " "); ok {
		switch name {
		case "/argtest":
			return words(arg, "one", "two", "three", "twelve")
		case "/model":
			return words(arg, "gpt-4o", "gpt-4o-mini")
		}
		return nil
	}
	s := &Suggestions{Prefix: b}
	for _, c := range []string{"model", "help", "argtest"} {
		if strings.HasPrefix("/"+c, b) {
			s.Items = append(s.Items, Completion{Value: c, Insert: "/" + c + " ", Command: true})
		}
	}
	return s
}

func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		name   string
		f      func(r CompletionRequest) *Suggestions
		before string
		keys   string
		after  string
		open   bool
	}{
		{"one forced result is applied", matching("Workspace/"), "Work|", "tab", "Workspace/|", false},
		{"and undone", matching("Workspace/"), "Work|", "tab ctrl+-", "Work|", false},
		{"two forced results", matching("src/", "src.txt"), "s|", "tab", "s|", true},
		{"tab takes the first", matching("src/", "src.txt"), "s|", "tab tab", "src/|", false},
		{"forced menu narrows", matching("readme.md", "package.json"), "|", `tab "re" tab`, "readme.md|", false},
		{"slash opens", commands, "|", `"/"`, "/|", true},
		{"backspace closes", commands, "|", `"/" backspace`, "|", false},
		{"slash not in the middle", commands, "a |", `"/"`, "a /|", false},
		{"blanks before the slash", func(r CompletionRequest) *Suggestions { return words("/", "x", "y") }, "  |", `"/"`, "  /|", true},
		{"exact argument", commands, "/argtest |", `"two" enter`, "/argtest two|", false},
		{"first with the typed prefix", commands, "/argtest |", `"t" enter`, "/argtest two|", false},
		{"longer prefix", commands, "/argtest |", `"tw" enter`, "/argtest two|", false},
		{"exact keeps", commands, "/model |", `"gpt-4o-mini" enter`, "/model gpt-4o-mini|", false},
		{"tab on a name", commands, "|", `"/mod" tab`, "/model |", false},
		{"no argument menu", commands, "|", `"/hel" tab`, "/help |", false},
		{"arrowing out closes", commands, "|", `"/" left`, "|/", false},
		{"enter on a path does not submit", matching("/tmp/file", "/tmp/fig"), "look at /tmp/fi|", "tab enter", "look at /tmp/file|", false},
		{"enter on a command submits", commands, "|", `"/hel" enter`, "|", false},
		{"down wraps", matching("aa", "ab"), "a|", "tab down down tab", "aa|", false},
		{"up wraps", matching("aa", "ab"), "a|", "tab up tab", "ab|", false},
		{"escape closes", matching("aa", "ab"), "a|", "tab escape", "a|", false},
		{"accepted is undone at once", matching("aa", "ab"), "a|", "tab tab ctrl+-", "a|", false},
		{"typing on narrows to none", matching("@aa", "@ab"), "|", `"@az"`, "@az|", false},
		{"at opens", matching("@aa", "@ab"), "see |", `"@"`, "see @|", true},
		{"at in a bracket", func(r CompletionRequest) *Suggestions { return words("@s", "@src") }, "(|", `"@s"`, "(@s|", true},
		{"no at inside a word", matching("a@b"), "a|", `"@"`, "a@|", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := NewEditor(EditorOptions{Completer: &scripted{f: c.f}})
			put(t, e, c.before)
			press(t, e, c.keys)
			if got := withCaret(e); got != c.after || e.MenuOpen() != c.open {
				t.Errorf("got %q open %v, want %q open %v", got, e.MenuOpen(), c.after, c.open)
			}
		})
	}
}

func TestCompletionSubmitsCommand(t *testing.T) {
	var sent string
	e := NewEditor(EditorOptions{Completer: &scripted{f: commands}, OnSubmit: func(s string) { sent = s }})
	press(t, e, `"/hel" enter`)
	if sent != "/help" {
		t.Errorf("%q", sent)
	}
}

func TestLateAnswersAreDropped(t *testing.T) {
	s := &scripted{f: matching("src", "sub"), hold: true}
	e := NewEditor(EditorOptions{Completer: s})
	put(t, e, "s|")
	press(t, e, `tab "x"`)
	for _, f := range s.held {
		f()
	}
	if e.MenuOpen() {
		t.Error("an answer to an old question opened the menu")
	}
	put(t, e, "s|")
	s.held = nil
	press(t, e, "tab")
	s.held[0]()
	if !e.MenuOpen() {
		t.Error("no menu")
	}
	e.SetText("other")
	s.held[0]()
	if e.MenuOpen() {
		t.Error("answered twice")
	}
}

func TestFileCompletionWaits(t *testing.T) {
	tick := &fakeTicker{}
	s := &scripted{f: matching("@src", "@sub")}
	e := NewEditor(EditorOptions{Completer: s, Ticker: tick})
	press(t, e, `"@s"`)
	if s.calls != 0 || tick.pending() != 1 {
		t.Fatalf("%d calls, %d timers", s.calls, tick.pending())
	}
	tick.fire()
	if s.calls != 1 || !e.MenuOpen() || tick.pending() != 0 {
		t.Fatalf("%d calls, open %v", s.calls, e.MenuOpen())
	}
	// Old suggestions stay until the new ones are there.
	press(t, e, `"u"`)
	if !e.MenuOpen() {
		t.Error("the menu flickers")
	}
	tick.fire()
	press(t, e, "tab")
	if e.Text() != "@sub" {
		t.Errorf("%q", e.Text())
	}
}

func TestPasteStartsNoCompletion(t *testing.T) {
	s := &scripted{f: matching("@src")}
	e := NewEditor(EditorOptions{Completer: s})
	e.HandlePaste("@src")
	e.HandlePaste("/")
	if s.calls != 0 || e.MenuOpen() {
		t.Error("completion asked for")
	}
}

func TestMenuLines(t *testing.T) {
	e := NewEditor(EditorOptions{Completer: &scripted{f: func(CompletionRequest) *Suggestions {
		s := words("")
		for i := range 9 {
			s.Items = append(s.Items, Completion{Value: strings.Repeat("x", i+1), Description: "says\nwhat"})
		}
		return s
	}}})
	press(t, e, "tab down")
	out := bareLines(e.Menu(80))
	if len(out) != 6 || out[1] != "→ xx          says what" || !strings.HasPrefix(out[5], "  (2/9)") {
		t.Errorf("%q", out)
	}
	for w := 1; w < 90; w++ {
		checkLines(t, "menu", e.Menu(w), w)
	}
	if !sameSlice(e.Menu(80), e.Menu(80)) {
		t.Error("menu is built anew")
	}
	e.MenuClick(2)
	if e.Text() != "xxx" {
		t.Errorf("%q", e.Text())
	}
}
