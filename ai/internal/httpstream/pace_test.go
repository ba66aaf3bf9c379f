package httpstream

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// Streams of pieces of a size that come at an interval, and how many reads it
// takes to get them.
func TestPacer(t *testing.T) {
	for _, tt := range []struct {
		name         string
		every        time.Duration
		size, pieces int
		least, most  int           // reads
		lateBy       time.Duration // at the end, at most
	}{
		{"a fast model", 5 * time.Millisecond, 150, 400, 16 + 110, 16 + 135, 17 * time.Millisecond},
		{"a slow model", 30 * time.Millisecond, 150, 100, 100, 100, 0},
		{"a short answer", 5 * time.Millisecond, 150, 12, 12, 12, 0},
		{"full speed", 0, 4 << 10, 100, 100, 100, 0},
		{"one byte at a time", 0, 1, 300, 300, 300, 20 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			due := func(i int) time.Time { return begin.Add(time.Duration(i+1) * tt.every) }
			var p pacer
			reads, got := 0, 0
			for got < tt.pieces {
				p.wait(t.Context())
				if d := time.Until(due(got)); d > 0 {
					time.Sleep(d) // the read blocks until there is something
				}
				n := tt.size
				got++
				for tt.every > 0 && got < tt.pieces && !due(got).After(time.Now()) {
					got++
					n += tt.size
				}
				p.came(n)
				reads++
				if reads == beforePaced && time.Since(begin) > time.Duration(beforePaced)*tt.every {
					t.Errorf("%s: the first pieces took %v", tt.name, time.Since(begin))
				}
			}
			late := time.Since(begin) - time.Duration(tt.pieces)*tt.every
			if reads < tt.least || reads > tt.most || late > tt.lateBy {
				t.Errorf("%s: %d reads, late by %v", tt.name, reads, late)
			}
		})
	}
}

// A cancelled request does not wait for the pieces to gather.
func TestPacerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var p pacer
		for range beforePaced + 1 {
			p.came(100)
		}
		cancel()
		begin := time.Now()
		p.wait(ctx)
		if d := time.Since(begin); d != 0 {
			t.Errorf("waited %v", d)
		}
	})
}
