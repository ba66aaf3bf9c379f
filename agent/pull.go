package agent

import (
	"context"
	"iter"

	"tau/ai"
)

// EventStream is a run for callers that prefer to pull.
//
//	s := agent.Stream(ctx, prompts, start, cfg)
//	for ev := range s.Events() { … }
//	msgs := s.Messages()
type EventStream struct {
	events iter.Seq[Event]
	msgs   []ai.Message
}

// Stream prepares a run. It begins when Events is ranged over.
func Stream(ctx context.Context, prompts []ai.Message, start Context, cfg Config) *EventStream {
	s := &EventStream{}
	s.events = func(yield func(Event) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		listening := true
		s.msgs = Run(ctx, prompts, start, cfg, func(ev Event) {
			// A caller that stops listening cancels the run; the loop still ends it
			// properly, with a result for each call.
			if listening && !yield(ev) {
				listening = false
				cancel()
			}
		})
	}
	return s
}

// Events runs the agent and yields its events. It may be ranged over once.
func (s *EventStream) Events() iter.Seq[Event] { return s.events }

// Messages returns the new messages, once Events has ended.
func (s *EventStream) Messages() []ai.Message { return s.msgs }
