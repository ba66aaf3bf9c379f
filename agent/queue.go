package agent

import (
	"slices"
	"sync"

	"tau/ai"
)

// QueueMode says how many queued messages go in at once.
type QueueMode string

// The queue modes.
const (
	OneAtATime QueueMode = "one-at-a-time"
	All        QueueMode = "all"
)

// queue holds messages that wait for their moment. It is safe for concurrent
// use.
type queue struct {
	mu   sync.Mutex
	mode QueueMode
	msgs []ai.Message
}

func (q *queue) push(m ai.Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.msgs = append(q.msgs, m)
}

// take removes what goes in next.
func (q *queue) take() []ai.Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.msgs)
	if q.mode != All {
		n = min(n, 1)
	}
	out := slices.Clone(q.msgs[:n])
	q.msgs = slices.Delete(q.msgs, 0, n)
	return out
}

// clear removes and returns everything.
func (q *queue) clear() []ai.Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := q.msgs
	q.msgs = nil
	return out
}

func (q *queue) peek() []ai.Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.msgs)
}

func (q *queue) setMode(m QueueMode) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mode = m
}
