// Package term owns a terminal: raw mode, the modes a program switches on, the
// keyboard protocol, output without tearing, and putting everything back.
//
// [Open] finds the terminal of the process; [New] takes any [Device], which is
// how tests put a virtual terminal in its place. A program calls [Term.Start],
// feeds the chunks from [Term.Input] to [Term.Feed] to get events, hands frames
// to [Term.Send] and calls [Term.Stop] at the end.
//
// What is switched on is remembered, and the string that switches it off again
// is computed from that. It is written on every way out: by Stop, and by
// [Term.Restore], which may be called from any goroutine at any time (a signal,
// a panic). Once the terminal is gone nothing is written any more.
//
// All other methods belong to the goroutine of the UI. A writer goroutine
// exists between Start and Stop; frames are written one Write each, and while
// one is in flight no other is taken, so a slow terminal skips frames and never
// queues them.
package term
