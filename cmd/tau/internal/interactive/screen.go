package interactive

import (
	"cmp"
	"fmt"
	"strings"

	"tau/cmd/tau/internal/app"
	"tau/components"
	"tau/components/chat"
	"tau/themes"
	"tau/tui"
	"tau/tui/keymap"
	"tau/tui/text"
)

func (p *program) buildScreen() {
	p.queue = &queueView{p: p}
	p.footer = &footer{p: p}
	p.editor = components.NewEditor(components.EditorOptions{
		Bindings: p.keys, Ticker: p.ui, Triggers: func() string { return p.app.Runner(p.session).Triggers() }, Placeholder: "Ask, or type / for commands",
		OnSubmit: p.submit, OnUpdate: p.ui.RequestRender, OnChange: p.editing, OnMode: p.relabel,
	})
	p.editor.SetCompleter(p.completer())
	// The transcript fills what the dock below it leaves.
	p.screen = tui.NewVStack(
		tui.Fill(p.view),
		tui.Item{Component: components.NewSpacer(1), Basis: 1, Hidden: func(_, height int) bool { return height < roomy }},
		tui.Item{Component: p.queue, Basis: tui.Auto, Shrink: 4},
		tui.Item{Component: &widgets{p: p}, Basis: tui.Auto, Shrink: 3},
		tui.Item{Component: &standIn{p: p}, Basis: tui.Auto, Shrink: 1, Min: 1, Hidden: func(int, int) bool { return p.inPlace() == nil }},
		tui.Item{Component: p.editor, Basis: tui.Auto, Shrink: 1, Min: 1, Hidden: func(_, height int) bool {
			// Asked before each frame: the editor takes a share of the screen.
			p.editor.SetScreenHeight(height)
			return p.inPlace() != nil
		}},
		tui.Item{Component: &widgets{p: p, below: true}, Basis: tui.Auto, Shrink: 3},
		tui.Item{Component: p.footer, Basis: tui.Auto, Shrink: 2, Hidden: func(int, int) bool { return p.ext.footer != nil }},
		tui.Item{Component: &extFooter{p: p}, Basis: tui.Auto, Shrink: 2},
	)
	p.ui.SetRoot(p.screen)
	p.ui.Focus(p.editor)
	p.ui.ShowOverlay(&components.Menu{Editor: p.editor}, tui.OverlayOptions{
		Above: p.editor, NonCapturing: true, Width: tui.Percent(100),
		Visible: func(int, int) bool { return p.editor.MenuOpen() && p.picker == nil },
	})
	p.ui.OnKey(p.onKey)
	p.ui.OnMouse(func(tui.MouseEvent) bool { p.stirred(); return false })
	p.restyle()
}

// roomy is the height from which a blank line parts the transcript from the
// editor.
const roomy = 16

// queueView shows the messages that wait to be sent.
type queueView struct {
	p                  *program
	steering, followUp []string
	lines              []string
	width              int
}

func (q *queueView) set(steering, followUp []string) {
	q.steering, q.followUp, q.width = steering, followUp, 0
}

// queueLines is how many waiting messages are shown.
const queueLines = 4

// Render implements tui.Component.
func (q *queueView) Render(width int) []string {
	if q.width == width {
		return q.lines
	}
	q.width = width
	th := q.p.look.Theme
	var all []string
	for _, m := range q.steering {
		all = append(all, "steering: "+oneLine(m))
	}
	for _, m := range q.followUp {
		all = append(all, "follow-up: "+oneLine(m))
	}
	q.lines = nil
	for i, l := range all {
		if i == queueLines {
			q.lines = append(q.lines, "  "+th.Fg(themes.Dim, fmt.Sprintf("… %d more", len(all)-i)))
			break
		}
		q.lines = append(q.lines, text.Truncate("  "+th.Fg(themes.Muted, l), width, "…"))
	}
	if len(all) > 0 {
		hint := q.p.keys.Hint("app.message.dequeue")
		q.lines = append(q.lines, text.Truncate("  "+th.Fg(themes.Dim, "↳ "+hint+" takes them back into the editor"), width, "…"))
	}
	return q.lines
}

func oneLine(s string) string {
	return strings.Join(strings.Fields(text.ReplaceControls(text.StripSequences(s))), " ")
}

// welcome is the first part of the transcript.
type welcome struct {
	p       *program
	look    *chat.Look
	version string
	demo    bool
	loaded  []app.Loaded
	hidden  bool
	keys    *keymap.Map
	lines   []string
	width   int
	theme   *themes.Theme
}

// Render implements tui.Component.
func (w *welcome) Render(width int) []string {
	if w.width == width && w.theme == w.look.Theme {
		return w.lines
	}
	w.width, w.theme = width, w.look.Theme
	if v := w.p.ext.header; v != nil {
		w.lines = w.p.viewOf(v).Render(width)
		return w.lines
	}
	if w.lines = nil; w.hidden {
		return nil
	}
	th := w.look.Theme
	put := func(s string) {
		for _, l := range text.Wrap(s, max(1, width-3)) {
			w.lines = append(w.lines, text.Truncate("  "+l, width, "…"))
		}
	}
	put(th.Bold(th.Fg(themes.Accent, "tau")) + " " + th.Fg(themes.Muted, w.version) + th.Fg(themes.Dim, "   a coding agent in your terminal"))
	if w.demo {
		w.lines = append(w.lines, "")
		put(th.Fg(themes.Text, "You are talking to demo, a small offline model that can list, read, search, edit and run for real."))
		put(th.Fg(themes.Muted, "Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or describe your own server in models.json, to use a real one."))
	}
	hint := func(id, what string) string { return th.Fg(themes.Text, w.keys.Hint(id)) + th.Fg(themes.Dim, " "+what) }
	sep := th.Fg(themes.Dim, " · ")
	put(strings.Join([]string{
		th.Fg(themes.Text, "/") + th.Fg(themes.Dim, " commands"), hint("app.interrupt", "stop"), hint("app.message.followUp", "follow-up"),
		hint("app.tools.expand", "details"), hint("app.exit", "quit"), th.Fg(themes.Text, "/help") + th.Fg(themes.Dim, " the rest"),
	}, sep))
	for i, l := range w.loaded {
		if i == 0 {
			w.lines = append(w.lines, "")
		}
		var names []string
		for _, n := range l.Names {
			names = append(names, oneLine(homeShort(n)))
		}
		w.lines = append(w.lines, text.Truncate("  "+th.Fg(themes.Dim, text.Pad(l.Kind, 9))+th.Fg(themes.Muted, strings.Join(names, " · ")), width, "…"))
	}
	return w.lines
}

// follow brings the end of the transcript into sight.
func (p *program) follow() {
	if !p.view.Following() {
		p.view.ScrollToEnd()
	}
}

// screenMode is the command /screen: the whole screen, or the terminal's own
// scrollback.
func (p *program) screenMode(mode string) {
	switch mode {
	case "":
		p.inline = !p.inline
	case "regular", "fullscreen":
		p.inline = mode == "regular"
	default:
		p.hint("there are fullscreen and regular")
		return
	}
	p.ui.SetInline(p.inline)
}

// wantsInline is what the flag or the settings say.
func wantsInline(a *app.App) bool { return cmp.Or(a.Options.TUIMode, a.Settings.TUIMode) == "regular" }
