package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tau/agent"
)

const (
	listSchema = `{"type":"object","properties":{"server":{"type":"string","description":"Name of one server; all if left out"}}}`
	readSchema = `{"type":"object","properties":{"server":{"type":"string","description":"Name of the server"},"uri":{"type":"string","description":"URI of the resource"}},"required":["server","uri"]}`
)

// maxListing is how many resources of a server are listed.
const maxListing = 500

// resourceTools are the tools about what servers offer to read.
func (b *Toolbox) resourceTools() []*agent.Tool {
	list := func(name, label, description string, each func(ctx context.Context, s *server, out *strings.Builder) error) *agent.Tool {
		return &agent.Tool{
			Name: name, Label: label, Description: description, Parameters: json.RawMessage(listSchema),
			Execute: func(ctx context.Context, call agent.Call, _ func(agent.Result)) (agent.Result, error) {
				var a struct {
					Server string `json:"server"`
				}
				if err := decode(call.Args, &a); err != nil {
					return agent.Result{}, err
				}
				return b.listing(ctx, a.Server, each)
			},
		}
	}
	return []*agent.Tool{
		list("list_mcp_resources", "MCP resources", "List what MCP servers offer to read, with the URIs for read_mcp_resource.", listResources),
		list("list_mcp_resource_templates", "MCP resource templates", "List the patterns of URIs that MCP servers can read.", listTemplates),
		{
			Name: "read_mcp_resource", Label: "MCP resource", Description: "Read a resource of an MCP server.", Parameters: json.RawMessage(readSchema),
			Execute: func(ctx context.Context, call agent.Call, _ func(agent.Result)) (agent.Result, error) {
				var a struct {
					Server string `json:"server"`
					URI    string `json:"uri"`
				}
				if err := decode(call.Args, &a); err != nil {
					return agent.Result{}, err
				}
				return b.read(ctx, a.Server, a.URI)
			},
		},
	}
}

// listing asks one server, or each that has resources and is connected.
func (b *Toolbox) listing(ctx context.Context, name string, each func(context.Context, *server, *strings.Builder) error) (agent.Result, error) {
	var out strings.Builder
	for _, s := range b.hub.all() {
		if name != "" && s.name() != name {
			continue
		}
		s.mu.Lock()
		ask := name != "" || !s.cfg.Disabled && s.hasResources()
		s.mu.Unlock()
		if !ask {
			continue
		}
		if err := each(ctx, s, &out); err != nil {
			if name != "" {
				return agent.Result{}, err
			}
			fmt.Fprintf(&out, "%v\n", err)
		}
	}
	if name != "" {
		if _, err := b.hub.find(name); err != nil {
			return agent.Result{}, err
		}
	}
	if out.Len() == 0 {
		out.WriteString("There are none.")
	}
	var c contents
	c.line(strings.TrimRight(out.String(), "\n"))
	return agent.Result{Content: c.blocks()}, nil
}

func listResources(ctx context.Context, s *server, out *strings.Builder) error {
	var cursor string
	for n := 0; n < maxListing; {
		res, err := s.request(ctx, nil, func(ctx context.Context, cs *sdk.ClientSession, _ string) (any, error) {
			return cs.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		})
		if err != nil {
			return err
		}
		page := res.(*sdk.ListResourcesResult)
		for _, r := range page.Resources {
			n++
			entryLine(out, s.name(), r.URI, r.Name, r.MIMEType, r.Description)
		}
		if cursor = page.NextCursor; cursor == "" || len(page.Resources) == 0 {
			break
		}
	}
	return nil
}

func listTemplates(ctx context.Context, s *server, out *strings.Builder) error {
	var cursor string
	for n := 0; n < maxListing; {
		res, err := s.request(ctx, nil, func(ctx context.Context, cs *sdk.ClientSession, _ string) (any, error) {
			return cs.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
		})
		if err != nil {
			return err
		}
		page := res.(*sdk.ListResourceTemplatesResult)
		for _, r := range page.ResourceTemplates {
			n++
			entryLine(out, s.name(), r.URITemplate, r.Name, r.MIMEType, r.Description)
		}
		if cursor = page.NextCursor; cursor == "" || len(page.ResourceTemplates) == 0 {
			break
		}
	}
	return nil
}

func entryLine(out *strings.Builder, server, uri, name, kind, about string) {
	about, _, _ = strings.Cut(plain(about), "\n")
	fmt.Fprintf(out, "%s  %s", server, plain(uri))
	for _, part := range []string{plain(name), kind, clip(about, 200)} {
		if part != "" {
			out.WriteString("  " + part)
		}
	}
	out.WriteByte('\n')
}

func (b *Toolbox) read(ctx context.Context, name, uri string) (agent.Result, error) {
	s, err := b.hub.find(name)
	if err != nil {
		return agent.Result{}, err
	}
	res, err := s.request(ctx, nil, func(ctx context.Context, cs *sdk.ClientSession, _ string) (any, error) {
		return cs.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	})
	if err != nil {
		return agent.Result{}, err
	}
	var c contents
	for _, r := range res.(*sdk.ReadResourceResult).Contents {
		if r != nil {
			c.resource(r)
		}
	}
	return agent.Result{Content: c.blocks()}, nil
}
