package resources

import (
	"fmt"
	"strings"
)

// Command is a name that can be typed after a slash.
type Command struct {
	Name        string `json:"name"` // without the slash
	Description string `json:"description,omitempty"`
	Kind        string `json:"source"` // "prompt" or "skill"
	SourceInfo  Source `json:"sourceInfo"`
	Hint        string `json:"-"` // what arguments it takes
}

// Commands lists the templates, then the skills as skill:name.
func (s *Set) Commands() []Command {
	var out []Command
	for _, t := range s.Templates {
		out = append(out, Command{Name: t.Name, Description: t.Description, Kind: "prompt", SourceInfo: t.Source, Hint: t.Hint})
	}
	for _, k := range s.Skills {
		out = append(out, Command{Name: "skill:" + k.Name, Description: k.Description, Kind: "skill", SourceInfo: k.Source})
	}
	return out
}

// Expand puts the template or skill in place of a message that calls it. A
// message that calls nothing that is there comes back as it is.
func (s *Set) Expand(text string) (string, error) {
	name, ok := strings.CutPrefix(text, "/")
	if !ok {
		return text, nil
	}
	args := ""
	if i := strings.IndexAny(name, " \t\n"); i >= 0 {
		name, args = name[:i], name[i+1:]
	}
	if skill, ok := strings.CutPrefix(name, "skill:"); ok {
		for _, k := range s.Skills {
			if k.Name == skill {
				out, err := k.Block(args)
				if err != nil {
					return text, fmt.Errorf("use a skill: %w", err)
				}
				return out, nil
			}
		}
		return text, nil
	}
	for _, t := range s.Templates {
		if t.Name == name {
			return t.Fill(Arguments(args)), nil
		}
	}
	return text, nil
}
