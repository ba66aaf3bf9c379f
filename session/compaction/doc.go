// Package compaction makes a long conversation short enough to go on.
//
// It works in two steps. [Prepare] decides, without asking anybody, what is
// summarised and what is kept word for word:
//
//	[ summary of before | history … | turn prefix … | kept … ]
//	                     └── summarised ───────────┘  └ the model still sees these
//
// A [Summarizer] then has a model write the summary of a [Plan]. If what is to
// be summarised is itself too long for one request, it is summarised in pieces,
// each updating the summary of those before. If no model can be asked,
// [Plan.Mechanical] builds a summary from the user's own words and the names
// of the files.
//
// Nothing is ever taken out of a session file: a summary is one more entry,
// and what it stands for stays where it is.
//
// [Branch] does the same for a branch that is being left.
//
// All functions are pure but for the requests of a Summarizer. They may be
// called from any goroutine.
package compaction
