// Package acp serves the Agent Client Protocol, version 1, on standard input and
// output, so that an editor can use tau as its agent:
//
//	status := acp.Serve(acp.Config{Options: o, Version: v}, os.Stdin, os.Stdout, os.Stderr)
//
// The protocol is JSON-RPC 2.0, one message a line; see agentclientprotocol.com.
// A connection may have any number of sessions, each in a folder of its own. Their
// ids are those of tau's session files, so that what began in an editor can go on
// in a terminal, and the other way round.
//
// updates.go is where a session's events become the protocol's updates.
package acp
