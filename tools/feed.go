package tools

import (
	"sync"
	"time"
)

// updateEvery is the shortest time between two partial results of a command.
const updateEvery = 100 * time.Millisecond

// firstUpdate is how soon the first partial result is sent after the first
// output. What has ended by then sends it at its end, without a timer's help.
const firstUpdate = 10 * time.Millisecond

// feed calls send soon after something changed, one call at a time, each at
// least updateEvery after the one before. It has no goroutine and no timer
// while nothing changes.
type feed struct {
	send func()

	mu      sync.Mutex
	last    time.Time
	timer   *time.Timer // set while a call is due
	sending bool
	dirty   bool // changed while a call was on its way
	stopped bool
}

func (f *feed) changed() {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.stopped || f.timer != nil:
	case f.sending:
		f.dirty = true
	default:
		f.schedule()
	}
}

func (f *feed) schedule() {
	f.timer = time.AfterFunc(max(firstUpdate, updateEvery-time.Since(f.last)), f.fire)
}

func (f *feed) fire() {
	f.mu.Lock()
	f.timer = nil
	if f.stopped {
		f.mu.Unlock()
		return
	}
	f.sending, f.last = true, time.Now()
	f.mu.Unlock()
	f.send()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sending = false
	if f.dirty && !f.stopped {
		f.dirty = false
		f.schedule()
	}
}

// finish calls send if something has changed and nothing was sent yet, and ends
// it.
func (f *feed) finish() {
	f.mu.Lock()
	due := f.timer != nil && f.last.IsZero()
	f.end()
	f.mu.Unlock()
	if due {
		f.send()
	}
}

// stop ends it; a call that is on its way may still come to its end.
func (f *feed) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end()
}

func (f *feed) end() {
	f.stopped = true
	if f.timer != nil {
		f.timer.Stop()
		f.timer = nil
	}
}
