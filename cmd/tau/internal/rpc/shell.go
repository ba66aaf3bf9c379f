package rpc

import (
	"encoding/json"

	"tau/session"
)

type shellResult struct {
	Output         string `json:"output"`
	ExitCode       *int   `json:"exitCode,omitempty"`
	Cancelled      bool   `json:"cancelled"`
	Truncated      bool   `json:"truncated"`
	FullOutputPath string `json:"fullOutputPath,omitempty"`
}

func runShell(c *conn, s *session.Session, cmd command) (any, error) {
	var a struct {
		Command *string `json:"command"`
		Exclude bool    `json:"excludeFromContext"`
	}
	if err := cmd.args(&a); err != nil {
		return nil, err
	}
	if a.Command == nil {
		return nil, cmd.missing("command")
	}
	// The events have the id as text; one of another type goes as it is written.
	var id string
	if len(cmd.id) > 0 && json.Unmarshal(cmd.id, &id) != nil {
		id = string(cmd.id)
	}
	m, err := s.RunShell(c.ctx, id, *a.Command, a.Exclude)
	if err != nil {
		return nil, err
	}
	return shellResult{m.Output, m.ExitCode, m.Cancelled, m.Truncated, m.FullOutputPath}, nil
}

func abortShell(c *conn, _ command) (any, error) {
	c.session.AbortShell()
	return nil, nil
}
