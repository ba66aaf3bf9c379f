package mcp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
)

// maxLogSize is the size at which a log is put aside and a new one begun.
const maxLogSize = 5 << 20

// maxLogLine is how much of a line is logged.
const maxLogLine = 4 << 10

// logFile is mcp.log: what servers write to their standard error, and what goes
// wrong with them. It is made when there is something to write.
type logFile struct {
	path string // nothing is logged if empty
	mu   sync.Mutex
	f    *os.File
	size int64
}

// line writes one line for a server. What cannot be logged is lost.
func (l *logFile) line(server, text string) {
	if l.path == "" {
		return
	}
	if len(text) > maxLogLine {
		text = strings.ToValidUTF8(text[:maxLogLine], "") + "…"
	}
	// Who looks at the log has a terminal.
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(strings.TrimRight(text, "\r\n"), "\ufffd"))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil && l.open() != nil {
		return
	}
	if l.size > maxLogSize {
		l.f.Close()
		l.f = nil
		_ = os.Rename(l.path, l.path+".1")
		if l.open() != nil {
			return
		}
	}
	n, _ := fmt.Fprintf(l.f, "%s [%s] %s\n", time.Now().Format(time.RFC3339), server, text)
	l.size += int64(n)
}

func (l *logFile) open() error {
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	l.size = 0
	if st, err := f.Stat(); err == nil {
		l.size = st.Size()
	}
	l.f = f
	return nil
}

func (l *logFile) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f != nil {
		_ = l.f.Close()
		l.f = nil
	}
}

// copy logs what comes from r, line by line, until its end. last is told of
// each line that is not empty.
func (l *logFile) copy(server string, r io.Reader, last func(string)) {
	in := bufio.NewReaderSize(r, maxLogLine)
	for {
		line, err := in.ReadSlice('\n')
		if text := strings.TrimSpace(string(line)); text != "" {
			l.line(server, text)
			last(text)
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = in.ReadSlice('\n') // the rest of a long line
		}
		if err != nil {
			return
		}
	}
}
