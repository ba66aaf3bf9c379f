package interactive

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tau/components"
	"tau/components/chat"
	"tau/tools/mcp"
	"tau/tui/text"
)

// mcp is the command /mcp.
func (p *program) mcp(arg string) {
	hub := p.app.MCP()
	if hub == nil {
		p.hint(p.noServers())
		return
	}
	what, name, _ := strings.Cut(arg, " ")
	name = strings.TrimSpace(name)
	switch what {
	case "":
		p.showServers(hub)
		return
	case "login", "logout", "reconnect", "enable", "disable":
	default:
		p.script.notice(chat.Warning, fmt.Sprintf("/mcp %s is not known; there are login, logout, reconnect, enable and disable, each with a server.", oneLine(what)))
		return
	}
	if name == "" {
		p.pick("/mcp "+what, p.serverItems(hub), "", "", func(name string) { p.mcp(what + " " + name) })
		return
	}
	if !slices.ContainsFunc(hub.Status(), func(s mcp.Status) bool { return s.Name == name }) {
		p.pick("/mcp "+what, p.serverItems(hub), "", name, func(name string) { p.mcp(what + " " + name) })
		return
	}
	switch what {
	case "enable", "disable":
		if err := p.app.EnableServer(name, what == "enable"); err != nil {
			p.script.notice(chat.Failure, err.Error())
			return
		}
		p.hint(name + " is " + what + "d")
	case "login":
		p.serverLogin(hub, name)
	case "logout":
		p.inBackground(func(ctx context.Context) (string, error) {
			was, err := hub.Logout(ctx, name)
			if !was {
				return "nothing is stored for " + name, err
			}
			return "signed out of " + name, err
		})
	case "reconnect":
		p.hint("connecting to " + name + "…")
		p.inBackground(func(ctx context.Context) (string, error) {
			return name + " is connected", hub.Reconnect(ctx, name)
		})
	}
}

func (p *program) noServers() string {
	switch {
	case p.app.Options.NoMCP:
		return "MCP is switched off by --no-mcp"
	case slices.ContainsFunc(p.app.Trust.Files, func(f string) bool { return strings.HasSuffix(f, "mcp.json") }) && !p.app.Trust.Trusted:
		return "this folder's mcp.json is not used: it is not trusted; /trust"
	}
	return "there are no MCP servers; tau mcp add names one"
}

// inBackground does what takes its time, and says what came of it.
func (p *program) inBackground(do func(ctx context.Context) (string, error)) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		done, err := do(ctx)
		p.ui.Post(func() {
			if err != nil {
				p.script.notice(chat.Failure, text.Sanitize(err.Error()))
			} else {
				p.hint(done)
			}
			p.ui.RequestRender()
		})
	}()
}

// serverLogin signs in at a service. Esc in the box ends it.
func (p *program) serverLogin(hub *mcp.Hub, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	go func() {
		defer cancel()
		err := hub.Login(ctx, name, &guide{p: p, cancel: cancel})
		p.ui.Post(func() {
			p.closePicker()
			if err != nil {
				p.script.notice(chat.Failure, text.Sanitize(err.Error()))
			} else {
				p.script.notice(chat.Success, "Signed in to "+name+".")
			}
			p.ui.RequestRender()
		})
	}()
}

func (p *program) serverItems(hub *mcp.Hub) []components.Item {
	var items []components.Item
	for _, s := range hub.Status() {
		items = append(items, components.Item{Value: s.Name, Label: s.Name, Description: string(s.State) + " · " + oneLine(s.Target())})
	}
	return items
}

func (p *program) showServers(hub *mcp.Hub) {
	var b strings.Builder
	b.WriteString("| MCP server | | tools | |\n|---|---|---|---|\n")
	cell := func(s string) string { return strings.ReplaceAll(oneLine(s), "|", "\\|") }
	for _, s := range hub.Status() {
		var tools []string
		for _, x := range []mcp.Exposure{mcp.Direct, mcp.Deferred, mcp.Hidden} {
			if n := len(s.Tools[x]); n > 0 {
				tools = append(tools, fmt.Sprintf("%d %s", n, x))
			}
		}
		what := s.Target()
		if s.Err != "" {
			what = s.Err
		}
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` |\n", cell(s.Name+whose(s.Server)), s.State, strings.Join(tools, ", "), strings.ReplaceAll(cell(what), "`", "'"))
	}
	for _, o := range p.app.Overridden() {
		fmt.Fprintf(&b, "\n%s of %s is not used: mcp.json has a server of that name.\n", cell(o.Name), cell(homeShort(o.Path)))
	}
	b.WriteString("\n`/mcp login`, `logout`, `reconnect`, `enable` and `disable` take a server. What servers say is in `mcp.log` of the agent folder.\n")
	p.remark(b.String())
}

// whose says where a server comes from, if not from the user's mcp.json.
func whose(s mcp.Server) string {
	switch s.Scope {
	case mcp.Extension:
		return " (" + homeShort(s.Path) + ")"
	case mcp.Project, mcp.Client:
		return " (" + string(s.Scope) + ")"
	}
	return ""
}

// mcpArguments are what can stand after /mcp.
func (p *program) mcpArguments() []string {
	var out []string
	if hub := p.app.MCP(); hub != nil {
		for _, s := range hub.Status() {
			verbs := []string{"reconnect", "disable"}
			if s.Disabled {
				verbs = []string{"enable"}
			}
			if s.URL != "" {
				verbs = append(verbs, "login", "logout")
			}
			for _, v := range verbs {
				out = append(out, v+" "+s.Name)
			}
		}
	}
	return out
}
