package resources

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tau/session/settings"
)

// Choice is a resource that can be switched on and off in settings.
type Choice struct {
	Kind   string // the key of settings: extensions, skills, prompts or themes
	Name   string
	Source Source
	On     bool
	root   string // the folder of the settings file
}

// Choices are all resources of the user and of a trusted project, those that
// are switched off too, in the order user, project, and there by where they
// come from. Those of the command line are not among them.
func Choices(o Options) []Choice {
	o.Skills, o.Templates, o.Themes, o.Extensions = nil, nil, nil, nil
	every := o
	every.Global, every.Project = unfiltered(o.Global), unfiltered(o.Project)
	on, all := choices(Load(o), o), choices(Load(every), o)
	for i := range all {
		all[i].On = slices.ContainsFunc(on, all[i].same)
	}
	for _, c := range on { // what has the name of one that is off
		if !slices.ContainsFunc(all, c.same) {
			c.On = true
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b Choice) int {
		return cmp.Or(-cmp.Compare(a.Source.Scope, b.Source.Scope), -cmp.Compare(a.Source.Origin, b.Source.Origin),
			cmp.Compare(a.Source.Source, b.Source.Source), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return all
}

func (c Choice) same(o Choice) bool { return c.Kind == o.Kind && c.Source.Path == o.Source.Path }

// unfiltered is a list without what switches resources on and off.
func unfiltered(r settings.Resources) settings.Resources {
	r.Skills.Paths, _ = split(r.Skills.Paths)
	r.Extensions, _ = split(r.Extensions)
	r.Prompts, _ = split(r.Prompts)
	r.Themes, _ = split(r.Themes)
	packs := slices.Clone(r.Packages)
	for i, p := range packs {
		packs[i] = settings.Package{Source: p.Source}
	}
	r.Packages = packs
	return r
}

func choices(s *Set, o Options) (out []Choice) {
	add := func(kind, name string, src Source) {
		root := o.AgentDir
		if src.Scope == Project {
			root = filepath.Join(o.CWD, o.ProjectDir)
		}
		out = append(out, Choice{Kind: kind, Name: name, Source: src, root: root})
	}
	for _, e := range s.Extensions {
		name := filepath.Base(e.Source.Path)
		if strings.HasPrefix(name, "index.") {
			name = filepath.Base(filepath.Dir(e.Source.Path))
		}
		add("extensions", name, e.Source)
	}
	for _, k := range s.Skills {
		add("skills", k.Name, k.Source)
	}
	for _, t := range s.Templates {
		add("prompts", t.Name, t.Source)
	}
	for _, t := range s.Themes {
		add("themes", t.Name, t.Source)
	}
	return out
}

// File is the settings file that switches the resource.
func (c Choice) File() string { return filepath.Join(c.root, "settings.json") }

// Switch writes into the settings that the resource is used, or is not: as a
// -path or +path beside the paths of its kind, or in the entry of its package,
// relative to the folder they belong to. An entry that said otherwise goes;
// none is written where the rest of the list comes to the same.
func (c Choice) Switch(on bool) error {
	err := settings.Change(c.File(), func(doc []byte) ([]settings.Op, error) {
		if c.Source.Origin == Package {
			return c.switchInPackage(doc, on)
		}
		return c.switchInList(doc, on)
	})
	if err != nil {
		return fmt.Errorf("switch %s: %w", c.Source.Path, err)
	}
	return nil
}

func (c Choice) switchInList(doc []byte, on bool) ([]settings.Op, error) {
	var have map[string]json.RawMessage
	if err := json.Unmarshal(doc, &have); err != nil {
		return nil, err
	}
	var list settings.Skills // which also reads the older form of skills
	_ = list.UnmarshalJSON(have[c.Kind])
	base := c.root
	if c.Source.Source == "auto" {
		base = c.Source.BaseDir // as in an .agents folder
	}
	is := func(l []string) bool {
		_, patterns := split(l)
		return enabled(c.Source.Path, base, patterns)
	}
	drop, rest := c.drop(list.Paths, base, false)
	entry := ""
	if is(rest) != on {
		entry = sign(on) + c.pattern(c.root)
	}
	at := settings.Pointer(c.Kind)
	if raw := strings.TrimSpace(string(have[c.Kind])); !strings.HasPrefix(raw, "[") {
		if entry != "" {
			rest = append(rest, entry)
		}
		return []settings.Op{{Op: "add", Path: at, Value: rest}}, nil
	}
	return changes(at, drop, entry), nil
}

func (c Choice) switchInPackage(doc []byte, on bool) ([]settings.Op, error) {
	var have struct {
		Packages []json.RawMessage `json:"packages"`
	}
	if err := json.Unmarshal(doc, &have); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(have.Packages, func(raw json.RawMessage) bool {
		var p settings.Package
		return p.UnmarshalJSON(raw) == nil && p.Source == c.Source.Source
	})
	if i < 0 {
		return nil, fmt.Errorf("the package %s is not in the settings any more", c.Source.Source)
	}
	var p settings.Package
	_ = p.UnmarshalJSON(have.Packages[i])
	filter := map[string]*[]string{"extensions": p.Extensions, "skills": p.Skills, "prompts": p.Prompts, "themes": p.Themes}[c.Kind]
	auto := p.Autoload == nil || *p.Autoload
	dir := c.Source.BaseDir
	name := c.pattern(dir)
	at := settings.Pointer("packages", strconv.Itoa(i))
	field := at + settings.Pointer(c.Kind)
	if filter == nil {
		entry := name
		if !on {
			entry = "-" + name
		} else if auto {
			return nil, nil
		}
		if strings.HasPrefix(strings.TrimSpace(string(have.Packages[i])), `"`) {
			ops := []settings.Op{{Op: "replace", Path: at, Value: map[string]string{"source": p.Source}}}
			return append(ops, settings.Op{Op: "add", Path: field, Value: []string{entry}}), nil
		}
		return []settings.Op{{Op: "add", Path: field, Value: []string{entry}}}, nil
	}
	drop, rest := c.drop(*filter, dir, !on)
	if places, _ := split(*filter); len(rest) == 0 && len(places) == 0 && len(drop) > 0 && auto && on {
		return []settings.Op{{Op: "remove", Path: field}}, nil // an empty list would take nothing
	}
	entry := ""
	switch {
	case chosen(c.Source.Path, dir, &rest) == on:
	case on && len(rest) == 0:
		entry = name // alone, "+name" would take all
	default:
		entry = sign(on) + name
	}
	return changes(field, drop, entry), nil
}

// drop finds the entries about this resource alone, and what stays without
// them. Plain ones are dropped if plain is set.
func (c Choice) drop(list []string, base string, plain bool) (drop []int, rest []string) {
	rest = []string{}
	for i, e := range list {
		target, marked := e, false
		if e != "" && strings.ContainsRune("!+-", rune(e[0])) {
			target, marked = e[1:], true
		}
		about := target != "" && (same(target, c.Source.Path, base) || filepath.Base(c.Source.Path) == "SKILL.md" && same(target, filepath.Dir(c.Source.Path), base))
		if about && (marked || plain) {
			drop = append(drop, i)
		} else {
			rest = append(rest, e)
		}
	}
	return drop, rest
}

// pattern is the resource's path as settings have it.
func (c Choice) pattern(base string) string {
	rel, err := filepath.Rel(base, c.Source.Path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(c.Source.Path)
	}
	return filepath.ToSlash(rel)
}

func sign(on bool) string {
	if on {
		return "+"
	}
	return "-"
}

// changes takes elements out of a list, the last first, and adds one.
func changes(list string, drop []int, entry string) (ops []settings.Op) {
	for _, i := range slices.Backward(drop) {
		ops = append(ops, settings.Op{Op: "remove", Path: list + settings.Pointer(strconv.Itoa(i))})
	}
	if entry != "" {
		ops = append(ops, settings.Op{Op: "add", Path: list + "/-", Value: entry})
	}
	return ops
}
