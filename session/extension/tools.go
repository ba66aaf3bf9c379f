package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"tau/agent"
)

// Tools returns all tools there are: the built-in ones, except those that an
// extension has replaced, and those of extensions. all are the built-in tools,
// active those that the model may call.
func (r *Runner) Tools(all []*agent.Tool) []*agent.Tool {
	r.mu.Lock()
	r.builtin = all
	r.mu.Unlock()
	return r.all()
}

func (r *Runner) all() []*agent.Tool {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := slices.Clone(r.builtin)
	for _, e := range r.exts {
		for _, d := range e.tools {
			t := r.tool(d)
			if i := slices.IndexFunc(out, func(o *agent.Tool) bool { return o.Name == d.Name }); i >= 0 {
				out[i] = t
			} else {
				out = append(out, t)
			}
		}
	}
	return out
}

// Added returns the names of tools of extensions that the model may call unless
// somebody says otherwise.
func (r *Runner) Added() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, e := range r.exts {
		for _, d := range e.tools {
			if d.active() && !slices.Contains(out, d.Name) {
				out = append(out, d.Name)
			}
		}
	}
	return out
}

// ToolSource returns the extension that has registered a tool, or nil.
func (r *Runner) toolDef(name string) *toolDef {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found *toolDef
	for _, e := range r.exts {
		for _, d := range e.tools {
			if d.Name == name {
				found = d
			}
		}
	}
	return found
}

// tool makes a tool of a definition.
func (r *Runner) tool(d *toolDef) *agent.Tool {
	t := &agent.Tool{
		Name: d.Name, Label: d.Label, Description: d.Description, Parameters: d.Parameters, Snippet: d.Snippet, Guidelines: d.Guidelines,
		Mode: agent.ExecutionMode(d.Mode),
	}
	t.Execute = func(ctx context.Context, call agent.Call, update func(agent.Result)) (agent.Result, error) {
		return r.execute(ctx, d, call, update)
	}
	if d.Prepares {
		t.Prepare = func(args json.RawMessage) (json.RawMessage, error) {
			return r.call(context.Background(), d.ext, MethodPrepare, map[string]any{"tool": d.Name, "args": args})
		}
	}
	return t
}

func (r *Runner) execute(ctx context.Context, d *toolDef, call agent.Call, update func(agent.Result)) (agent.Result, error) {
	id := r.listen(func(raw json.RawMessage) {
		var t toolResult
		if json.Unmarshal(raw, &t) == nil {
			update(t.result())
		}
	})
	defer r.unlisten(id)
	// How long a tool takes is its own affair; the user can stop it.
	raw, err := d.ext.call(ctx, 0, MethodTool, map[string]any{"tool": d.Name, "toolCallId": call.ID, "params": call.Args, "update": id})
	if err != nil {
		return agent.Result{}, err
	}
	var t toolResult
	if len(raw) > 0 && string(raw) != "null" {
		if err := json.Unmarshal(raw, &t); err != nil {
			return agent.Result{}, fmt.Errorf("the result of tool %s cannot be read: %w", d.Name, err)
		}
	}
	return t.result(), nil
}

func (r *Runner) activeTools() []string {
	out := []string{}
	if r.session != nil {
		for _, t := range r.session.Tools() {
			out = append(out, t.Name)
		}
	}
	return out
}

// setActive makes the tools of these names those that the model may call.
func (r *Runner) setActive(names []string) {
	if r.session == nil {
		return
	}
	all := r.all()
	var out []*agent.Tool
	for _, n := range names {
		i := slices.IndexFunc(all, func(t *agent.Tool) bool { return t.Name == n })
		if i >= 0 && !slices.ContainsFunc(out, func(t *agent.Tool) bool { return t.Name == n }) {
			if d := r.toolDef(n); d == nil || d.Exposure != "hidden" {
				out = append(out, all[i])
			}
		}
	}
	r.session.SetTools(out)
}

// toolAdded tells the session of a tool that was registered while it runs.
func (r *Runner) toolAdded(d *toolDef) {
	if r.session == nil {
		return
	}
	names := r.activeTools()
	if d.active() && !slices.Contains(names, d.Name) {
		names = append(names, d.Name)
	}
	r.setActive(names)
	r.o.OnChange()
}

// toolInfo is a tool as extensions see it.
type toolInfo struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Guidelines  []string        `json:"promptGuidelines,omitempty"`
	Exposure    string          `json:"exposure"`
	Source      any             `json:"sourceInfo"`
}

func (r *Runner) toolInfos() []toolInfo {
	out := []toolInfo{}
	for _, t := range r.all() {
		info := toolInfo{t.Name, t.Description, t.Parameters, t.Guidelines, "direct", map[string]string{"path": "<builtin:" + t.Name + ">", "source": "builtin", "scope": "temporary", "origin": "top-level"}}
		if d := r.toolDef(t.Name); d != nil {
			info.Source = d.ext.Source
			if d.Exposure != "" {
				info.Exposure = d.Exposure
			}
		}
		out = append(out, info)
	}
	return out
}
