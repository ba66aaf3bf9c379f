package tui

import (
	"container/heap"
	"sync"
	"time"
)

// mailbox takes functions and render requests from any goroutine.
type mailbox struct {
	mu     sync.Mutex
	queue  []func()
	want   bool // a frame
	due    bool // the UI will wake up for a frame by itself
	closed bool
	wake   chan struct{}
	done   chan struct{}
}

func (m *mailbox) init() {
	m.wake, m.done = make(chan struct{}, 1), make(chan struct{})
}

func (m *mailbox) ring() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

func (m *mailbox) post(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	m.queue = append(m.queue, f)
	m.ring()
}

// postSoon is post for work that may wait for the next frame.
func (m *mailbox) postSoon(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	m.queue = append(m.queue, f)
	m.want = true
	if !m.due {
		m.ring()
	}
}

// sleep says, before the UI waits, whether it will wake up for a frame.
func (m *mailbox) sleep(due bool) {
	m.mu.Lock()
	m.due = due
	m.mu.Unlock()
}

func (m *mailbox) render() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.want || m.closed {
		return
	}
	m.want = true
	m.ring()
}

// take returns what has been posted.
func (m *mailbox) take() (queue []func(), want bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	queue, want = m.queue, m.want
	m.queue, m.want, m.due = nil, false, false
	return queue, want
}

func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.closed = true
		m.queue = nil
		close(m.done)
	}
}

// runPosted runs what was posted before now. What is posted meanwhile waits for
// the next round, so that input is never starved.
func (u *UI) runPosted() {
	queue, want := u.box.take()
	if want {
		u.draws.dirty = true
	}
	for _, f := range queue {
		f()
	}
}

type timer struct {
	at    time.Time
	by    time.Time // when the UI has to wake up for it
	seq   int
	f     func()
	index int // in the heap, -1 if not there
}

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if h[i].at.Equal(h[j].at) {
		return h[i].seq < h[j].seq
	}
	return h[i].at.Before(h[j].at)
}
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push is part of heap.Interface.
func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}

// Pop is part of heap.Interface.
func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	t.index = -1
	return t
}

// next is when the UI has to wake up, zero for never. There are few timers.
func (h timerHeap) next() (next time.Time) {
	for _, t := range h {
		if next.IsZero() || t.by.Before(next) {
			next = t.by
		}
	}
	return next
}

// After runs f on the UI goroutine after d, unless cancel is called before.
// Both belong to the UI goroutine.
func (u *UI) After(d time.Duration, f func()) (cancel func()) { return u.Between(d, d, f) }

// Between is After for what may as well be late: f runs with whatever wakes the
// UI after the first time, and at the last. A program that works then wakes less
// often.
func (u *UI) Between(first, last time.Duration, f func()) (cancel func()) {
	u.seq++
	now := time.Now()
	t := &timer{at: now.Add(max(0, first)), by: now.Add(max(0, first, last)), seq: u.seq, f: f}
	heap.Push(&u.timers, t)
	return func() {
		if t.index >= 0 {
			heap.Remove(&u.timers, t.index)
		}
	}
}

// runTimers runs the timers that are due. Timers that these set wait for the
// next round.
func (u *UI) runTimers(now time.Time) {
	limit := u.seq
	for len(u.timers) > 0 && !u.timers[0].at.After(now) && u.timers[0].seq <= limit {
		t := heap.Pop(&u.timers).(*timer)
		t.f()
	}
}
