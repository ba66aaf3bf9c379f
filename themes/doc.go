// Package themes turns colour themes into terminal colours.
//
// [Load] reads a built-in theme or a theme file, [System]
// derives one from the colours the terminal reports. The result is a [Theme]:
// every token is resolved to a ready SGR sequence for one colour [Depth] when
// the theme is made, so that [Theme.Fg] and [Theme.Bg] only join strings.
//
//	th, err := themes.Load("dark", themes.Options{Depth: themes.DepthFromEnv(os.Getenv)})
//	line := th.Fg(themes.Accent, "tau")
//
// The file format is the one of pi: JSON with name, vars and colors (56
// tokens, some optional). Files are checked strictly; an [Error] names file,
// line, column and token. A Theme never changes and may be shared between
// goroutines.
package themes
