package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// What a server may offer at most.
const (
	maxTools       = 1000
	maxDescription = 16 << 10
	maxSchema      = 256 << 10
	relistPause    = time.Second
)

// legacy is the newest version of the protocol that begins with initialize.
const legacy = "2025-11-25"

// server is the connection to one server.
type server struct {
	hub   *Hub
	began time.Time // when it was added

	mu      sync.Mutex
	cfg     Server
	state   State
	err     error
	session *sdk.ClientSession
	prog    *program           // nil if it is a service
	attempt chan struct{}      // closed when the connection under way has come to something
	stop    context.CancelFunc // of the attempt
	tools   []*remote
	init    *sdk.InitializeResult
	relist  bool // the tools are being listed; again: once more after that
	again   bool

	calls    int
	progress map[string]chan progress // by token
}

func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{Server: s.cfg, State: s.state, Tools: map[Exposure][]string{}}
	if s.err != nil {
		st.Err = s.err.Error()
	}
	if s.init != nil {
		if i := s.init.ServerInfo; i != nil {
			st.Title = clip(i.Name+" "+i.Version, 80)
		}
		st.Resources = s.hasResources()
	}
	for _, r := range s.tools {
		x := s.cfg.exposure(r.def.Name)
		st.Tools[x] = append(st.Tools[x], r.def.Name)
	}
	return st
}

// hasResources is called with the lock held.
func (s *server) hasResources() bool {
	return s.init != nil && s.init.Capabilities != nil && s.init.Capabilities.Resources != nil
}

func (s *server) set(state State, err error) {
	s.mu.Lock()
	s.state, s.err = state, err
	s.mu.Unlock()
	s.hub.changed()
}

// begin connects in the background, if that is not under way. It returns what
// is closed when that has come to something.
func (s *server) begin() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attempt != nil {
		return s.attempt
	}
	done := make(chan struct{})
	if s.cfg.Disabled || s.hub.ctx.Err() != nil {
		close(done)
		return done
	}
	ctx, stop := context.WithTimeout(s.hub.ctx, s.cfg.Timeout)
	s.attempt, s.stop, s.state, s.err = done, stop, Connecting, nil
	s.hub.running.Go(func() {
		defer stop()
		cs, prog, err := s.connect(ctx)
		s.connected(cs, prog, err, done)
	})
	return done
}

// connected takes over what an attempt came to.
func (s *server) connected(cs *sdk.ClientSession, prog *program, err error, done chan struct{}) {
	s.mu.Lock()
	dropped := s.attempt != done
	if !dropped {
		s.attempt = nil
		s.session, s.prog = cs, prog
		s.state, s.err = Connected, nil
		var login *loginError
		switch {
		case errors.As(err, &login):
			s.state, s.err = NeedsLogin, err
		case err != nil:
			s.state, s.err = Failed, err
		}
	}
	s.mu.Unlock()
	if err != nil {
		s.hub.log.line(s.cfg.Name, "not connected: "+err.Error())
	}
	if dropped {
		end(cs, prog)
		close(done)
		return
	}
	close(done)
	s.hub.changed()
	if cs != nil {
		s.hub.running.Go(func() { s.watch(cs) })
	}
}

// watch notes the end of a connection.
func (s *server) watch(cs *sdk.ClientSession) {
	gone := make(chan struct{})
	go func() {
		_ = cs.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-s.hub.ctx.Done():
		return
	}
	s.mu.Lock()
	ours := s.session == cs
	prog := s.prog
	if ours {
		s.session, s.prog = nil, nil
		s.state = Disconnected
	}
	s.mu.Unlock()
	if !ours {
		return
	}
	why := "the connection has ended"
	if prog != nil {
		if text := prog.why(); text != "" {
			why = text
		}
	}
	s.hub.log.line(s.cfg.Name, why)
	s.mu.Lock()
	if s.state == Disconnected {
		s.err = errors.New(why)
	}
	s.mu.Unlock()
	end(cs, prog)
	s.hub.changed()
}

// drop ends the connection, and an attempt under way.
func (s *server) drop() {
	s.mu.Lock()
	cs, prog := s.session, s.prog
	s.session, s.prog = nil, nil
	if s.attempt != nil {
		s.stop()
		s.attempt = nil
	}
	if s.state == Connected || s.state == Connecting {
		s.state = Disconnected
	}
	s.mu.Unlock()
	end(cs, prog)
}

func end(cs *sdk.ClientSession, prog *program) {
	if cs != nil {
		// A service may take its time to hear that it is over.
		closed := make(chan struct{})
		go func() {
			_ = cs.Close()
			close(closed)
		}()
		t := time.NewTimer(politeEnd)
		defer t.Stop()
		if prog == nil {
			select {
			case <-closed:
			case <-t.C:
			}
		}
	}
	if prog != nil {
		prog.end()
	}
}

// settled returns when no attempt is under way, or ctx ends.
func (s *server) settled(ctx context.Context) {
	s.mu.Lock()
	attempt := s.attempt
	s.mu.Unlock()
	if attempt == nil {
		return
	}
	select {
	case <-attempt:
	case <-ctx.Done():
	}
}

// ensure returns a connection, and makes one if there is none.
func (s *server) ensure(ctx context.Context) (*sdk.ClientSession, error) {
	for range 3 {
		s.mu.Lock()
		cs, prog, off := s.session, s.prog, s.cfg.Disabled
		s.mu.Unlock()
		if off {
			return nil, fmt.Errorf("the MCP server %s is disabled", s.cfg.Name)
		}
		if cs != nil && !over(prog) {
			return cs, nil
		}
		if cs != nil {
			s.drop() // its end was not noticed yet
		}
		select {
		case <-s.begin():
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		s.mu.Lock()
		cs, err := s.session, s.err
		s.mu.Unlock()
		if cs != nil {
			return cs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the MCP server %s cannot be reached: %w", s.cfg.Name, err)
		}
	}
	return nil, fmt.Errorf("the MCP server %s is not connected", s.cfg.Name)
}

func over(p *program) bool {
	if p == nil {
		return false
	}
	select {
	case <-p.Ended():
		return true
	default:
		return false
	}
}

// connect makes a connection and lists the tools.
func (s *server) connect(ctx context.Context) (*sdk.ClientSession, *program, error) {
	cs, prog, err := s.dial(ctx)
	if err == nil {
		s.mu.Lock()
		s.init = cs.InitializeResult()
		s.mu.Unlock()
		if err = s.list(ctx, cs); err != nil {
			if prog != nil {
				if why := prog.why(); why != "" {
					err = errors.New(why)
				}
			}
			end(cs, prog)
			cs, prog = nil, nil
		}
	}
	if err != nil && s.hub.ctx.Err() == nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it did not answer within %v", s.cfg.Timeout)
	}
	return cs, prog, err
}

func (s *server) dial(ctx context.Context) (*sdk.ClientSession, *program, error) {
	if s.cfg.URL != "" {
		cs, err := s.connectService(ctx, nil)
		return cs, nil, err
	}
	// A program of before the newest version of the protocol may not survive, or
	// not answer, the question that this version begins with.
	first, cancel := context.WithTimeout(ctx, min(s.cfg.Timeout/3, 10*time.Second))
	cs, prog, err := s.connectProgram(first, nil)
	cancel()
	var started *startError
	if err == nil || ctx.Err() != nil || errors.As(err, &started) {
		return cs, prog, err
	}
	return s.connectProgram(ctx, &sdk.ClientSessionOptions{ProtocolVersion: legacy})
}

// client is the client of a new connection.
func (s *server) client() *sdk.Client {
	//lint:ignore SA1019 servers of older versions of the protocol ask for the folder in this way
	roots := &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{}}
	c := sdk.NewClient(&sdk.Implementation{Name: "tau", Version: s.hub.o.Version}, &sdk.ClientOptions{
		Capabilities:                roots,
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { s.listAgain() },
		ProgressNotificationHandler: s.onProgress,
	})
	//lint:ignore SA1019 as above
	c.AddRoots(&sdk.Root{URI: fileURI(s.hub.o.CWD), Name: "working folder"})
	return c
}

// list asks for the tools.
func (s *server) list(ctx context.Context, cs *sdk.ClientSession) error {
	if init := cs.InitializeResult(); init == nil || init.Capabilities == nil || init.Capabilities.Tools == nil {
		s.mu.Lock()
		s.tools = nil
		s.mu.Unlock()
		return nil
	}
	var list []*remote
	p := &sdk.ListToolsParams{}
	for pages := 0; pages < maxTools && len(list) < maxTools; pages++ {
		res, err := cs.ListTools(ctx, p)
		if err != nil {
			return fmt.Errorf("list its tools: %w", err)
		}
		for _, t := range res.Tools {
			r, err := s.remote(t)
			if err != nil {
				s.hub.log.line(s.cfg.Name, err.Error())
				continue
			}
			list = append(list, r)
		}
		if p.Cursor = res.NextCursor; p.Cursor == "" {
			break
		}
	}
	if len(list) > maxTools {
		s.hub.log.line(s.cfg.Name, fmt.Sprintf("it has more than %d tools; the others are left out", maxTools))
		list = list[:maxTools]
	}
	s.mu.Lock()
	s.tools = list
	s.mu.Unlock()
	return nil
}

// listAgain asks for the tools once more, in the background and not all the
// time, whatever the server does.
func (s *server) listAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.relist {
		s.again = true
		return
	}
	s.relist = true
	s.hub.running.Go(func() {
		for {
			s.mu.Lock()
			cs := s.session
			s.again = false
			s.mu.Unlock()
			if cs != nil {
				ctx, cancel := context.WithTimeout(s.hub.ctx, s.cfg.Timeout)
				if err := s.list(ctx, cs); err != nil {
					s.hub.log.line(s.cfg.Name, err.Error())
				}
				cancel()
				s.hub.changed()
			}
			t := time.NewTimer(relistPause)
			select {
			case <-t.C:
			case <-s.hub.ctx.Done():
				t.Stop()
			}
			s.mu.Lock()
			if !s.again || s.hub.ctx.Err() != nil {
				s.relist = false
				s.mu.Unlock()
				return
			}
			s.mu.Unlock()
		}
	})
}

// closedError reports whether a connection has ended under a call.
func closedError(err error) bool {
	return errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe)
}
