package app

import (
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"tau/agent"
	"tau/ai"
	"tau/session/prompt"
	"tau/session/resources"
	"tau/session/settings"
	"tau/session/trust"
)

// ProjectDir is the folder in which a project keeps its own settings,
// extensions, skills, templates and themes.
const ProjectDir = ".tau"

// readFiles reads the settings and resources that hold in the working folder.
// Those of the project count if it is trusted.
func (a *App) readFiles() {
	a.User, _ = a.loadSettings()
	a.Trust = a.trustStore().Decide(trust.Question{CWD: a.CWD, ProjectDir: ProjectDir, Given: a.givenTrust(), Default: a.User.DefaultProjectTrust})
	a.useFiles()
}

// useFiles applies the decision about the project.
func (a *App) useFiles() {
	a.Settings = a.User
	var project settings.Resources
	if a.Trust.Trusted {
		// The maps of the two must not be one.
		fresh, _ := settings.Load(a.SettingsPath()) // its problems are known
		var problems []settings.Problem
		project, problems = settings.LoadProject(filepath.Join(a.CWD, ProjectDir, "settings.json"), &fresh)
		a.Settings = fresh
		for _, p := range problems {
			a.Problems = append(a.Problems, p)
		}
	}
	o := a.Options
	a.ext.mu.Lock()
	found := a.ext.found
	a.ext.mu.Unlock()
	set := resources.Load(resources.Options{
		AgentDir: a.AgentDir, CWD: a.CWD, ProjectDir: ProjectDir, Trusted: a.Trust.Trusted, Global: a.User.Resources, Project: project,
		Skills: slices.Concat(o.Skills, found.Skills), Templates: slices.Concat(o.Templates, found.Prompts), Themes: slices.Concat(o.Themes, found.Themes),
		NoSkills: o.NoSkills, NoTemplates: o.NoTemplates, NoThemes: o.NoThemes, Extensions: o.Extensions, NoExtensions: o.NoExtensions,
	})
	a.resources.Store(set)
	for _, p := range set.Problems {
		a.Problems = append(a.Problems, p)
	}
}

// Choices are the resources that can be switched on and off: the user's, and
// those of the project if it is trusted. Settings are read anew.
func (a *App) Choices() []resources.Choice {
	user, _ := settings.Load(a.SettingsPath()) // problems were told by useFiles
	o := resources.Options{AgentDir: a.AgentDir, CWD: a.CWD, ProjectDir: ProjectDir, Trusted: a.Trust.Trusted, Global: user.Resources}
	if a.Trust.Trusted {
		o.Project, _ = settings.LoadProject(filepath.Join(a.CWD, ProjectDir, "settings.json"), &user)
	}
	return resources.Choices(o)
}

func (a *App) trustStore() trust.Store { return trust.Store{Dir: a.AgentDir} }

// givenTrust is what --approve and --no-approve say, or what was said before in
// this run.
func (a *App) givenTrust() *bool {
	if yes, ok := a.trusted[a.CWD]; ok {
		return &yes
	}
	if a.Options.Approve || a.Options.NoApprove {
		return &a.Options.Approve
	}
	return nil
}

// SetTrust takes the user's decision about the working folder, and keeps it if
// folder is not empty: for that folder and all below it. The files are read
// again.
func (a *App) SetTrust(yes bool, folder string) error {
	if a.trusted == nil {
		a.trusted = map[string]bool{}
	}
	a.trusted[a.CWD] = yes
	var err error
	if folder != "" {
		err = a.trustStore().Save(folder, a.CWD, ProjectDir, yes)
	}
	a.Reload()
	return err
}

// Reload reads settings, resources and instructions again. What sessions were
// built with stays, except for their system prompt, which is new with the next
// message. What is wrong is in Problems, which begins anew.
func (a *App) Reload() {
	a.Problems = nil
	a.readFiles()
	if a.live != nil {
		in := a.promptInput(a.live.tools)
		a.live.in.Store(&in)
	}
	a.relink()
}

// RereadSettings reads the settings again, and nothing else.
func (a *App) RereadSettings() {
	a.User, _ = settings.Load(a.SettingsPath())
	a.Settings, _ = settings.Load(a.SettingsPath())
	if a.Trust.Trusted {
		settings.LoadProject(filepath.Join(a.CWD, ProjectDir, "settings.json"), &a.Settings)
	}
}

// move makes another folder the working folder.
func (a *App) move(cwd string) {
	if cwd == a.CWD {
		return
	}
	a.CWD = cwd
	a.readFiles()
}

// Resources are the skills, templates, themes and extensions there are. It may
// be called from any goroutine.
func (a *App) Resources() *resources.Set { return a.resources.Load() }

// ThemeFiles maps the names of theme files to their paths.
func (a *App) ThemeFiles() map[string]string {
	out := map[string]string{}
	for _, t := range a.Resources().Themes {
		if out[t.Name] == "" {
			out[t.Name] = t.Source.Path
		}
	}
	return out
}

// Loaded lists what the files have added to the session that was built last, by
// kind: context, skills, prompts, MCP servers.
func (a *App) Loaded() (out []Loaded) {
	add := func(kind string, names []string) {
		if len(names) > 0 {
			out = append(out, Loaded{kind, names})
		}
	}
	var names []string
	if a.live != nil {
		for _, f := range a.live.in.Load().Files {
			names = append(names, f.Path)
		}
	}
	add("context", names)
	set := a.Resources()
	names = nil
	for _, s := range set.Skills {
		names = append(names, s.Name)
	}
	add("skills", names)
	names = nil
	for _, t := range set.Templates {
		names = append(names, "/"+t.Name)
	}
	add("prompts", names)
	add("MCP servers", a.serverNames())
	return out
}

// Loaded is what was found of one kind.
type Loaded struct {
	Kind  string
	Names []string
}

// livePrompt is the system prompt of a session, which Reload changes.
type livePrompt struct {
	tools []*agent.Tool
	in    atomic.Pointer[prompt.Input]
}

// sections are those of the prompt with the tools.
func (l *livePrompt) sections(active []*agent.Tool, servers string) ai.Sections {
	in := *l.in.Load()
	in.Tools, in.Servers = active, servers
	return prompt.Build(in)
}

// ProjectNote is what to say where nobody can be asked about the project.
func (a *App) ProjectNote() string {
	if !a.Trust.Ask {
		return ""
	}
	why := "this folder is not trusted"
	if a.Trust.Changed {
		why = "they are not what they were when this folder was trusted"
	}
	return "not used, " + why + ": " + strings.Join(a.Trust.Files, ", ") + " (--approve uses them this time)"
}

// KeepTrust takes over a change that the user has made in the project through
// tau itself, so that a folder which was trusted stays so. It reports whether
// the folder is trusted.
func (a *App) KeepTrust() bool {
	if !a.Trust.Trusted || len(a.Trust.Files) == 0 {
		return false
	}
	return a.trustStore().Renew(a.CWD, ProjectDir) == nil
}
