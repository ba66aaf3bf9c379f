// Package interactive is the full-screen program: a transcript that scrolls,
// and below it the queue, the editor and the footer.
//
// One goroutine, that of tui.UI, owns everything here. The session reports on
// a goroutine of its own; each of its events is posted to the UI and changes
// components there.
//
//	interactive.go   start, run, end
//	screen.go        layout
//	transcript.go    session events → parts of the transcript
//	history.go       a stored conversation, read when it comes in sight
//	keys.go          what the application's own keys do
//	submit.go        Enter, Alt+Enter, the queue, Esc
//	commands.go      slash commands
//	status.go        the working line, the footer
package interactive
