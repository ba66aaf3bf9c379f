package interactive

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"tau/cmd/tau/internal/app"
	"tau/components"
	"tau/components/picker"
	"tau/session/resources"
	"tau/themes"
	"tau/tui"
	"tau/tui/input"
	"tau/tui/key"
	"tau/tui/keymap"
	"tau/tui/term"
	"tau/tui/text"
)

// config is the screen of tau config: a list of what packages and folders
// bring, each on or off. Changes are written at once.
type config struct {
	app    *app.App
	ui     *tui.UI
	keys   *keymap.Map
	theme  *themes.Theme
	colors terminalColors
	local  bool // the project's are shown
	all    []resources.Choice
	list   *noted
	over   *tui.Overlay
}

// Configure opens the screen, with the project's resources if local is set,
// and returns the program's exit status.
func Configure(a *app.App, local bool) int {
	t, err := term.Open(term.Options{Colors: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, "tau: cannot use this terminal:", err)
		return 1
	}
	return exitStatus(newConfig(a, local, t).ui.Run(context.Background()))
}

func newConfig(a *app.App, local bool, t *term.Term) *config {
	c := &config{app: a, keys: newKeys(), local: local}
	if b, err := os.ReadFile(filepath.Join(a.AgentDir, "keybindings.json")); err == nil {
		// What is wrong with them is told by the agent.
		_, _ = c.keys.Load(b)
		c.keys.Yield(keyGroup)
	}
	c.theme, _ = c.colors.theme(a) // what is wrong with a theme is told by the agent
	c.ui = tui.New(t, tui.Options{Mouse: true, Keys: c.keys, WaitColors: true, FakeCursor: true, OnColor: c.onColor})
	c.ui.SetViewport(tui.NewScrollView(c.ui, &tui.List{}))
	c.ui.Post(c.open) // when there is a size
	return c
}

func (c *config) onColor(col input.Color) {
	rgb := themes.RGB{R: col.RGB.R, G: col.RGB.G, B: col.RGB.B}
	switch col.Slot {
	case input.Background:
		c.colors.background = &rgb
	case input.Foreground:
		c.colors.foreground = &rgb
	default:
		return
	}
	if th, err := c.colors.theme(c.app); err == nil {
		c.theme = th
		if c.list != nil {
			c.list.Invalidate()
		}
		c.ui.RequestRender()
	}
}

// open shows the resources of one scope.
func (c *config) open() {
	if c.over != nil {
		c.over.Hide()
	}
	c.all = nil
	projects := 0
	for _, ch := range c.app.Choices() {
		mine := ch.Source.Scope == resources.Project
		if mine {
			projects++
		}
		if mine == c.local {
			c.all = append(c.all, ch)
		}
	}
	var rows []components.Setting
	for i, ch := range c.all {
		from := ch.Source.Source + " · "
		if ch.Source.Origin != resources.Package {
			from = ""
		}
		rows = append(rows, components.Setting{
			ID: strconv.Itoa(i), Label: singular(ch.Kind) + " " + oneLine(ch.Name), Value: onOff(ch.On), Values: []string{"on", "off"},
			Description: oneLine(from + homeShort(ch.Source.Path)),
		})
	}
	_, h := c.ui.Size()
	st := pickerStyle(func() *themes.Theme { return c.theme })
	hint := "↵ on/off · type to search · esc closes"
	if c.app.Trust.Trusted && (projects > 0 || c.local) {
		hint = "↵ on/off · tab yours/project's · type to search · esc closes"
	}
	list := components.NewSettingsList(rows, components.SettingsListOptions{
		Bindings: c.keys, MaxVisible: max(1, min(20, h-12)), Search: true, Hint: hint, Style: st.List,
		ValueStyle: func(s string) string { return c.theme.Fg(themes.Accent, s) },
		OnChange:   c.change, OnCancel: func() { c.ui.Quit(nil) },
	})
	c.list = &noted{SettingsList: list, style: func(s string) string { return c.theme.Fg(themes.Warning, s) }}
	title, file := "Resources", c.app.SettingsPath()
	if c.local {
		title, file = "Resources of this project", app.ProjectDir+"/settings.json"
	}
	box := picker.NewFrame(c.list, picker.FrameOptions{Title: title, Hint: homeShort(file), Style: st, OnKey: c.key})
	c.over = c.ui.ShowOverlay(box, tui.OverlayOptions{Width: tui.Percent(80), MinWidth: 40, Anchor: tui.Center, Gutter: 1})
	c.ui.RequestRender()
}

func (c *config) key(ev key.Event) bool {
	if ev.Action == key.Release {
		return false
	}
	switch {
	case c.keys.Matches(ev, "app.clear"):
		c.ui.Quit(nil)
	case c.keys.Matches(ev, "tui.input.tab"):
		if c.app.Trust.Trusted {
			c.local = !c.local
			c.open()
		}
	default:
		return false
	}
	return true
}

// change switches a resource. What cannot be written is said below the list,
// and the row shows what holds.
func (c *config) change(id, value string) {
	i, err := strconv.Atoi(id)
	if err != nil || i >= len(c.all) {
		return
	}
	ch := &c.all[i]
	if err := ch.Switch(value == "on"); err != nil {
		c.list.note = err.Error()
		c.list.SetValue(id, onOff(ch.On))
		c.list.Invalidate()
		return
	}
	c.list.note = ""
	ch.On = value == "on"
	if c.local {
		c.app.KeepTrust()
	}
}

// noted is a list with a message below it.
type noted struct {
	*components.SettingsList
	note  string
	style components.Style
}

// Render implements tui.Component.
func (n *noted) Render(width int) []string {
	lines := n.SettingsList.Render(width)
	if n.note == "" {
		return lines
	}
	lines = append(slices.Clone(lines), "")
	for _, l := range text.Wrap(oneLine(n.note), max(1, width-4)) {
		lines = append(lines, text.Truncate("  "+n.style(l), width, ""))
	}
	return lines
}

func singular(kind string) string {
	return map[string]string{"extensions": "extension", "skills": "skill", "prompts": "prompt", "themes": "theme"}[kind]
}
