// Package ai is the vocabulary that everything else in tau is written in:
// messages and their content blocks, usage and cost, models, and the stream
// port through which a model answers.
//
// A conversation is a slice of [Message]. A model is asked with a
// [StreamFunc], which yields [Event] values and ends with exactly one
// [EventDone] or [EventError]; it has no other way to fail:
//
//	for ev := range stream(ctx, model, ai.Request{Messages: msgs}, ai.Options{APIKey: key}) {
//		switch ev.Type {
//		case ai.EventTextDelta:
//			fmt.Print(ev.Delta)
//		case ai.EventDone, ai.EventError:
//			msgs = append(msgs, ev.Message)
//		}
//	}
//
// The wire protocols live in packages below this one (ai/anthropic,
// ai/openai, ai/demo); a [Registry] finds the right one for a model.
//
// The JSON forms are those of pi's session files and RPC records. Fields,
// blocks and roles that this version does not know survive a round trip
// ([openjson]).
package ai
