package resources

import (
	"os"
	"path/filepath"
	"strings"

	"tau/session/settings"
)

// Options say where to look.
type Options struct {
	AgentDir   string
	CWD        string
	ProjectDir string // the name of the project's own folder, ".tau"
	Home       string // the user's home; os.UserHomeDir if empty
	// Trusted lets the project's resources in.
	Trusted bool
	// Global and Project are the lists of the two settings files.
	Global, Project settings.Resources
	// Skills, Templates, Themes and Extensions are paths of the command line; they
	// are loaded also if the kind is switched off.
	Skills, Templates, Themes, Extensions         []string
	NoSkills, NoTemplates, NoThemes, NoExtensions bool
}

// Set is what was found.
type Set struct {
	Skills     []Skill
	Templates  []Template
	Themes     []Theme
	Extensions []Extension
	Problems   []Problem
}

// Theme is a theme file, which is not read yet.
type Theme struct {
	Name   string // of the file, without .json
	Source Source
}

// Extension is a file with the code of an extension.
type Extension struct{ Source Source }

type loader struct {
	o    Options
	set  *Set
	seen map[string]bool // files by kind and real path
}

// Load looks everything up. What is wrong is in the set's Problems.
func Load(o Options) *Set {
	if o.Home == "" {
		o.Home, _ = os.UserHomeDir() // without a home there are no ~/.agents/skills
	}
	l := &loader{o: o, set: &Set{}, seen: map[string]bool{}}
	project := filepath.Join(o.CWD, o.ProjectDir)
	if o.Trusted {
		l.folder(project, Project, o.Project)
		for _, dir := range agentsFolders(o.CWD, o.Home) {
			l.agents(dir, Project, o.Project)
		}
	}
	l.folder(o.AgentDir, User, o.Global)
	if o.Home != "" {
		l.agents(filepath.Join(o.Home, ".agents"), User, o.Global)
	}
	if o.Trusted {
		l.packages(o.Project.Packages, Project, project)
	}
	l.packages(o.Global.Packages, User, o.AgentDir)
	for _, list := range []struct {
		paths []string
		add   func(path string, src Source)
	}{{o.Skills, l.addSkills}, {o.Templates, l.addTemplates}, {o.Themes, l.addThemes}, {o.Extensions, l.addExtensions}} {
		for _, p := range list.paths {
			l.named(p, o.CWD, Temporary, list.add)
		}
	}
	return l.set
}

func (l *loader) problem(path, text string) {
	l.set.Problems = append(l.set.Problems, Problem{path, text})
}

// folder loads what lies in the folders of a root that are searched, and what
// the settings beside them name.
func (l *loader) folder(root string, scope Scope, list settings.Resources) {
	auto := func(kind string, off bool, paths []string, add func(string, Source)) {
		places, patterns := split(paths)
		src := Source{Source: "auto", Scope: scope, Origin: TopLevel, BaseDir: root}
		if !off {
			l.filtered(patterns, root, func() { add(filepath.Join(root, kind), src) })
			for _, p := range places {
				if strings.HasPrefix(p, "builtin:") {
					continue
				}
				l.filtered(patterns, root, func() { l.named(p, root, scope, add) })
			}
		}
	}
	auto("skills", l.o.NoSkills, list.Skills.Paths, l.addSkills)
	auto("prompts", l.o.NoTemplates, list.Prompts, l.addTemplates)
	auto("themes", l.o.NoThemes, list.Themes, l.addThemes)
	auto("extensions", l.o.NoExtensions, list.Extensions, l.addExtensions)
}

// filtered removes what load adds and the patterns switch off.
func (l *loader) filtered(patterns []string, base string, load func()) {
	before := l.set.counts()
	load()
	if len(patterns) > 0 {
		l.set.keep(before, func(path string) bool { return enabled(path, base, patterns) })
	}
}

// agents loads the skills of an .agents folder, which other agents use too.
func (l *loader) agents(dir string, scope Scope, list settings.Resources) {
	if l.o.NoSkills {
		return
	}
	_, patterns := split(list.Skills.Paths)
	l.filtered(patterns, dir, func() {
		for _, path := range skillFiles(filepath.Join(dir, "skills"), false) {
			l.addSkill(path, Source{Source: "auto", Scope: scope, Origin: TopLevel, BaseDir: dir})
		}
	})
}

// agentsFolders are the .agents folders from cwd up to the root of the
// repository, or of the file system if there is none; not that of the home.
func agentsFolders(cwd, home string) []string {
	var out []string
	for dir := cwd; ; dir = filepath.Dir(dir) {
		if dir != home {
			out = append(out, filepath.Join(dir, ".agents"))
		}
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil || filepath.Dir(dir) == dir {
			return out
		}
	}
}

// named loads a file or folder that settings or a flag name.
func (l *loader) named(path, base string, scope Scope, add func(string, Source)) {
	path = resolve(path, base)
	st, err := os.Stat(path)
	if err != nil {
		l.problem(path, "it is named in the settings or on the command line, and is not there")
		return
	}
	dir := path
	if !st.IsDir() {
		dir = filepath.Dir(path)
	}
	add(path, Source{Source: "local", Scope: scope, Origin: TopLevel, BaseDir: dir})
}

func home(path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		if h, err := os.UserHomeDir(); err == nil {
			return filepath.Join(h, path[1:])
		}
	}
	return path
}

// once reports whether a file of a kind is met for the first time.
func (l *loader) once(kind, path string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if l.seen[kind+path] {
		return false
	}
	l.seen[kind+path] = true
	return true
}
