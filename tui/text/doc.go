// Package text measures, wraps, cuts and cleans terminal text.
//
// A width is a number of terminal columns. The unit of everything here is the
// grapheme cluster: what a reader calls one character. There is one measuring
// function, [Width] (and [Next], its step); layout, wrapping, cutting and the
// cursor all go by it, so they cannot disagree.
//
// Lines may hold SGR colours and OSC 8 links. Escape sequences have no width;
// a tab has a fixed width of [TabWidth] columns wherever it stands (see
// [ExpandTabs]). [Wrap] carries colours and links to the next line, [Truncate]
// and [Slice] close them at the cut.
//
// Text that comes from models, tools and files goes through [Sanitize] (or a
// [Sanitizer], when it comes in pieces) before it becomes a line. Everything
// else here trusts its input to hold no other sequences, but never panics and
// never loops on any bytes.
//
// All functions are pure and safe for concurrent use.
package text
