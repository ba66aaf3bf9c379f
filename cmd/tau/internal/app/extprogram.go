package app

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"tau/agent"
	"tau/ai"
	"tau/components"
	"tau/session/extension"
	"tau/themes"
	"tau/tools"
	"tau/tui/input"
	"tau/tui/key"
)

func (a *App) theme() *themes.Theme {
	if f := a.Front.Theme; f != nil {
		if th := f(); th != nil {
			return th
		}
	}
	th, err := themes.Load("dark", themes.Options{Depth: themes.Truecolor})
	if err != nil {
		return nil
	}
	return th
}

func (a *App) markdown(s string, width int) []string {
	m := components.NewMarkdown(components.MarkdownOptions{})
	m.Append(s)
	m.Finish()
	if th := a.theme(); th != nil {
		st := th.Style
		m.SetStyle(components.MarkdownStyle{
			Heading: st(themes.MdHeading), Link: st(themes.MdLink), LinkURL: st(themes.MdLinkURL), Code: st(themes.MdCode), CodeBlock: st(themes.MdCodeBlock),
			CodeBlockBorder: st(themes.MdCodeBlockBorder), Quote: st(themes.MdQuote), QuoteBorder: st(themes.MdQuoteBorder), Hr: st(themes.MdHr),
			ListBullet: st(themes.MdListBullet), Bold: th.Bold, Italic: th.Italic, Underline: th.Underline, Strike: th.Strike,
		}, nil)
	}
	return slices.Clone(m.Render(width))
}

// program is what extensions can do beside their session.
func (a *App) program() extension.Program {
	f := a.Front
	return extension.Program{
		Version: a.Version, AgentDir: a.AgentDir, Project: ProjectDir,
		Settings: func() any { return a.Settings }, Trusted: func() bool { return a.Trust.Trusted }, Resources: a.Resources,
		Model: a.Model, Models: a.allModels, Available: a.Available, Scoped: a.scope, Ready: a.Ready, Auth: a.auth, Stream: a.stream,
		Builtin: a.builtinTool, Theme: a.themeTable, Themes: a.themeList, KeyText: f.KeyText, Copy: f.Copy, MatchKey: matchKey, ParseKey: parseKey,
		Provider: a.addProvider, Remove: a.removeProvider, Virtual: a.addVirtual, Unreal: func(p, id string) { a.Catalog.Retract(p, id) },
		SignIn: a.setSignIn, Browse: a.browse, CheckServer: a.checkServer, Served: a.reserve,
		NewSession: f.NewSession, Fork: f.Fork, Switch: f.Switch, Reload: f.Reload, Shutdown: f.Shutdown, Submit: f.Submit,
	}
}

func (a *App) allModels() []*ai.Model { return a.Catalog.List("") }

func (a *App) builtinTool(name string, o extension.BuiltinOptions) *agent.Tool {
	set := a.toolSet()
	if o.CWD != "" && o.CWD != a.CWD || len(o.Env) > 0 || o.Shell != "" {
		var env []string
		for _, k := range slices.Sorted(maps.Keys(o.Env)) {
			env = append(env, k+"="+o.Env[k])
		}
		cwd := o.CWD
		if cwd == "" {
			cwd = a.CWD
		}
		shell := o.Shell
		if shell == "" {
			shell = a.Settings.ShellPath
		}
		set = tools.New(tools.Options{CWD: cwd, ShellPath: shell, Env: env, LeaveRunning: a.Settings.LeaveBackgroundJobs})
	}
	for _, t := range set.All() {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// themeTable are the sequences of the theme.
func (a *App) themeTable(name string) any {
	th := a.theme()
	if name != "" && th != nil && name != th.Name() {
		var err error
		if th, err = themes.Load(cmp.Or(a.ThemeFiles()[name], name), themes.Options{Depth: th.Depth()}); err != nil {
			return nil
		}
	}
	if th == nil {
		return nil
	}
	fg, bg := map[string]string{}, map[string]string{}
	for _, t := range themes.Tokens() {
		if name := t.String(); t.IsBackground() {
			bg[name] = th.SGR(t)
		} else {
			fg[name] = th.SGR(t)
		}
	}
	mode := "truecolor"
	if th.Depth() != themes.Truecolor {
		mode = "256color"
	}
	return map[string]any{"name": th.Name(), "fg": fg, "bg": bg, "mode": mode}
}

func (a *App) themeList() any {
	type entry struct {
		Name string `json:"name"`
		Path string `json:"path,omitempty"`
	}
	var out []entry
	for _, n := range themes.Builtin() {
		out = append(out, entry{Name: n})
	}
	files := a.ThemeFiles()
	for _, n := range slices.Sorted(maps.Keys(files)) {
		out = append(out, entry{n, files[n]})
	}
	return out
}

// keysOf reads input as a terminal sends it.
func keysOf(data string) (keys []key.Event) {
	p := input.New(input.Options{})
	for _, ev := range append(p.Feed([]byte(data)), p.Timeout()...) {
		if k, ok := ev.(key.Event); ok {
			keys = append(keys, k)
		}
	}
	return keys
}

func matchKey(data, id string) bool {
	want, err := key.Parse(id)
	if err != nil {
		return false
	}
	keys := keysOf(data)
	return len(keys) == 1 && keys[0].Is(want)
}

func parseKey(data string) string {
	if keys := keysOf(data); len(keys) == 1 {
		return string(keys[0].ID)
	}
	return ""
}

// stream asks a model, by way of an extension if that speaks to it.
func (a *App) streamOf(m *ai.Model) ai.StreamFunc {
	a.ext.mu.Lock()
	defer a.ext.mu.Unlock()
	if s := a.ext.streams[m.Ref()]; s != nil {
		return s
	}
	return a.ext.streams[m.Provider]
}

func (a *App) setStream(name string, s ai.StreamFunc) {
	a.ext.mu.Lock()
	defer a.ext.mu.Unlock()
	if a.ext.streams == nil {
		a.ext.streams = map[string]ai.StreamFunc{}
	}
	if s == nil {
		delete(a.ext.streams, name)
	} else {
		a.ext.streams[name] = s
	}
}

func (a *App) addProvider(name string, config json.RawMessage, s ai.StreamFunc) error {
	if err := a.Catalog.Extend(name, config); err != nil {
		return err
	}
	a.setStream(name, s)
	return nil
}

func (a *App) removeProvider(name string) error {
	a.Catalog.Retract(name, "")
	a.setSignIn(name, nil)
	a.setStream(name, nil)
	return nil
}

func (a *App) addVirtual(m *ai.Model, s ai.StreamFunc) error {
	a.Catalog.Add(m)
	a.setStream(m.Ref(), s)
	return nil
}
