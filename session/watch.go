package session

import "context"

// Watch calls fn for each event in order, at once and under the session's
// lock: fn must neither block nor call the session, only hand the event over.
// What the caller of a method hands over itself after the method has returned
// comes after the events of the method, which is what a protocol of answers
// and events needs; see [Session.Subscribe] for everything else. The returned
// function ends the watch.
func (s *Session) Watch(fn func(Event)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.watchCount
	s.watchCount++
	if s.watchers == nil {
		s.watchers = map[int]func(Event){}
	}
	s.watchers[n] = fn
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, n)
	}
}

// Throttle has wait called, without locks, before each event of the agent and
// each piece of a command's output. While it blocks, the agent does not go on:
// neither the answer is read any further, nor the output of commands. wait must
// return when ctx ends. Nil ends the throttling.
func (s *Session) Throttle(wait func(ctx context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait = wait
}

func (s *Session) pace(ctx context.Context) {
	s.mu.Lock()
	wait := s.wait
	s.mu.Unlock()
	if wait != nil {
		wait(ctx)
	}
}
