// Package tools has the seven built-in tools: read, bash, edit, write, grep,
// find and ls.
//
//	set := tools.New(tools.Options{CWD: dir})
//	defer set.Close()
//	agent.Context{Tools: set.All()}
//
// Each tool is exact about bytes, bounded in what it returns, quick on large
// trees, and says what to do when it refuses. Changes to one file are made one
// after another, whatever path leads to it; reads never wait. A tool never
// writes to the terminal and never outlives the cancellation of its call,
// except jobs that a command left in the background, which end with the Set.
package tools
