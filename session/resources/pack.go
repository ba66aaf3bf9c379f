package resources

import (
	"os"
	"path/filepath"

	"tau/session/packages"
	"tau/session/settings"
)

// packages loads the packages of a settings file. Those of npm and git are used
// if they are installed; nothing is fetched here.
func (l *loader) packages(list []settings.Package, scope Scope, base string) {
	for _, p := range list {
		if p.Source == "" {
			l.problem("packages", "an entry is neither a source nor an object that has one")
			continue
		}
		src, err := packages.Parse(p.Source, base)
		if err != nil {
			l.problem("packages", "an entry is not used: "+err.Error())
			continue
		}
		dir := src.Dir(base)
		if _, err := os.Stat(dir); err != nil {
			what := "the folder is not there"
			if src.Kind != packages.Local {
				what = "it is not installed; tau update does that"
			}
			l.problem(p.Source, "the package is not loaded: "+what)
			continue
		}
		l.pack(dir, p, scope)
	}
}

// pack loads what the manifest of a package names, or the folders with the
// usual names.
func (l *loader) pack(dir string, p settings.Package, scope Scope) {
	m, ok := readManifest(dir)
	if !ok {
		m = manifest{Extensions: []string{"extensions"}, Skills: []string{"skills"}, Prompts: []string{"prompts"}, Themes: []string{"themes"}}
	}
	if file, _ := isFile(dir); file { // a single extension
		m = manifest{Extensions: []string{"."}}
	}
	src := Source{Source: p.Source, Scope: scope, Origin: Package, BaseDir: dir}
	kinds := []struct {
		off    bool
		paths  []string
		filter *[]string
		add    func(string, Source)
	}{
		{l.o.NoSkills, m.Skills, p.Skills, l.addSkills},
		{l.o.NoTemplates, m.Prompts, p.Prompts, l.addTemplates},
		{l.o.NoThemes, m.Themes, p.Themes, l.addThemes},
		{l.o.NoExtensions, m.Extensions, p.Extensions, l.addExtensions},
	}
	for _, k := range kinds {
		if k.off || p.Autoload != nil && !*p.Autoload && k.filter == nil {
			continue
		}
		before := l.set.counts()
		for _, path := range k.paths {
			k.add(filepath.Join(dir, filepath.FromSlash(path)), src)
		}
		l.set.keep(before, func(path string) bool { return chosen(path, dir, k.filter) })
	}
}

func (s *Set) counts() [4]int {
	return [4]int{len(s.Skills), len(s.Templates), len(s.Themes), len(s.Extensions)}
}

// keep removes what was added since and does not fit.
func (s *Set) keep(since [4]int, fits func(path string) bool) {
	s.Skills = keep(s.Skills, since[0], func(k Skill) bool { return fits(k.Path) })
	s.Templates = keep(s.Templates, since[1], func(t Template) bool { return fits(t.Source.Path) })
	s.Themes = keep(s.Themes, since[2], func(t Theme) bool { return fits(t.Source.Path) })
	s.Extensions = keep(s.Extensions, since[3], func(e Extension) bool { return fits(e.Source.Path) })
}

func keep[T any](list []T, from int, fits func(T) bool) []T {
	out := list[:from]
	for _, v := range list[from:] {
		if fits(v) {
			out = append(out, v)
		}
	}
	return out
}
