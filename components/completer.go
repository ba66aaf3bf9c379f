package components

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Command is a slash command.
type Command struct {
	Name        string // without the slash
	Hint        string // what its argument is
	Description string
	// Complete finds arguments that go with what was typed; nil: none. It
	// calls done as a Completer does.
	Complete func(argument string, done func([]Completion)) (cancel func())
}

// FileQuery asks for files below a folder.
type FileQuery struct {
	Dir       string // as typed, with a slash at its end: "", "src/", "~/", "../x/"
	Text      string // names or paths with this are wanted, in any case; "": all
	Recursive bool   // in all folders below, else only in this one
}

// FileEntry is a file or folder, by its path below the folder asked for, with
// slashes.
type FileEntry struct {
	Path string
	Dir  bool
}

// FileFinder lists files. It may give more than was asked for; what does not
// match is left out. It calls done as a Completer does.
type FileFinder interface {
	FindFiles(q FileQuery, done func([]FileEntry)) (cancel func())
}

// StandardCompleter completes slash commands and their arguments, file names
// behind @, and paths on Tab.
type StandardCompleter struct {
	Commands func() []Command
	Files    FileFinder
}

// filesMax is how many files are offered.
const filesMax = 20

// Complete implements Completer.
func (c *StandardCompleter) Complete(r CompletionRequest, done func(*Suggestions)) (cancel func()) {
	before := r.Before()
	after := r.Lines[r.Line][r.Col:]
	if tok, _ := triggerToken(before, ""); strings.HasPrefix(tok, "@") {
		return c.mention(tok, after, done)
	}
	line := strings.TrimLeft(before, " \t")
	if r.Line == 0 && strings.HasPrefix(line, "/") && !r.Forced {
		name, arg, hasArg := strings.Cut(line[1:], " ")
		if !hasArg {
			done(c.commands(line))
			return nil
		}
		for _, cmd := range c.list() {
			if cmd.Name == name && cmd.Complete != nil {
				return cmd.Complete(arg, func(items []Completion) { done(&Suggestions{Items: items, Prefix: arg}) })
			}
		}
		done(nil)
		return nil
	}
	if !r.Forced {
		done(nil)
		return nil
	}
	return c.paths(before, after, done)
}

func (c *StandardCompleter) list() []Command {
	if c.Commands == nil {
		return nil
	}
	return c.Commands()
}

// commands ranks the command names. Names such as skill:review are found by
// the part behind the colon too; those that match without their space first.
func (c *StandardCompleter) commands(typed string) *Suggestions {
	all := c.list()
	s := &Suggestions{Prefix: typed}
	query := typed[1:]
	add := func(cmd Command) {
		d := cmd.Description
		if cmd.Hint != "" {
			d = strings.TrimSuffix(cmd.Hint+" — "+d, " — ")
		}
		s.Items = append(s.Items, Completion{Value: cmd.Name, Label: "/" + cmd.Name, Description: d, Insert: "/" + cmd.Name + " ", Command: true})
	}
	taken := map[int]bool{}
	bare := Fuzzy(query, len(all), func(i int) string {
		if _, name, ok := strings.Cut(all[i].Name, ":"); ok && !strings.Contains(query, ":") {
			return name
		}
		return all[i].Name
	})
	for _, i := range bare {
		add(all[i])
		taken[i] = true
	}
	for _, i := range Fuzzy(query, len(all), func(i int) string { return all[i].Name }) {
		if !taken[i] {
			add(all[i])
		}
	}
	return s
}

// mention completes a file behind @, which may be quoted.
func (c *StandardCompleter) mention(tok, after string, done func(*Suggestions)) func() {
	if c.Files == nil {
		done(nil)
		return nil
	}
	typed := strings.TrimPrefix(strings.TrimPrefix(tok, "@"), `"`)
	dir, text := splitDir(typed)
	return c.Files.FindFiles(FileQuery{Dir: dir, Text: text, Recursive: true}, func(entries []FileEntry) {
		entries = rank(entries, text)
		s := &Suggestions{Prefix: tok}
		for _, e := range entries[:min(len(entries), filesMax)] {
			s.Items = append(s.Items, fileCompletion("@", dir, e, after, true))
		}
		done(s)
	})
}

// paths completes the path at the end of the text: what begins with it, in its
// folder, folders first.
func (c *StandardCompleter) paths(before, after string, done func(*Suggestions)) func() {
	if c.Files == nil {
		done(nil)
		return nil
	}
	tok := pathToken(before)
	dir, text := splitDir(strings.TrimPrefix(tok, `"`))
	return c.Files.FindFiles(FileQuery{Dir: dir, Text: text}, func(entries []FileEntry) {
		want := strings.ToLower(text)
		entries = slices.DeleteFunc(slices.Clone(entries), func(e FileEntry) bool {
			return strings.Contains(e.Path, "/") || !strings.HasPrefix(strings.ToLower(e.Path), want) || e.Path == ".git"
		})
		slices.SortStableFunc(entries, func(a, b FileEntry) int {
			if a.Dir != b.Dir {
				if a.Dir {
					return -1
				}
				return 1
			}
			return cmp.Compare(strings.ToLower(a.Path), strings.ToLower(b.Path))
		})
		s := &Suggestions{Prefix: tok}
		for _, e := range entries {
			s.Items = append(s.Items, fileCompletion("", dir, e, after, false))
		}
		done(s)
	})
}

// pathToken returns the path at the end of s, from its opening quote if it has
// one.
func pathToken(s string) string {
	if i := strings.LastIndexByte(s, '"'); i >= 0 && strings.Count(s, `"`)%2 == 1 && startsToken(s[:i]) {
		return s[i:]
	}
	i := len(s)
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if delimits(r) {
			break
		}
		i -= n
	}
	return s[i:]
}

// splitDir parts a path behind its last slash.
func splitDir(p string) (dir, name string) {
	i := strings.LastIndexByte(p, '/') + 1
	return p[:i], p[i:]
}

// fileCompletion makes an entry insertable: quoted where it has to be, with the
// caret inside the quotes of a folder, and never a second closing quote.
func fileCompletion(mark, dir string, e FileEntry, after string, space bool) Completion {
	p := dir + strings.TrimSuffix(e.Path, "/")
	if e.Dir {
		p += "/"
	}
	it := Completion{Value: p, Label: strings.TrimSuffix(e.Path, "/")}
	if e.Dir {
		it.Label += "/"
	}
	if d := path.Dir(e.Path); d != "." && d != "/" {
		it.Label = path.Base(e.Path)
		if e.Dir {
			it.Label += "/"
		}
		it.Description = dir + d
	}
	quoted := strings.ContainsAny(p, " \t\"'=") || strings.IndexFunc(p, delimits) >= 0
	it.Insert = mark + p
	if strings.HasPrefix(after, `"`) {
		it.After = 1
		quoted = true
	}
	if quoted {
		it.Insert = mark + `"` + p + `"`
	}
	switch {
	case e.Dir && quoted:
		it.Back = 1
	case !e.Dir && space:
		it.Insert += " "
	}
	return it
}

// rank orders files by how well their names fit, and drops what does not.
func rank(entries []FileEntry, text string) []FileEntry {
	type scored struct {
		FileEntry
		score, depth int
	}
	want := strings.ToLower(text)
	var list, far []scored
	for _, e := range entries {
		p := strings.TrimSuffix(e.Path, "/")
		if p == ".git" || strings.HasPrefix(p, ".git/") || strings.Contains(p, "/.git/") || strings.HasSuffix(p, "/.git") {
			continue
		}
		lower := strings.ToLower(p)
		name := path.Base(lower)
		s := scored{FileEntry{p, e.Dir}, 0, strings.Count(p, "/")}
		switch {
		case name == want:
			s.score = 100
		case strings.HasPrefix(name, want):
			s.score = 80
		case strings.Contains(name, want):
			s.score = 50
		case strings.Contains(lower, want):
			s.score = 30
		default:
			if _, ok := FuzzyMatch(text, p); !ok {
				continue
			}
			far = append(far, s)
			continue
		}
		if e.Dir {
			s.score += 10
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		list = far // letters spread over a path, only where nothing has them together
	}
	slices.SortStableFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.depth, b.depth), cmp.Compare(len(a.Path), len(b.Path)), cmp.Compare(a.Path, b.Path))
	})
	out := make([]FileEntry, len(list))
	for i, s := range list {
		out[i] = s.FileEntry
	}
	return out
}
