package session

import (
	"testing"

	"tau/agent"
	"tau/ai"
)

func TestBrokenCacheIsNamed(t *testing.T) {
	s := &Session{mailboxes: map[*agent.Mailbox[Event]]struct{}{}}
	events := make(chan Event, 10)
	cancel := s.Subscribe(func(ev Event) { events <- ev })
	defer cancel()
	m := &ai.Model{ID: "m", Provider: "p", API: "x"}
	ask := func(system string, u ai.Usage) {
		req := ai.Request{System: system, Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("hi")}}}
		msg := &ai.AssistantMessage{Usage: u}
		for range s.watchCache(m, req, ai.Options{}, func(yield func(ai.Event) bool) { yield(ai.Event{Type: ai.EventDone, Message: msg}) }) {
		}
	}
	ask("a", ai.Usage{Input: 100, CacheWrite: 20_000})
	ask("a", ai.Usage{Input: 100, CacheRead: 20_000})
	ask("b", ai.Usage{Input: 20_100})
	ev := <-events
	if ev.Type != CacheLost || ev.Cache.Tokens != 20_000 || ev.Cache.Cause.String() != "the system prompt changed" {
		t.Errorf("%+v: %s", ev, ev.Cache.Cause)
	}
	// A conversation that was shortened on purpose has no cache to lose.
	s.asked = lastRequest{}
	ask("c", ai.Usage{Input: 20_100})
	select {
	case ev := <-events:
		t.Errorf("%+v", ev)
	default:
	}
}
