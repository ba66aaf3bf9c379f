package term

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"tau/tui/input"
)

// Options configure a [Term]. The zero value is right for most programs.
type Options struct {
	Getenv func(string) string // nil means os.Getenv
	// Focus asks for focus reports.
	Focus bool
	// Scheme asks for reports of light and dark preference (mode 2031).
	Scheme bool
	// Colors asks for the foreground and background colour at the start.
	Colors bool
	// Log, if not nil, gets a copy of all output.
	Log func([]byte)
}

// Term is a terminal in use. See the package comment for the rules.
type Term struct {
	dev         Device
	opt         Options
	multiplexed bool
	parser      *input.Parser
	in          <-chan []byte

	mu      sync.Mutex // guards the fields below
	modes   modeSet
	started bool
	gone    bool

	out   chan [][]byte
	wrote chan Written
	ill   chan struct{} // a write has failed
	ended chan struct{} // the writer has ended
	busy  bool

	kitty      bool
	negotiated bool
	owed       []fence
	status     Status // what the program does; sent once the terminal takes it
	statusAsk  answer
	begun      time.Time
}

// fence says what an expected DA1 reply closes.
type fence uint8

const (
	keyboardFence fence = iota
	colorFence
)

// New returns a Term on a device.
func New(dev Device, opt Options) *Term {
	if opt.Getenv == nil {
		opt.Getenv = os.Getenv
	}
	t := &Term{dev: dev, opt: opt}
	name := opt.Getenv("TERM")
	t.multiplexed = opt.Getenv("TMUX") != "" || opt.Getenv("ZELLIJ") != "" || opt.Getenv("STY") != "" ||
		strings.HasPrefix(name, "tmux") || strings.HasPrefix(name, "screen")
	return t
}

// Open returns a Term on the terminal of the process: standard input and
// output, or the controlling terminal if one of them is something else. It
// fails if there is none, or if TERM says that it can do nothing.
func Open(opt Options) (*Term, error) {
	if opt.Getenv == nil {
		opt.Getenv = os.Getenv
	}
	if opt.Getenv("TERM") == "dumb" {
		return nil, errors.New("open terminal: TERM is dumb, which cannot show a full screen")
	}
	dev, err := openDevice()
	if err != nil {
		return nil, fmt.Errorf("open terminal: %w", err)
	}
	return New(dev, opt), nil
}

// Start takes the terminal over and enters the screen.
func (t *Term) Start(s Screen) error {
	in, err := t.dev.Open()
	if err != nil {
		return fmt.Errorf("start terminal: %w", err)
	}
	t.in = in
	t.parser = input.New(input.FromEnv(t.opt.Getenv))
	t.kitty, t.negotiated, t.owed = false, false, nil
	t.out, t.wrote, t.ended = make(chan [][]byte, 1), make(chan Written, 1), make(chan struct{})
	t.ill = make(chan struct{}, 1)
	t.busy, t.begun = false, time.Now()
	go t.writer(t.out, t.wrote, t.ill, t.ended)

	var b strings.Builder
	t.mu.Lock()
	t.started = true
	m := &t.modes
	*m = modeSet{}
	m.enterScreen(&b, s, t.multiplexed)
	b.WriteString("\x1b[?2004h")
	m.paste = true
	if t.opt.Focus {
		b.WriteString("\x1b[?1004h")
		m.focus = true
	}
	if t.opt.Scheme {
		b.WriteString("\x1b[?2031h")
		m.scheme = true
	}
	t.mu.Unlock()
	b.WriteString(askKitty)
	if t.statusAsk = statusBefore(t.opt.Getenv); t.statusAsk == open {
		b.WriteString(askStatus)
	}
	b.WriteString(askDA1)
	t.owed = append(t.owed, keyboardFence)
	if t.opt.Colors {
		b.WriteString(ColorQuery + askDA1) // DA1 is the fence behind them
		t.owed = append(t.owed, colorFence)
	}
	if err := t.write([]byte(b.String())); err != nil {
		t.Stop()
		return fmt.Errorf("start terminal: %w", err)
	}
	t.sendStatus()
	return nil
}

// Switch leaves the current screen and enters another one.
func (t *Term) Switch(s Screen) error {
	t.Settle()
	var b strings.Builder
	t.mu.Lock()
	if !t.started {
		t.mu.Unlock()
		return nil
	}
	t.modes.leaveScreen(&b)
	t.modes.enterScreen(&b, s, t.multiplexed)
	t.mu.Unlock()
	return t.write([]byte(b.String()))
}

// Leave writes what moves behind the program's output on the main screen, before
// a Switch.
func (t *Term) Leave(s string) { t.direct(s) }

// Reflows reports whether the terminal wraps the lines of the main screen anew
// when its width changes. Most do; those that are known not to are xterm, st,
// screen and the consoles of Linux and the BSDs.
func (t *Term) Reflows() bool {
	name := t.opt.Getenv("TERM")
	switch {
	case t.opt.Getenv("TMUX") != "":
		return true
	case t.opt.Getenv("XTERM_VERSION") != "", t.opt.Getenv("STY") != "":
		return false
	}
	for _, p := range [...]string{"st-", "screen", "linux", "cons25", "vt220", "pccon", "rxvt"} {
		if strings.HasPrefix(name, p) {
			return false
		}
	}
	return name != "st"
}

// Multiplexed reports whether the terminal is a multiplexer such as tmux.
func (t *Term) Multiplexed() bool { return t.multiplexed }

// Screen returns the screen that is in use.
func (t *Term) Screen() Screen {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.modes.screen
}

// Stop waits for the frame in flight, writes last (a parting message, which may
// use CR LF and colours) behind the user's screen, puts all modes back and
// gives the terminal away. It may be called again and after the terminal is
// gone.
func (t *Term) Stop(last ...string) error {
	t.Settle()
	if t.out != nil {
		close(t.out)
		t.out = nil
		select {
		case <-t.ended:
		case <-time.After(time.Second):
		}
	}
	t.Restore(last...)
	if err := t.dev.Close(); err != nil {
		return fmt.Errorf("stop terminal: %w", err)
	}
	return nil
}

// Drain reads and drops input for at most limit, until none came for quiet: the
// releases of keys and late replies must not reach the shell. Keys stop being
// reported as sequences first.
func (t *Term) Drain(limit, quiet time.Duration) {
	t.mu.Lock()
	var b strings.Builder
	if t.started && !t.gone {
		if t.modes.kitty {
			b.WriteString(popKitty)
			t.modes.kitty = false
		}
		if t.modes.modifyKeys {
			b.WriteString("\x1b[>4;0m")
			t.modes.modifyKeys = false
		}
	}
	t.mu.Unlock()
	if b.Len() > 0 {
		_ = t.write([]byte(b.String()))
	}
	if t.in == nil {
		return
	}
	end := time.After(limit)
	for {
		wait := quiet
		if len(t.owed) > 0 && time.Since(t.begun) < 2*time.Second {
			// Somebody will read the answers to our queries: it had better
			// be us than the shell.
			wait = max(quiet, 250*time.Millisecond)
		}
		still := time.NewTimer(wait)
		select {
		case chunk, ok := <-t.in:
			still.Stop()
			if !ok {
				return
			}
			t.filter(t.parser.Feed(chunk))
		case <-still.C:
			return
		case <-end:
			still.Stop()
			return
		}
	}
}

// Restore puts all modes back, followed by last. It may be called from any
// goroutine, more than once; only the first call after Start writes.
func (t *Term) Restore(last ...string) {
	t.mu.Lock()
	if !t.started {
		t.mu.Unlock()
		return
	}
	t.started = false
	s := t.modes.restore()
	t.modes = modeSet{}
	gone := t.gone
	t.mu.Unlock()
	if gone {
		return
	}
	// A terminal that takes nothing (Ctrl+S) must not keep the program.
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = t.write([]byte(s))
		for _, l := range last {
			if l != "" {
				_ = t.write([]byte(l))
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
}

// write writes to the device from whatever goroutine.
func (t *Term) write(b []byte) error {
	if t.opt.Log != nil {
		t.opt.Log(b)
	}
	_, err := t.dev.Write(b)
	if errors.Is(err, ErrGone) {
		t.mu.Lock()
		t.gone = true
		t.mu.Unlock()
	}
	return err
}

// Gone reports whether the terminal is known to be gone.
func (t *Term) Gone() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gone
}

// SetGone says that the terminal is gone, so that nothing more is written.
func (t *Term) SetGone() {
	t.mu.Lock()
	t.gone = true
	t.mu.Unlock()
}

// Written is the outcome of a Send.
type Written struct {
	Err error
	At  time.Time // when it was over
}

func (t *Term) writer(out <-chan [][]byte, wrote chan<- Written, ill, ended chan<- struct{}) {
	defer close(ended)
	for frames := range out {
		var err error
		for _, f := range frames {
			if err = t.write(f); err != nil {
				break
			}
		}
		wrote <- Written{err, time.Now()}
		if err != nil {
			select {
			case ill <- struct{}{}:
			default:
			}
		}
	}
}

// Busy reports whether frames are in flight. While they are, do not Send; wait
// for Wrote and compose the latest state then.
func (t *Term) Busy() bool { return t.busy }

// Send writes frames, each with one Write. It does not wait. The frames belong
// to the writer until Wrote delivers. Send must not be called while Busy.
func (t *Term) Send(frames ...[]byte) {
	if t.out == nil || len(frames) == 0 {
		return
	}
	t.mu.Lock()
	t.modes.body = true
	t.mu.Unlock()
	t.busy = true
	t.out <- frames
}

// Wrote receives the outcome of each Send. Call [Term.Done] with it. It may be
// left there until something is to be sent again; Failed tells of those that
// should not.
func (t *Term) Wrote() <-chan Written { return t.wrote }

// Failed receives a value when Wrote has an error.
func (t *Term) Failed() <-chan struct{} { return t.ill }

// Done says that an outcome has been received from Wrote.
func (t *Term) Done() { t.busy = false }

// Settle waits for frames in flight, but not for ever, and reports whether they
// are the caller's again. It takes their outcome.
func (t *Term) Settle() (ok bool) {
	if !t.busy {
		return true
	}
	select {
	case <-t.wrote:
		ok = true
	case <-time.After(time.Second):
	}
	t.busy = false
	return ok
}

// SetCursorHidden remembers that frames have hidden or shown the cursor.
func (t *Term) SetCursorHidden(hidden bool) {
	t.mu.Lock()
	t.modes.hidden = hidden
	t.mu.Unlock()
}

// SetUploading remembers that frames have sent some of a picture, but not all.
func (t *Term) SetUploading(on bool) {
	t.mu.Lock()
	t.modes.upload = on
	t.mu.Unlock()
}

// Input receives what was read. It is closed when the terminal is gone.
func (t *Term) Input() <-chan []byte { return t.in }

// Resized receives a value after the size may have changed.
func (t *Term) Resized() <-chan struct{} { return t.dev.Resized() }

// Signals receives what the system asks for.
func (t *Term) Signals() <-chan Signal { return t.dev.Signals() }

// Suspend stops the process until it is continued. The terminal must be
// stopped before, and started again after.
func (t *Term) Suspend() error { return t.dev.Suspend() }

// Die ends the process the way the last Terminate signal asked for.
func (t *Term) Die() { t.dev.Die() }

// Size returns columns and rows. An unknown size is 80 by 24, as everywhere.
func (t *Term) Size() (cols, rows int) {
	cols, rows = t.dev.Size()
	if cols <= 0 {
		cols = 80
	}
	if rows <= 0 {
		rows = 24
	}
	return cols, rows
}
