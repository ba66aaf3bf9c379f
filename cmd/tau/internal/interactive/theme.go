package interactive

import (
	"os"
	"path/filepath"
	"strings"

	"tau/cmd/tau/internal/app"
	"tau/components"
	"tau/components/chat"
	"tau/components/highlight"
	"tau/session/settings"
	"tau/themes"
	"tau/tui"
	"tau/tui/graphics"
	"tau/tui/input"
)

// terminalColors is what the terminal has said about its colours.
type terminalColors struct {
	background *themes.RGB
	scheme     themes.Appearance
	chosen     string // by /theme, for this run
}

// theme picks the theme: what was chosen, the flag, the settings, or dark or
// light by the terminal's background.
func (c *terminalColors) theme(a *app.App) (*themes.Theme, error) {
	o := themes.Options{Depth: themes.DepthFromEnv(os.Getenv), Dirs: []string{filepath.Join(a.AgentDir, "themes")}}
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
		name = plain
	}
	th, err := themes.Load(name, o)
	if err != nil {
		fallback, e := themes.Load(plain, o)
		if e != nil {
			return nil, e
		}
		return fallback, err
	}
	return th, nil
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
	if th == nil || p.look.Theme != nil && th.Name() == p.look.Theme.Name() {
		return
	}
	p.look.Theme = th
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

func (p *program) onColor(c input.Color) {
	if c.Slot != input.Background {
		return
	}
	p.colors.background = &themes.RGB{R: c.RGB.R, G: c.RGB.G, B: c.RGB.B}
	p.setTheme(p.colors.theme(p.app))
}

func (p *program) onScheme(dark bool) {
	p.colors.scheme = themes.Light
	if dark {
		p.colors.scheme = themes.Dark
	}
	// The background that was reported before is no longer that of the screen.
	p.colors.background = nil
	p.setTheme(p.colors.theme(p.app))
}

func (p *program) themeNames() []string {
	return themes.Names([]string{filepath.Join(p.app.AgentDir, "themes")})
}

// theme is the command /theme.
func (p *program) theme(arg string) {
	if arg == "" {
		p.script.notice(chat.Info, "Themes: "+strings.Join(p.themeNames(), ", ")+". This is "+p.look.Theme.Name()+".")
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
