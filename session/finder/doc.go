// Package finder lists sessions and searches in them.
//
//	finder.List(ctx, lib, cwd, func(s finder.Session) { … })   // rows, newest files first
//	rows = finder.Threads(rows)                                 // forks below what they came from
//	q, err := finder.Parse(`retry "rate limit"`)
//	finder.Search(ctx, paths, q, func(r finder.Result) { … })   // full text
//
// Both stream: rows and results come as soon as there are any, from as many
// goroutines as there are processors, one at a time. The files are the only
// source; there is no index that could be stale. Memory does not depend on the
// size of the files. Files that are no sessions are left out.
package finder
