// Package termtest puts a virtual terminal in the place of a real one, for
// tests of programs that draw with tui.
//
// [New] returns a [Device] for term.New. What the program writes is shown by a
// vt.Terminal (see [Device.Screen]); what the terminal answers goes back to the
// program as input; [Device.Type] is the keyboard. A Device can be slow, hang
// up, change its size and send signals. It is safe for concurrent use and works
// inside testing/synctest.
package termtest

import (
	"sync"

	"tau/tui/term"
	"tau/tui/vt"
)

// Device is a term.Device on a virtual terminal.
type Device struct {
	mu       sync.Mutex
	screen   *vt.Terminal
	in       chan []byte
	pending  [][]byte // typed before Open
	open     bool
	gone     bool
	writes   [][]byte
	gate     chan struct{}
	suspends int
	onStop   func()
	died     int
	resized  chan struct{}
	signals  chan term.Signal
}

// New returns a device of w columns and h rows.
func New(w, h int) *Device {
	return &Device{
		screen:  vt.New(w, h),
		resized: make(chan struct{}, 1),
		signals: make(chan term.Signal, 4),
	}
}

// Screen calls f with the virtual terminal. f must not keep it.
func (d *Device) Screen(f func(*vt.Terminal)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f(d.screen)
}

// String returns what is on the screen.
func (d *Device) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.screen.String()
}

// Type sends input to the program, as one read.
func (d *Device) Type(s string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.feed([]byte(s))
}

func (d *Device) feed(b []byte) {
	if !d.open {
		d.pending = append(d.pending, b)
		return
	}
	if !d.gone {
		d.in <- b
	}
}

// Writes returns what was written since the last call, one entry per Write.
func (d *Device) Writes() [][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.writes
	d.writes = nil
	return w
}

// SetSize changes the size of the terminal and tells the program.
func (d *Device) SetSize(w, h int) {
	d.mu.Lock()
	d.screen.Resize(w, h)
	d.mu.Unlock()
	select {
	case d.resized <- struct{}{}:
	default:
	}
}

// Hold makes writes wait until the returned function is called.
func (d *Device) Hold() (release func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	gate := make(chan struct{})
	d.gate = gate
	return func() {
		d.mu.Lock()
		d.gate = nil
		d.mu.Unlock()
		close(gate)
	}
}

// HangUp makes the terminal go away.
func (d *Device) HangUp() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gone = true
	if d.open {
		close(d.in)
	}
}

// Signal sends a signal to the program.
func (d *Device) Signal(s term.Signal) { d.signals <- s }

// OnSuspend sets what happens while the program is suspended.
func (d *Device) OnSuspend(f func()) { d.onStop = f }

// Suspends returns how often the program was suspended, Died how often it
// ended itself by a signal, IsRaw whether it holds the terminal.
func (d *Device) Suspends() int { d.mu.Lock(); defer d.mu.Unlock(); return d.suspends }

// Died returns how often the program ended itself by a signal.
func (d *Device) Died() int { d.mu.Lock(); defer d.mu.Unlock(); return d.died }

// IsRaw reports whether the program holds the terminal.
func (d *Device) IsRaw() bool { d.mu.Lock(); defer d.mu.Unlock(); return d.open }

// Open is part of term.Device.
func (d *Device) Open() (<-chan []byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.in = make(chan []byte, 4096)
	d.open = true
	for _, b := range d.pending {
		d.in <- b
	}
	d.pending = nil
	if d.gone {
		close(d.in)
	}
	return d.in, nil
}

// Close is part of term.Device.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.open {
		return nil
	}
	d.open = false
	for { // what was not read stays
		select {
		case b, ok := <-d.in:
			if !ok {
				return nil
			}
			d.pending = append(d.pending, b)
		default:
			return nil
		}
	}
}

// Write is part of term.Device.
func (d *Device) Write(p []byte) (int, error) {
	d.mu.Lock()
	gate := d.gate
	d.mu.Unlock()
	if gate != nil {
		<-gate
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gone {
		return 0, term.ErrGone
	}
	d.writes = append(d.writes, append([]byte(nil), p...))
	_, _ = d.screen.Write(p)
	if r := d.screen.TakeReplies(); len(r) > 0 {
		d.feed(r)
	}
	return len(p), nil
}

// Size is part of term.Device.
func (d *Device) Size() (cols, rows int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.screen.Size()
}

// Resized is part of term.Device.
func (d *Device) Resized() <-chan struct{} { return d.resized }

// Signals is part of term.Device.
func (d *Device) Signals() <-chan term.Signal { return d.signals }

// Suspend is part of term.Device.
func (d *Device) Suspend() error {
	d.mu.Lock()
	d.suspends++
	f := d.onStop
	d.mu.Unlock()
	if f != nil {
		f()
	}
	return nil
}

// Die is part of term.Device.
func (d *Device) Die() { d.mu.Lock(); d.died++; d.mu.Unlock() }
