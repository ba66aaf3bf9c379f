// Package agent runs a model with tools until the work is done.
//
// [Run] and [Continue] are the loop: functions without state that take a
// context and a [Config] of ports, emit [Event] values, and return the new
// messages. [Agent] wraps them with what has to live between runs: the
// transcript, the queues of steering and follow-up messages, subscribers,
// abort.
//
// The package knows no tool, no provider, no screen and no file. Everything
// it touches is a function in the Config or a [Tool].
package agent
