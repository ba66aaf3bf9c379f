package app

import (
	"context"

	"tau/tools"
)

// Attach reads a file that goes along with a prompt.
func (a *App) Attach(name string) (tools.Attachment, error) {
	return a.toolSet().Attach(context.Background(), name)
}

// Files goes through the files below a folder that no ignore file excludes.
func (a *App) Files(ctx context.Context, root string, each func(path string, dir bool) bool) error {
	return a.toolSet().Files(ctx, root, each)
}

// Background lets the command of a call run on while the agent goes on.
func (a *App) Background(callID string) (job tools.Job, err error) {
	for _, set := range a.tools {
		if job, err = set.Background(callID); err == nil {
			return job, nil
		}
	}
	return job, err
}

// Jobs returns what commands have left running in the folder of the session,
// and what was moved to the background there.
func (a *App) Jobs() []tools.Job { return a.toolSet().Jobs() }

// KillJob ends one of Jobs, and returns when it has ended.
func (a *App) KillJob(id string) error { return a.toolSet().KillJob(id) }
