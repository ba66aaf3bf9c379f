// Package rpc lets a program drive the agent: commands come in on standard
// input, answers and events go out on standard output, one JSON object a line.
// The records are those of pi's RPC mode; docs/headless.md lists them.
//
//	status := rpc.Serve(app, os.Stdin, os.Stdout, os.Stderr)
//
// Every command is answered once: {id, type: "response", command, success,
// data or error}, with the id it came with, whatever that is. Commands are taken
// in order. Those that last (a compaction, a shell command, an abort) are
// answered when they are over, while later ones are already carried out.
//
// What a command leads to at once is told before its answer, what it sets in
// motion after it. A client that does not read stalls the agent, the commands'
// output, and at last the reading of its own commands; the memory does not grow.
//
// The end of the input, a broken output, SIGTERM, SIGINT and SIGHUP end the
// program in good order: what is under way is aborted, the session is written.
// A second signal ends it at once.
package rpc
