package session

import (
	"iter"
	"time"

	"tau/ai"
)

// CacheLoss is what a broken prompt cache cost and why.
type CacheLoss struct {
	Tokens int64 // read again at the full price
	Cause  ai.PrefixChange
}

// lastRequest is what the request before this one consisted of.
type lastRequest struct {
	prefix *ai.Prefix
	usage  ai.Usage
	at     time.Time // its answer was complete
}

// Providers keep a prompt for minutes unless they were asked for more; the
// shortest is Anthropic's five.
const (
	shortCache = 5 * time.Minute
	longCache  = time.Hour
)

// watchCache passes a stream on. After its answer it compares what the cache
// gave with what the answer before had put in.
func (s *Session) watchCache(m *ai.Model, req ai.Request, o ai.Options, stream iter.Seq[ai.Event]) iter.Seq[ai.Event] {
	return func(yield func(ai.Event) bool) {
		prefix := ai.PrefixOf(m, &req, &o)
		for ev := range stream {
			if ev.Final() && ev.Message.Failure == nil {
				s.compareCache(prefix, ev.Message.Usage, o.Cache)
			}
			if !yield(ev) {
				return
			}
		}
	}
}

func (s *Session) compareCache(prefix *ai.Prefix, usage ai.Usage, kept ai.CacheRetention) {
	s.mu.Lock()
	last := s.asked
	s.asked = lastRequest{prefix, usage, time.Now()}
	s.mu.Unlock()
	if last.prefix == nil {
		return
	}
	lost := ai.CacheLoss(last.usage, usage)
	if lost <= 0 {
		return
	}
	lifetime := shortCache
	if kept == ai.CacheLong {
		lifetime = longCache
	}
	s.emit(Event{Type: CacheLost, Cache: CacheLoss{lost, last.prefix.Diff(prefix, time.Since(last.at), lifetime)}})
}
