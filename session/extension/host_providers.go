package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"tau/ai"
)

// providerMethods are about providers, virtual models and MCP servers.
func providerMethods(name string) method {
	switch name {
	case "registerProvider":
		return with(func(_ context.Context, _ *Runner, e *Extension, p struct {
			Name    string          `json:"name"`
			Config  json.RawMessage `json:"config"`
			Streams bool            `json:"streams"` // the extension speaks to it
			SignsIn bool            `json:"signsIn"` // it signs in to it
		}) (any, error) {
			r := e.runner
			return nil, r.whenBound(e, func() error {
				if r.o.Program.Provider == nil {
					return errNotHere
				}
				var stream ai.StreamFunc
				if p.Streams {
					stream = e.stream(p.Name)
				}
				if err := r.o.Program.Provider(p.Name, p.Config, stream); err != nil {
					return err
				}
				if r.o.Program.SignIn != nil {
					r.o.Program.SignIn(p.Name, e.signIn(p.Name, p.SignsIn))
				}
				r.own(p.Name, true)
				return nil
			})
		})
	case "unregisterProvider":
		return with(func(_ context.Context, _ *Runner, e *Extension, p named) (any, error) {
			r := e.runner
			return nil, r.whenBound(e, func() error {
				if r.o.Program.Remove == nil {
					return errNotHere
				}
				r.own(p.Name, false)
				return r.o.Program.Remove(p.Name)
			})
		})
	case "registerVirtualModel":
		return with(func(_ context.Context, _ *Runner, e *Extension, p struct {
			Model json.RawMessage `json:"model"`
		}) (any, error) {
			r := e.runner
			m, err := virtualModel(p.Model)
			if err != nil {
				return nil, err
			}
			return nil, r.whenBound(e, func() error {
				if r.o.Program.Virtual == nil {
					return errNotHere
				}
				return r.o.Program.Virtual(m, e.route())
			})
		})
	case "unregisterVirtualModel":
		return with(func(_ context.Context, _ *Runner, e *Extension, p modelRef) (any, error) {
			r := e.runner
			return nil, r.whenBound(e, func() error {
				if r.o.Program.Unreal != nil {
					r.o.Program.Unreal(p.Provider, p.ID)
				}
				return nil
			})
		})
	case "registerMcpServer":
		return with(func(_ context.Context, _ *Runner, e *Extension, p struct {
			Name   string          `json:"name"`
			Config json.RawMessage `json:"config"`
		}) (any, error) {
			return nil, e.runner.setServer(e, p.Name, p.Config)
		})
	case "unregisterMcpServer":
		return with(func(_ context.Context, _ *Runner, e *Extension, p named) (any, error) {
			return nil, e.runner.setServer(e, p.Name, nil)
		})
	case "getMcpServers":
		return with(func(_ context.Context, r *Runner, _ *Extension, _ struct{}) (any, error) { return r.Servers(), nil })
	}
	return nil
}

// own notes which providers extensions have registered.
func (r *Runner) own(provider string, there bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.owned = slices.DeleteFunc(r.owned, func(s string) bool { return s == provider })
	if there {
		r.owned = append(r.owned, provider)
	}
}

// Registered returns the providers that extensions have registered.
func (r *Runner) Registered() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.owned)
}

// Server is an MCP server that an extension has registered.
type Server struct {
	Name   string          `json:"name"`
	Config json.RawMessage `json:"config"`
	Path   string          `json:"extensionPath"`
}

// Servers returns the MCP servers that extensions have registered.
func (r *Runner) Servers() []Server {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []Server{}
	for _, name := range sortedKeys(r.mcp) {
		out = append(out, Server{name, r.mcp[name], r.mcpOwner[name].Source.Path})
	}
	return out
}

func (r *Runner) setServer(e *Extension, name string, config json.RawMessage) error {
	if check := r.o.Program.CheckServer; config != nil && check != nil {
		if err := check(name, config, e.Source.Path); err != nil {
			return err
		}
	}
	r.mu.Lock()
	same := func(n string) string { return strings.ReplaceAll(n, "-", "_") } // tools of both would have the same names
	for n := range r.mcp {
		if config != nil && n != name && same(n) == same(name) {
			r.mu.Unlock()
			return fmt.Errorf("the MCP server %s cannot be told from %s", name, n)
		}
	}
	if owner := r.mcpOwner[name]; owner != nil && owner != e {
		r.mu.Unlock()
		return fmt.Errorf("the MCP server %s belongs to another extension", name)
	}
	if config == nil {
		delete(r.mcp, name)
		delete(r.mcpOwner, name)
	} else {
		r.mcp[name], r.mcpOwner[name] = config, e
	}
	running := r.session != nil
	r.mu.Unlock()
	if running && r.o.Program.Served != nil {
		r.o.Program.Served(r)
	}
	if running && r.Wants("mcp_servers_change") {
		servers := r.Servers()
		r.later(func() {
			r.emit(context.Background(), "mcp_servers_change", map[string]any{"type": "mcp_servers_change", "servers": servers}, nil)
		})
	}
	return nil
}

// streamOptions are what of a request's options an extension needs.
type streamOptions struct {
	APIKey    string            `json:"apiKey,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Reasoning ai.ThinkingLevel  `json:"reasoning,omitempty"`
	MaxTokens int64             `json:"maxTokens,omitempty"`
	SessionID string            `json:"sessionId,omitempty"`
	Cache     ai.CacheRetention `json:"cacheRetention,omitempty"`
}

// stream is the protocol of a provider that an extension speaks to.
func (e *Extension) stream(provider string) ai.StreamFunc {
	return func(ctx context.Context, m *ai.Model, req ai.Request, o ai.Options) iter.Seq[ai.Event] {
		return func(yield func(ai.Event) bool) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			events := make(chan json.RawMessage, 64)
			id := e.runner.listen(func(raw json.RawMessage) {
				select {
				case events <- raw:
				case <-ctx.Done():
				}
			})
			defer e.runner.unlisten(id)
			so := streamOptions{o.APIKey, o.Headers, o.Thinking, o.MaxTokens, o.SessionID, o.Cache}
			if so.Reasoning == ai.ThinkingOff {
				so.Reasoning = ""
			}
			msgs := req.Messages
			if req.System != "" {
				msgs = append([]ai.Message{&ai.SystemMessage{Content: ai.TextBlocks(req.System), Plain: true, ToolsAdded: req.Tools}}, msgs...)
			}
			failed := make(chan error, 1)
			go func() {
				_, err := e.call(ctx, 0, MethodStream, map[string]any{
					"provider": provider, "model": m, "context": map[string]any{"messages": msgs, "systemPrompt": req.System, "tools": req.Tools},
					"options": so, "events": id,
				})
				failed <- err
			}()
			d := &decoder{model: m}
			for {
				select {
				case raw := <-events:
					ev, ok := d.event(raw)
					if ok && !yield(ev) || ev.Final() {
						return
					}
				case err := <-failed:
					for len(events) > 0 {
						if ev, ok := d.event(<-events); ok && !yield(ev) || ev.Final() {
							return
						}
					}
					yield(d.end(ctx, err))
					return
				}
			}
		}
	}
}

// decoder makes events of what an extension sends.
type decoder struct {
	model *ai.Model
	last  *ai.AssistantMessage
}

func (d *decoder) event(raw json.RawMessage) (ev ai.Event, ok bool) {
	var in struct {
		Type         ai.EventType         `json:"type"`
		ContentIndex int                  `json:"contentIndex"`
		Delta        string               `json:"delta"`
		Content      string               `json:"content"`
		ToolCall     *ai.ToolCall         `json:"toolCall"`
		Partial      *ai.AssistantMessage `json:"partial"`
		Reason       ai.StopReason        `json:"reason"`
		Message      *ai.AssistantMessage `json:"message"`
		Error        *ai.AssistantMessage `json:"error"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return ev, false
	}
	ev = ai.Event{Type: in.Type, ContentIndex: in.ContentIndex, Delta: in.Delta, Content: in.Content, ToolCall: in.ToolCall, Partial: in.Partial, Reason: in.Reason, Message: in.Message}
	if in.Partial != nil {
		d.last = in.Partial
	} else {
		ev.Partial = d.last
	}
	if in.Type == ai.EventError {
		ev.Message = in.Error
	}
	if ev.Final() && ev.Message == nil {
		return ai.Event{}, false
	}
	if ev.Type == ai.EventError && ev.Message.Failure == nil {
		ev.Message.Failure = &ai.Failure{Class: ai.FailFatal, Message: ev.Message.ErrorMessage}
		if ev.Message.StopReason == ai.StopAborted {
			ev.Message.Failure.Class = ai.FailAborted
		}
	}
	if ev.Final() {
		ev.Partial = nil
	}
	return ev, true
}

// end is the last event of a stream that had none.
func (d *decoder) end(ctx context.Context, err error) ai.Event {
	if err == nil {
		err = errors.New("the extension ended its stream without a final event")
	}
	f := &ai.Failure{Class: ai.FailFatal, Message: err.Error()}
	if ctx.Err() != nil {
		f = ai.Aborted()
	}
	var out ai.Event
	for ev := range ai.Fail(d.model, f) {
		out = ev
	}
	return out
}

// virtualModel reads the definition of a virtual model.
func virtualModel(raw json.RawMessage) (*ai.Model, error) {
	var p struct {
		Provider      string             `json:"provider"`
		ID            string             `json:"id"`
		Name          string             `json:"name"`
		Levels        []ai.ThinkingLevel `json:"thinkingLevels"`
		Input         []string           `json:"input"`
		ContextWindow int64              `json:"contextWindow"`
		MaxTokens     int64              `json:"maxTokens"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, fmt.Errorf("read the virtual model: %w", err)
	}
	if p.Provider == "" || p.ID == "" {
		return nil, errors.New("a virtual model needs a provider and an id")
	}
	m := &ai.Model{
		ID: p.ID, Name: p.Name, Provider: p.Provider, API: VirtualAPI, Input: p.Input, ContextWindow: p.ContextWindow, MaxTokens: p.MaxTokens,
		Reasoning: len(p.Levels) > 0,
	}
	if m.Input == nil {
		m.Input = []string{"text", "image"}
	}
	if len(p.Levels) > 0 {
		m.ThinkingLevelMap = map[ai.ThinkingLevel]*string{}
		for _, l := range ai.ThinkingLevels() {
			m.ThinkingLevelMap[l] = nil
		}
		for _, l := range p.Levels {
			s := string(l)
			m.ThinkingLevelMap[l] = &s
		}
	}
	return m, nil
}

// VirtualAPI is the protocol of models that send each request to another one.
const VirtualAPI = "virtual"

// route is the protocol of the extension's virtual models.
func (e *Extension) route() ai.StreamFunc {
	var state json.RawMessage
	var previous *ai.Model
	return func(ctx context.Context, m *ai.Model, req ai.Request, o ai.Options) iter.Seq[ai.Event] {
		r := e.runner.current()
		fail := func(err error) iter.Seq[ai.Event] {
			return ai.Fail(m, &ai.Failure{Class: ai.FailFatal, Message: fmt.Sprintf("route %s: %v", m.Ref(), err)})
		}
		in := map[string]any{"reason": "turn", "thinkingLevel": o.Thinking, "messages": req.Messages, "state": state}
		if previous != nil {
			in["previous"] = map[string]any{"model": previous}
		}
		raw, err := r.call(ctx, e, MethodRoute, map[string]any{"provider": m.Provider, "id": m.ID, "request": in})
		if err != nil {
			return fail(err)
		}
		var a struct {
			Model    modelRef         `json:"model"`
			Thinking ai.ThinkingLevel `json:"thinkingLevel"`
			State    json.RawMessage  `json:"state"`
		}
		if err := json.Unmarshal(raw, &a); err != nil {
			return fail(err)
		}
		to := r.find(a.Model)
		if to == nil {
			return fail(fmt.Errorf("model %s/%s is not known", a.Model.Provider, a.Model.ID))
		}
		if a.State != nil {
			state = a.State
		}
		previous = to
		if a.Thinking != "" {
			o.Thinking = to.ClampThinking(a.Thinking)
		}
		if r.o.Program.Auth != nil {
			auth, err := r.o.Program.Auth(ctx, to)
			if err != nil {
				return fail(err)
			}
			o = auth.Apply(o)
		}
		if r.o.Program.Stream == nil {
			return fail(errNotHere)
		}
		return r.o.Program.Stream(ctx, to, req, o)
	}
}
