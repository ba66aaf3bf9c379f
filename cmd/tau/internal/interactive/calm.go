package interactive

import (
	"os"
	"runtime"
	"time"
)

// calm keeps the program to one processor while an answer comes in and nothing
// else happens. Each piece of it passes through a few goroutines one after the
// other, and with more processors the runtime wakes threads for them that find
// nothing to do, which costs as much again as half of the work. All processors
// are there again with the next event of another kind, and while the user does
// something.
type calm struct {
	// limit is runtime.GOMAXPROCS, and reset undoes it; nil: nothing is limited.
	limit func(n int) int
	reset func(before int)
	may   func() bool // asked before something is limited

	other  time.Time // when something else happened
	before int       // the processors there were; 0 while they are not limited
}

// calmAfter is how long nothing but an answer has to come in.
const calmAfter = time.Second

func newCalm(may func() bool) calm {
	return calm{may: may, limit: runtime.GOMAXPROCS, reset: func(before int) {
		if os.Getenv("GOMAXPROCS") == "" {
			runtime.SetDefaultGOMAXPROCS() // which follows limits of the system again
		} else {
			runtime.GOMAXPROCS(before)
		}
	}}
}

// busy says that something else happens. What is limited is so until the next
// event, so that no key waits for it.
func (c *calm) busy(now time.Time) { c.other = now }

// event takes an event over; piece is set if it is a piece of an answer.
func (c *calm) event(piece bool, now time.Time) {
	if c.limit == nil {
		return
	}
	if !piece {
		c.other = now
	}
	switch quiet := now.Sub(c.other) >= calmAfter; {
	case quiet && c.before == 0 && c.may():
		c.before = c.limit(1)
	case !quiet && c.before != 0:
		c.end()
	}
}

// end takes the limit away.
func (c *calm) end() {
	if c.before != 0 {
		c.reset(c.before)
		c.before = 0
	}
}
