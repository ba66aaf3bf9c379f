package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"tau/agent"
)

// RenderLimit is how long a view may take to draw itself. What it showed before
// stays if it takes longer.
const RenderLimit = 250 * time.Millisecond

// View is something an extension draws. Its methods block for at most
// RenderLimit, and are for the goroutine that draws.
type View struct {
	ext    *Extension
	id     int
	closed chan struct{}
	once   sync.Once
}

// view returns the view with this number, nil for 0.
func (e *Extension) view(id int) *View {
	if id == 0 {
		return nil
	}
	r := e.runner
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.views == nil {
		e.views = map[int]*View{}
	}
	v := e.views[id]
	if v == nil {
		v = &View{ext: e, id: id, closed: make(chan struct{})}
		e.views[id] = v
	}
	return v
}

func (v *View) close() {
	if v != nil {
		v.once.Do(func() { close(v.closed) })
	}
}

// Lines draws the view.
func (v *View) Lines(width int) ([]string, error) {
	raw, err := v.call(MethodRender, map[string]int{"id": v.id, "width": width})
	if err != nil {
		return nil, err
	}
	var lines []string
	if err := json.Unmarshal(raw, &lines); err != nil {
		return nil, fmt.Errorf("the lines cannot be read: %w", err)
	}
	return lines, nil
}

// Input gives the view what was typed, as bytes of a terminal.
func (v *View) Input(data string) error {
	_, err := v.call(MethodInput, map[string]any{"id": v.id, "data": data})
	return err
}

// Event gives the view something else than input: focus (data true or false),
// invalidate, or what an editor is asked.
func (v *View) Event(what string, data any) (json.RawMessage, error) {
	return v.call(MethodNotice, map[string]any{"what": what, "id": v.id, "data": data})
}

// Dispose ends the view.
func (v *View) Dispose() {
	r := v.ext.runner
	r.mu.Lock()
	delete(v.ext.views, v.id)
	r.mu.Unlock()
	v.close()
	go func() { _, _ = v.call(MethodDispose, map[string]int{"id": v.id}) }()
}

// Overhear gives the extension what was typed before anybody else sees it, and
// reports whether it keeps it.
func (e *Extension) Overhear(data string) (consumed bool) {
	ctx, cancel := context.WithTimeout(context.Background(), RenderLimit)
	defer cancel()
	if e.carrier == nil {
		return false
	}
	raw, err := e.carrier.Call(ctx, MethodNotice, map[string]any{"what": "input", "id": 0, "data": data})
	var a struct {
		Consume bool `json:"consume"`
	}
	return err == nil && json.Unmarshal(raw, &a) == nil && a.Consume
}

// ResultJSON is a result as extensions see it.
func ResultJSON(r *agent.Result) any { return resultOf(r) }

// Report tells of something that went wrong in the view.
func (v *View) Report(err error) { v.ext.runner.report(v.ext, "render", err) }

func (v *View) call(method string, params any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), RenderLimit)
	defer cancel()
	if v.ext.carrier == nil {
		return nil, ErrGone
	}
	return v.ext.carrier.Call(ctx, method, params)
}

// Renders reports whether an extension draws messages (kind "message") or
// entries ("entry") of this type.
func (r *Runner) Renders(kind, name string) bool { return r.rendererOf(kind, name) != nil }

func (r *Runner) rendererOf(kind, name string) *Extension {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.exts {
		if e.renderers[kind+":"+name] {
			return e
		}
	}
	return nil
}

// Draw returns a view of a message or an entry, given as JSON. It is nil if no
// extension draws it.
func (r *Runner) Draw(kind, name string, value any, expanded bool) (*View, error) {
	e := r.rendererOf(kind, name)
	if e == nil {
		return nil, nil
	}
	return e.mount(map[string]any{"kind": kind, "name": name, "value": value, "options": map[string]any{"expanded": expanded, "outputPad": 1}})
}

// RendersTool reports whether extensions have a say in how calls of a tool are
// drawn.
func (r *Runner) RendersTool(name string) bool {
	d := r.toolDef(name)
	if d != nil && (d.RenderCall || d.RenderRes) {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.exts {
		if e.resolvers > 0 {
			return true
		}
	}
	return false
}

// ToolState is the state of a call that is drawn.
type ToolState struct {
	Tool       string          `json:"tool"`
	ToolCallID string          `json:"toolCallId"`
	Args       json.RawMessage `json:"args"`
	Result     any             `json:"result,omitempty"`
	Started    bool            `json:"executionStarted"`
	Complete   bool            `json:"argsComplete"`
	Partial    bool            `json:"isPartial"`
	Expanded   bool            `json:"expanded"`
	IsError    bool            `json:"isError"`
	DurationMs *int64          `json:"durationMs,omitempty"`
}

// DrawTool returns views of a call (slot "call") and of its result ("result"),
// nil if no extension draws that. self is true if the views need no frame.
func (r *Runner) DrawTool(slot string, st ToolState) (v *View, self bool, err error) {
	d := r.toolDef(st.Tool)
	r.mu.Lock()
	var from *Extension
	for _, e := range r.exts {
		if e.resolvers > 0 {
			from = e
		}
	}
	r.mu.Unlock()
	if from == nil && d != nil && (slot == "call" && d.RenderCall || slot == "result" && d.RenderRes) {
		from, self = d.ext, d.Shell == "self"
	}
	if from == nil {
		return nil, false, nil
	}
	v, err = from.mount(map[string]any{"kind": "tool", "slot": slot, "name": st.Tool, "value": st})
	return v, self, err
}

func (e *Extension) mount(params any) (*View, error) {
	ctx, cancel := context.WithTimeout(context.Background(), RenderLimit)
	defer cancel()
	if e.carrier == nil {
		return nil, ErrGone
	}
	raw, err := e.carrier.Call(ctx, MethodMount, params)
	if err != nil {
		return nil, err
	}
	var out struct {
		ID int `json:"id"`
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("the view cannot be read: %w", err)
	}
	return e.view(out.ID), nil
}
