package acp

import (
	"context"
	"fmt"

	"tau/agent"
)

// harmless are the tools that only look.
func harmless(tool string) bool {
	switch tool {
	case "read", "grep", "find", "ls":
		return true
	}
	return false
}

// beforeToolCall remembers what a call is going to change, and asks the client
// if the mode says so.
func (c *conversation) beforeToolCall(ctx context.Context, call agent.ToolContext) (*agent.Block, error) {
	c.updates.before(call)
	name := call.Call.Name
	c.mu.Lock()
	ask := c.asking && !harmless(name) && !c.allowed[name]
	c.mu.Unlock()
	if !ask {
		return nil, nil
	}
	var r permissionResult
	err := c.server.peer.call(ctx, "session/request_permission", permissionRequest{
		SessionID: c.id, ToolCall: c.updates.proposal(call),
		Options: []permissionOption{
			{"allow", "Allow", "allow_once"},
			{"always", fmt.Sprintf("Allow %s in this session", name), "allow_always"},
			{"reject", "Reject", "reject_once"},
		},
	}, &r)
	switch {
	case err != nil:
		return nil, fmt.Errorf("ask for permission: %w", err)
	case r.Outcome.Outcome != "selected":
		return &agent.Block{Reason: "The user cancelled before this call was allowed. It was not run."}, nil
	case r.Outcome.OptionID == "always":
		c.mu.Lock()
		c.allowed[name] = true
		c.mu.Unlock()
		return nil, nil
	case r.Outcome.OptionID == "allow":
		return nil, nil
	}
	return &agent.Block{Reason: "The user does not allow this call. It was not run. Ask what to do instead, or go on without it."}, nil
}
