// Package packages installs what others have made for the agent: extensions,
// skills, templates and themes that come together in a folder.
//
//	m := packages.Manager{Base: agentDir, Settings: agentDir + "/settings.json", Out: os.Stderr}
//	err := m.Install(ctx, "git:github.com/someone/pack@v1")
//
// A package comes from npm ("npm:name@version"), from a git repository
// ("git:host/user/repo@ref", or its address) or from a folder. [Parse] reads
// such a source and [Source.Dir] says where its files are. The list of packages
// is in settings.json; everything else in that file stays as it is. Nothing of a
// package is run when it is installed: scripts of npm and hooks of git are off.
package packages
