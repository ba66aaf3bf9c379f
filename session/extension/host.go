package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// host is the program as one extension sees it.
type host struct{ ext *Extension }

// method answers one method. The runner is that of the session that is in use
// now, which may have taken the place of the extension's own.
type method func(ctx context.Context, r *Runner, e *Extension, params json.RawMessage) (any, error)

// Serve implements Host.
func (h host) Serve(ctx context.Context, name string, params json.RawMessage) (any, error) {
	f := find(name)
	if f == nil {
		return nil, fmt.Errorf("there is no method %q", name)
	}
	h.ext.waiting.Add(1)
	defer h.ext.waiting.Add(-1)
	return f(ctx, h.ext.runner.current(), h.ext, params)
}

func find(name string) method {
	for _, table := range []func(string) method{registrations, actions, sessionMethods, modelMethods, uiMethods, completionMethods, oauthMethods} {
		if m := table(name); m != nil {
			return m
		}
	}
	return nil
}

// with makes a method of a function that takes its parameters as P.
func with[P any](do func(ctx context.Context, r *Runner, e *Extension, p P) (any, error)) method {
	return func(ctx context.Context, r *Runner, e *Extension, params json.RawMessage) (any, error) {
		var p P
		if len(params) > 0 && string(params) != "null" {
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, fmt.Errorf("the parameters cannot be read: %w", err)
			}
		}
		return do(ctx, r, e, p)
	}
}

type named struct {
	Name string `json:"name"`
}

// registrations are the methods with which an extension says what it has.
func registrations(name string) method {
	switch name {
	case "on":
		return with(func(_ context.Context, _ *Runner, e *Extension, p struct {
			Event   string `json:"event"`
			Handler int    `json:"handler"`
		}) (any, error) {
			if !slices.Contains(EventNames(), p.Event) {
				return nil, fmt.Errorf("there is no event %q", p.Event)
			}
			e.runner.subscribe(e, p.Event, p.Handler)
			return nil, nil
		})
	case "off":
		return with(func(_ context.Context, _ *Runner, e *Extension, p struct {
			Handler int `json:"handler"`
		}) (any, error) {
			e.runner.unsubscribe(e, p.Handler)
			return nil, nil
		})
	case "registerTool":
		return with(func(_ context.Context, _ *Runner, e *Extension, d toolDef) (any, error) {
			return nil, registerTool(e, d)
		})
	case "registerCommand":
		return with(func(_ context.Context, _ *Runner, e *Extension, p struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			Completes   bool   `json:"completes"`
		}) (any, error) {
			if p.Name == "" {
				return nil, fmt.Errorf("a command needs a name")
			}
			e.change(func() {
				e.commands = slices.DeleteFunc(e.commands, func(c *Command) bool { return c.Name == p.Name })
				e.commands = append(e.commands, &Command{Name: p.Name, Description: p.Description, Completes: p.Completes, ext: e})
			})
			return nil, nil
		})
	case "registerShortcut":
		return with(func(_ context.Context, _ *Runner, e *Extension, s Shortcut) (any, error) {
			s.ext = e
			e.change(func() { e.shortcuts = append(e.shortcuts, s) })
			return nil, nil
		})
	case "registerFlag":
		return with(func(_ context.Context, _ *Runner, e *Extension, f Flag) (any, error) {
			e.change(func() { e.flags = append(e.flags, f) })
			return nil, nil
		})
	case "registerRenderer": // {kind: message or entry, name}
		return with(func(_ context.Context, _ *Runner, e *Extension, p struct{ Kind, Name string }) (any, error) {
			e.change(func() { e.renderers[p.Kind+":"+p.Name] = true })
			return nil, nil
		})
	case "registerToolRenderer":
		return with(func(_ context.Context, _ *Runner, e *Extension, _ struct{}) (any, error) {
			e.change(func() { e.resolvers++ })
			return nil, nil
		})
	case "registerMarkdownTransformer":
		return with(func(_ context.Context, _ *Runner, e *Extension, m markdown) (any, error) {
			if len(m.Types) == 0 {
				m.Types = []string{"user", "assistant", "assistant-thinking"}
			}
			e.change(func() { e.markdown = &m; e.runner.transforms++ })
			return nil, nil
		})
	case "events.on":
		return with(func(_ context.Context, _ *Runner, e *Extension, p struct{ Channel string }) (any, error) {
			e.change(func() { e.channels[p.Channel] = true })
			return nil, nil
		})
	case "events.emit":
		return with(func(_ context.Context, _ *Runner, e *Extension, p struct {
			Channel string          `json:"channel"`
			Data    json.RawMessage `json:"data"`
		}) (any, error) {
			e.runner.publish(e, p.Channel, p.Data)
			return nil, nil
		})
	}
	return providerMethods(name)
}

// change changes what the extension has registered.
func (e *Extension) change(do func()) {
	r := e.runner
	r.mu.Lock()
	do()
	running := r.session != nil
	r.mu.Unlock()
	if running {
		r.o.OnChange()
	}
}

func registerTool(e *Extension, d toolDef) error {
	if d.Name == "" {
		return fmt.Errorf("a tool needs a name")
	}
	if len(d.Parameters) == 0 {
		d.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	d.ext = e
	r := e.runner
	r.mu.Lock()
	e.tools = slices.DeleteFunc(e.tools, func(o *toolDef) bool { return o.Name == d.Name })
	e.tools = append(e.tools, &d)
	r.mu.Unlock()
	r.toolAdded(&d)
	return nil
}

// publish tells the other extensions of an event of the bus. The one that sent
// it tells its own handlers.
func (r *Runner) publish(from *Extension, channel string, data json.RawMessage) {
	r.mu.Lock()
	var to []*Extension
	for _, e := range r.exts {
		if e != from && e.channels[channel] {
			to = append(to, e)
		}
	}
	r.mu.Unlock()
	for _, e := range to {
		r.later(func() {
			if _, err := r.call(context.Background(), e, MethodBus, map[string]any{"channel": channel, "data": data}); err != nil {
				r.report(e, "events:"+channel, err)
			}
		})
	}
}

// EventNames lists the events there are.
func EventNames() []string {
	return []string{
		"project_trust", "resources_discover", "mcp_servers_change", "session_start", "session_info_changed", "session_before_switch",
		"session_before_fork", "session_before_compact", "session_compact", "session_compact_failed", "session_before_tree", "session_tree",
		"session_shutdown", "before_agent_start", "agent_start", "agent_end", "agent_before_settle", "agent_settled", "turn_start", "turn_end",
		"message_start", "message_update", "message_end", "tool_execution_start", "tool_execution_update", "tool_execution_end", "tool_call",
		"tool_result", "context", "context_with_system", "before_provider_headers", "before_provider_request", "after_provider_response",
		"provider_stream_event", "cache_warming_decision", "model_select", "thinking_level_select", "user_bash", "input", "ui_prompt_start",
		"ui_prompt_end",
	}
}

// Host is the program as the extension sees it.
func (e *Extension) Host() Host { return host{e} }
