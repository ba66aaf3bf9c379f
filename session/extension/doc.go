// Package extension is the port through which programs and scripts of the user
// change what the agent does: block a call, rewrite a prompt, add a tool, write
// the summary, draw a widget.
//
//	r := extension.NewRunner(extension.Options{Load: load, Program: program, UI: ui, Mode: "rpc", CWD: dir})
//	r.Load(ctx, files)                     // what is wrong is told by OnError
//	s := session.New(session.Options{Hooks: r, Tools: r.Tools(builtin), …})
//	r.Bind(s)
//	r.Start(ctx, "startup", "")
//	…
//	r.Shutdown(ctx, "quit", "")
//
// # One protocol
//
// An extension is something that answers [Carrier.Call], and asks [Host.Serve]:
// a method and JSON in both directions. The carriers are package
// extension/js, which runs JavaScript and TypeScript in the process, and package
// extension/proc, which runs any program and speaks JSON-RPC 2.0 over its
// standard input and output. docs/extensions.md has the methods and their
// shapes. What an extension registers is data: tools, commands, shortcuts,
// flags, providers, renderers and the events it listens to.
//
// # Order and failure
//
// Handlers are called one after another, in the order in which extensions were
// loaded and handlers registered, and waited for; each sees the changes of those
// before. A handler that fails, does nothing for too long, or is in an extension
// that has died, is told of with OnError and otherwise skipped, except that it
// blocks the call if the event is tool_call. Nothing an extension does can end
// the session.
//
// A Runner is safe for concurrent use. It belongs to one session; another
// session gets extensions that are loaded anew.
package extension
