package term

import (
	"errors"
	"os"
)

// ErrGone says that the terminal is no longer there (hung up, window closed).
var ErrGone = errors.New("the terminal is gone")

// A Signal is what the system tells a program about its terminal or its life.
type Signal uint8

// The signals.
const (
	// Terminate asks the program to end (SIGTERM, SIGHUP, SIGINT).
	Terminate Signal = iota
	// Stop asks it to suspend (SIGTSTP sent from outside).
	Stop
	// Continue says that it runs again without having suspended itself.
	Continue
)

// A Device is a terminal in the raw: bytes in, bytes out, a size.
type Device interface {
	// Open puts the device into raw mode and starts to read. The channel is
	// closed when there is nothing to read any more; it is not closed by
	// Close.
	Open() (<-chan []byte, error)
	// Close stops reading and puts the device back into the mode it had.
	// What was typed and not read stays for the next reader.
	Close() error
	// Write writes all of p. It returns ErrGone (wrapped or not) when the
	// terminal is gone.
	Write(p []byte) (int, error)
	// Size returns columns and rows; 0 for unknown.
	Size() (cols, rows int)
	// Resized receives a value after the size may have changed.
	Resized() <-chan struct{}
	// Signals receives what the system asks for.
	Signals() <-chan Signal
	// Suspend stops the process until it is continued, or returns
	// errors.ErrUnsupported. The device is closed while it is called.
	Suspend() error
	// Die ends the process the way the last Terminate signal asked for.
	Die()
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool { return isTerminal(f) }
