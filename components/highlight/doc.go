// Package highlight colours source code line by line.
//
// [New] makes a highlighter from a set of colours; it satisfies
// components.Highlighter. [Language] finds the language of a file name. Tokens
// are named with the types of the chroma library.
//
// The lexers are the package's own: small scanners that carry their state from
// line to line, so code that is still being written costs only its new lines,
// and nothing happens when a program starts. They know words, comments,
// strings and numbers of a language, not its grammar; a construct they do not
// know is plain text, never an error. Each is built when it is first used.
//
// A Highlighter may be shared between goroutines, a running LineHighlighter
// may not.
package highlight
