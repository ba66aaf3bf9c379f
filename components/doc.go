// Package components holds the general widgets of the terminal interface:
// text, boxes, an editor, lists, Markdown, diffs.
//
// Each is a [tui.Component]: Render returns lines of at most the given width,
// and the same slice as long as nothing changed. They take their colours as
// functions from string to string (see [Style]) and know nothing of themes,
// models or sessions. Start with [NewText], [NewMarkdown] and [NewEditor].
//
// Text given to a component may come from anywhere: control sequences in it
// never reach the screen, except colours and links. Components belong to one
// goroutine; work that ends later comes back through callbacks that must run
// there too. Nothing ticks unless it is moving ([Ticker]).
package components
