package app

import (
	"os"
	"path/filepath"
	"sync/atomic"

	"tau/agent"
	"tau/ai"
	"tau/cmd/tau/internal/subagent"
	"tau/session"
)

// caller is the session whose tools ask for it; nil while it is built.
type caller struct {
	atomic.Pointer[session.Session]
}

// subagents is the tool that has other agents work.
func (a *App) subagents(c *caller) *agent.Tool {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	o := subagent.Options{Executable: exe, CWD: a.CWD, AgentDir: a.AgentDir, Env: []string{"TAU_AGENT_DIR=" + a.AgentDir}}
	if a.Trust.Trusted {
		o.ProjectAgents = filepath.Join(a.CWD, ProjectDir, "agents")
	}
	for _, f := range []struct {
		on   bool
		flag string
	}{
		{a.Options.NoContext, "--no-context-files"}, {a.Options.NoMCP, "--no-mcp"}, {a.Options.NoSkills, "--no-skills"},
		{a.Options.NoTemplates, "--no-prompt-templates"}, {a.Options.Offline, "--offline"}, {a.Options.NoApprove, "--no-approve"},
	} {
		if f.on {
			o.Flags = append(o.Flags, f.flag)
		}
	}
	for _, path := range a.Options.Skills {
		if path = expandHome(path); !filepath.IsAbs(path) {
			path = filepath.Join(a.CWD, path)
		}
		o.Flags = append(o.Flags, "--skill", path)
	}
	// What the user said in this run about the folder holds there for all.
	if a.Trust.Trusted && len(a.Trust.Files) > 0 {
		o.FlagsHere = []string{"--approve"}
	}
	o.Model = func() (string, string) {
		s := c.Load()
		if s == nil {
			return "", ""
		}
		level := s.Thinking()
		if level == ai.ThinkingOff {
			level = ""
		}
		return s.Model().Ref(), string(level)
	}
	return subagent.New(o)
}
