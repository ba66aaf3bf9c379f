package interactive

import (
	"os"
	"runtime"
	"time"
)

// calm keeps the program to one processor while an answer comes in and nothing
// else happens. Each piece of it passes through a few goroutines one after the
// other, and with more processors the runtime wakes threads for them that find
// nothing to do, which is a sixth of what an answer costs. All processors are
// there again with the next event of another kind, and soon after the user has
// done something.
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

// calmEnds is how soon the limit goes once the user does something: the frame
// that shows it is drawn before.
const calmEnds = 50 * time.Millisecond

func newCalm(may func() bool) calm {
	return calm{may: may, limit: runtime.GOMAXPROCS, reset: func(before int) {
		if os.Getenv("GOMAXPROCS") == "" {
			runtime.SetDefaultGOMAXPROCS() // which follows limits of the system again
		} else {
			runtime.GOMAXPROCS(before)
		}
	}}
}

// busy says that something else happens, and reports whether the limit is to be
// taken away soon: not at once, so that no key waits for it.
func (c *calm) busy(now time.Time) (limited bool) {
	c.other = now
	return c.before != 0
}

// stirred is called when the user does something.
func (p *program) stirred() {
	if p.calm.busy(time.Now()) {
		p.ui.After(calmEnds, p.calm.end)
	}
}

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
