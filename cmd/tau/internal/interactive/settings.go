package interactive

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strconv"

	"tau/agent"
	"tau/components"
	"tau/components/chat"
	"tau/components/picker"
	"tau/session/settings"
	"tau/themes"
	"tau/tui"
)

// option is a row of /settings.
type option struct {
	id, label, help string
	field           string // JSON pointer into settings.json
	values          []string
	get             func(p *program) string
	// encode turns a value into what the file has; the value itself if nil.
	encode func(string) any
	later  bool // holds from the next session on
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func isOn(v string) any { return v == "on" }

func number(v string) any {
	n, err := strconv.Atoi(v)
	if err != nil {
		return v
	}
	return n
}

// raw writes a value of the file that may be a word or a number.
func raw(v json.RawMessage, otherwise string) string {
	var s string
	if len(v) == 0 {
		return otherwise
	}
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// options are the rows in their order. Ids are those of pi.
func options() []option {
	flag := []string{"on", "off"}
	modes := []string{string(agent.OneAtATime), string(agent.All)}
	of := func(f func(s *settings.Settings) string) func(*program) string {
		return func(p *program) string { return f(&p.app.Settings) }
	}
	return []option{
		{"theme", "Theme", "The colours. system follows the terminal; light/dark takes one of two by its background.", "/theme", nil,
			of(func(s *settings.Settings) string { return cmp.Or(s.Theme, "system") }), nil, false},
		{"tui-mode", "Screen", "fullscreen owns the window; regular leaves what scrolls off to the terminal.", "/tuiMode", []string{"fullscreen", "regular"},
			func(p *program) string { return map[bool]string{true: "regular", false: "fullscreen"}[p.inline] }, nil, false},
		{"autocompact", "Compact by itself", "Summarise the conversation before the model's window is full.", "/compaction/enabled", flag,
			func(p *program) string { return onOff(p.session.AutoCompaction()) }, isOn, false},
		{"steering-mode", "Steering", "How many steering messages go in at once.", "/steeringMode", modes,
			func(p *program) string { s, _ := p.session.QueueModes(); return string(s) }, nil, false},
		{"follow-up-mode", "Follow-ups", "How many follow-up messages go in at once.", "/followUpMode", modes,
			func(p *program) string { _, f := p.session.QueueModes(); return string(f) }, nil, false},
		{"hide-thinking", "Hide thoughts", "Show a short label in place of what the model thinks.", "/hideThinkingBlock", flag,
			func(p *program) string { return onOff(p.look.HideThinking) }, isOn, false},
		{"mermaid-rendering", "Diagrams", "Draw Mermaid diagrams: as soon as they are complete, when the answer is, or never.", "/markdown/mermaid", []string{"streaming", "final", "off"},
			of(func(s *settings.Settings) string { return cmp.Or(s.Markdown.Mermaid, "streaming") }), nil, false},
		{"cache-miss-notices", "Cache notices", "Say when the provider's prompt cache was lost, and why.", "/showCacheMissNotices", flag,
			of(func(s *settings.Settings) string { return onOff(settings.Or(s.ShowCacheMissNotices, true)) }), isOn, false},
		{"quiet-startup", "Quiet start", "Leave out what was loaded; header leaves out all.", "/quietStartup", []string{"off", "on", "header"},
			of(func(s *settings.Settings) string {
				return map[string]string{"true": "on", "false": "off", "header": "header"}[raw(s.QuietStartup, "false")]
			}),
			func(v string) any {
				if v == "header" {
					return v
				}
				return v == "on"
			}, true},
		{"default-project-trust", "Projects", "What to do in a folder that brings settings, skills or extensions of its own.", "/defaultProjectTrust", []string{"ask", "always", "never"},
			of(func(s *settings.Settings) string { return cmp.Or(s.DefaultProjectTrust, "ask") }), nil, true},
		{"double-escape-action", "Esc Esc", "What pressing Esc twice on an empty editor opens.", "/doubleEscapeAction", []string{"tree", "fork", "none"},
			of(func(s *settings.Settings) string { return cmp.Or(s.DoubleEscapeAction, "tree") }), nil, false},
		{"tree-filter-mode", "Tree filter", "What /tree shows at first.", "/treeFilterMode", treeFilters(),
			of(func(s *settings.Settings) string { return cmp.Or(s.TreeFilterMode, "default") }), nil, false},
		{"fullscreen-exit-output", "At the end", "What is printed when the program leaves the whole screen.", "/fullscreenExitOutput", []string{"transcript", "resume-hint"},
			of(func(s *settings.Settings) string { return cmp.Or(s.FullscreenExitOutput, "transcript") }), nil, false},
		{"fullscreen-scrollbar", "Scrollbar", "auto shows it while one scrolls.", "/fullscreenScrollbar", []string{"auto", "always", "hidden"},
			of(func(s *settings.Settings) string { return cmp.Or(s.FullscreenScrollbar, "auto") }), nil, false},
		{"fullscreen-copy-on-select", "Copy on select", "Copy what the mouse has selected.", "/fullscreenCopyOnSelect", flag,
			of(func(s *settings.Settings) string { return onOff(settings.Or(s.FullscreenCopyOnSelect, true)) }), isOn, false},
		{"fullscreen-wheel-scroll-lines", "Wheel", "Lines for a notch of the wheel; auto goes faster the faster it turns.", "/fullscreenWheelScrollLines", []string{"auto", "1", "2", "3", "5", "10"},
			of(func(s *settings.Settings) string { return raw(s.FullscreenWheelLines, "auto") }), number, false},
		{"autocomplete-max-visible", "Completions", "Rows of the completion list.", "/autocompleteMaxVisible", []string{"3", "5", "7", "10", "15", "20"},
			of(func(s *settings.Settings) string { return strconv.Itoa(cmp.Or(s.AutocompleteMaxVisible, 5)) }), number, false},
		{"editor-mode", "Editor", "vim has modes: Esc for normal, i to type, v to select.", "/editorMode", []string{"plain", "vim"},
			of(func(s *settings.Settings) string { return cmp.Or(s.EditorMode, "plain") }), nil, false},
		{"skill-commands", "Skills in the menu", "Offer /skill:name for each skill.", "/enableSkillCommands", flag,
			of(func(s *settings.Settings) string { return onOff(settings.Or(s.EnableSkillCommands, true)) }), isOn, false},
		{"show-images", "Pictures", "Draw pictures where the terminal can.", "/terminal/showImages", flag,
			of(func(s *settings.Settings) string { return onOff(settings.Or(s.Terminal.ShowImages, true)) }), isOn, false},
		{"image-width-cells", "Picture width", "At most so many columns.", "/terminal/imageWidthCells", []string{"60", "80", "120"},
			of(func(s *settings.Settings) string { return strconv.Itoa(max(s.Terminal.ImageWidthCells, 60)) }), number, false},
		{"block-images", "Keep pictures back", "Send no pictures to the model.", "/images/blockImages", flag,
			of(func(s *settings.Settings) string { return onOff(s.Images.BlockImages) }), isOn, true},
		{"http-idle-timeout", "Silence", "How long a provider may be silent before the answer counts as lost.", "/httpIdleTimeoutMs", []string{"30000", "60000", "120000", "300000", "disabled"},
			of(func(s *settings.Settings) string { return raw(s.HTTPIdleTimeoutMs, "300000") }), number, true},
		{"show-hardware-cursor", "Terminal's cursor", "Show the terminal's own cursor in the editor.", "/showHardwareCursor", flag,
			of(func(s *settings.Settings) string { return onOff(s.ShowHardwareCursor) }), isOn, false},
		{"notifications", "Notifications", "Tell of the end of a long turn outside the window: when it does not have the focus, always, or never.", "/notifications", []string{"unfocused", "always", "off"},
			of(func(s *settings.Settings) string { return cmp.Or(s.Notifications, "unfocused") }), nil, false},
		{"terminal-progress", "Progress", "Tell the terminal that the agent works (OSC 9;4).", "/terminal/showTerminalProgress", flag,
			of(func(s *settings.Settings) string { return onOff(s.Terminal.ShowProgress) }), isOn, false},
	}
}

// settingsMenu is the command /settings.
func (p *program) settingsMenu(string) {
	if p.picker != nil {
		return
	}
	all := options()
	var rows []components.Setting
	for _, o := range all {
		help := o.help
		if o.later {
			help += " Holds from the next session on."
		}
		row := components.Setting{ID: o.id, Label: o.label, Description: help, Value: o.get(p), Values: o.values}
		if o.id == "theme" {
			row.Submenu = p.themeMenu
		}
		rows = append(rows, row)
	}
	st := p.pickerStyle()
	list := components.NewSettingsList(rows, components.SettingsListOptions{
		Bindings: p.keys, MaxVisible: p.settingsRows(), Search: true, Hint: "↵ changes · type to search · esc closes", Style: st.List, ValueStyle: p.look.Theme.Style(themes.Accent),
		OnChange: func(id, value string) {
			i := slices.IndexFunc(all, func(o option) bool { return o.id == id })
			p.change(all[i], value)
		},
		OnCancel: p.closePicker,
	})
	p.show(picker.NewFrame(list, picker.FrameOptions{Title: "Settings", Hint: homeShort(p.app.SettingsPath()), Style: st}))
}

// settingsRows is how many settings fit, with the search above them and the
// help below.
func (p *program) settingsRows() int {
	_, h := p.ui.Size()
	return max(1, min(12, h-12))
}

// change writes a setting and lets it hold.
func (p *program) change(o option, value string) {
	var v any = value
	if o.encode != nil {
		v = o.encode(value)
	}
	p.saveSetting(o.field, v)
	switch o.id {
	case "theme":
		p.colors.chosen = ""
		p.setTheme(p.colors.theme(p.app))
	case "tui-mode":
		p.screenMode(value)
	case "autocompact":
		p.session.SetAutoCompaction(value == "on")
	case "steering-mode":
		p.session.SetSteeringMode(agent.QueueMode(value))
	case "follow-up-mode":
		p.session.SetFollowUpMode(agent.QueueMode(value))
	}
	p.applySettings()
	p.ui.RequestRender()
}

// applySettings brings the screen in line with the settings.
func (p *program) applySettings() {
	s := &p.app.Settings
	p.look.HideThinking = s.HideThinkingBlock
	p.look.Diagrams = map[string]components.Diagrams{"final": components.DiagramsFinal, "off": components.DiagramsOff}[s.Markdown.Mermaid]
	p.look.Pictures, p.look.ImageCols = pictures(s.Terminal, os.Getenv), s.Terminal.ImageWidthCells
	p.list.Invalidate()
	p.editor.SetVim(s.EditorMode == "vim")
	p.editor.SetMenuRows(cmp.Or(s.AutocompleteMaxVisible, 5))
	p.view.Scrollbar = map[string]tui.ScrollbarMode{"always": tui.ScrollbarAlways, "hidden": tui.ScrollbarHidden}[s.FullscreenScrollbar]
	p.view.WheelLines = 0
	if n, err := strconv.Atoi(raw(s.FullscreenWheelLines, "auto")); err == nil && n >= 1 && n <= 100 {
		p.view.WheelLines = n
	}
	p.ui.Configure(func(o *tui.Options) {
		o.CopyOnSelect = settings.Or(s.FullscreenCopyOnSelect, true)
		o.FakeCursor = !s.ShowHardwareCursor
	})
}

// saveSetting writes a field of the user's settings.
func (p *program) saveSetting(field string, value any) {
	if err := settings.Set(p.app.SettingsPath(), field, value); err != nil {
		p.script.notice(chat.Warning, err.Error())
		return
	}
	p.app.RereadSettings()
}

// themeMenu is a list of themes that shows each as one goes through it.
func (p *program) themeMenu(value string, done func(string, bool)) tui.Component {
	return p.themeList(value, p.settingsRows()+6, done)
}

func (p *program) themeList(value string, rows int, done func(string, bool)) *components.SelectList {
	var items []components.Item
	for _, n := range p.themeNames() {
		items = append(items, components.Item{Value: n, Label: n})
	}
	before := p.colors.chosen
	preview := func(name string) {
		p.colors.chosen = name
		th, err := p.colors.theme(p.app)
		if err == nil {
			p.setTheme(th, nil)
		}
	}
	list := components.NewSelectList(items, components.SelectListOptions{
		Bindings: p.keys, MaxVisible: rows, Style: p.pickerStyle().List,
		OnChange: func(it components.Item) { preview(it.Value) },
		OnSelect: func(it components.Item) {
			p.colors.chosen = before
			done(it.Value, true)
		},
		OnCancel: func() {
			p.colors.chosen = before
			p.setTheme(p.colors.theme(p.app))
			done("", false)
		},
	})
	list.Select(value)
	return list
}
