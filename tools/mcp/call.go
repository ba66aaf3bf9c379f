package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tau/agent"
	"tau/ai/openjson"
)

// remote is a tool of a server.
type remote struct {
	server *server
	def    definition
	tool   *agent.Tool // as the model knows it; see called
}

// definition is what a server says of a tool.
type definition struct {
	Name, Title, Description string
	Schema                   json.RawMessage
}

func (s *server) remote(t *sdk.Tool) (*remote, error) {
	if t == nil || t.Name == "" {
		return nil, errors.New("a tool without a name is left out")
	}
	schema, err := objectSchema(t.InputSchema)
	if err != nil {
		return nil, fmt.Errorf("the tool %s is left out: %w", clip(t.Name, 80), err)
	}
	d := definition{Name: t.Name, Title: clip(t.Title, 100), Description: clip(t.Description, maxDescription), Schema: schema}
	if d.Title == "" && t.Annotations != nil {
		d.Title = clip(t.Annotations.Title, 100)
	}
	return &remote{server: s, def: d}, nil
}

// objectSchema is a schema as providers take it: always of an object.
func objectSchema(schema any) (json.RawMessage, error) {
	m, ok := schema.(map[string]any)
	if !ok {
		m = map[string]any{}
	}
	if _, ok := m["type"]; !ok {
		m["type"] = "object"
	}
	if m["type"] != "object" {
		return nil, errors.New("its arguments are no object")
	}
	if _, ok := m["properties"]; !ok {
		m["properties"] = map[string]any{}
	}
	delete(m, "$schema") // of no use, and not all know every draft
	b, err := openjson.Encode(m)
	if err != nil {
		return nil, fmt.Errorf("its schema: %w", err)
	}
	if len(b) > maxSchema {
		return nil, fmt.Errorf("its schema has %d bytes, the limit is %d", len(b), maxSchema)
	}
	return b, nil
}

// called returns the tool under the name it has for the model. It is the same
// one as long as the name is.
func (r *remote) called(name string) *remote {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	if r.tool == nil || r.tool.Name != name {
		r.tool = &agent.Tool{
			Name: name, Label: r.label(), Description: r.def.Description, Parameters: r.def.Schema,
			Execute: func(ctx context.Context, call agent.Call, update func(agent.Result)) (agent.Result, error) {
				return r.server.call(ctx, r.def.Name, call.Args, update)
			},
		}
	}
	return r
}

func (r *remote) label() string {
	if r.def.Title != "" {
		return r.def.Title
	}
	return r.def.Name
}

// progress is a sign of life of a call.
type progress struct {
	message     string
	done, total float64
}

// onProgress passes a sign of life on to its call. One that comes faster than
// it is looked at is dropped.
func (s *server) onProgress(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
	token, _ := req.Params.ProgressToken.(string)
	s.mu.Lock()
	ch := s.progress[token]
	s.mu.Unlock()
	if ch == nil {
		return
	}
	select {
	case ch <- progress{clip(req.Params.Message, 300), req.Params.Progress, req.Params.Total}:
	default:
	}
}

// call calls a tool of the server, which is connected first if it is not. A
// call is sent once: what became of one whose connection broke nobody knows.
func (s *server) call(ctx context.Context, tool string, args json.RawMessage, update func(agent.Result)) (agent.Result, error) {
	res, err := s.request(ctx, update, func(ctx context.Context, cs *sdk.ClientSession, token string) (any, error) {
		p := &sdk.CallToolParams{Name: tool, Arguments: args}
		if p.Meta = (sdk.Meta{}); token != "" {
			p.SetProgressToken(token)
		}
		return cs.CallTool(ctx, p)
	})
	if err != nil {
		return agent.Result{}, err
	}
	r, ok := res.(*sdk.CallToolResult)
	if !ok || r == nil {
		return agent.Result{}, fmt.Errorf("the MCP server %s gave no result", s.name())
	}
	return s.result(r), nil
}

func (s *server) name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cfg.Name
}

// request makes a request that takes no longer than the server's timeout
// without a sign of progress.
func (s *server) request(ctx context.Context, update func(agent.Result), do func(ctx context.Context, cs *sdk.ClientSession, token string) (any, error)) (any, error) {
	for again := true; ; again = false {
		cs, err := s.ensure(ctx)
		if err != nil {
			return nil, err
		}
		res, err := s.once(ctx, cs, update, do)
		if again && errors.Is(err, sdk.ErrSessionMissing) {
			// The service has forgotten us, and has not looked at the request.
			s.drop()
			continue
		}
		if err != nil && closedError(err) {
			s.lost(cs)
		}
		return res, s.explain(ctx, err)
	}
}

// lost drops a connection that a call found closed.
func (s *server) lost(cs *sdk.ClientSession) {
	s.mu.Lock()
	ours := s.session == cs
	s.mu.Unlock()
	if ours {
		s.drop()
	}
}

var errTimeout = errors.New("timeout")

func (s *server) once(ctx context.Context, cs *sdk.ClientSession, update func(agent.Result), do func(ctx context.Context, cs *sdk.ClientSession, token string) (any, error)) (any, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ch := make(chan progress, 8)
	s.mu.Lock()
	s.calls++
	token := "tau-" + strconv.Itoa(s.calls)
	s.progress[token] = ch
	limit := s.cfg.Timeout
	s.mu.Unlock()
	over := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		t := time.NewTimer(limit)
		defer t.Stop()
		for {
			select {
			case p := <-ch:
				t.Reset(limit)
				if text := p.text(); update != nil && text != "" {
					update(agent.TextResult(text))
				}
			case <-t.C:
				cancel(errTimeout)
				return
			case <-over:
				return
			}
		}
	}()
	defer func() {
		close(over)
		<-watched
		s.mu.Lock()
		delete(s.progress, token)
		s.mu.Unlock()
	}()
	res, err := do(ctx, cs, token)
	if err != nil && errors.Is(context.Cause(ctx), errTimeout) {
		return nil, fmt.Errorf("the MCP server %s did not answer within %v", s.name(), limit)
	}
	return res, err
}

func (p progress) text() string {
	var parts []string
	if p.message != "" {
		parts = append(parts, p.message)
	}
	if p.total > 0 {
		parts = append(parts, fmt.Sprintf("%g of %g", p.done, p.total))
	}
	return strings.Join(parts, " · ")
}

// explain words what went wrong for the model and for people.
func (s *server) explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case closedError(err):
		return fmt.Errorf("the MCP server %s went away during the call: whether the call did anything is not known. The next call connects again", s.name())
	}
	s.mu.Lock()
	session := s.session
	s.mu.Unlock()
	if session == nil {
		return fmt.Errorf("the MCP server %s went away during the call (%w): whether the call did anything is not known. The next call connects again", s.name(), err)
	}
	return fmt.Errorf("the MCP server %s: %w", s.name(), err)
}
