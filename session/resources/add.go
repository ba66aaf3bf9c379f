package resources

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// isFile reports whether a path is a file; ok is false if it is nothing.
func isFile(path string) (file, ok bool) {
	st, err := os.Stat(path)
	if err != nil {
		return false, false
	}
	return st.Mode().IsRegular(), true
}

// addSkills takes a skill file or all skills below a folder.
func (l *loader) addSkills(path string, src Source) {
	file, ok := isFile(path)
	if !ok {
		return
	}
	if file {
		l.addSkill(path, src)
		return
	}
	for _, p := range skillFiles(path, true) {
		l.addSkill(p, src)
	}
}

func (l *loader) addSkill(path string, src Source) {
	if !l.once("skill", path) {
		return
	}
	src.Path = path
	s, ok := l.loadSkill(path, src)
	if !ok {
		return
	}
	if i := slices.IndexFunc(l.set.Skills, func(k Skill) bool { return k.Name == s.Name }); i >= 0 {
		l.problem(path, fmt.Sprintf("the skill %s is not used, %s has the same name", s.Name, l.set.Skills[i].Path))
		return
	}
	l.set.Skills = append(l.set.Skills, s)
}

func (l *loader) addTemplates(path string, src Source) {
	for _, p := range filesIn(path, ".md") {
		if !l.once("template", p) {
			continue
		}
		src.Path = p
		t, ok := l.loadTemplate(p, src)
		if !ok {
			continue
		}
		if i := slices.IndexFunc(l.set.Templates, func(o Template) bool { return o.Name == t.Name }); i >= 0 {
			l.problem(p, fmt.Sprintf("the template %s is not used, %s has the same name", t.Name, l.set.Templates[i].Source.Path))
			continue
		}
		l.set.Templates = append(l.set.Templates, t)
	}
}

func (l *loader) addThemes(path string, src Source) {
	for _, p := range filesIn(path, ".json") {
		if l.once("theme", p) {
			src.Path = p
			l.set.Themes = append(l.set.Themes, Theme{Name: strings.TrimSuffix(filepath.Base(p), ".json"), Source: src})
		}
	}
}

// addExtensions takes a file, the extension or extensions a folder itself is,
// or all that lie directly in it.
func (l *loader) addExtensions(path string, src Source) {
	add := func(p string) {
		if l.once("extension", p) {
			s := src
			s.Path = p
			l.set.Extensions = append(l.set.Extensions, Extension{s})
		}
	}
	file, ok := isFile(path)
	switch {
	case !ok:
	case file:
		add(path)
	default:
		if own := entryPoints(path); own != nil {
			for _, p := range own {
				add(p)
			}
			return
		}
		entries, _ := os.ReadDir(path) // it was there a moment ago
		for _, e := range entries {
			p := filepath.Join(path, e.Name())
			file, ok := isFile(p)
			switch {
			case !ok || strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules":
			case file && (isCode(e.Name()) || isProgram(p)):
				add(p)
			case !file:
				for _, p := range entryPoints(p) {
					add(p)
				}
			}
		}
	}
}

func isCode(name string) bool {
	switch filepath.Ext(name) {
	case ".ts", ".js", ".mts", ".mjs", ".tsx":
		return true
	}
	return false
}

// isProgram reports whether a file is an extension that runs by itself: one that
// may be executed.
func isProgram(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

// entryPoints are the extensions a folder is: those its package.json names, or
// its index file.
func entryPoints(dir string) []string {
	if m, ok := readManifest(dir); ok && len(m.Extensions) > 0 {
		var out []string
		for _, e := range m.Extensions {
			out = append(out, filepath.Join(dir, e))
		}
		return out
	}
	for _, name := range []string{"index.ts", "index.js"} {
		if file, ok := isFile(filepath.Join(dir, name)); ok && file {
			return []string{filepath.Join(dir, name)}
		}
	}
	return nil
}

// filesIn lists the files with an ending directly in a folder, or the path
// itself if it is such a file.
func filesIn(path, suffix string) []string {
	file, ok := isFile(path)
	if !ok {
		return nil
	}
	if file {
		return []string{path}
	}
	entries, _ := os.ReadDir(path) // it was there a moment ago
	var out []string
	for _, e := range entries {
		p := filepath.Join(path, e.Name())
		if file, ok := isFile(p); ok && file && strings.HasSuffix(e.Name(), suffix) && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, p)
		}
	}
	return out
}

// manifest is the part of a package.json that says what a package brings.
type manifest struct {
	Extensions []string `json:"extensions"`
	Skills     []string `json:"skills"`
	Prompts    []string `json:"prompts"`
	Themes     []string `json:"themes"`
}

func readManifest(dir string) (manifest, bool) {
	var p struct {
		Pi  *manifest `json:"pi"`
		Tau *manifest `json:"tau"`
	}
	b, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil || json.Unmarshal(b, &p) != nil {
		return manifest{}, false
	}
	switch {
	case p.Tau != nil:
		return *p.Tau, true
	case p.Pi != nil:
		return *p.Pi, true
	}
	return manifest{}, false
}
