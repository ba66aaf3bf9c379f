// Package resources finds what users and projects add to the agent as files:
// skills, prompt templates, themes, extensions, and packages of these.
//
//	set := resources.Load(resources.Options{AgentDir: dir, CWD: cwd, ProjectDir: ".tau", Trusted: true, Global: s})
//	text, ok := set.Expand("/review main.go") // a template or /skill:name
//	for _, p := range set.Problems { … }
//
// Where two have the same name the first wins: those of the project, then of
// the user, then of packages, then of the command line. Nothing here runs; files
// of a project are not even opened unless Trusted is set.
package resources
