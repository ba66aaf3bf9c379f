// Package js runs extensions that are written in JavaScript or TypeScript, in
// the process, without Node.
//
//	l := &js.Loader{Cache: filepath.Join(agentDir, "cache", "extensions"), Env: …}
//	r := extension.NewRunner(extension.Options{Load: l.Load, …})
//
// Each extension has a virtual machine (QuickJS) and a goroutine of its own. Its
// file and what that imports are bundled with esbuild and compiled; the bytecode
// is kept by the content of the files. Modules of Node that extensions commonly
// use, and the packages that pi gives to extensions, are files of JavaScript in
// the folder runtime. Their bytecode, in compiled, is part of the program and is
// read when a module is first imported or a global first used; what they cannot
// do in JavaScript they ask of this package.
//
// A turn of a machine, that is, what it does without waiting, is interrupted
// after TurnLimit, and its memory is bounded by MemoryLimit. Errors name the
// line of the source file.
//
// Nothing of all this is set up before the first extension is loaded.
package js
