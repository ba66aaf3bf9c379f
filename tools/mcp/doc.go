// Package mcp connects the agent to servers of the Model Context Protocol:
// programs that are started and spoken to over their standard input and output,
// and services that are reached over HTTP.
//
//	servers, problems := mcp.Load(mcp.File{Path: ".../mcp.json", Scope: mcp.User})
//	hub := mcp.Start(mcp.Options{Servers: servers, CWD: cwd})
//	defer hub.Close()
//	box := hub.Toolbox(nil, changed)
//	tools := append(own, box.Tools()...)
//
// [Start] returns at once and connects in the background. A [Toolbox] is what
// one session sees of the hub: the tools that are always declared, those that
// tool_search has loaded, and the part of the system prompt that says which
// servers there are. A server that has gone is connected again by the next call
// of one of its tools. [Hub.Close] ends every server with all that it started.
//
// All methods may be called from any goroutine. What servers say is never
// trusted: sizes and numbers are bounded, and what is no message is logged.
package mcp
