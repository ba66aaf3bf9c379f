//go:build unix

package term

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// tty is the terminal of the process.
type tty struct {
	in, out *os.File
	own     *os.File // the controlling terminal, if it had to be opened

	saved   *term.State
	wakeR   *os.File
	wakeW   *os.File
	reading sync.WaitGroup

	resized chan struct{}
	signals chan Signal
	stop    chan struct{} // closed by Close
	once    sync.Once
	mu      sync.Mutex
	last    syscall.Signal
	resumed time.Time
	// suspended is set from before the process stops until it runs again.
	suspended bool
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func openDevice() (Device, error) {
	d := &tty{in: os.Stdin, out: os.Stdout, resized: make(chan struct{}, 1), signals: make(chan Signal, 4)}
	if !isTerminal(d.in) || !isTerminal(d.out) {
		f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		d.own = f
		if !isTerminal(d.in) {
			d.in = f
		}
		if !isTerminal(d.out) {
			d.out = f
		}
	}
	return d, nil
}

func (d *tty) Open() (<-chan []byte, error) {
	state, err := term.MakeRaw(int(d.in.Fd()))
	if err != nil {
		return nil, fmt.Errorf("set raw mode: %w", err)
	}
	d.saved = state
	if d.wakeR, d.wakeW, err = os.Pipe(); err != nil {
		_ = term.Restore(int(d.in.Fd()), state)
		return nil, fmt.Errorf("make pipe: %w", err)
	}
	d.once.Do(func() { go d.watch() })
	in := make(chan []byte)
	d.reading.Add(1)
	d.stop = make(chan struct{})
	go d.read(in, d.stop, int(d.in.Fd()), int(d.wakeR.Fd()))
	return in, nil
}

// wait waits until fd or wake can be read, and says which. It uses select,
// which works on terminals on every system (poll and kqueue do not on darwin),
// as long as the numbers are small enough for it.
func wait(fd, wake int) (woken bool, err error) {
	for {
		if max(fd, wake) < unix.FD_SETSIZE {
			var set unix.FdSet
			set.Set(fd)
			set.Set(wake)
			if _, err = unix.Select(max(fd, wake)+1, &set, nil, nil, nil); err == nil {
				return set.IsSet(wake), nil
			}
		} else {
			p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(wake), Events: unix.POLLIN}}
			if _, err = unix.Poll(p, -1); err == nil {
				return p[1].Revents != 0, nil
			}
		}
		if !errors.Is(err, unix.EINTR) {
			return false, err
		}
	}
}

// read passes on what is typed, until it is woken or the terminal is gone.
func (d *tty) read(in chan<- []byte, stop <-chan struct{}, fd, wake int) {
	defer d.reading.Done()
	buf := make([]byte, 64<<10)
	// What was typed before raw mode went through the line discipline, which
	// made a line feed of Enter.
	early := pending(fd) > 0
	for {
		woken, err := wait(fd, wake)
		if err != nil {
			close(in)
			return
		}
		if woken {
			return
		}
		n, err := unix.Read(fd, buf)
		switch {
		case n > 0:
			chunk := append([]byte(nil), buf[:n]...)
			if early {
				chunk, early = bytes.ReplaceAll(chunk, []byte("\n"), []byte("\r")), false
			}
			select {
			case in <- chunk:
			case <-stop:
				return
			}
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
		default: // end of file, EIO: hung up
			close(in)
			return
		}
	}
}

func (d *tty) Close() error {
	if d.saved == nil {
		return nil
	}
	close(d.stop)
	_, _ = d.wakeW.Write([]byte{0})
	d.reading.Wait()
	d.wakeR.Close()
	d.wakeW.Close()
	err := term.Restore(int(d.in.Fd()), d.saved)
	d.saved = nil
	if err != nil && !lost(err) {
		return fmt.Errorf("restore terminal mode: %w", err)
	}
	return nil
}

func lost(err error) bool {
	return errors.Is(err, unix.EIO) || errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.ENXIO) ||
		errors.Is(err, unix.EPIPE) || errors.Is(err, unix.EBADF)
}

func (d *tty) Write(p []byte) (int, error) {
	fd := int(d.out.Fd())
	done := 0
	for done < len(p) {
		n, err := unix.Write(fd, p[done:])
		if n > 0 {
			done += n
		}
		switch {
		case err == nil:
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			// Somebody who shares the terminal made it non-blocking.
			pfd := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
			_, _ = unix.Poll(pfd, 1000)
		case lost(err):
			return done, ErrGone
		default:
			return done, fmt.Errorf("write to terminal: %w", err)
		}
		if err == nil && n == 0 {
			return done, io.ErrShortWrite
		}
	}
	return done, nil
}

func (d *tty) Size() (cols, rows int) {
	cols, rows, err := term.GetSize(int(d.out.Fd()))
	if err != nil {
		return 0, 0
	}
	return cols, rows
}

func (d *tty) Resized() <-chan struct{} { return d.resized }
func (d *tty) Signals() <-chan Signal   { return d.signals }

// watch turns system signals into values for the life of the process.
func (d *tty) watch() {
	ch := make(chan os.Signal, 16)
	signal.Notify(ch, syscall.SIGWINCH, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTSTP, syscall.SIGCONT)
	for s := range ch {
		switch s {
		case syscall.SIGWINCH:
			select {
			case d.resized <- struct{}{}:
			default:
			}
		case syscall.SIGTSTP:
			d.send(Stop)
		case syscall.SIGCONT:
			if !d.resuming() {
				d.send(Continue)
			}
		case syscall.SIGINT:
			// Sent to the group while the program was stopped (Ctrl+C at a
			// shell that waits) it is for others.
			if !d.resuming() {
				d.terminate(syscall.SIGINT)
			}
		default:
			if sig, ok := s.(syscall.Signal); ok {
				d.terminate(sig)
			}
		}
	}
}

// resuming reports whether Suspend is at work, or was a moment ago.
func (d *tty) resuming() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.suspended || time.Since(d.resumed) < 100*time.Millisecond
}

func (d *tty) terminate(s syscall.Signal) {
	d.mu.Lock()
	d.last = s
	d.mu.Unlock()
	d.send(Terminate)
}

func (d *tty) send(s Signal) {
	select {
	case d.signals <- s:
	default:
	}
}

// Suspend stops the process group with SIGSTOP. SIGTSTP would be the polite
// way, but once a Go program has asked for it with signal.Notify, nothing brings
// its default action back.
func (d *tty) Suspend() error {
	// A shell with job control gives each job a group of its own. Without
	// one nobody could continue the process.
	if sid, err := unix.Getsid(0); err != nil || sid == unix.Getpgrp() {
		return errors.ErrUnsupported
	}
	cont := make(chan os.Signal, 1)
	signal.Notify(cont, syscall.SIGCONT)
	defer signal.Stop(cont)
	d.mu.Lock()
	d.suspended = true
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		d.suspended, d.resumed = false, time.Now()
		d.mu.Unlock()
	}()
	if err := syscall.Kill(0, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("suspend: %w", err)
	}
	select {
	case <-cont:
	case <-time.After(300 * time.Millisecond):
	}
	return nil
}

func (d *tty) Die() {
	d.mu.Lock()
	s := d.last
	d.mu.Unlock()
	if s == 0 {
		s = syscall.SIGTERM
	}
	signal.Reset(s)
	_ = syscall.Kill(os.Getpid(), s)
	time.Sleep(100 * time.Millisecond)
	os.Exit(128 + int(s))
}
