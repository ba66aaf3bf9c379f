// Package tui draws programs in a terminal.
//
// A program is a tree of [Component] values. A component renders itself to
// lines of at most the given width; everything else it may be able to do
// (take keys, hold the focus, say that nothing changed, render only a part)
// is one of the small optional interfaces in this file's package.
//
// All components belong to one goroutine. Other goroutines hand work to it.
//
// Lines are strings with SGR colours and OSC 8 links as their only escape
// sequences (see tui/text for measuring, wrapping and cutting them). Text that
// comes from elsewhere goes through text.Sanitize first.
package tui
