package app

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"tau/session/extension"
	"tau/tools/mcp"
)

// checkServer says what is wrong with a server that an extension registers.
func (a *App) checkServer(name string, config json.RawMessage, path string) error {
	_, err := mcp.Registered(name, config, path)
	return err
}

// registered are the servers of extensions that are to be connected: all but
// those that mcp.json has, too. The lock is held.
func (a *App) registered() []mcp.Server {
	if a.Options.NoMCP || a.servers.runner == nil {
		return nil
	}
	var out []mcp.Server
	for _, r := range a.servers.runner.Servers() {
		s, err := mcp.Registered(r.Name, r.Config, r.Path)
		if err != nil || a.overrides(r.Name) {
			continue // the extension has been told of what is wrong
		}
		out = append(out, s)
	}
	a.keepLocal(out)
	return out
}

// overrides reports whether mcp.json, or the client, has a server whose tools
// are named like those of this one. The lock is held.
func (a *App) overrides(name string) bool {
	same := func(n string) string { return strings.ReplaceAll(n, "-", "_") }
	return slices.ContainsFunc(a.servers.list, func(s mcp.Server) bool { return same(s.Name) == same(name) })
}

// Overridden are the servers that extensions have registered and mcp.json
// overrides.
func (a *App) Overridden() []extension.Server {
	a.servers.mu.Lock()
	defer a.servers.mu.Unlock()
	if a.Options.NoMCP || a.servers.runner == nil {
		return nil
	}
	var out []extension.Server
	for _, r := range a.servers.runner.Servers() {
		if a.overrides(r.Name) {
			out = append(out, r)
		}
	}
	return out
}

// serve makes the runner the one whose servers are connected: those that are new
// are connected to, those that are gone are left, in the background. What has not
// changed stays as it is.
func (a *App) serve(r *extension.Runner) {
	a.servers.mu.Lock()
	a.servers.runner = r
	before, link := a.servers.hub, a.servers.link
	a.serveNow()
	changed := a.servers.hub != before && link != nil
	if changed {
		link.use(a.servers.hub, a.allowed())
	}
	a.servers.mu.Unlock()
	if changed {
		link.changed()
	}
}

func (a *App) serveNow() {
	was, want := a.servers.own, a.registered()
	a.servers.own = want
	switch hub := a.servers.hub; {
	case hub == nil && len(want) > 0:
		a.servers.hub = mcp.Start(a.serverOptions(want, a.servers.cwd))
	case hub == nil:
	case len(want) == 0 && len(a.servers.list) == 0:
		a.servers.ending.Go(hub.Close)
		a.servers.hub = nil
	default:
		for _, s := range was {
			if !slices.ContainsFunc(want, func(o mcp.Server) bool { return reflect.DeepEqual(o, s) }) {
				_ = hub.Remove(s.Name) // it was added here
			}
		}
		for _, s := range want {
			if !slices.ContainsFunc(was, func(o mcp.Server) bool { return reflect.DeepEqual(o, s) }) {
				_ = hub.Add(s) // no other has its name
			}
		}
	}
}

// unserve leaves the servers of a runner whose session is over.
func (a *App) unserve(r *extension.Runner) {
	a.servers.mu.Lock()
	ours := a.servers.runner == r
	a.servers.mu.Unlock()
	if ours {
		a.serve(nil)
	}
}

// reserve is serve for a runner whose servers have changed.
func (a *App) reserve(r *extension.Runner) {
	a.servers.mu.Lock()
	ours := a.servers.runner == r
	a.servers.mu.Unlock()
	if ours {
		a.serve(r)
	}
}
