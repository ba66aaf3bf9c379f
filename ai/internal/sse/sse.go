// Package sse reads server-sent events, the framing in which providers stream
// their answers.
//
// [NewReader] wraps a response body and [Reader.Next] returns its events in
// order. The format is that of the HTML standard: lines end in LF, CR or CRLF,
// a leading byte order mark and comment lines are skipped, several data lines
// of one event are joined with LF, and events without data are not reported.
// The events do not depend on how the body is cut into reads.
//
// Unlike a browser, the reader reports an event at the end of the body even if
// the blank line after it is missing: some servers leave it out. A line that
// is cut short gives [io.ErrUnexpectedEOF], since the event is then not whole.
//
// A Reader is for one goroutine. After an error every call returns it again.
package sse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxEvent is the size in bytes at which an event is refused.
const MaxEvent = 64 << 20

// ErrTooLarge is returned for an event of more than MaxEvent bytes.
var ErrTooLarge = errors.New("event stream: one event is larger than the limit of 64 MiB")

// Event is one event of the stream.
type Event struct {
	Type string // "" if the stream gave none
	Data []byte // valid until the next call of Next
}

// Reader splits a byte stream into events.
type Reader struct {
	src   io.Reader
	limit int

	buf    []byte // read, not yet used
	start  int    // of the current line in buf
	scan   int    // no line end in buf[start:scan]
	skipLF bool   // the last line ended in CR: an LF belongs to it
	begun  bool   // the byte order mark has been looked for

	kind    string
	data    []byte
	hasData bool
	err     error
}

// NewReader returns a reader of the events in src.
func NewReader(src io.Reader) *Reader { return &Reader{src: src, limit: MaxEvent} }

// Next returns the next event. It returns io.EOF at the end of the stream, an
// error that wraps io.ErrUnexpectedEOF if the stream ends within an event, and
// the source's own error if reading fails.
func (r *Reader) Next() (Event, error) {
	if r.err != nil {
		return Event{}, r.err
	}
	r.kind, r.data, r.hasData = "", r.data[:0], false
	for {
		line, err := r.line()
		if err != nil {
			r.err = err
			if err == io.EOF {
				if ev, ok := r.last(line); ok {
					return ev, nil
				}
			}
			return Event{}, r.err
		}
		if len(line) > 0 {
			r.field(line)
			if len(r.data) > r.limit {
				r.err = ErrTooLarge
				return Event{}, r.err
			}
			continue
		}
		if len(r.data) > 0 {
			return Event{Type: r.kind, Data: r.data}, nil
		}
		r.kind, r.hasData = "", false
	}
}

// last deals with what is left when the stream has ended: rest is a line
// without a line end.
func (r *Reader) last(rest []byte) (Event, bool) {
	if len(rest) == 0 {
		return Event{Type: r.kind, Data: r.data}, len(r.data) > 0
	}
	if rest[0] != ':' {
		r.field(rest)
		// A JSON object cut anywhere is not valid, so this one is whole.
		if whole(r.data) {
			return Event{Type: r.kind, Data: r.data}, true
		}
		r.err = fmt.Errorf("event stream ended within an event: %w", io.ErrUnexpectedEOF)
		return Event{}, false
	}
	return Event{Type: r.kind, Data: r.data}, len(r.data) > 0
}

func whole(data []byte) bool {
	data = bytes.TrimSpace(data)
	return string(data) == "[DONE]" || len(data) > 0 && data[0] == '{' && json.Valid(data)
}

func (r *Reader) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "data":
		if r.hasData {
			r.data = append(r.data, '\n')
		}
		r.hasData = true
		r.data = append(r.data, value...)
	case "event":
		r.kind = string(value)
	}
}

// line returns the next line without its end, or io.EOF with what is left.
func (r *Reader) line() ([]byte, error) {
	for {
		if r.skipLF && r.start < len(r.buf) {
			if r.buf[r.start] == '\n' {
				r.start++
			}
			r.skipLF = false
		}
		r.scan = max(r.scan, r.start)
		for i := r.scan; i < len(r.buf); i++ {
			if c := r.buf[i]; c == '\n' || c == '\r' {
				line := r.trimMark(r.buf[r.start:i])
				r.start, r.scan = i+1, i+1
				r.skipLF = c == '\r'
				return line, nil
			}
		}
		r.scan = len(r.buf)
		if r.scan-r.start > r.limit {
			return nil, ErrTooLarge
		}
		if err := r.fill(); err != nil {
			return r.trimMark(r.buf[r.start:]), err
		}
	}
}

func (r *Reader) trimMark(line []byte) []byte {
	if r.begun {
		return line
	}
	r.begun = true
	return bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
}

func (r *Reader) fill() error {
	const chunk = 32 << 10
	if r.start > 0 {
		n := copy(r.buf, r.buf[r.start:])
		r.buf = r.buf[:n]
		r.scan -= r.start
		r.start = 0
	}
	if cap(r.buf)-len(r.buf) < chunk {
		grown := make([]byte, len(r.buf), 2*cap(r.buf)+chunk)
		copy(grown, r.buf)
		r.buf = grown
	}
	for range 100 {
		n, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		if n > 0 {
			return nil // an error comes again with the next read
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}
