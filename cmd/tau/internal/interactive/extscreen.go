package interactive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tau/components"
	"tau/components/chat"
	"tau/components/picker"
	"tau/session/extension"
	"tau/themes"
	"tau/tui"
	"tau/tui/text"
)

// extras is what extensions have put on the screen. Only the UI's goroutine
// touches it, but for jobs and the atomic ones.
type extras struct {
	views     map[*extension.View]*extView
	statuses  map[string]string
	widgets   []widget
	header    *extension.View
	footer    *extension.View
	editor    *extension.View // in place of the editor
	custom    *extension.View // in place of the editor, for a while
	overlays  map[*extension.View]*tui.Overlay
	message   *string // what the spinner says
	hidden    bool    // the spinner is
	frames    []string
	own       bool // frames are the extension's
	interval  time.Duration
	listening []*extension.Extension
	dialogs   []func() // that wait for the one that is open
	open      bool     // a dialog is

	jobs     chan func() // for the UI's goroutine while it waits for an extension
	typed    atomic.Pointer[string]
	expanded atomic.Bool
	theme    atomic.Pointer[themes.Theme]
	columns  atomic.Int64
	rows     atomic.Int64
	ready    chan struct{} // closed when the extensions are loaded
}

type widget struct {
	key, placement string
	lines          []string
	view           *extension.View
}

// lent waits for an extension. What that asks of the screen meanwhile is done
// here.
func (p *program) lent(do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	for {
		select {
		case job := <-p.ext.jobs:
			job()
		case <-done:
			return
		}
	}
}

// onUI does something on the UI's goroutine and waits for it, also while that
// waits for an extension.
func (p *program) onUI(do func()) {
	ran := make(chan struct{})
	var once sync.Once
	job := func() {
		once.Do(func() {
			do()
			close(ran)
		})
	}
	p.ui.Post(job)
	select {
	case p.ext.jobs <- job:
		<-ran
	case <-ran:
	case <-time.After(2 * time.Second): // the UI has ended
	}
}

// screen is what extensions have of the UI. See extension.Screen.
type screen struct{ p *program }

var _ extension.Screen = screen{}

func (s screen) post(do func(p *program)) {
	s.p.ui.Post(func() {
		do(s.p)
		s.p.ui.RequestRender()
	})
}

// dialog shows a question when none is open, and waits for it. show is given a
// function that ends it. kind and title are what the terminal is told the
// program waits for; nothing if kind is empty.
func (s screen) dialog(ctx context.Context, timeout time.Duration, kind, title string, show func(p *program, end func())) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	over := make(chan struct{})
	var once sync.Once
	shown := false
	end := func() { // on the UI's goroutine
		once.Do(func() {
			close(over)
			if shown {
				s.p.ext.open = false
				s.p.tell.unblock("dialog")
				s.p.nextDialog()
			}
		})
	}
	s.post(func(p *program) {
		p.ext.dialogs = append(p.ext.dialogs, func() {
			select {
			case <-over:
				p.nextDialog()
				return
			default:
			}
			shown, p.ext.open = true, true
			if kind != "" {
				first, _, _ := strings.Cut(strings.TrimSpace(text.Sanitize(title)), "\n")
				p.tell.block("dialog", kind, first)
			}
			show(p, end)
		})
		p.nextDialog()
	})
	select {
	case <-over:
	case <-ctx.Done():
		s.post(func(p *program) {
			select {
			case <-over:
			default:
				if shown {
					p.closePicker()
				}
				end()
			}
		})
	}
}

// nextDialog opens the next dialog, if nothing else is in front.
func (p *program) nextDialog() {
	if p.ext.open || p.picker != nil || len(p.ext.dialogs) == 0 {
		return
	}
	next := p.ext.dialogs[0]
	p.ext.dialogs = p.ext.dialogs[1:]
	next()
}

// heading is the title of a dialog; what does not fit on its edge is shown in
// the transcript.
func (p *program) heading(title string) string {
	title = text.Sanitize(title)
	first, rest, _ := strings.Cut(strings.TrimSpace(title), "\n")
	if strings.TrimSpace(rest) != "" {
		p.script.notice(chat.Info, title)
		p.follow()
	}
	return oneLine(first)
}

// Select implements extension.UI.
func (s screen) Select(ctx context.Context, title string, options []string, timeout time.Duration) (value string, ok bool) {
	return s.choose(ctx, "question", title, options, timeout)
}

func (s screen) choose(ctx context.Context, kind, title string, options []string, timeout time.Duration) (value string, ok bool) {
	var mu sync.Mutex
	s.dialog(ctx, timeout, kind, title, func(p *program, end func()) {
		items := make([]components.Item, len(options))
		for i, o := range options {
			items[i] = components.Item{Value: strconv.Itoa(i), Label: oneLine(o)}
		}
		p.pickOr(p.heading(title), items, "0", "", func(v string) {
			if i, err := strconv.Atoi(v); err == nil && i < len(options) {
				mu.Lock()
				value, ok = options[i], true
				mu.Unlock()
			}
			end()
		}, end)
	})
	mu.Lock()
	defer mu.Unlock()
	return value, ok
}

// Confirm implements extension.UI.
func (s screen) Confirm(ctx context.Context, title, message string, timeout time.Duration) bool {
	if message != "" {
		title += "\n" + message
	}
	v, _ := s.choose(ctx, "permission", title, []string{"Yes", "No"}, timeout)
	return v == "Yes"
}

// Input implements extension.UI.
func (s screen) Input(ctx context.Context, title, placeholder string, timeout time.Duration) (value string, ok bool) {
	var mu sync.Mutex
	s.dialog(ctx, timeout, "question", title, func(p *program, end func()) {
		if placeholder != "" {
			title += " (" + placeholder + ")"
		}
		p.show(picker.NewPrompt(picker.PromptOptions{
			Title: p.heading(title), Bindings: p.keys, Style: p.pickerStyle(),
			OnSubmit: func(v string) {
				mu.Lock()
				value, ok = v, true
				mu.Unlock()
				p.closePicker()
				end()
			},
			OnCancel: func() { p.closePicker(); end() },
		}))
	})
	mu.Lock()
	defer mu.Unlock()
	return value, ok
}

// Editor implements extension.UI.
func (s screen) Editor(ctx context.Context, title, prefill string) (value string, ok bool) {
	var mu sync.Mutex
	s.dialog(ctx, 0, "question", title, func(p *program, end func()) {
		e := components.NewEditor(components.EditorOptions{
			Bindings: p.keys, Ticker: p.ui, OnUpdate: p.ui.RequestRender,
			OnSubmit: func(v string) {
				mu.Lock()
				value, ok = v, true
				mu.Unlock()
				p.closePicker()
				end()
			},
		})
		e.SetText(prefill)
		_, h := p.ui.Size()
		e.SetScreenHeight(h)
		p.show(picker.NewFrame(e, picker.FrameOptions{
			Title: p.heading(title), Hint: "↵ done · esc cancel", Style: p.pickerStyle(),
			OnKey: p.cancels(func() { p.closePicker(); end() }),
		}))
	})
	mu.Lock()
	defer mu.Unlock()
	return value, ok
}

// Notify implements extension.UI.
func (s screen) Notify(message, kind string) {
	k := map[string]chat.Kind{"warning": chat.Warning, "error": chat.Failure}[kind]
	s.post(func(p *program) { p.script.notice(k, message) })
}

// SetStatus implements extension.UI.
func (s screen) SetStatus(key string, t *string) {
	s.post(func(p *program) {
		if t == nil || *t == "" {
			delete(p.ext.statuses, key)
		} else {
			if p.ext.statuses == nil {
				p.ext.statuses = map[string]string{}
			}
			p.ext.statuses[key] = *t
		}
	})
}

// SetWidget implements extension.UI.
func (s screen) SetWidget(key string, lines *[]string, placement string) {
	if lines == nil {
		s.setWidget(widget{key: key}, false)
		return
	}
	s.setWidget(widget{key: key, placement: placement, lines: *lines}, true)
}

// SetWidgetView implements extension.Screen.
func (s screen) SetWidgetView(key string, v *extension.View, placement string) {
	s.setWidget(widget{key: key, placement: placement, view: v}, v != nil)
}

func (s screen) setWidget(w widget, there bool) {
	s.post(func(p *program) {
		var all []widget
		placed := false
		for _, o := range p.ext.widgets {
			switch {
			case o.key != w.key:
				all = append(all, o)
			default:
				p.drop(o.view)
				if there {
					all, placed = append(all, w), true
				}
			}
		}
		if there && !placed {
			all = append(all, w)
		}
		p.ext.widgets = all
	})
}

// SetTitle implements extension.UI.
func (s screen) SetTitle(title string) { s.post(func(p *program) { p.ui.SetTitle(oneLine(title)) }) }

// SetEditorText implements extension.UI.
func (s screen) SetEditorText(t string) {
	s.p.ext.typed.Store(&t)
	s.post(func(p *program) { p.editor.SetText(t) })
}

// SetWorkingMessage implements extension.Screen.
func (s screen) SetWorkingMessage(t *string) {
	s.post(func(p *program) { p.ext.message = t; p.relabel() })
}

// SetWorkingVisible implements extension.Screen.
func (s screen) SetWorkingVisible(v bool) {
	s.post(func(p *program) { p.ext.hidden = !v; p.relabel() })
}

// SetWorkingIndicator implements extension.Screen.
func (s screen) SetWorkingIndicator(f *[]string, interval time.Duration) {
	s.post(func(p *program) {
		p.ext.own, p.ext.frames, p.ext.interval = f != nil, nil, interval
		if f != nil {
			for _, l := range *f {
				p.ext.frames = append(p.ext.frames, fit(l, 20))
			}
		}
		p.relabel()
	})
}

// SetHiddenThinkingLabel implements extension.Screen.
func (s screen) SetHiddenThinkingLabel(t *string) {
	s.post(func(p *program) {
		p.look.ThinkingLabel = ""
		if t != nil {
			p.look.ThinkingLabel = oneLine(*t)
		}
		p.list.Invalidate()
	})
}

// SetHeader implements extension.Screen.
func (s screen) SetHeader(v *extension.View) {
	s.post(func(p *program) {
		p.drop(p.ext.header)
		p.ext.header = v
		if p.welcome != nil {
			p.welcome.width = 0
		}
		p.list.Invalidate()
	})
}

// SetFooter implements extension.Screen.
func (s screen) SetFooter(v *extension.View) {
	s.post(func(p *program) {
		p.drop(p.ext.footer)
		p.ext.footer = v
	})
}

// SetEditor implements extension.Screen.
func (s screen) SetEditor(v *extension.View) {
	s.post(func(p *program) {
		p.drop(p.ext.editor)
		p.ext.editor = v
		p.focusHome()
	})
}

// Custom implements extension.Screen.
func (s screen) Custom(ctx context.Context, v *extension.View, o extension.Overlay, closed <-chan struct{}) error {
	done := make(chan struct{})
	hide := func(*program) {}
	s.dialog(ctx, 0, "", "", func(p *program, end func()) {
		c := p.viewOf(v)
		if o.Overlay {
			opt, capture := overlayOptions(o.Options)
			ov := p.ui.ShowOverlay(c, opt)
			if p.ext.overlays == nil {
				p.ext.overlays = map[*extension.View]*tui.Overlay{}
			}
			p.ext.overlays[v] = ov
			if capture {
				ov.Focus()
			}
			hide = func(p *program) { ov.Hide(); delete(p.ext.overlays, v) }
			p.ext.open = false // several overlays may be open
		} else {
			p.ext.custom = v
			p.ui.Focus(c)
			hide = func(p *program) {
				if p.ext.custom == v {
					p.ext.custom = nil
				}
			}
		}
		go func() {
			select {
			case <-closed:
			case <-ctx.Done():
			}
			p.ui.Post(func() {
				hide(p)
				p.drop(v)
				if p.picker == nil && !p.ui.HasOverlay() || p.ext.custom == nil && len(p.ext.overlays) == 0 {
					p.focusHome()
				}
				end()
				close(done)
				p.ui.RequestRender()
			})
		}()
	})
	select {
	case <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// overlayOptions reads how an overlay stands, in the words of pi.
func overlayOptions(raw json.RawMessage) (opt tui.OverlayOptions, capture bool) {
	var in struct {
		Width        any    `json:"width"`
		MinWidth     int    `json:"minWidth"`
		MaxHeight    any    `json:"maxHeight"`
		Anchor       string `json:"anchor"`
		OffsetX      int    `json:"offsetX"`
		OffsetY      int    `json:"offsetY"`
		Row          any    `json:"row"`
		Col          any    `json:"col"`
		Margin       any    `json:"margin"`
		NonCapturing bool   `json:"nonCapturing"`
	}
	_ = json.Unmarshal(raw, &in) // what cannot be read is as if it were not there
	anchors := map[string]tui.Anchor{
		"center": tui.Center, "top-left": tui.TopLeft, "top-center": tui.TopCenter, "top-right": tui.TopRight, "left-center": tui.LeftCenter,
		"right-center": tui.RightCenter, "bottom-left": tui.BottomLeft, "bottom-center": tui.BottomCenter, "bottom-right": tui.BottomRight,
	}
	opt = tui.OverlayOptions{
		Width: size(in.Width), MinWidth: in.MinWidth, MaxHeight: size(in.MaxHeight), Anchor: anchors[in.Anchor], OffsetX: in.OffsetX, OffsetY: in.OffsetY,
		Row: size(in.Row), Col: size(in.Col), NonCapturing: in.NonCapturing,
	}
	switch m := in.Margin.(type) {
	case float64:
		opt.Margin = tui.Margin{Top: int(m), Right: int(m), Bottom: int(m), Left: int(m)}
	case map[string]any:
		n := func(k string) int { f, _ := m[k].(float64); return int(f) }
		opt.Margin = tui.Margin{Top: n("top"), Right: n("right"), Bottom: n("bottom"), Left: n("left")}
	}
	return opt, !in.NonCapturing
}

func size(v any) tui.Size {
	switch v := v.(type) {
	case float64:
		return tui.Cells(int(v))
	case string:
		if n, err := strconv.ParseFloat(strings.TrimSuffix(v, "%"), 64); err == nil {
			return tui.Percent(int(n))
		}
	}
	return tui.Size{}
}

// SetOverlayHidden implements extension.Screen.
func (s screen) SetOverlayHidden(v *extension.View, hidden bool) {
	s.post(func(p *program) {
		if ov := p.ext.overlays[v]; ov != nil {
			ov.SetHidden(hidden)
			if !hidden {
				ov.Focus()
			}
		}
	})
}

// Redraw implements extension.Screen.
func (s screen) Redraw(v *extension.View) {
	s.p.ui.Post(func() {
		if e := s.p.ext.views[v]; e != nil {
			e.changed()
			if v == s.p.ext.header && s.p.welcome != nil {
				s.p.welcome.width = 0
				s.p.list.Invalidate()
			}
			s.p.ui.RequestRender()
		}
	})
}

// EditorText implements extension.Screen.
func (s screen) EditorText() string {
	out := ""
	s.p.onUI(func() { out = s.p.editor.ExpandedText() })
	return out
}

// Paste implements extension.Screen.
func (s screen) Paste(t string) { s.post(func(p *program) { p.editor.HandlePaste(t) }) }

// ToolsExpanded implements extension.Screen.
func (s screen) ToolsExpanded() bool { return s.p.ext.expanded.Load() }

// SetToolsExpanded implements extension.Screen.
func (s screen) SetToolsExpanded(on bool) {
	s.p.ext.expanded.Store(on)
	s.post(func(p *program) {
		p.look.Expanded = on
		p.resetCards()
	})
}

// SetTheme implements extension.Screen.
func (s screen) SetTheme(name string) error {
	err := errors.New("the screen is gone")
	s.p.onUI(func() {
		before := s.p.colors.chosen
		s.p.colors.chosen = name
		var th *themes.Theme
		if th, err = s.p.colors.theme(s.p.app); err != nil {
			s.p.colors.chosen = before
			return
		}
		s.p.setTheme(th, nil)
	})
	return err
}

// Write implements extension.Screen. Only sequences that tell the terminal
// something (OSC) pass: what would move or draw is dropped.
func (s screen) Write(sequence string) {
	var out strings.Builder
	for i := 0; i < len(sequence); {
		if sequence[i] != 0x1b {
			if sequence[i] == 7 {
				out.WriteByte(7)
			}
			i++
			continue
		}
		n := max(1, text.Escape(sequence[i:]))
		if seq := sequence[i : i+n]; harmless(seq) {
			out.WriteString(seq)
		}
		i += n
	}
	if out.Len() > 0 {
		// Whole sequences between two frames do no harm to either.
		_, _ = os.Stdout.WriteString(out.String())
	}
}

// harmless are sequences for notifications (9, 99, 777), progress and the
// names of windows (0, 1, 2).
func harmless(seq string) bool {
	for _, start := range []string{"\x1b]9;", "\x1b]99;", "\x1b]777;", "\x1b]0;", "\x1b]1;", "\x1b]2;"} {
		if strings.HasPrefix(seq, start) {
			return true
		}
	}
	return false
}

// Size implements extension.Screen.
func (s screen) Size() (columns, rows int) {
	return int(s.p.ext.columns.Load()), int(s.p.ext.rows.Load())
}

// Suspend implements extension.Screen.
func (s screen) Suspend(run func()) {
	s.p.onUI(func() { _ = s.p.ui.External(func() error { run(); return nil }) })
}

// ListenInput implements extension.Screen.
func (s screen) ListenInput(e *extension.Extension, on bool) {
	s.post(func(p *program) {
		var rest []*extension.Extension
		for _, o := range p.ext.listening {
			if o != e {
				rest = append(rest, o)
			}
		}
		if on {
			rest = append(rest, e)
		}
		p.ext.listening = rest
	})
}

// BaseEditor implements extension.Screen.
func (s screen) BaseEditor(method string, params json.RawMessage) (out any, err error) {
	var in struct {
		Width  int    `json:"width"`
		Border string `json:"border"`
		Data   string `json:"data"`
		Text   string `json:"text"`
	}
	if len(params) > 0 {
		if err := json.Unmarshal(params, &in); err != nil {
			return nil, fmt.Errorf("the parameters cannot be read: %w", err)
		}
	}
	s.p.onUI(func() {
		p := s.p
		switch method {
		case "render":
			out = p.plainEditor(in.Width)
		case "input":
			p.baseInput(in.Data)
		case "text":
			out = p.editor.ExpandedText()
		case "setText":
			p.editor.SetText(in.Text)
		case "insert":
			p.editor.Insert(in.Text)
		case "cursor":
			l, c := p.editor.Caret()
			out = map[string]int{"line": l, "col": c}
		default:
			err = fmt.Errorf("the editor has no %s", method)
		}
	})
	return out, err
}

// plainEditor is the editor as extensions expect it: rules above and below, text
// between them from edge to edge.
func (p *program) plainEditor(width int) []string {
	th := p.look.Theme
	rule := th.Fg(p.borderToken(), strings.Repeat("─", max(1, width)))
	p.editor.SetFocused(true)
	lines := p.editor.Render(width)
	out := []string{rule}
	const box = 60 // from this width on the frame has sides, of a column and a blank each
	left, inner := 2, width-4
	if width < box {
		left, inner = 0, width
	}
	if len(lines) > 2 {
		for _, l := range lines[1 : len(lines)-1] {
			cut := strings.Index(l, tui.CursorMarker)
			body := text.Slice(strings.Replace(l, tui.CursorMarker, "", 1), left, max(1, inner))
			if cut >= 0 {
				at := text.Width(l[:cut]) - left
				body = text.Slice(body, 0, at) + extCursor + "\x1b[7m" + text.Slice(body, at, 1) + "\x1b[27m" + text.Slice(body, at+1, width)
			}
			out = append(out, body)
		}
	}
	return append(out, rule)
}
