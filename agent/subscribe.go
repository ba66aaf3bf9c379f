package agent

import (
	"context"
	"sync"
)

// Mailbox delivers values to one receiver on a goroutine of its own, in order.
// Posting never blocks, so that a slow receiver cannot slow the sender; what it
// has not taken yet waits in memory. It is safe for concurrent use.
type Mailbox[T any] struct {
	mu      sync.Mutex
	ready   sync.Cond
	pending []T
	closed  bool
	done    chan struct{}
}

// NewMailbox starts the goroutine that calls fn. It ends after Close.
func NewMailbox[T any](fn func(T)) *Mailbox[T] {
	m := &Mailbox[T]{done: make(chan struct{})}
	m.ready.L = &m.mu
	go m.deliver(fn)
	return m
}

func (m *Mailbox[T]) deliver(fn func(T)) {
	defer close(m.done)
	for {
		m.mu.Lock()
		for len(m.pending) == 0 && !m.closed {
			m.ready.Wait()
		}
		batch := m.pending
		m.pending = nil
		m.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		for _, v := range batch {
			fn(v)
		}
	}
}

// Post hands v over. After Close it does nothing.
func (m *Mailbox[T]) Post(v T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	m.pending = append(m.pending, v)
	m.ready.Signal()
}

// Close lets the receiver take what is pending and then ends it. It does not
// wait.
func (m *Mailbox[T]) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.ready.Signal()
}

// Wait returns when the receiver has ended after Close, or ctx ends. It must
// not be called by the receiver.
func (m *Mailbox[T]) Wait(ctx context.Context) {
	select {
	case <-m.done:
	case <-ctx.Done():
	}
}
