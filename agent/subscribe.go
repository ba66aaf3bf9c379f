package agent

import "sync"

// mailbox delivers events to one subscriber on a goroutine of its own, in
// order. Posting never blocks, so that a slow subscriber cannot slow the loop;
// what it has not taken yet waits in memory.
type mailbox struct {
	mu      sync.Mutex
	ready   sync.Cond
	pending []Event
	closed  bool
	done    chan struct{}
}

func newMailbox(fn func(Event)) *mailbox {
	m := &mailbox{done: make(chan struct{})}
	m.ready.L = &m.mu
	go func() {
		defer close(m.done)
		for {
			m.mu.Lock()
			for len(m.pending) == 0 && !m.closed {
				m.ready.Wait()
			}
			batch := m.pending
			m.pending = nil
			closed := m.closed
			m.mu.Unlock()
			for _, ev := range batch {
				fn(ev)
			}
			if closed && len(batch) == 0 {
				return
			}
		}
	}()
	return m
}

func (m *mailbox) post(ev Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	m.pending = append(m.pending, ev)
	m.ready.Signal()
}

// close delivers what is pending and ends the goroutine. It does not wait.
func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.ready.Signal()
}
