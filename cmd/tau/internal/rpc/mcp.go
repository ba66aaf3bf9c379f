package rpc

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tau/ai"
	"tau/session/resources"
	"tau/tools/mcp"
)

// mcpCommand is the command of tau's own that a prompt can be; it is listed
// where pi lists its built-in extensions.
func (c *conn) mcpCommand() []resources.Command {
	if c.app.Options.NoMCP || c.app.Options.NoExtensions {
		return nil
	}
	return []resources.Command{{
		Name: "mcp", Description: "MCP servers: what they are doing; reconnect, enable or disable one", Kind: "extension",
		SourceInfo: resources.Source{Path: "builtin:mcp", Source: "builtin", Scope: resources.Temporary, Origin: resources.TopLevel},
	}}
}

// reconnectLimit bounds a connection that a client asks for.
const reconnectLimit = time.Minute

// own carries out a prompt that is a command of tau's own, and reports whether
// it was one.
func (c *conn) own(cmd command, content []ai.Block) bool {
	if len(content) == 0 || c.mcpCommand() == nil {
		return false
	}
	t, ok := content[0].(*ai.Text)
	if !ok {
		return false
	}
	words := strings.Fields(t.Text)
	if len(words) == 0 || words[0] != "/mcp" || len(words) > 3 {
		return false
	}
	c.lasting.Go(func() {
		text, err := c.mcp(append(words[1:], "", "")[:2])
		if err != nil {
			c.ui.Notify(err.Error(), "error")
		} else {
			c.ui.Notify(text, "info")
		}
		c.ok(cmd, disposition{"handled"})
	})
	return true
}

func (c *conn) mcp(words []string) (string, error) {
	what, name := words[0], words[1]
	hub := c.app.MCP()
	switch {
	case hub == nil:
		return "There are no MCP servers; tau mcp add names one.", nil
	case what == "":
		return serverList(hub.Status()), nil
	case name == "":
		return "", fmt.Errorf("/mcp %s needs the name of a server", what)
	}
	switch what {
	case "reconnect":
		ctx, cancel := context.WithTimeout(c.ctx, reconnectLimit)
		defer cancel()
		return name + " is connected", hub.Reconnect(ctx, name)
	case "enable", "disable":
		return name + " is " + what + "d", c.app.EnableServer(name, what == "enable")
	case "login", "logout":
		return "", fmt.Errorf("that needs a terminal: tau mcp %s %s", what, name)
	}
	return "", fmt.Errorf("/mcp %s is not known; there are reconnect, enable and disable", what)
}

func serverList(list []mcp.Status) string {
	var b strings.Builder
	for _, s := range list {
		n := 0
		for _, tools := range s.Tools {
			n += len(tools)
		}
		fmt.Fprintf(&b, "%s: %s, %d tools", s.Name, s.State, n)
		if s.Err != "" {
			b.WriteString(" (" + s.Err + ")")
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}
