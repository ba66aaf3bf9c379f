package settings

import "encoding/json"

// Resources are the lists of what is added to the agent. Beside paths they hold
// !glob, +path and -path, which switch what was found off and on.
type Resources struct {
	Packages   []Package `json:"packages"`
	Extensions []string  `json:"extensions"`
	Skills     Skills    `json:"skills"`
	Prompts    []string  `json:"prompts"`
	Themes     []string  `json:"themes"`
	// EnableSkillCommands shows skills as /skill:name in the menu; true if nil.
	EnableSkillCommands *bool `json:"enableSkillCommands"`
}

// Skills is a list, or the object that older files have. Anything else is as
// if it were not there.
type Skills struct{ Paths []string }

// UnmarshalJSON implements json.Unmarshaler. It gives no error: that would end
// the reading of all that follows in the file.
func (s *Skills) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &s.Paths) == nil {
		return nil
	}
	var old struct {
		CustomDirectories []string `json:"customDirectories"`
	}
	_ = json.Unmarshal(b, &old)
	s.Paths = old.CustomDirectories
	return nil
}

// Package is an entry of packages: a source, with a choice of what to take of
// it. A nil list takes all, an empty one nothing. An entry that is neither has no
// source.
type Package struct {
	Source     string    `json:"source"`
	Autoload   *bool     `json:"autoload"`
	Extensions *[]string `json:"extensions"`
	Skills     *[]string `json:"skills"`
	Prompts    *[]string `json:"prompts"`
	Themes     *[]string `json:"themes"`
}

// UnmarshalJSON implements json.Unmarshaler; see that of Skills.
func (p *Package) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &p.Source) == nil {
		return nil
	}
	type plain Package
	_ = json.Unmarshal(b, (*plain)(p))
	return nil
}
