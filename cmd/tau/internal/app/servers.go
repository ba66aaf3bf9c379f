package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"tau/agent"
	"tau/ai/credentials"
	"tau/session"
	"tau/session/extension"
	"tau/session/settings"
	"tau/tools/mcp"
)

// servers are the connections to MCP servers, and the session that uses them.
type servers struct {
	client []mcp.Server   // named by the program that drives tau
	ending sync.WaitGroup // of hubs that were replaced

	mu     sync.Mutex
	hub    *mcp.Hub          // nil if there are none
	cwd    string            // of hub
	list   []mcp.Server      // of hub, but for those that extensions have registered
	runner *extension.Runner // of the session that was built last
	own    []mcp.Server      // of hub that its extensions have registered
	link   *link             // of that session
}

// UserServers and ProjectServers are the two mcp.json.
func (a *App) UserServers() string    { return filepath.Join(a.AgentDir, "mcp.json") }
func (a *App) ProjectServers() string { return filepath.Join(a.CWD, ProjectDir, "mcp.json") }

// Servers returns what mcp.json, and that of a trusted project, names.
func (a *App) Servers() ([]mcp.Server, []error) {
	files := []mcp.File{{Path: a.UserServers(), Scope: mcp.User}}
	if a.Trust.Trusted {
		files = append(files, mcp.File{Path: a.ProjectServers(), Scope: mcp.Project})
	}
	return mcp.Load(files...)
}

// AddServers takes servers that the program which drives tau names, as a JSON
// object by name, for the sessions that are opened from here on.
func (a *App) AddServers(object []byte) {
	list, problems := mcp.Entries(object, mcp.Client)
	a.servers.client = append(a.servers.client, list...)
	a.Problems = append(a.Problems, problems...)
}

// connect starts the connections of the working folder, or keeps those there
// are if nothing has changed.
func (a *App) connect() {
	var list []mcp.Server
	if !a.Options.NoMCP && !a.Options.NoExtensions { // pi has servers as one of its extensions
		var problems []error
		list, problems = a.Servers()
		a.Problems = append(a.Problems, problems...)
		for _, c := range a.servers.client {
			list = slices.DeleteFunc(list, func(s mcp.Server) bool { return s.Name == c.Name })
		}
		list = append(list, a.servers.client...)
	}
	a.keepLocal(list)
	a.servers.mu.Lock()
	defer a.servers.mu.Unlock()
	if a.servers.cwd == a.CWD && reflect.DeepEqual(a.servers.list, list) {
		return
	}
	if a.servers.hub != nil {
		a.servers.ending.Go(a.servers.hub.Close) // the new ones need not wait for the end of the old
		a.servers.hub = nil
	}
	a.servers.cwd, a.servers.list = a.CWD, list
	a.servers.own = a.registered()
	if all := slices.Concat(list, a.servers.own); len(all) > 0 {
		a.servers.hub = mcp.Start(a.serverOptions(all, a.CWD))
	}
}

func (a *App) serverOptions(list []mcp.Server, cwd string) mcp.Options {
	return mcp.Options{
		Servers: slices.Clone(list), CWD: cwd, Version: a.Version,
		LogPath: filepath.Join(a.AgentDir, "mcp.log"), AuthPath: filepath.Join(a.AgentDir, "mcp-auth.json"),
		Bearer: a.bearer,
	}
}

// bearer is the sign-in or key of a provider.
func (a *App) bearer(ctx context.Context, provider string) (string, error) {
	token, err := a.Keys.PrintToken(ctx, provider, credentials.Need{})
	if err == nil {
		return token, nil
	}
	return a.Keys.PrintKey(ctx, provider, credentials.Need{})
}

// keepLocal disables what needs the network, if that is not to be used.
func (a *App) keepLocal(list []mcp.Server) {
	if !a.Options.Offline {
		return
	}
	for i, s := range list {
		list[i].Disabled = s.Disabled || s.URL != "" && !onThisMachine(s.URL)
	}
}

func onThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := u.Hostname()
	return host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
}

// MCP returns the connections of the session that was built last, or nil.
func (a *App) MCP() *mcp.Hub {
	a.servers.mu.Lock()
	defer a.servers.mu.Unlock()
	return a.servers.hub
}

// ErrNoServers says that mcp.json names none.
var ErrNoServers = errors.New("there are no MCP servers; tau mcp add names one")

// AllServers returns a hub of all servers there are, connected or not, for the
// commands that are about them. The caller closes it.
func (a *App) AllServers(connect bool) (*mcp.Hub, []error) {
	list, problems := a.Servers()
	if !connect {
		for i := range list {
			list[i].Disabled = true
		}
	}
	return mcp.Start(a.serverOptions(list, a.CWD)), problems
}

func (a *App) serverNames() []string {
	a.servers.mu.Lock()
	defer a.servers.mu.Unlock()
	var out []string
	for _, s := range slices.Concat(a.servers.list, a.servers.own) {
		if !s.Disabled {
			out = append(out, s.Name)
		}
	}
	return out
}

func (a *App) closeServers() {
	if hub := a.MCP(); hub != nil {
		hub.Close()
	}
	a.servers.ending.Wait()
}

// ofServers reports whether a tool's name, or pattern, is one of those that
// servers bring.
func ofServers(name string) bool {
	switch name {
	case "tool_search", "list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource":
		return true
	}
	return strings.HasPrefix(name, "mcp__")
}

// allowed is what settings and flags say of the tools of servers.
func (a *App) allowed() func(name string) bool {
	flags, exclude, own, none := a.Options.Tools, a.Options.ExcludeTools, a.Settings.DefaultTools, a.Options.NoTools
	return func(name string) bool {
		if none || named(exclude, name) {
			return false
		}
		plain := false
		for _, list := range [][]string{own, flags} {
			for _, n := range list {
				if out, ok := strings.CutPrefix(n, "-"); ok && named([]string{out}, name) {
					return false
				}
			}
		}
		for _, n := range flags {
			plain = plain || !strings.HasPrefix(n, "+") && !strings.HasPrefix(n, "-")
		}
		return !plain || named(flags, name)
	}
}

// link ties a session to the tools of servers. One without any does nothing.
type link struct {
	base []*agent.Tool

	mu      sync.Mutex
	box     *mcp.Toolbox // nil if there are no servers
	session *session.Session
	known   bool // what the conversation has declared was told to box
}

// link makes the link of a session that is about to be built.
func (a *App) link(base []*agent.Tool) *link {
	a.connect()
	l := &link{base: base}
	a.servers.mu.Lock()
	old, hub := a.servers.link, a.servers.hub
	a.servers.link = l
	a.servers.mu.Unlock()
	if old != nil {
		old.attach(nil)
	}
	l.use(hub, a.allowed())
	return l
}

// use gives the link the tools of a hub, which may be nil.
func (l *link) use(hub *mcp.Hub, allowed func(string) bool) {
	if hub == nil {
		l.attach(nil)
		return
	}
	l.attach(hub.Toolbox(allowed, l.changed))
}

// relink gives the session the servers there are after files were read again.
func (a *App) relink() {
	a.servers.mu.Lock()
	l, before := a.servers.link, a.servers.hub
	a.servers.mu.Unlock()
	if l == nil {
		return
	}
	a.connect()
	if hub := a.MCP(); hub != before {
		l.use(hub, a.allowed())
		l.changed()
	}
}

func (l *link) attach(box *mcp.Toolbox) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.box != nil {
		l.box.Close()
	}
	l.box, l.known = box, false
}

func (l *link) bind(s *session.Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session = s
}

func (l *link) toolbox() *mcp.Toolbox {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.box
}

func (l *link) tools() []*agent.Tool {
	out := slices.Clone(l.base)
	if box := l.toolbox(); box != nil {
		out = append(out, box.Tools()...)
	}
	return out
}

func (l *link) section() string {
	if box := l.toolbox(); box != nil {
		return box.Section()
	}
	return ""
}

// changed gives the session the tools there are now.
func (l *link) changed() {
	l.mu.Lock()
	s := l.session
	l.mu.Unlock()
	if s == nil {
		return
	}
	// What extensions have made of the other tools stays.
	tools := slices.DeleteFunc(slices.Clone(s.Tools()), func(t *agent.Tool) bool { return ofServers(t.Name) })
	if box := l.toolbox(); box != nil {
		tools = append(tools, box.Tools()...)
	}
	s.SetTools(tools)
}

// retool gives a session the tools that extensions, which came later, bring,
// with those of servers.
func (a *App) retool(s *session.Session, r *extension.Runner) {
	self := &caller{}
	self.Store(s)
	tools := a.activeTools(s.Model(), r, self)
	a.servers.mu.Lock()
	l := a.servers.link
	a.servers.mu.Unlock()
	if l != nil {
		l.mu.Lock()
		l.base = tools
		l.mu.Unlock()
		tools = l.tools()
	}
	s.SetTools(tools)
}

// ready is called before a run.
func (l *link) ready(ctx context.Context) {
	l.mu.Lock()
	box, s, known := l.box, l.session, l.known
	l.known = true
	l.mu.Unlock()
	if box == nil || s == nil {
		return
	}
	if !known {
		box.Restore(s.Declared())
	}
	box.Wait(ctx)
	l.changed()
}

// EnableServer switches a server on or off, now and in the mcp.json that names
// it.
func (a *App) EnableServer(name string, on bool) error {
	a.servers.mu.Lock()
	defer a.servers.mu.Unlock()
	is := func(s mcp.Server) bool { return s.Name == name }
	i := slices.IndexFunc(a.servers.list, is)
	switch {
	case a.servers.hub == nil || i < 0 && !slices.ContainsFunc(a.servers.own, is):
		return fmt.Errorf("there is no MCP server %q", name)
	case i < 0:
		return a.servers.hub.SetEnabled(name, on) // nothing names it but the extension
	}
	if s := a.servers.list[i]; s.Scope != mcp.Client {
		if err := settings.Set(s.Path, settings.Pointer("mcpServers", name, "enabled"), on); err != nil {
			return err
		}
		if s.Scope == mcp.Project {
			a.KeepTrust()
		}
	}
	a.servers.list[i].Disabled = !on
	return a.servers.hub.SetEnabled(name, on)
}
