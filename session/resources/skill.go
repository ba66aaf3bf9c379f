package resources

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
)

// Skill is instructions for a kind of task that the model reads when it needs
// them: a folder with a SKILL.md, or a Markdown file by itself.
type Skill struct {
	Name        string
	Description string
	Path        string // of the Markdown file
	// Hidden skills are not told to the model; the user calls them by name.
	Hidden bool
	Source Source
}

type skillHead struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Hidden      bool   `yaml:"disable-model-invocation"`
}

// The limits of the format.
const (
	maxSkillName        = 64
	maxSkillDescription = 1024
)

// soundName reports whether a name is a-z, 0-9 and single hyphens between them.
func soundName(s string) bool {
	for i, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
		case c == '-' && i > 0 && i < len(s)-1 && s[i-1] != '-':
		default:
			return false
		}
	}
	return s != ""
}

// loadSkill reads the head of a skill. Fields that break the rules are
// reported; without a description it is no skill.
func (l *loader) loadSkill(path string, src Source) (Skill, bool) {
	var h skillHead
	if _, err := readMarkdown(path, &h); err != nil {
		l.problem(path, "the skill is not loaded: "+err.Error())
		return Skill{}, false
	}
	s := Skill{Name: h.Name, Description: strings.TrimSpace(h.Description), Path: path, Hidden: h.Hidden, Source: src}
	if s.Name == "" {
		s.Name = strings.TrimSuffix(filepath.Base(path), ".md")
		if filepath.Base(path) == "SKILL.md" {
			s.Name = filepath.Base(filepath.Dir(path))
		}
	}
	if s.Description == "" {
		l.problem(path, "the skill is not loaded: it has no description")
		return Skill{}, false
	}
	switch {
	case len(s.Name) > maxSkillName:
		l.problem(path, fmt.Sprintf("the skill's name is longer than %d characters", maxSkillName))
	case !soundName(s.Name):
		l.problem(path, fmt.Sprintf("the skill's name %q has other characters than a-z, 0-9 and single hyphens between them", s.Name))
	}
	if len(s.Description) > maxSkillDescription {
		l.problem(path, fmt.Sprintf("the skill's description is longer than %d characters", maxSkillDescription))
	}
	return s, true
}

// Block is what a message says in place of "/skill:name args".
func (s Skill) Block(args string) (string, error) {
	body, err := readMarkdown(s.Path, &skillHead{})
	if err != nil {
		return "", fmt.Errorf("read skill %s: %w", s.Name, err)
	}
	text := fmt.Sprintf("<skill name=%q location=%q>\nReferences are relative to %s.\n\n%s\n</skill>", s.Name, s.Path, filepath.Dir(s.Path), strings.TrimSpace(body))
	if args = strings.TrimSpace(args); args != "" {
		text += "\n\n" + args
	}
	return text, nil
}

// SkillCall is a message that began as "/skill:name args".
type SkillCall struct {
	Name, Location, Body, Args string
}

// ParseSkillCall takes a message apart that Block made, for showing it in a
// line.
func ParseSkillCall(text string) (c SkillCall, ok bool) {
	rest, ok := strings.CutPrefix(text, `<skill name="`)
	if !ok {
		return c, false
	}
	if c.Name, rest, ok = strings.Cut(rest, `" location="`); !ok {
		return c, false
	}
	if c.Location, rest, ok = strings.Cut(rest, "\">\n"); !ok {
		return c, false
	}
	if c.Body, c.Args, ok = strings.Cut(rest, "\n</skill>"); !ok {
		return c, false
	}
	c.Args = strings.TrimSpace(c.Args)
	return c, true
}

// Prompt is the section that tells the model which skills there are; empty if
// there are none that it may use.
func (s *Set) Prompt() string {
	var b strings.Builder
	for _, k := range s.Skills {
		if k.Hidden {
			continue
		}
		fmt.Fprintf(&b, "  <skill>\n    <name>%s</name>\n    <description>%s</description>\n    <location>%s</location>\n  </skill>\n",
			html.EscapeString(k.Name), html.EscapeString(k.Description), html.EscapeString(k.Path))
	}
	if b.Len() == 0 {
		return ""
	}
	return "Each skill is a file of instructions for one kind of task. When a task fits a description, read the file first and follow it. " +
		"A path in it that is not absolute starts at the folder the file is in.\n<available_skills>\n" + b.String() + "</available_skills>"
}

// skillFiles lists the skills below a folder. A folder that is a skill is not
// searched further; Markdown files count only directly in root, and only if
// plain is set.
func skillFiles(root string, plain bool) []string {
	var out []string
	var walk func(dir string, depth int, ignored []ignoreList)
	walk = func(dir string, depth int, ignored []ignoreList) {
		if st, err := os.Stat(filepath.Join(dir, "SKILL.md")); err == nil && st.Mode().IsRegular() {
			out = append(out, filepath.Join(dir, "SKILL.md"))
			return
		}
		if depth > maxDepth {
			return
		}
		if own := readIgnore(dir); own != nil {
			ignored = append(ignored[:len(ignored):len(ignored)], *own)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return
		}
		for _, e := range entries {
			name := e.Name()
			path := filepath.Join(dir, name)
			if strings.HasPrefix(name, ".") || name == "node_modules" {
				continue
			}
			st, err := os.Stat(path) // links are followed
			if err != nil || ignores(ignored, path, st.IsDir()) {
				continue
			}
			switch {
			case st.IsDir():
				walk(path, depth+1, ignored)
			case plain && depth == 0 && strings.HasSuffix(name, ".md") && st.Mode().IsRegular():
				out = append(out, path)
			}
		}
	}
	walk(root, 0, nil)
	return out
}

// maxDepth bounds the search in folders, which may link to themselves.
const maxDepth = 8
