package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tau/agent"
	"tau/ai"
)

// Toolbox is what one session sees of a hub.
type Toolbox struct {
	hub    *Hub
	allow  func(name string) bool
	notify func()
	own    []*agent.Tool // of the toolbox itself, made once: the search
	about  []*agent.Tool // about resources

	mu       sync.Mutex
	loaded   []string // names of deferred tools, in the order they were loaded
	restored map[string]*agent.Tool
}

// Toolbox returns the hub as a session sees it. allow says which tools it may
// have, by name; nil is all. notify is called, from any goroutine and without
// locks, when Tools or Section may have changed. Close ends that.
func (h *Hub) Toolbox(allow func(name string) bool, notify func()) *Toolbox {
	if allow == nil {
		allow = func(string) bool { return true }
	}
	b := &Toolbox{hub: h, allow: allow, notify: notify, restored: map[string]*agent.Tool{}}
	b.own = []*agent.Tool{b.searchTool()}
	b.about = b.resourceTools()
	h.mu.Lock()
	h.boxes[b] = struct{}{}
	h.mu.Unlock()
	return b
}

// Close makes the hub forget the toolbox.
func (b *Toolbox) Close() {
	b.hub.mu.Lock()
	defer b.hub.mu.Unlock()
	delete(b.hub.boxes, b)
}

func (b *Toolbox) changed() {
	if b.notify != nil {
		b.notify()
	}
}

// Wait returns when the servers whose tools are declared from the beginning are
// connected or have failed, but 10 seconds after they were added at the latest.
func (b *Toolbox) Wait(ctx context.Context) {
	for _, s := range b.hub.all() {
		s.mu.Lock()
		wanted := s.cfg.may(Direct)
		s.mu.Unlock()
		if left := firstWait - time.Since(s.began); wanted && left > 0 {
			short, cancel := context.WithTimeout(ctx, left)
			s.settled(short)
			cancel()
		}
	}
}

// Restore takes the tools that the conversation has declared already: those of
// servers stay declared, and a call connects to the server if need be.
func (b *Toolbox) Restore(defs []ai.ToolDef) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range defs {
		s := b.hub.owner(d.Name)
		if s == nil || b.restored[d.Name] != nil {
			continue
		}
		b.restored[d.Name] = &agent.Tool{
			Name: d.Name, Description: d.Description, Parameters: d.Parameters, Rest: d.Rest,
			Execute: func(ctx context.Context, call agent.Call, update func(agent.Result)) (agent.Result, error) {
				return b.late(ctx, s, call, update)
			},
		}
		if !slices.Contains(b.loaded, d.Name) {
			b.loaded = append(b.loaded, d.Name)
		}
	}
}

// late calls a tool that is known from the conversation only.
func (b *Toolbox) late(ctx context.Context, s *server, call agent.Call, update func(agent.Result)) (agent.Result, error) {
	if _, err := s.ensure(ctx); err != nil {
		return agent.Result{}, err
	}
	for _, r := range b.hub.remotes() {
		if r.tool.Name == call.Name {
			return r.tool.Execute(ctx, call, update)
		}
	}
	return agent.Result{}, fmt.Errorf("the MCP server %s does not have this tool any more", s.name())
}

// owner returns the server that a tool's name speaks of.
func (h *Hub) owner(tool string) *server {
	for _, s := range h.all() {
		if strings.HasPrefix(tool, prefix(s.cfg.Name)) {
			return s
		}
	}
	return nil
}

// Tools returns what is to be declared now.
func (b *Toolbox) Tools() []*agent.Tool {
	b.mu.Lock()
	loaded := slices.Clone(b.loaded)
	b.mu.Unlock()
	var out []*agent.Tool
	byName := map[string]*remote{}
	for _, r := range b.hub.remotes() {
		x := r.server.exposureOf(r.def.Name)
		if x == Hidden || !b.allow(r.tool.Name) {
			continue
		}
		if x == Direct {
			out = append(out, r.tool)
		} else {
			byName[r.tool.Name] = r
		}
	}
	for _, name := range loaded {
		if r := byName[name]; r != nil {
			out = append(out, r.tool)
			continue
		}
		b.mu.Lock()
		t := b.restored[name]
		b.mu.Unlock()
		if s := b.hub.owner(name); t != nil && s != nil && s.unknown() && b.allow(name) {
			out = append(out, t) // the server may yet have it
		}
	}
	if b.searches() {
		for _, t := range b.own {
			if b.allow(t.Name) {
				out = append(out, t)
			}
		}
	}
	if b.hub.haveResources() {
		for _, t := range b.about {
			if b.allow(t.Name) {
				out = append(out, t)
			}
		}
	}
	// A restored tool may be listed as a direct one by now.
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(t *agent.Tool) bool {
		was := seen[t.Name]
		seen[t.Name] = true
		return was
	})
}

// unknown reports whether the server's tools are not known, and it may still be
// reached.
func (s *server) unknown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.cfg.Disabled && s.tools == nil && s.state != Connected
}

func (s *server) exposureOf(tool string) Exposure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cfg.exposure(tool)
}

// searches reports whether there may be tools to search for.
func (b *Toolbox) searches() bool {
	for _, s := range b.hub.all() {
		s.mu.Lock()
		may := !s.cfg.Disabled && s.cfg.may(Deferred)
		s.mu.Unlock()
		if may {
			return true
		}
	}
	return false
}

func (h *Hub) haveResources() bool {
	for _, s := range h.all() {
		s.mu.Lock()
		has := !s.cfg.Disabled && s.hasResources()
		s.mu.Unlock()
		if has {
			return true
		}
	}
	return false
}

// What the system prompt holds of a server.
const (
	maxInstructions = 1000
	maxListed       = 60
)

// Section is the part of the system prompt that says which servers there are;
// empty if there are none.
func (b *Toolbox) Section() string {
	toLoad := map[*server][]string{}
	for _, r := range b.hub.remotes() {
		if r.server.exposureOf(r.def.Name) == Deferred && b.allow(r.tool.Name) {
			toLoad[r.server] = append(toLoad[r.server], r.def.Name)
		}
	}
	var out strings.Builder
	for _, s := range b.hub.all() {
		s.mu.Lock()
		cfg, state, about := s.cfg, s.state, s.cfg.Description
		if about == "" && s.init != nil {
			about = s.init.Instructions
		}
		s.mu.Unlock()
		if cfg.Disabled || state == Failed || state == NeedsLogin || cfg.Exposure == Hidden && !cfg.may(Direct) && !cfg.may(Deferred) {
			continue
		}
		fmt.Fprintf(&out, "- %s", cfg.Name)
		if about = plain(about); about != "" {
			out.WriteString(": " + strings.ReplaceAll(clip(about, maxInstructions), "\n", "\n  "))
		}
		out.WriteByte('\n')
		names := toLoad[s]
		if len(names) > maxListed {
			names = append(names[:maxListed:maxListed], fmt.Sprintf("and %d more", len(names)-maxListed))
		}
		if len(names) > 0 {
			fmt.Fprintf(&out, "  to load: %s\n", plain(strings.Join(names, ", ")))
		}
	}
	if out.Len() == 0 {
		return ""
	}
	text := "These servers of the Model Context Protocol bring tools named mcp__<server>__<tool>."
	if b.searches() {
		text += " Those listed as \"to load\" can be called only after tool_search has found them."
	}
	return text + "\n" + strings.TrimRight(out.String(), "\n")
}

// plain is a text of a server without control characters.
func plain(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd")))
}

// load makes deferred tools callable.
func (b *Toolbox) load(names []string) {
	b.mu.Lock()
	for _, n := range names {
		if !slices.Contains(b.loaded, n) {
			b.loaded = append(b.loaded, n)
		}
	}
	b.mu.Unlock()
	b.changed()
}

func decode(args json.RawMessage, v any) error {
	if err := json.Unmarshal(args, v); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	return nil
}
