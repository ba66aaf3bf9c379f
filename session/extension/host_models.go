package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/session/message"
	"tau/session/prompt"
)

type modelRef struct {
	Provider string `json:"provider"`
	ID       string `json:"id"`
}

// modelMethods are about models and tools that can be asked.
func modelMethods(name string) method {
	list := func(get func(p Program) func() []*ai.Model) method {
		return with(func(_ context.Context, r *Runner, _ *Extension, _ struct{}) (any, error) {
			out := []*ai.Model{}
			if f := get(r.o.Program); f != nil {
				out = append(out, f()...)
			}
			return out, nil
		})
	}
	switch name {
	case "models.all":
		return list(func(p Program) func() []*ai.Model { return p.Models })
	case "models.available":
		return list(func(p Program) func() []*ai.Model { return p.Available })
	case "models.scoped":
		return list(func(p Program) func() []*ai.Model { return p.Scoped })
	case "models.find":
		return with(func(_ context.Context, r *Runner, _ *Extension, p modelRef) (any, error) {
			if m := r.find(p); m != nil {
				return m, nil
			}
			return nil, nil
		})
	case "models.ready":
		return with(func(_ context.Context, r *Runner, _ *Extension, p modelRef) (any, error) {
			m := r.find(p)
			return m != nil && (r.o.Program.Ready == nil || r.o.Program.Ready(m) == nil), nil
		})
	case "models.auth":
		return with(func(ctx context.Context, r *Runner, _ *Extension, p modelRef) (any, error) {
			m := r.find(p)
			if m == nil || r.o.Program.Auth == nil {
				return map[string]any{"ok": false, "error": "the model is not known"}, nil
			}
			a, err := r.o.Program.Auth(ctx, m)
			if err != nil {
				return map[string]any{"ok": false, "error": err.Error()}, nil
			}
			return map[string]any{"ok": true, "apiKey": a.Key, "headers": a.Headers}, nil
		})
	case "models.complete":
		return with(func(ctx context.Context, r *Runner, _ *Extension, p completeCall) (any, error) {
			return r.complete(ctx, p)
		})
	case "setModel":
		return with(func(_ context.Context, r *Runner, _ *Extension, p modelRef) (any, error) {
			m := r.find(p)
			if m == nil || r.session == nil {
				return false, nil
			}
			if r.o.Program.Ready != nil && r.o.Program.Ready(m) != nil {
				return false, nil
			}
			r.session.SetModel(m)
			return true, nil
		})
	case "setThinkingLevel":
		return with(func(_ context.Context, r *Runner, _ *Extension, p struct{ Level ai.ThinkingLevel }) (any, error) {
			if r.session == nil {
				return nil, errNoSession
			}
			if !p.Level.Valid() {
				return nil, fmt.Errorf("there is no thinking level %q", p.Level)
			}
			r.session.SetThinking(p.Level)
			return nil, nil
		})
	case "builtin": // the definition of a built-in tool
		return with(func(_ context.Context, r *Runner, _ *Extension, p struct {
			Name string `json:"name"`
			BuiltinOptions
		}) (any, error) {
			t := r.builtinTool(p.Name, p.BuiltinOptions)
			if t == nil {
				return nil, fmt.Errorf("there is no built-in tool %q", p.Name)
			}
			return map[string]any{
				"name": t.Name, "label": t.Label, "description": t.Description, "parameters": t.Parameters, "promptSnippet": t.Snippet,
				"promptGuidelines": t.Guidelines,
			}, nil
		})
	case "builtin.execute":
		return with(builtinExecute)
	case "executeTool":
		return with(executeTool)
	}
	return nil
}

func (r *Runner) find(p modelRef) *ai.Model {
	if r.o.Program.Model == nil {
		return nil
	}
	return r.o.Program.Model(p.Provider, p.ID)
}

type completeCall struct {
	Model   modelRef `json:"model"`
	Context struct {
		System   string            `json:"systemPrompt"`
		Messages []json.RawMessage `json:"messages"`
		Tools    []ai.ToolDef      `json:"tools"`
	} `json:"context"`
	Options struct {
		APIKey      string            `json:"apiKey"`
		Headers     map[string]string `json:"headers"`
		MaxTokens   int64             `json:"maxTokens"`
		Temperature *float64          `json:"temperature"`
		Reasoning   ai.ThinkingLevel  `json:"reasoning"`
		Cache       ai.CacheRetention `json:"cacheRetention"`
		SessionID   string            `json:"sessionId"`
	} `json:"options"`
	Events string `json:"events"` // a listener of the events of the answer
}

// complete asks a model once. What goes wrong is in the answer.
func (r *Runner) complete(ctx context.Context, p completeCall) (any, error) {
	m := r.find(p.Model)
	if m == nil {
		return nil, fmt.Errorf("model %s/%s is not known", p.Model.Provider, p.Model.ID)
	}
	if r.o.Program.Stream == nil {
		return nil, errNotHere
	}
	req := ai.Request{System: p.Context.System, Tools: p.Context.Tools}
	var msgs []ai.Message
	for _, raw := range p.Context.Messages {
		msg, err := message.Unmarshal(raw)
		if err != nil {
			return nil, fmt.Errorf("read the messages: %w", err)
		}
		msgs = append(msgs, msg)
	}
	if req.System == "" {
		req.System = prompt.Replay(msgs).Prompt()
	}
	req.Messages = message.ToLLM(msgs)
	o := ai.Options{
		APIKey: p.Options.APIKey, Headers: p.Options.Headers, MaxTokens: p.Options.MaxTokens, Temperature: p.Options.Temperature,
		Thinking: ai.ThinkingOff, Cache: p.Options.Cache, SessionID: p.Options.SessionID,
	}
	if p.Options.Reasoning != "" {
		o.Thinking = m.ClampThinking(p.Options.Reasoning)
	}
	if o.APIKey == "" && r.o.Program.Auth != nil {
		a, err := r.o.Program.Auth(ctx, m)
		if err != nil {
			return nil, err
		}
		o = a.Apply(o)
	}
	var final *ai.AssistantMessage
	for ev := range r.o.Program.Stream(ctx, m, req, o) {
		if ev.Final() {
			final = ev.Message
		}
	}
	if final == nil {
		return nil, errors.New("the stream ended without a final event")
	}
	if final.Timestamp == 0 {
		stamped := *final
		stamped.Timestamp = time.Now().UnixMilli()
		final = &stamped
	}
	return final, nil
}

func (r *Runner) builtinTool(name string, o BuiltinOptions) *agent.Tool {
	if r.o.Program.Builtin == nil {
		return nil
	}
	return r.o.Program.Builtin(name, o)
}

func builtinExecute(ctx context.Context, r *Runner, e *Extension, p struct {
	Name string `json:"name"`
	BuiltinOptions
	ToolCallID string          `json:"toolCallId"`
	Params     json.RawMessage `json:"params"`
	Update     int             `json:"update"` // a listener in the extension; 0: none
}) (any, error) {
	t := r.builtinTool(p.Name, p.BuiltinOptions)
	if t == nil {
		return nil, fmt.Errorf("there is no built-in tool %q", p.Name)
	}
	return run(ctx, e, t, agent.Call{ID: p.ToolCallID, Name: p.Name, Args: object(p.Params)}, p.Update)
}

// executeTool runs another tool for a tool, with the hooks that calls of a model
// have. It never fails: what went wrong is in the result.
func executeTool(ctx context.Context, r *Runner, e *Extension, p struct {
	Name       string          `json:"name"`
	ToolCallID string          `json:"toolCallId"`
	Params     json.RawMessage `json:"params"`
	Update     int             `json:"update"`
}) (any, error) {
	fail := func(err error) (any, error) {
		return map[string]any{"content": ai.TextBlocks(err.Error()), "isError": true, "details": struct{}{}}, nil
	}
	var tool *agent.Tool
	for _, t := range r.all() {
		if t.Name == p.Name {
			tool = t
		}
	}
	if tool == nil {
		return fail(fmt.Errorf("tool %s not found", p.Name))
	}
	call := agent.Call{ID: p.ToolCallID, Name: p.Name, Args: object(p.Params)}
	tc := agent.ToolContext{
		Call: &ai.ToolCall{ID: call.ID, Name: call.Name, Arguments: call.Args}, Tool: tool, Args: call.Args,
		SetArgs: func(args json.RawMessage) { call.Args = args },
	}
	if r.Wants("tool_call") {
		block, err := r.ToolCall(ctx, tc)
		if err == nil && block != nil {
			err = errors.New(block.Reason)
		}
		if err != nil {
			return fail(err)
		}
	}
	out, err := run(ctx, e, tool, call, p.Update)
	if err != nil {
		return fail(err)
	}
	if r.Wants("tool_result") {
		res := out.result()
		if changed, err := r.ToolResult(ctx, tc, res); err == nil && changed != nil {
			out = resultOf(changed)
		}
	}
	return out, nil
}

// run executes a tool and tells the extension of its progress.
func run(ctx context.Context, e *Extension, t *agent.Tool, call agent.Call, update int) (*toolResult, error) {
	out, err := t.Execute(ctx, call, func(res agent.Result) {
		if update != 0 && e.carrier != nil {
			_, _ = e.carrier.Call(ctx, MethodNotice, map[string]any{"what": "update", "id": update, "data": resultOf(&res)})
		}
	})
	if err != nil {
		text := err.Error()
		if len(out.Content) > 0 {
			text = ai.ContentText(out.Content) + "\n" + text
		}
		return nil, errors.New(text)
	}
	return resultOf(&out), nil
}
