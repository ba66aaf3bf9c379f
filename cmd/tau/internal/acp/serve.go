package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"tau/cmd/tau/internal/cli"
	"tau/cmd/tau/internal/wire"
)

// Config is what a connection is served with.
type Config struct {
	// Options are the flags that hold for all sessions: model, tools, prompts.
	Options cli.Options
	Version string
	// Ask begins sessions in the mode that asks before commands and changes.
	Ask bool
}

// How long the end may take.
const (
	endWait    = 5 * time.Second
	outputWait = 2 * time.Second
)

// server is one connection. Requests are carried out on the goroutine that
// reads them, but for prompts.
type server struct {
	Config
	peer *peer
	errs io.Writer
	ctx  context.Context

	prompts sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*conversation
	asked    map[string]*conversation // by the id of a prompt's request
}

// Serve serves one client until the input ends. It returns the exit status of
// the program: 0 at the end of the input, 128+n after signal n.
func Serve(cfg Config, in io.Reader, out, errs io.Writer) int {
	signal.Ignore(syscall.SIGPIPE)
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(stop)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	output := wire.NewOutput(out)
	s := &server{
		Config: cfg, peer: newPeer(output), errs: errs, ctx: ctx,
		sessions: map[string]*conversation{}, asked: map[string]*conversation{},
	}
	ended := make(chan struct{})
	var busy sync.Mutex
	go func() {
		defer close(ended)
		s.read(in, &busy)
	}()
	status := 0
	select {
	case <-ended:
	case <-output.Broken():
	case sig := <-stop:
		status = 128 + int(sig.(syscall.Signal))
	}
	cancel()
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.peer.close()
		busy.Lock()
		s.closeAll()
		s.prompts.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), outputWait)
		defer cancel()
		_ = output.Close(ctx) // there is nobody to tell
	}()
	select {
	case <-over:
	case <-stop:
	case <-time.After(2*endWait + outputWait):
	}
	return status
}

func (s *server) read(in io.Reader, busy *sync.Mutex) {
	lines := wire.NewLines(in)
	for {
		s.peer.out.Wait(s.ctx)
		line, err := lines.Next()
		if errors.Is(err, wire.ErrTooLong) {
			s.peer.reply(json.RawMessage("null"), nil, failure(codeInvalid, "%s", err.Error()))
			continue
		}
		if err != nil {
			return
		}
		var m incoming
		if err := json.Unmarshal(line, &m); err != nil {
			why := failure(codeInvalid, "this is no message: it is no object, or its id and method are not what they should be")
			if !json.Valid(line) {
				why = failure(codeParse, "this is no JSON: %s", err.Error())
			}
			s.peer.reply(json.RawMessage("null"), nil, why)
			continue
		}
		m.ID, m.Params = append(json.RawMessage(nil), m.ID...), append(json.RawMessage(nil), m.Params...)
		if m.Method == "" {
			m.Result = append(json.RawMessage(nil), m.Result...)
			s.peer.answered(m)
			continue
		}
		busy.Lock()
		if s.ctx.Err() == nil {
			s.take(m)
		}
		busy.Unlock()
		// Let the answer go out before this thread waits for the next request.
		runtime.Gosched()
	}
}

// method is one request: it returns the result, or an error.
type method func(s *server, params json.RawMessage) (any, error)

func methods() map[string]method {
	return map[string]method{
		"initialize": (*server).initialize, "authenticate": (*server).authenticate,
		"session/new": (*server).newSession, "session/load": (*server).load, "session/resume": (*server).resume,
		"session/list": (*server).list, "session/close": (*server).closeSession,
		"session/set_mode": (*server).setMode, "session/set_model": (*server).setModel, "session/set_config_option": (*server).setOption,
	}
}

// take carries out a request or a notification.
func (s *server) take(m incoming) {
	defer func() {
		if p := recover(); p != nil {
			s.peer.reply(m.ID, nil, failure(codeInternal, "%s: panic: %v", m.Method, p))
		}
	}()
	switch m.Method {
	case "session/prompt":
		s.prompt(m)
	case "session/cancel":
		var p sessionParams
		if json.Unmarshal(m.Params, &p) == nil {
			if c, err := s.find(p.SessionID); err == nil {
				c.cancel()
			}
		}
	case "$/cancel_request":
		var p struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(m.Params, &p) == nil {
			s.mu.Lock()
			c := s.asked[string(p.RequestID)]
			s.mu.Unlock()
			if c != nil {
				c.cancel()
			}
		}
	default:
		do := methods()[m.Method]
		if do == nil {
			s.peer.reply(m.ID, nil, failure(codeNoMethod, "there is no method %q", m.Method))
			return
		}
		result, err := do(s, m.Params)
		s.peer.reply(m.ID, result, err)
		if c, ok := result.(sessionResult); ok && err == nil {
			s.offer(c, m.Params)
		}
	}
}

// decode reads the parameters of a request.
func decode(params json.RawMessage, v any) error {
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	if err := json.Unmarshal(params, v); err != nil {
		return failure(codeParams, "the parameters cannot be read: %s", err.Error())
	}
	return nil
}

// initialize agrees on version 1, which is the only one here: a client that
// cannot do with it closes the connection.
func (s *server) initialize(params json.RawMessage) (any, error) {
	var p struct {
		ProtocolVersion json.RawMessage `json:"protocolVersion"`
	}
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	return initializeResult{
		ProtocolVersion: protocolVersion,
		AgentCapabilities: capabilities{
			LoadSession: true, PromptCapabilities: says{Image: true, EmbeddedContext: true}, McpCapabilities: mcp{HTTP: true},
		},
		AgentInfo: implementation{Name: "tau", Title: "tau", Version: s.Version},
		AuthMethods: []authMethod{{
			ID: "tau-auth", Name: "tau auth login",
			Description: "Store a key or sign in with: tau auth login <provider>. Keys in the environment are found by themselves.",
		}},
	}, nil
}

// authenticate has nothing to do: credentials are stored outside the editor,
// and looked up with each request.
func (s *server) authenticate(params json.RawMessage) (any, error) {
	var p struct {
		MethodID string `json:"methodId"`
	}
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	if p.MethodID != "tau-auth" {
		return nil, failure(codeParams, "there is no way to sign in called %q", p.MethodID)
	}
	return nil, nil
}

// find returns an open session.
func (s *server) find(id string) (*conversation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.sessions[id]; c != nil {
		return c, nil
	}
	return nil, failure(codeNotFound, "no session %q is open; load it first", id)
}

func (s *server) say(err error) { fmt.Fprintln(s.errs, "tau:", err) }
