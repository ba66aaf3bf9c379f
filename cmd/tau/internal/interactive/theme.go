package interactive

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"tau/cmd/tau/internal/app"
	"tau/components"
	"tau/components/chat"
	"tau/components/highlight"
	"tau/components/picker"
	"tau/session/settings"
	"tau/themes"
	"tau/tui"
	"tau/tui/graphics"
	"tau/tui/input"
)

// terminalColors is what the terminal has said about its colours.
type terminalColors struct {
	background *themes.RGB
	foreground *themes.RGB
	scheme     themes.Appearance
	chosen     string // by /theme, for this run
	watched    string // theme file that is looked after
	stop       func() // ends that
}

// theme picks the theme: what was chosen, the flag, the settings, or dark or
// light by the terminal's background.
func (c *terminalColors) theme(a *app.App) (*themes.Theme, error) {
	o := themes.Options{Depth: themes.DepthFromEnv(os.Getenv)}
	look := themes.Detect(c.background, c.scheme, os.Getenv("COLORFGBG"))
	plain := "dark"
	if look == themes.Light {
		plain = "light"
	}
	name := c.chosen
	for _, s := range []string{a.Options.UseTheme, a.Settings.Theme} {
		if name == "" {
			name = s
		}
	}
	if name = themes.Pick(name, look); name == "" || name == "system" {
		return c.system(o.Depth), nil
	}
	file := name
	if path := a.ThemeFiles()[name]; path != "" {
		file = path
	}
	th, err := themes.Load(file, o)
	if err != nil {
		err = fmt.Errorf("the theme %s is invalid and is not used: %w", name, err)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("unknown theme %s; there are %s", name, strings.Join(themeNames(a), ", "))
		}
		fallback, e := themes.Load(plain, o)
		if e != nil {
			return nil, e
		}
		return fallback, err
	}
	return th, nil
}

// system is the theme of the terminal's own colours.
func (c *terminalColors) system(d themes.Depth) *themes.Theme {
	return themes.System(themes.Terminal{
		Foreground: c.foreground, Background: c.background, Scheme: c.scheme, ColorFgBg: os.Getenv("COLORFGBG"),
	}, d)
}

// setTheme takes a theme over; err is what was wrong with the one wanted.
func (p *program) setTheme(th *themes.Theme, err error) {
	if err != nil {
		if p.script == nil {
			p.app.Problems = append(p.app.Problems, err)
		} else {
			p.script.notice(chat.Warning, err.Error())
		}
	}
	if th == nil {
		return
	}
	p.watchTheme(th.Name())
	// The theme of the terminal is another one when its colours are known.
	if p.look.Theme != nil && th.Name() == p.look.Theme.Name() && th.Name() != "system" && p.colors.watched == "" {
		return
	}
	p.look.Theme = th
	p.ext.theme.Store(th)
	for _, v := range p.ext.views {
		v.Invalidate()
	}
	fg := func(t themes.Token) components.Style { return th.Style(t) }
	p.look.Highlight = highlight.New(highlight.Styles{
		Text: fg(themes.MdCodeBlock), Comment: fg(themes.SyntaxComment), Keyword: fg(themes.SyntaxKeyword), Function: fg(themes.SyntaxFunction),
		Variable: fg(themes.SyntaxVariable), String: fg(themes.SyntaxString), Number: fg(themes.SyntaxNumber), Type: fg(themes.SyntaxType),
		Operator: fg(themes.SyntaxOperator), Punctuation: fg(themes.SyntaxPunctuation), Inserted: fg(themes.ToolDiffAdded),
		Deleted: fg(themes.ToolDiffRemoved), Heading: fg(themes.MdHeading),
	})
	if p.editor != nil {
		p.restyle()
		p.list.Invalidate()
		p.queue.width, p.footer.width = 0, 0
		p.relabel()
		p.ui.RequestRender()
	}
}

// restyle gives the editor and the scrollbar the theme's colours.
func (p *program) restyle() {
	th := p.look.Theme
	fg := func(t themes.Token) components.Style { return th.Style(t) }
	p.editor.SetStyle(components.EditorStyle{
		Border: fg(themes.Border), Label: fg(themes.Muted), Text: fg(themes.Text), Placeholder: fg(themes.Dim), Marker: fg(themes.Accent),
		MenuText: fg(themes.Text), MenuSelected: fg(themes.Accent), MenuDescription: fg(themes.Dim), MenuBorder: fg(themes.BorderMuted),
	})
	p.view.BarStyle, p.view.ThumbStyle = th.Style(themes.ScrollbarTrack), th.Style(themes.ScrollbarThumb)
}

// watchTheme looks after the file of a theme, and takes it over when it
// changes.
func (p *program) watchTheme(name string) {
	path := p.app.ThemeFiles()[name]
	if path == p.colors.watched || p.ui == nil {
		return
	}
	if p.colors.stop != nil {
		stop := p.colors.stop
		p.colors.stop = nil
		go stop() // it waits for a call that may be on its way here
	}
	p.colors.watched = ""
	if path == "" {
		return
	}
	stop, err := themes.Watch(path, themes.DepthFromEnv(os.Getenv), func(th *themes.Theme, err error) {
		p.ui.PostSoon(func() {
			if p.colors.watched != path {
				return
			}
			if err != nil {
				p.hint(err.Error())
				return
			}
			p.setTheme(th, nil)
		})
	})
	if err == nil { // without it the theme is read at the next start
		p.colors.watched, p.colors.stop = path, stop
	}
}

func (p *program) onColor(c input.Color) {
	rgb := &themes.RGB{R: c.RGB.R, G: c.RGB.G, B: c.RGB.B}
	switch c.Slot {
	case input.Background:
		if old := p.colors.background; old != nil && *old == *rgb {
			return
		}
		p.colors.background = rgb
	case input.Foreground:
		if old := p.colors.foreground; old != nil && *old == *rgb {
			return
		}
		p.colors.foreground = rgb
	default:
		return
	}
	p.setTheme(p.colors.theme(p.app))
}

func (p *program) onScheme(dark bool) {
	p.colors.scheme = themes.Light
	if dark {
		p.colors.scheme = themes.Dark
	}
	// The background that was reported before is no longer that of the screen.
	p.colors.background, p.colors.foreground = nil, nil
	p.setTheme(p.colors.theme(p.app))
}

func (p *program) themeNames() []string { return themeNames(p.app) }

// themeNames are the built-in themes, then the files.
func themeNames(a *app.App) []string {
	return append(append([]string{"system"}, themes.Builtin()...), slices.Sorted(maps.Keys(a.ThemeFiles()))...)
}

// checkThemes reads the theme files that are not in use, and says what is wrong
// with them.
func (p *program) checkThemes() {
	files := p.app.ThemeFiles()
	delete(files, p.app.Settings.Theme)
	delete(files, p.app.Options.UseTheme)
	if len(files) == 0 {
		return
	}
	go func() {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if _, err := themes.Load(files[name], themes.Options{}); err != nil {
				p.ui.Post(func() {
					p.script.notice(chat.Warning, fmt.Sprintf("the theme %s is invalid: %v", name, err))
					p.ui.RequestRender()
				})
			}
		}
	}()
}

// theme is the command /theme.
func (p *program) theme(arg string) {
	if arg == "" {
		p.pickTheme()
		return
	}
	before := p.colors.chosen
	p.colors.chosen = arg
	th, err := p.colors.theme(p.app)
	if err != nil {
		p.colors.chosen = before
		p.script.notice(chat.Warning, err.Error())
		return
	}
	p.setTheme(th, nil)
	p.saveSetting("/theme", arg)
}

// pickTheme opens the list of themes, and shows each as one goes through it.
func (p *program) pickTheme() {
	if p.picker != nil {
		return
	}
	list := p.themeList(cmp.Or(p.colors.chosen, p.app.Settings.Theme, "system"), p.pickerRows(12), func(name string, ok bool) {
		p.closePicker()
		if ok {
			p.theme(name)
		}
	})
	p.show(picker.NewFrame(list, picker.FrameOptions{Title: "Theme", Hint: "↵ use · esc back", Style: p.pickerStyle()}))
}

// hyperlinks reports whether the terminal is known to show OSC 8 links.
// Others may swallow them, and with them the address.
func hyperlinks(getenv func(string) string) bool {
	if v := getenv("TAU_HYPERLINKS"); v != "" {
		return v == "1" || v == "true"
	}
	if getenv("TMUX") != "" || strings.HasPrefix(getenv("TERM"), "screen") {
		return false
	}
	for _, name := range []string{"KITTY_WINDOW_ID", "WEZTERM_PANE", "WT_SESSION", "GHOSTTY_RESOURCES_DIR", "ALACRITTY_WINDOW_ID"} {
		if getenv(name) != "" {
			return true
		}
	}
	switch getenv("TERM_PROGRAM") {
	case "iTerm.app", "WezTerm", "vscode", "ghostty", "zed", "WarpTerminal":
		return true
	}
	return getenv("TERM") == "xterm-kitty" || getenv("TERM") == "alacritty"
}

// pictures returns how the terminal shows pictures, or nil if it does not.
func pictures(s settings.Terminal, getenv func(string) string) *tui.Pictures {
	if s.ShowImages != nil && !*s.ShowImages {
		return nil
	}
	protocol := graphics.Detect(getenv)
	switch strings.Trim(string(s.Images), `"`) {
	case "kitty":
		protocol = graphics.Kitty
	case "iterm2":
		protocol = graphics.ITerm2
	case "false":
		protocol = graphics.None
	}
	if protocol == graphics.None {
		return nil
	}
	return tui.NewPictures(protocol, components.DecodeImage)
}
