package components

import (
	"slices"
	"strings"
	"testing"
)

// tree is a FileFinder over a list of paths; folders end in a slash.
type tree []string

func (f tree) FindFiles(q FileQuery, done func([]FileEntry)) func() {
	var out []FileEntry
	for _, p := range f {
		rest, ok := strings.CutPrefix(p, strings.TrimPrefix(q.Dir, "./"))
		if !ok || rest == "" {
			continue
		}
		name := strings.TrimSuffix(rest, "/")
		if !q.Recursive && strings.Contains(name, "/") {
			continue
		}
		out = append(out, FileEntry{name, strings.HasSuffix(rest, "/")})
	}
	done(out)
	return nil
}

func TestStandardCompleter(t *testing.T) {
	cmds := func() []Command {
		return []Command{{Name: "model", Hint: "<name>", Description: "choose", Complete: func(arg string, done func([]Completion)) func() {
			done([]Completion{{Value: "gpt"}})
			return nil
		}}, {Name: "help"}, {Name: "skill:mode-check"}, {Name: "compact"}}
	}
	basic := tree{"src/", "src/index.ts", "README.md", "src.txt"}
	for _, c := range []struct {
		name   string
		files  tree
		before string // with the caret as |
		forced bool
		prefix string
		want   []string // what would be inserted
	}{
		{"command names", basic, "/mod|", false, "/mod", []string{"/model ", "/skill:mode-check "}},
		{"command with blanks before", basic, "  /hel|", false, "/hel", []string{"/help "}},
		{"argument", basic, "/model g|", false, "g", []string{"gpt"}},
		{"command without arguments", basic, "/help x|", false, "", nil},
		{"no slash command in the middle", basic, "a /mod|", false, "", nil},
		{"at alone", basic, "@|", false, "@", []string{"@src/", "@src.txt ", "@README.md ", "@src/index.ts "}},
		{"at name", basic, "@re|", false, "@re", []string{"@README.md "}},
		{"folder first", basic, "@src|", false, "@src", []string{"@src/", "@src.txt ", "@src/index.ts "}},
		{"in a folder", basic, "@index|", false, "@index", []string{"@src/index.ts "}},
		{"below a folder", basic, "@src/|", false, "@src/", []string{"@src/index.ts "}},
		{"quoted", tree{"my folder/", "my folder/a b.txt"}, "@my|", false, "@my", []string{`@"my folder/"`, `@"my folder/a b.txt" `}},
		{"inside quotes", tree{"my folder/", "my folder/a b.txt"}, `@"my folder/|"`, false, `@"my folder/`, []string{`@"my folder/a b.txt" `}},
		{"never .git", tree{".pi/", ".github/", ".git/", ".git/config"}, "@|", false, "@", []string{"@.pi/", "@.github/"}},
		{"bracket", basic, "(@src/i|", false, "@src/i", []string{"@src/index.ts "}},
		{"backtick", basic, "`@src/i|", false, "@src/i", []string{"@src/index.ts "}},
		{"behind CJK punctuation", basic, "看，@re|", false, "@re", []string{"@README.md "}},
		{"bracket behind at", basic, "@[|", false, "@[", nil},
		{"fuzzy", basic, "@sidx|", false, "@sidx", []string{"@src/index.ts "}},
		{"path on tab", tree{"update.sh", "src/"}, "./up|", true, "./up", []string{"./update.sh"}},
		{"folder on tab", tree{"update.sh", "src/"}, "./sr|", true, "./sr", []string{"./src/"}},
		{"quoted path on tab", tree{"my folder/"}, "my|", true, "my", []string{`"my folder/"`}},
		{"path in quotes", tree{"my folder/", "my folder/x"}, `"my folder/|"`, true, `"my folder/`, []string{`"my folder/x"`}},
		{"root after text", tree{"/bin/"}, "hey /|", true, "/", []string{"/bin/"}},
		{"no path like that", tree{"/bin/"}, "/model|", true, "/model", nil},
	} {
		i := strings.IndexByte(c.before, '|')
		line := c.before[:i] + c.before[i+1:]
		comp := &StandardCompleter{Commands: cmds, Files: c.files}
		var got *Suggestions
		comp.Complete(CompletionRequest{Lines: []string{line}, Col: i, Forced: c.forced}, func(s *Suggestions) { got = s })
		var ins []string
		if got != nil {
			for _, it := range got.Items {
				s := it.Insert
				if s == "" {
					s = it.Value
				}
				ins = append(ins, s)
			}
		}
		if !slices.Equal(ins, c.want) || c.want != nil && got.Prefix != c.prefix {
			t.Errorf("%s: %q %+v, want %q", c.name, ins, got, c.want)
		}
	}
}

func TestQuotedCompletionInTheEditor(t *testing.T) {
	e := NewEditor(EditorOptions{Completer: &StandardCompleter{Files: tree{"my folder/", "my folder/a b.txt"}}})
	press(t, e, `"see @my" tab`)
	if got := withCaret(e); got != `see @"my folder/|"` {
		t.Fatalf("%q", got)
	}
	press(t, e, `"a" tab`)
	if got := withCaret(e); got != `see @"my folder/a b.txt" |` {
		t.Fatalf("%q", got)
	}
}
