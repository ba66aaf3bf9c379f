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

// Enter and Tab that come before the answer do not take what was for an older
// text, and are not lost to it.
func TestKeysBeforeTheAnswer(t *testing.T) {
	var sent string
	s := &scripted{f: commands}
	e := NewEditor(EditorOptions{Completer: s, OnSubmit: func(s string) { sent = s }})
	press(t, e, `"/"`)
	s.hold = true
	press(t, e, `"he" tab`)
	if e.Text() != "/he" || !e.MenuOpen() {
		t.Errorf("%q, open %v", e.Text(), e.MenuOpen())
	}
	s.held[len(s.held)-1]()
	press(t, e, "tab")
	if e.Text() != "/help " {
		t.Errorf("%q", e.Text())
	}
	s.hold = false
	put(t, e, "|")
	press(t, e, `"/"`)
	s.hold = true
	press(t, e, `"help" enter`)
	if sent != "/help" {
		t.Errorf("sent %q", sent)
	}
	sent, s.hold, s.f = "", false, matching("@src", "@sub")
	put(t, e, "|")
	press(t, e, `"@"`)
	s.hold = true
	press(t, e, `"s" enter`)
	if sent != "" || e.Text() != "@s" || e.MenuOpen() {
		t.Errorf("sent %q, text %q, open %v", sent, e.Text(), e.MenuOpen())
	}
	press(t, e, "enter")
	if sent != "@s" {
		t.Errorf("the second Enter sent %q", sent)
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

func TestTriggers(t *testing.T) {
	more := ""
	s := &scripted{f: matching("$a", "$b", "%a")}
	e := NewEditor(EditorOptions{Completer: s, Triggers: func() string { return more }})
	press(t, e, `"$"`)
	if s.calls != 0 {
		t.Error("asked behind a character nobody wants")
	}
	more = "$é"
	press(t, e, `" $"`)
	if !e.MenuOpen() {
		t.Error("not asked behind a character that is wanted")
	}
	press(t, e, `" x$"`)
	if e.MenuOpen() {
		t.Error("asked inside a word")
	}
}

// An item may be put in by whoever suggested it, anywhere in the text.
func TestAppliedCompletion(t *testing.T) {
	for _, c := range []struct {
		name   string
		before string
		apply  func(r CompletionRequest) ([]string, int, int, bool)
		want   string
	}{
		{"in place", "say #|", func(r CompletionRequest) ([]string, int, int, bool) { return []string{"say #12é"}, 0, 9, true }, "say #12é|"},
		{"elsewhere", "é #|", func(r CompletionRequest) ([]string, int, int, bool) {
			return []string{"head", "è #1", "tail"}, 1, 3, true
		}, "head\nè |#1\ntail"},
		{"nothing", "a #|", func(r CompletionRequest) ([]string, int, int, bool) { return r.Lines, 0, 1, true }, "a| #"},
		{"controls", "a #|", func(r CompletionRequest) ([]string, int, int, bool) {
			return []string{"a \x1b[2Jx"}, 0, 7, true
		}, "a [2Jx|"},
		{"not this time", "a #|", func(r CompletionRequest) ([]string, int, int, bool) { return nil, 0, 0, false }, "a #value|"},
		{"outside", "a #|", func(r CompletionRequest) ([]string, int, int, bool) { return []string{"x"}, 3, 0, true }, "a #value|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := NewEditor(EditorOptions{Completer: &scripted{f: func(CompletionRequest) *Suggestions {
				s := words("#", "#value", "#other")
				s.Apply = func(r CompletionRequest, it Completion) ([]string, int, int, bool) { return c.apply(r) }
				return s
			}}})
			put(t, e, c.before)
			press(t, e, "tab tab")
			if got := withCaret(e); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if c.name != "nothing" {
				press(t, e, "ctrl+-")
				if got := withCaret(e); got != c.before {
					t.Errorf("undone: %q, want %q", got, c.before)
				}
			}
		})
	}
	// A paste that is stood in for stays one.
	e := NewEditor(EditorOptions{Completer: &scripted{f: func(CompletionRequest) *Suggestions {
		s := words("#", "#a", "#b")
		s.Apply = func(r CompletionRequest, it Completion) ([]string, int, int, bool) {
			l := "see " + r.Lines[0] + "a"
			return []string{l}, 0, len(l), true
		}
		return s
	}}})
	pasted := strings.Repeat("line\n", 40)
	e.HandlePaste(pasted)
	press(t, e, `" #" tab`)
	if got := e.ExpandedText(); got != "see "+pasted+" #a" {
		t.Errorf("%.80q", got)
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
