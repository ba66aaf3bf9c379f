package tools

import (
	"fmt"
	"io"
	"sync"
)

// output gathers what a command writes: the end of it as clean text in memory,
// and, once that is more than a result may hold, every raw byte in a log file.
// Memory is bounded whatever comes. It is safe for one writer and any number of
// readers.
type output struct {
	mu    sync.Mutex
	tail  tail
	clean cleaner
	raw   []byte // all so far, while there is no log
	log   *spill
	// create makes the log; nil is for tests without one.
	create func() (*spill, error)
	failed error // why there is no whole log
	room   int64 // for the log
	keep   bool  // the log stays even if nothing was cut
}

// maxRaw is how much a command may write that its clean text does not hold,
// such as the states of a progress bar, before that goes to the log.
const maxRaw = 256 << 10

// maxLog bounds the log: a program that writes without end, perhaps in the
// background where nobody looks, must not fill the disk.
const maxLog = 4 << 30

func newOutput(create func() (*spill, error)) *output {
	o := &output{create: create, room: maxLog}
	o.clean.to = &o.tail
	return o
}

// Write never fails; what cannot be logged is reported by note.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clean.write(p)
	switch {
	case o.log != nil:
		o.toLog(p)
	case o.failed == nil:
		o.raw = append(o.raw, p...)
		if len(o.raw) > maxRaw || o.tail.over() {
			o.startLog()
		}
	}
	return len(p), nil
}

func (o *output) startLog() {
	if o.log != nil || o.failed != nil || o.create == nil {
		return
	}
	log, err := o.create()
	if err != nil {
		o.failed, o.raw = err, nil
		return
	}
	o.log = log
	o.toLog(o.raw)
	o.raw = nil
}

func (o *output) toLog(p []byte) {
	if o.failed != nil {
		return
	}
	full := int64(len(p)) > o.room
	if full {
		p = p[:o.room]
	}
	o.room -= int64(len(p))
	if _, err := o.log.Write(p); err != nil {
		o.failed = err
	} else if full {
		o.failed = fmt.Errorf("a log holds %s", size(maxLog))
	}
}

// logPath makes the log if there is none yet, has it kept, and returns its
// path; empty if it cannot be made.
func (o *output) logPath() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keep = true
	o.startLog()
	if o.log == nil {
		return ""
	}
	return o.log.path
}

// snapshot returns the text so far, how it was cut, and the path of the log if
// it was.
func (o *output) snapshot() (text string, cut *Truncation, path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text, cut = o.tail.shown()
	if cut != nil && o.log != nil {
		path = o.log.path
	}
	return text, cut, path
}

// endsLine reports whether the text so far ends in a newline.
func (o *output) endsLine() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tail.lines > 0 && o.tail.lineBytes == 0
}

// finish says that nothing more is written. A log that nobody needs goes.
func (o *output) finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clean.finish()
	if o.log == nil {
		return
	}
	if err := o.log.Close(); err != nil && o.failed == nil {
		o.failed = err
	}
	if !o.keep && !o.tail.over() {
		o.log.remove()
	}
}

// note says what is not shown; it is empty if all is.
func (o *output) note(cut *Truncation, path string) string {
	if cut == nil {
		return ""
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var shown string
	switch {
	case cut.LastLinePartial:
		line := o.tail.lineBytes
		if line == 0 {
			line = o.tail.lastLine
		}
		shown = fmt.Sprintf("Showing the last %s of line %d, which has %s", size(int64(cut.OutputBytes)), cut.TotalLines, size(line))
	default:
		shown = fmt.Sprintf("Showing lines %d-%d of %d", cut.TotalLines-cut.OutputLines+1, cut.TotalLines, cut.TotalLines)
		if cut.TruncatedBy == "bytes" {
			shown += fmt.Sprintf(" (%s limit)", size(maxBytes))
		}
	}
	switch {
	case path != "" && o.failed == nil:
		return fmt.Sprintf("[%s. Full output: %s]", shown, path)
	case path != "":
		return fmt.Sprintf("[%s. Beginning of the output (%s): %s]", shown, cause(o.failed), path)
	case o.failed != nil:
		return fmt.Sprintf("[%s. The rest could not be kept: %s]", shown, cause(o.failed))
	}
	return "[" + shown + ".]"
}

var _ io.Writer = (*output)(nil)
