package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine is how long a record that comes in may be. Pictures come as base64
// inside of them.
const maxLine = 128 << 20

// ErrTooLong is returned for a line that was skipped.
var ErrTooLong = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// Lines reads records: lines that end in LF. A CR before it is no part of them;
// other line ends that Unicode knows are text.
type Lines struct {
	in  *bufio.Reader
	max int
}

// NewLines returns a reader of the records in r.
func NewLines(r io.Reader) *Lines { return &Lines{bufio.NewReaderSize(r, 64<<10), maxLine} }

// Next returns the next line that is not blank, without its end. It is good
// until the next call. ErrTooLong leaves the reader at the line after; any other
// error is the end.
func (l *Lines) Next() ([]byte, error) {
	for {
		line, err := l.line()
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

func (l *Lines) line() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	if err == nil {
		return line, nil
	}
	whole := append([]byte(nil), line...)
	tooLong := false
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.in.ReadSlice('\n')
		if tooLong = tooLong || len(whole)+len(line) > l.max; tooLong {
			whole = nil
			continue
		}
		whole = append(whole, line...)
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case tooLong:
		return nil, ErrTooLong
	case err != nil && len(whole) == 0:
		return nil, io.EOF
	}
	return whole, nil
}
