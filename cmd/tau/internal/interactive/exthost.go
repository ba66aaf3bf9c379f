package interactive

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tau/ai"
	"tau/cmd/tau/internal/app"
	"tau/components"
	"tau/components/chat"
	"tau/session"
	"tau/session/extension"
	"tau/session/store"
	"tau/themes"
	"tau/tui/input"
	"tau/tui/key"
	"tau/tui/text"
)

// front tells the program how extensions reach the user.
func (p *program) front() {
	p.ext.columns.Store(80)
	p.ext.rows.Store(24)
	p.app.Front = app.Front{
		Mode: "tui", Late: true, UI: screen{p}, Theme: p.ext.theme.Load,
		Copy: func(text string) { p.ui.Post(func() { p.ui.Copy(text) }) },
		KeyText: func(id string) string {
			var keys []string
			for _, k := range p.keys.Keys(id) {
				keys = append(keys, string(k))
			}
			return strings.Join(keys, "/")
		},
		OnError: func(f extension.Failure) {
			p.ui.Post(func() {
				p.script.notice(chat.Failure, fmt.Sprintf("The extension %s failed (%s): %s", homeShort(f.Path), f.Event, f.Err))
				p.ui.RequestRender()
			})
		},
		OnChange: func() { p.ui.Post(p.refreshRewrites) },
		NewSession: func(ctx context.Context, parent string, setup []json.RawMessage) (bool, error) {
			return p.changeSession(ctx, func(r *extension.Runner) bool { return r.BeforeSwitch(ctx, "new", "") }, "new", func() (*session.Session, error) {
				s, err := p.app.Child(p.session, parent)
				if err != nil {
					return nil, err
				}
				for _, line := range setup {
					e, err := store.DecodeEntry(line)
					if err == nil {
						_, err = s.Store().Append(e)
					}
					if err != nil {
						return nil, fmt.Errorf("begin the session: %w", err)
					}
				}
				return s, nil
			})
		},
		Fork: func(ctx context.Context, id, position string) (bool, error) {
			var content []ai.Block
			cancelled, err := p.changeSession(ctx, func(r *extension.Runner) bool { return r.BeforeFork(ctx, id, position) }, "fork", func() (*session.Session, error) {
				var st *store.Store
				var err error
				if position == "at" {
					st, err = p.session.CloneAt(p.app.Library, id)
				} else {
					st, content, err = p.session.Fork(p.app.Library, id)
				}
				if err != nil {
					return nil, err
				}
				return p.app.Adopt(st, p.session), nil
			})
			if len(content) > 0 {
				p.onUI(func() { p.editor.SetText(ai.ContentText(content)) })
			}
			return cancelled, err
		},
		Switch: func(ctx context.Context, path string) (bool, error) {
			return p.changeSession(ctx, func(r *extension.Runner) bool { return r.BeforeSwitch(ctx, "resume", path) }, "resume", func() (*session.Session, error) {
				s, _, err := p.app.Open(path)
				return s, err
			})
		},
		Reload: func(context.Context) error {
			s := p.current()
			p.onUI(p.clearExtensions)
			err := p.app.ReloadExtensions(s)
			p.onUI(func() { p.reloaded(nil) })
			return err
		},
		Shutdown: func() {
			s := p.current()
			go func() {
				_ = s.Wait(context.Background()) // a tool that asks for the end is answered
				p.ui.Post(func() { p.ui.Quit(nil) })
			}()
		},
		Submit: func(t string, d session.Delivery) { p.ui.Post(func() { p.deliver(t, d) }) },
	}
}

func (p *program) current() *session.Session {
	var s *session.Session
	p.onUI(func() { s = p.session })
	return s
}

// changeSession takes another session, for an extension.
func (p *program) changeSession(ctx context.Context, refused func(*extension.Runner) bool, reason string, make func() (*session.Session, error)) (cancelled bool, err error) {
	old := p.current()
	if refused(p.app.Runner(old)) {
		return true, nil
	}
	var next *session.Session
	p.onUI(func() {
		if next, err = make(); err == nil {
			p.clearExtensions()
			p.attach(next)
			p.look.CWD = next.CWD()
		}
	})
	if err != nil {
		return false, err
	}
	p.app.End(old, reason, next)
	p.app.Begin(next, reason, old.Store().Path())
	if err := old.Close(); err != nil {
		p.onUI(func() { p.script.notice(chat.Warning, "The session before was not closed cleanly: "+err.Error()) })
	}
	return false, nil
}

// unless does something if no extension refuses it.
func (p *program) unless(refused func(context.Context, *extension.Runner) bool, event string, do func()) {
	r := p.app.Runner(p.session)
	if !r.Wants(event) {
		do()
		return
	}
	go func() {
		if refused(context.Background(), r) {
			return
		}
		p.ui.Post(func() {
			do()
			p.ui.RequestRender()
		})
	}()
}

// loadExtensions loads the extensions while the first frame is on the screen
// already, and then goes on.
func (p *program) loadExtensions(then func()) {
	s := p.session
	if !p.app.Pending() {
		if r := p.app.Runner(s); !r.Empty() {
			go func() {
				p.app.Begin(s, "startup", "")
				p.ui.Post(then)
			}()
			return
		}
		then()
		return
	}
	go func() {
		err := p.app.LoadLate(s)
		close(p.ext.ready)
		p.ui.Post(func() {
			if err != nil {
				p.script.notice(chat.Failure, err.Error())
			}
			p.tellProblems()
			p.refreshRewrites()
			then()
			p.ui.RequestRender()
		})
	}()
}

// clearExtensions takes everything of extensions off the screen.
func (p *program) clearExtensions() {
	for v := range p.ext.views {
		p.drop(v)
	}
	for _, o := range p.ext.overlays {
		o.Hide()
	}
	e := &p.ext
	e.views, e.statuses, e.widgets, e.overlays, e.listening, e.dialogs = nil, nil, nil, nil, nil, nil
	e.header, e.footer, e.editor, e.custom, e.message = nil, nil, nil, nil, nil
	e.hidden, e.own, e.frames = false, false, nil
	p.look.ThinkingLabel = ""
	if p.picker == nil {
		e.open = false
		p.focusHome()
	}
}

// intercept lets extensions look at a message before it is sent.
func (p *program) intercept(typed string, d session.Delivery, send func([]ai.Block)) {
	content := ai.TextBlocks(typed)
	r := p.app.Runner(p.session)
	select {
	case <-p.ext.ready:
		if !r.Wants("input") {
			send(content)
			return
		}
	default:
	}
	s, delivery := p.session, ""
	if s.Busy() {
		delivery = map[session.Delivery]string{session.Steer: "steer", session.FollowUp: "followUp"}[d]
	}
	go func() {
		<-p.ext.ready
		out, handled := p.app.Runner(s).Input(context.Background(), extension.Input{Content: content, Source: "interactive", Delivery: delivery})
		if handled {
			return
		}
		p.ui.Post(func() { send(out) })
	}()
}

// extCommand runs a command of an extension.
func (p *program) extCommand(typed string) bool {
	r := p.app.Runner(p.session)
	c, args, ok := r.Command(typed)
	if !ok {
		return false
	}
	go func() { _ = r.Run(context.Background(), c, args) }() // the runner tells of failures
	return true
}

// extCommands are the commands of extensions, for the menu.
func (p *program) extCommands() []components.Command {
	r := p.app.Runner(p.session)
	var out []components.Command
	for _, c := range r.Commands() {
		cmd := components.Command{Name: c.Name, Description: c.Source().Tag() + " " + c.Description}
		if c.Completes {
			cmd.Complete = p.extArguments(r, c)
		}
		out = append(out, cmd)
	}
	return out
}

// overhear gives a key to extensions that listen to all input.
func (p *program) overhear(ev key.Event) bool {
	for _, e := range p.ext.listening {
		consumed := false
		p.lent(func() { consumed = e.Overhear(keyBytes(ev)) })
		if consumed {
			return true
		}
	}
	return false
}

// shortcut runs what an extension wants a key to do.
func (p *program) shortcut(ev key.Event) bool {
	r := p.app.Runner(p.session)
	for _, s := range r.Shortcuts() {
		if id, err := key.Parse(s.Key); err == nil && ev.Is(id) {
			go r.Press(context.Background(), s)
			return true
		}
	}
	return false
}

// cancels is a key handler that ends a dialog.
func (p *program) cancels(do func()) func(key.Event) bool {
	return func(ev key.Event) bool {
		if !p.keys.Matches(ev, "tui.select.cancel") {
			return false
		}
		do()
		return true
	}
}

// baseInput is what the usual editor and the application do with input.
func (p *program) baseInput(data string) {
	parser := input.New(input.Options{})
	for _, ev := range append(parser.Feed([]byte(data)), parser.Timeout()...) {
		switch ev := ev.(type) {
		case key.Event:
			if !p.appKey(ev) {
				p.editor.HandleKey(ev)
			}
		case input.Paste:
			p.editor.HandlePaste(ev.Text)
		}
	}
}

// inPlace is what stands where the editor usually is, or nil.
func (p *program) inPlace() *extension.View {
	if p.ext.custom != nil {
		return p.ext.custom
	}
	return p.ext.editor
}

// focusHome gives the keyboard to the editor, or what stands in its place.
func (p *program) focusHome() {
	if v := p.inPlace(); v != nil {
		p.ui.Focus(p.viewOf(v))
		return
	}
	p.ui.Focus(p.editor)
}

// standIn draws what stands in place of the editor.
type standIn struct{ p *program }

// Render implements tui.Component.
func (s *standIn) Render(width int) []string {
	v := s.p.inPlace()
	if v == nil {
		return nil
	}
	if v == s.p.ext.editor {
		s.p.viewOf(v).dirty = true // it shows what the usual editor has
	}
	return s.p.viewOf(v).Render(width)
}

// widgets draws the widgets of extensions above or below the editor.
type widgets struct {
	p     *program
	below bool
}

// widgetLines is how many lines of text a widget may have.
const widgetLines = 10

// Render implements tui.Component.
func (w *widgets) Render(width int) []string {
	var out []string
	for _, x := range w.p.ext.widgets {
		if (x.placement == "belowEditor") != w.below {
			continue
		}
		if x.view != nil {
			out = append(out, w.p.viewOf(x.view).Render(width)...)
			continue
		}
		for i, l := range x.lines {
			if i == widgetLines {
				out = append(out, "  "+w.p.look.Theme.Fg(themes.Dim, fmt.Sprintf("… %d more", len(x.lines)-i)))
				break
			}
			out = append(out, fit("  "+l, width))
		}
	}
	return out
}

// extFooter draws the footer of an extension, and what extensions say in a line.
type extFooter struct{ p *program }

// Render implements tui.Component.
func (f *extFooter) Render(width int) []string {
	var out []string
	if v := f.p.ext.footer; v != nil {
		f.p.viewOf(v).dirty = true // it shows what the session has become
		out = append(out, f.p.viewOf(v).Render(width)...)
	}
	var keys []string
	for k := range f.p.ext.statuses {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var parts []string
	for _, k := range keys {
		s := strings.Join(strings.Fields(f.p.ext.statuses[k]), " ")
		parts = append(parts, fit(s, width)+"\x1b[0m")
	}
	if len(parts) > 0 {
		out = append(out, text.Truncate("  "+strings.Join(parts, f.p.look.Theme.Fg(themes.Dim, " · ")), width, "…"))
	}
	return out
}

func (p *program) drawsTool(name string) bool { return p.app.Runner(p.session).RendersTool(name) }

// drawTool has extensions draw a call.
func (p *program) drawTool(s chat.ToolState, width int) (call, result []string, self bool) {
	r := p.app.Runner(p.session)
	st := extension.ToolState{
		Tool: s.Name, ToolCallID: s.ID, Args: s.Args, Started: s.Started, Complete: s.Complete, Partial: !s.Done, Expanded: s.Expanded,
	}
	if s.Took >= 0 {
		ms := s.Took.Milliseconds()
		st.DurationMs = &ms
	}
	if s.Result != nil {
		st.Result, st.IsError = extension.ResultJSON(s.Result), s.Result.IsError
	}
	draw := func(slot string) []string {
		var lines []string
		p.lent(func() {
			v, own, err := r.DrawTool(slot, st)
			if v == nil || err != nil {
				return // as usual
			}
			self = self || own
			raw, err := v.Lines(width)
			v.Dispose()
			if err != nil {
				return
			}
			lines = make([]string, 0, len(raw))
			for _, l := range raw {
				lines = append(lines, fit(l, width))
			}
		})
		return lines
	}
	call = draw("call")
	if s.Result != nil {
		result = draw("result")
	}
	return call, result, self
}

// drawCustom has extensions draw a message or an entry of theirs.
func (p *program) drawCustom(m *chat.CustomMessage, width int) []string {
	r := p.app.Runner(p.session)
	if !r.Renders(m.Kind, m.Type) {
		return nil
	}
	var lines []string
	p.lent(func() {
		v, err := r.Draw(m.Kind, m.Type, json.RawMessage(m.JSON), m.Expanded)
		if err != nil || v == nil {
			return
		}
		raw, err := v.Lines(width)
		v.Dispose()
		if err != nil {
			return
		}
		lines = make([]string, 0, len(raw))
		for _, l := range raw {
			lines = append(lines, fit(l, width))
		}
	})
	return lines
}
