package interactive

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tau/ai"
	"tau/components"
	"tau/session/settings"
)

// completer offers slash commands with their arguments, files, and what
// extensions suggest.
func (p *program) completer() components.Completer { return &extCompleter{p, p.ownCompleter()} }

// ownCompleter is the completer without extensions.
func (p *program) ownCompleter() components.Completer {
	return &components.StandardCompleter{Commands: p.slashCommands, Files: &fileFinder{p: p}}
}

func (p *program) slashCommands() []components.Command {
	var out []components.Command
	for _, c := range commands() {
		out = append(out, components.Command{Name: c.name, Hint: c.argument, Description: c.help, Complete: p.arguments(c.name)})
	}
	out = append(out, p.extCommands()...)
	set := p.app.Resources()
	for _, c := range set.Commands() {
		if c.Kind == "skill" && !settings.Or(p.app.Settings.EnableSkillCommands, true) {
			continue
		}
		out = append(out, components.Command{Name: c.Name, Hint: c.Hint, Description: c.SourceInfo.Tag() + " " + c.Description})
	}
	return out
}

// arguments completes the argument of a command, or is nil.
func (p *program) arguments(name string) func(string, func([]components.Completion)) func() {
	var values func() []string
	switch name {
	case "model":
		values = func() (v []string) {
			for _, m := range p.app.Available() {
				v = append(v, m.Ref())
			}
			return v
		}
	case "thinking":
		values = func() (v []string) {
			for _, l := range ai.ThinkingLevels() {
				if p.session.Model().Thinks(l) {
					v = append(v, string(l))
				}
			}
			return v
		}
	case "theme":
		values = p.themeNames
	case "mcp":
		values = p.mcpArguments
	default:
		return nil
	}
	return func(typed string, done func([]components.Completion)) func() {
		all := values()
		var items []components.Completion
		for _, i := range components.Fuzzy(typed, len(all), func(i int) string { return all[i] }) {
			items = append(items, components.Completion{Value: all[i], Command: true}) // Enter takes it and sends
		}
		done(items)
		return func() {}
	}
}

// fileFinder lists files on a goroutine of its own and hands them to the UI.
type fileFinder struct{ p *program }

// Bounds of a search: a completion must not cost more than a moment, whatever
// the size of the tree.
const (
	findMost = 4000 // that match
	walkMost = 300_000
	nearMost = 5000 // looked at where nothing is asked for yet
)

// FindFiles implements components.FileFinder.
func (f *fileFinder) FindFiles(q components.FileQuery, done func([]components.FileEntry)) func() {
	ctx, cancel := context.WithCancel(context.Background())
	dir := q.Dir
	switch {
	case strings.HasPrefix(dir, "~/"):
		if home, err := os.UserHomeDir(); err == nil {
			dir = filepath.Join(home, dir[2:])
		}
	case !filepath.IsAbs(dir):
		dir = filepath.Join(f.p.session.CWD(), dir)
	}
	go func() {
		found := f.find(ctx, dir, q)
		f.p.ui.Post(func() {
			if ctx.Err() == nil {
				done(found)
				f.p.ui.RequestRender()
			}
		})
	}()
	return cancel
}

// find lists what is in a folder, or all that is below it and no ignore file
// excludes.
func (f *fileFinder) find(ctx context.Context, root string, q components.FileQuery) []components.FileEntry {
	want := strings.ToLower(q.Text)
	var out []components.FileEntry
	if q.Recursive {
		seen, most := 0, walkMost
		if want == "" {
			most = nearMost
		}
		_ = f.p.app.Files(ctx, root, func(path string, dir bool) bool { // a tree that cannot be read has no files
			if seen++; seen > most || len(out) >= findMost {
				return false
			}
			if matches(path, path[strings.LastIndexByte(path, '/')+1:], want) {
				out = append(out, components.FileEntry{Path: path, Dir: dir})
			}
			return true
		})
		return out
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	for _, e := range entries[:min(len(entries), walkMost)] {
		if name := e.Name(); name != ".git" && matches(name, name, want) {
			out = append(out, components.FileEntry{Path: name, Dir: isFolder(root, name, e)})
		}
	}
	return out
}

func isFolder(root, path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	st, err := os.Stat(filepath.Join(root, filepath.FromSlash(path)))
	return err == nil && st.IsDir()
}

func matches(path, name, want string) bool {
	if want == "" {
		return true
	}
	if strings.Contains(want, "/") {
		return strings.Contains(strings.ToLower(path), want)
	}
	_, ok := components.FuzzyMatch(want, name)
	return ok
}
