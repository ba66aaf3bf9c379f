package httpstream

import (
	"context"
	"time"
)

// pacer lets a fast stream of small pieces gather for a moment, so that they
// are read and passed on together. A model that sends 200 words a second would
// otherwise wake every goroutine between the socket and the screen 200 times a
// second, for a screen that is drawn 60 times; that waking is most of what a
// streaming answer costs.
//
// Nothing waits until a number of pieces have come one closely after the other,
// so the first words and short answers are not delayed; a slow stream and one
// that fills its reads never wait at all.
type pacer struct {
	last   time.Time // when the last piece had come
	streak int       // of pieces that came closely
	waited bool      // before the read that is going on
	off    bool      // waiting gathers nothing here
	from   gatherer  // nil: unknown
	shared bool      // others wait for what comes from it, too
	tick   *time.Ticker
}

// gatherer is a source that need not tell of each piece before the next read, or
// before release.
type gatherer interface {
	gather()
	release()
}

const (
	gather      = 17 * time.Millisecond // a little more than a frame, which is then drawn at once
	closely     = 12 * time.Millisecond
	beforePaced = 16
	largePiece  = 2 << 10 // bytes; a stream that has as much ready is read at full speed
	tinyPiece   = 32      // bytes; less than any event, so the source hands out what it has in bits
)

// wait is called before a read.
func (p *pacer) wait(ctx context.Context) {
	p.waited = false
	if p.off || p.streak < beforePaced {
		return
	}
	if p.tick == nil {
		p.tick = time.NewTicker(gather) // cheaper than a timer that is set for each read
	}
	if p.from != nil {
		p.from.gather()
	}
	p.waited = true
	select {
	case <-p.tick.C:
	case <-ctx.Done(): // the read says so
	}
	if p.from != nil && p.shared {
		p.from.release()
	}
}

// end stops the clock.
func (p *pacer) end() {
	if p.tick != nil {
		p.tick.Stop()
		p.tick = nil
	}
}

// came is called with the size of what was read.
func (p *pacer) came(n int) {
	if p.off {
		return
	}
	if p.waited && n < tinyPiece {
		p.off = true
		p.end()
	}
	now := time.Now()
	limit := closely
	if p.waited {
		limit += gather
	}
	if n >= largePiece || now.Sub(p.last) > limit {
		p.streak = 0
		p.end()
	} else {
		p.streak++
	}
	p.last = now
}
