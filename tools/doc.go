// Package tools has the seven built-in tools: read, bash, edit, write, grep,
// find and ls.
//
//	set := tools.New(tools.Options{CWD: dir})
//	defer set.Close()
//	agent.Context{Tools: set.All()}
//
// Each tool is exact about bytes, bounded in what it returns, quick on large
// trees, and says what to do when it refuses. Changes to one file are made one
// after another, whatever path leads to it, and each happens whole or not at
// all; reads never wait. Results are in a fixed order. All calls may run at the
// same time.
//
// A tool never writes to the terminal, and its call returns within a tenth of a
// second of its cancellation. A command that is cancelled or times out is ended
// with everything it has started; what a command leaves running when it ends,
// and a command that [Set.Background] moved, is a job: [Set.Jobs] lists them,
// [Set.KillJob] ends one, [Set.Close] ends all.
//
// Files and processes are reached through [Operations], so that a Set can work
// in another place than this machine.
package tools
