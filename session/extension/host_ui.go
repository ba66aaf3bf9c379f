package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// question is what an extension asks the user.
type question struct {
	Title       string   `json:"title"`
	Message     string   `json:"message"`
	Options     []string `json:"options"`
	Placeholder string   `json:"placeholder"`
	Prefill     string   `json:"prefill"`
	Timeout     int64    `json:"timeout"` // milliseconds
}

func (q question) timeout() time.Duration { return time.Duration(q.Timeout) * time.Millisecond }

// asking tells extensions that the program waits for the user.
func (r *Runner) asking(kind, title string) (done func()) {
	tell := func(event string) {
		if !r.Wants(event) {
			return
		}
		ev := map[string]any{"type": event, "reason": "ui_prompt", "kind": kind}
		if title != "" {
			ev["title"] = title
		}
		r.later(func() { r.emit(context.Background(), event, ev, nil) })
	}
	tell("ui_prompt_start")
	return func() { tell("ui_prompt_end") }
}

// ask makes a method of a question; what is not answered is null.
func ask(kind string, put func(ctx context.Context, u UI, q question) any) method {
	return with(func(ctx context.Context, r *Runner, _ *Extension, q question) (any, error) {
		defer r.asking(kind, q.Title)()
		return put(ctx, r.ui(), q), nil
	})
}

func value(v string, ok bool) any {
	if !ok {
		return nil
	}
	return v
}

func uiMethods(name string) method {
	switch name {
	case "ui.select":
		return ask("select", func(ctx context.Context, u UI, q question) any {
			return value(u.Select(ctx, q.Title, q.Options, q.timeout()))
		})
	case "ui.confirm":
		return ask("confirm", func(ctx context.Context, u UI, q question) any {
			return u.Confirm(ctx, q.Title, q.Message, q.timeout())
		})
	case "ui.input":
		return ask("input", func(ctx context.Context, u UI, q question) any {
			return value(u.Input(ctx, q.Title, q.Placeholder, q.timeout()))
		})
	case "ui.editor":
		return ask("editor", func(ctx context.Context, u UI, q question) any { return value(u.Editor(ctx, q.Title, q.Prefill)) })
	case "ui.notify":
		return tell(func(u UI, p struct{ Message, Kind string }) { u.Notify(p.Message, p.Kind) })
	case "ui.setStatus":
		return tell(func(u UI, p struct {
			Key  string
			Text *string
		}) {
			u.SetStatus(p.Key, p.Text)
		})
	case "ui.setWidget":
		return with(func(_ context.Context, r *Runner, e *Extension, p struct {
			Key       string    `json:"key"`
			Lines     *[]string `json:"lines"`
			View      int       `json:"view"`
			Placement string    `json:"placement"`
		}) (any, error) {
			if s, ok := r.ui().(Screen); ok && p.View != 0 {
				s.SetWidgetView(p.Key, e.view(p.View), p.Placement)
			} else if p.View == 0 {
				r.ui().SetWidget(p.Key, p.Lines, p.Placement)
			}
			return nil, nil
		})
	case "ui.setTitle":
		return tell(func(u UI, p struct{ Title string }) { u.SetTitle(p.Title) })
	case "ui.setEditorText":
		return tell(func(u UI, p struct{ Text string }) { u.SetEditorText(p.Text) })
	case "ui.theme":
		return with(func(_ context.Context, r *Runner, _ *Extension, p struct{ Name string }) (any, error) {
			if r.o.Program.Theme == nil {
				return nil, nil
			}
			return r.o.Program.Theme(p.Name), nil
		})
	case "ui.themes":
		return with(func(_ context.Context, r *Runner, _ *Extension, _ struct{}) (any, error) {
			if r.o.Program.Themes == nil {
				return []int{}, nil
			}
			return r.o.Program.Themes(), nil
		})
	case "ui.keyText":
		return with(func(_ context.Context, r *Runner, _ *Extension, p struct{ ID string }) (any, error) {
			if r.o.Program.KeyText == nil {
				return "", nil
			}
			return r.o.Program.KeyText(p.ID), nil
		})
	case "ui.copy":
		return with(func(_ context.Context, r *Runner, _ *Extension, p struct{ Text string }) (any, error) {
			if r.o.Program.Copy == nil {
				return nil, errors.New("there is no clipboard without a screen")
			}
			r.o.Program.Copy(p.Text)
			return nil, nil
		})
	case "ui.matchKey":
		return with(func(_ context.Context, r *Runner, _ *Extension, p struct{ Data, Key string }) (any, error) {
			return r.o.Program.MatchKey != nil && r.o.Program.MatchKey(p.Data, p.Key), nil
		})
	case "ui.parseKey":
		return with(func(_ context.Context, r *Runner, _ *Extension, p struct{ Data string }) (any, error) {
			if r.o.Program.ParseKey == nil {
				return nil, nil
			}
			return orNull(r.o.Program.ParseKey(p.Data)), nil
		})
	}
	return screenMethods(name)
}

// tell makes a method of something that is only told.
func tell[P any](do func(u UI, p P)) method {
	return with(func(_ context.Context, r *Runner, _ *Extension, p P) (any, error) {
		do(r.ui(), p)
		return nil, nil
	})
}

// draw is tell for screens; elsewhere it does nothing.
func draw[P any](do func(s Screen, e *Extension, p P) (any, error)) method {
	return with(func(_ context.Context, r *Runner, e *Extension, p P) (any, error) {
		if s, ok := r.ui().(Screen); ok {
			return do(s, e, p)
		}
		return nil, nil
	})
}

type textOrNull struct{ Text *string }

type viewRef struct{ View int }

func screenMethods(name string) method {
	switch name {
	case "ui.setWorkingMessage":
		return draw(func(s Screen, _ *Extension, p textOrNull) (any, error) { s.SetWorkingMessage(p.Text); return nil, nil })
	case "ui.setWorkingVisible":
		return draw(func(s Screen, _ *Extension, p struct{ Visible bool }) (any, error) {
			s.SetWorkingVisible(p.Visible)
			return nil, nil
		})
	case "ui.setWorkingIndicator":
		return draw(func(s Screen, _ *Extension, p struct {
			Frames     *[]string
			IntervalMs int64
		}) (any, error) {
			s.SetWorkingIndicator(p.Frames, time.Duration(p.IntervalMs)*time.Millisecond)
			return nil, nil
		})
	case "ui.setHiddenThinkingLabel":
		return draw(func(s Screen, _ *Extension, p textOrNull) (any, error) {
			s.SetHiddenThinkingLabel(p.Text)
			return nil, nil
		})
	case "ui.setHeader":
		return draw(func(s Screen, e *Extension, p viewRef) (any, error) { s.SetHeader(e.view(p.View)); return nil, nil })
	case "ui.setFooter":
		return draw(func(s Screen, e *Extension, p viewRef) (any, error) { s.SetFooter(e.view(p.View)); return nil, nil })
	case "ui.setEditor":
		return draw(func(s Screen, e *Extension, p viewRef) (any, error) { s.SetEditor(e.view(p.View)); return nil, nil })
	case "ui.redraw":
		return draw(func(s Screen, e *Extension, p viewRef) (any, error) { s.Redraw(e.view(p.View)); return nil, nil })
	case "ui.editorText":
		return draw(func(s Screen, _ *Extension, _ struct{}) (any, error) { return s.EditorText(), nil })
	case "ui.paste":
		return draw(func(s Screen, _ *Extension, p struct{ Text string }) (any, error) { s.Paste(p.Text); return nil, nil })
	case "ui.toolsExpanded":
		return draw(func(s Screen, _ *Extension, _ struct{}) (any, error) { return s.ToolsExpanded(), nil })
	case "ui.setToolsExpanded":
		return draw(func(s Screen, _ *Extension, p struct{ Expanded bool }) (any, error) {
			s.SetToolsExpanded(p.Expanded)
			return nil, nil
		})
	case "ui.setTheme":
		return draw(func(s Screen, _ *Extension, p named) (any, error) {
			if err := s.SetTheme(p.Name); err != nil {
				return map[string]any{"success": false, "error": err.Error()}, nil
			}
			return map[string]any{"success": true}, nil
		})
	case "ui.write":
		return draw(func(s Screen, _ *Extension, p struct{ Data string }) (any, error) { s.Write(p.Data); return nil, nil })
	case "ui.size":
		return draw(func(s Screen, _ *Extension, _ struct{}) (any, error) {
			w, h := s.Size()
			return map[string]int{"columns": w, "rows": h}, nil
		})
	case "ui.listenInput":
		return draw(func(s Screen, e *Extension, p struct{ On bool }) (any, error) {
			s.ListenInput(e, p.On)
			return nil, nil
		})
	case "ui.baseEditor":
		return draw(func(s Screen, _ *Extension, p struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}) (any, error) {
			return s.BaseEditor(p.Method, p.Params)
		})
	case "ui.overlayHidden":
		return draw(func(s Screen, e *Extension, p struct {
			View   int
			Hidden bool
		}) (any, error) {
			s.SetOverlayHidden(e.view(p.View), p.Hidden)
			return nil, nil
		})
	case "ui.custom":
		return with(func(ctx context.Context, r *Runner, e *Extension, p struct {
			View int `json:"view"`
			Overlay
			Title string `json:"title"`
		}) (any, error) {
			s, ok := r.ui().(Screen)
			if !ok {
				return nil, fmt.Errorf("there is no screen here")
			}
			defer r.asking("custom", p.Title)()
			v := e.view(p.View)
			return nil, s.Custom(ctx, v, p.Overlay, v.closed)
		})
	case "ui.close":
		return with(func(_ context.Context, r *Runner, e *Extension, p viewRef) (any, error) {
			e.view(p.View).close()
			return nil, nil
		})
	}
	return nil
}
