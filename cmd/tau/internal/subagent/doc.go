// Package subagent is the tool with which an agent has others work for it.
//
// Each task is a process of its own: this program with --mode json, its own
// context and nothing kept on disk. The task goes in on standard input, the
// answer is the last message that comes out. [New] makes the tool; [Options]
// say what the processes inherit. A task ends with the call, by its time limit,
// or with the program: its whole tree of processes is asked to end, and then
// ended.
package subagent
