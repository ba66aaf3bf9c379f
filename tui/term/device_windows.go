package term

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"time"

	"golang.org/x/sys/windows"
	"golang.org/x/term"
)

// console is the Windows console with virtual terminal sequences in both
// directions.
type console struct {
	in, out *os.File
	saved   *term.State
	outMode uint32
	event   windows.Handle
	reading sync.WaitGroup
	resized chan struct{}
	signals chan Signal
	once    sync.Once
	stop    chan struct{}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func openDevice() (Device, error) {
	d := &console{in: os.Stdin, out: os.Stdout, resized: make(chan struct{}, 1), signals: make(chan Signal, 4)}
	var err error
	if !isTerminal(d.in) {
		if d.in, err = os.OpenFile("CONIN$", os.O_RDWR, 0); err != nil {
			return nil, err
		}
	}
	if !isTerminal(d.out) {
		if d.out, err = os.OpenFile("CONOUT$", os.O_RDWR, 0); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *console) Open() (<-chan []byte, error) {
	state, err := term.MakeRaw(int(d.in.Fd()))
	if err != nil {
		return nil, fmt.Errorf("set raw mode: %w", err)
	}
	d.saved = state
	in := windows.Handle(d.in.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(in, &mode); err == nil {
		_ = windows.SetConsoleMode(in, mode|windows.ENABLE_VIRTUAL_TERMINAL_INPUT)
	}
	out := windows.Handle(d.out.Fd())
	if err := windows.GetConsoleMode(out, &d.outMode); err == nil {
		const noReturn = windows.DISABLE_NEWLINE_AUTO_RETURN
		_ = windows.SetConsoleMode(out, d.outMode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING|windows.ENABLE_PROCESSED_OUTPUT|noReturn)
	}
	if d.event, err = windows.CreateEvent(nil, 1, 0, nil); err != nil {
		_ = term.Restore(int(d.in.Fd()), state)
		return nil, fmt.Errorf("make event: %w", err)
	}
	d.once.Do(func() { go d.watch() })
	d.stop = make(chan struct{})
	ch := make(chan []byte)
	d.reading.Add(2)
	go d.read(ch, in, d.event)
	go d.pollSize(d.stop)
	return ch, nil
}

func (d *console) read(ch chan<- []byte, in, event windows.Handle) {
	defer d.reading.Done()
	buf := make([]byte, 64<<10)
	for {
		which, err := windows.WaitForMultipleObjects([]windows.Handle{event, in}, false, windows.INFINITE)
		if err != nil {
			close(ch)
			return
		}
		if which == windows.WAIT_OBJECT_0 {
			return
		}
		n, err := d.in.Read(buf)
		if err != nil {
			close(ch)
			return
		}
		if n == 0 {
			continue
		}
		select {
		case ch <- append([]byte(nil), buf[:n]...):
		case <-d.stop:
			return
		}
	}
}

// pollSize stands in for the resize signal that Windows does not have.
func (d *console) pollSize(stop <-chan struct{}) {
	defer d.reading.Done()
	w, h := d.Size()
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			if nw, nh := d.Size(); nw != w || nh != h {
				w, h = nw, nh
				select {
				case d.resized <- struct{}{}:
				default:
				}
			}
		}
	}
}

func (d *console) watch() {
	ch := make(chan os.Signal, 4)
	signal.Notify(ch, os.Interrupt)
	for range ch {
		select {
		case d.signals <- Terminate:
		default:
		}
	}
}

func (d *console) Close() error {
	if d.saved == nil {
		return nil
	}
	close(d.stop)
	_ = windows.SetEvent(d.event)
	d.reading.Wait()
	_ = windows.CloseHandle(d.event)
	_ = windows.SetConsoleMode(windows.Handle(d.out.Fd()), d.outMode)
	err := term.Restore(int(d.in.Fd()), d.saved)
	d.saved = nil
	if err != nil {
		return fmt.Errorf("restore console mode: %w", err)
	}
	return nil
}

func (d *console) Write(p []byte) (int, error) {
	n, err := d.out.Write(p)
	if errors.Is(err, os.ErrClosed) || errors.Is(err, windows.ERROR_INVALID_HANDLE) || errors.Is(err, windows.ERROR_BROKEN_PIPE) {
		return n, ErrGone
	}
	return n, err
}

func (d *console) Size() (cols, rows int) {
	cols, rows, err := term.GetSize(int(d.out.Fd()))
	if err != nil {
		return 0, 0
	}
	return cols, rows
}

func (d *console) Resized() <-chan struct{} { return d.resized }
func (d *console) Signals() <-chan Signal   { return d.signals }

// Suspend is not there: Windows has no job control.
func (d *console) Suspend() error { return errors.ErrUnsupported }

func (d *console) Die() { os.Exit(130) }
