package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options are what a hub is made of.
type Options struct {
	Servers []Server
	// CWD is the folder in which programs run.
	CWD string
	// LogPath is the log; nothing is logged if empty.
	LogPath string
	// AuthPath is the file in which sign-ins are kept.
	AuthPath string
	// Version is told to servers.
	Version string
	// Bearer returns the token or key of a provider, for servers with
	// auth.provider.
	Bearer func(ctx context.Context, provider string) (string, error)
}

// Hub is the connections to a number of servers.
type Hub struct {
	o       Options
	log     *logFile
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	servers []*server // replaced, never changed
	boxes   map[*Toolbox]struct{}
}

// firstWait is how long the first prompt waits for servers whose tools are
// declared from the beginning, counted from when the server was added.
const firstWait = 10 * time.Second

// Start connects to all servers that are not disabled, in the background.
func Start(o Options) *Hub {
	h := &Hub{o: o, log: &logFile{path: o.LogPath}, boxes: map[*Toolbox]struct{}{}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	for _, cfg := range o.Servers {
		h.servers = append(h.servers, h.server(cfg))
	}
	for _, s := range h.all() {
		if !s.cfg.Disabled {
			s.begin()
		}
	}
	return h
}

func (h *Hub) server(cfg Server) *server {
	s := &server{hub: h, cfg: cfg, began: time.Now(), state: Disconnected, progress: map[string]chan progress{}}
	if cfg.Disabled {
		s.state = Disabled
	}
	return s
}

// Add connects to one more server, in the background. A name that is there
// already is an error.
func (h *Hub) Add(cfg Server) error {
	s := h.server(cfg)
	h.mu.Lock()
	i, there := slices.BinarySearchFunc(h.servers, cfg.Name, func(o *server, name string) int { return strings.Compare(o.cfg.Name, name) })
	for _, o := range h.servers { // servers of a client come last, whatever their names
		there = there || o.cfg.Name == cfg.Name
	}
	if !there {
		h.servers = slices.Insert(slices.Clone(h.servers), i, s)
	}
	h.mu.Unlock()
	if there {
		return fmt.Errorf("there is an MCP server %q already", cfg.Name)
	}
	if !cfg.Disabled {
		s.begin()
	}
	h.changed()
	return nil
}

// Remove forgets a server. Its connection, and its program, end in the
// background; Close waits for that.
func (h *Hub) Remove(name string) error {
	s, err := h.find(name)
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.servers = slices.DeleteFunc(slices.Clone(h.servers), func(o *server) bool { return o == s })
	over := h.ctx.Err() != nil
	if !over {
		h.running.Add(1)
	}
	h.mu.Unlock()
	s.mu.Lock()
	s.cfg.Disabled = true // nobody connects any more
	s.mu.Unlock()
	if !over {
		go func() {
			defer h.running.Done()
			s.drop()
			s.set(Disabled, nil)
		}()
	}
	h.changed()
	return nil
}

// newest is when the last server was added.
func (h *Hub) newest() (t time.Time) {
	for _, s := range h.all() {
		if s.began.After(t) {
			t = s.began
		}
	}
	return t
}

// all returns the servers there are.
func (h *Hub) all() []*server {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.servers
}

// Close ends every connection and every program. It returns when they have
// ended, a few seconds at most.
func (h *Hub) Close() {
	h.mu.Lock()
	h.cancel()
	h.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range h.all() {
		wg.Go(s.drop)
	}
	wg.Wait()
	h.running.Wait()
	h.log.close()
}

// State says how it stands with a server.
type State string

// The states.
const (
	Connecting   State = "connecting"
	Connected    State = "connected"
	Disconnected State = "disconnected" // it went; the next call connects again
	Failed       State = "failed"
	NeedsLogin   State = "needs login"
	Disabled     State = "disabled"
)

// Status is what is known of a server.
type Status struct {
	Server
	State State
	Err   string // why it failed
	// Title is what it calls itself.
	Title string
	// Tools are the names of its tools, as the server has them, by exposure.
	Tools map[Exposure][]string
	// Resources is set if it has any to offer.
	Resources bool
}

// Status returns what is known of each server, in the order of their names.
func (h *Hub) Status() []Status {
	out := make([]Status, 0, len(h.all()))
	for _, s := range h.all() {
		out = append(out, s.status())
	}
	return out
}

func (h *Hub) find(name string) (*server, error) {
	for _, s := range h.all() {
		if s.cfg.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("there is no MCP server %q", name)
}

// Reconnect ends the connection to a server and makes a new one. It returns
// when that has come to something, or ctx ends.
func (h *Hub) Reconnect(ctx context.Context, name string) error {
	s, err := h.find(name)
	if err != nil {
		return err
	}
	s.drop()
	_, err = s.ensure(ctx)
	return err
}

// SetEnabled connects to a server that was disabled, or the other way round. It
// does not wait.
func (h *Hub) SetEnabled(name string, on bool) error {
	s, err := h.find(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.cfg.Disabled = !on
	s.mu.Unlock()
	if on {
		s.begin()
	} else {
		s.drop()
		s.set(Disabled, nil)
	}
	return nil
}

// WaitConnected returns when no server is connecting any more, or ctx ends.
func (h *Hub) WaitConnected(ctx context.Context) {
	for _, s := range h.all() {
		s.settled(ctx)
	}
}

// changed tells the toolboxes that tools have come or gone.
func (h *Hub) changed() {
	h.mu.Lock()
	boxes := make([]*Toolbox, 0, len(h.boxes))
	for b := range h.boxes {
		boxes = append(boxes, b)
	}
	h.mu.Unlock()
	for _, b := range boxes {
		b.changed()
	}
}

// remotes returns the tools of all servers that are not disabled, with the
// names they have for the model.
func (h *Hub) remotes() []*remote {
	var out []*remote
	taken := map[string]bool{}
	for _, s := range h.all() {
		s.mu.Lock()
		list, off := s.tools, s.cfg.Disabled
		s.mu.Unlock()
		if off {
			continue
		}
		names := make([]string, len(list))
		for i, r := range list {
			names[i] = r.def.Name
		}
		for i, n := range toolNames(s.cfg.Name, names, taken) {
			r := list[i].called(n)
			taken[n] = true
			out = append(out, r)
		}
	}
	return slices.Clip(out)
}
