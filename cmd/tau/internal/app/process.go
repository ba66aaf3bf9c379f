package app

import (
	"context"

	"tau/session/extension"
	"tau/session/extension/proc"
	"tau/session/resources"
)

// startProgram starts an extension that is a program of its own.
func (a *App) startProgram(ctx context.Context, src resources.Source, h extension.Host) (extension.Carrier, error) {
	mode := a.Front.Mode
	if mode == "" {
		mode = "print"
	}
	l := &proc.Loader{Env: proc.Env{CWD: a.CWD, AgentDir: a.AgentDir, Project: ProjectDir, Version: a.Version, Mode: mode}}
	return l.Load(ctx, src, h)
}
