package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"tau/ai/openjson"
	"tau/session"
)

// What may be pending before Wait blocks: records, which mostly refer to
// messages that exist anyway and become text when they are written, and bytes of
// output that exists nowhere else.
const (
	mostRecords = 512
	mostBytes   = 1 << 20
)

// batch is how many bytes are gathered for one write, if more are pending.
const batch = 64 << 10

// Output writes records. See the package comment.
type Output struct {
	to     io.Writer
	broken chan struct{} // nobody reads any more
	done   chan struct{} // everything is written

	mu      sync.Mutex
	changed sync.Cond
	drained chan struct{} // closed and replaced when records were taken
	pending []any         // session.Event, or a value to encode
	bytes   int           // of the outputs in pending
	closed  bool
	err     error
}

// NewOutput returns an output that writes to w.
func NewOutput(w io.Writer) *Output {
	o := &Output{to: w, broken: make(chan struct{}), done: make(chan struct{}), drained: make(chan struct{})}
	o.changed.L = &o.mu
	go o.write()
	return o
}

// Event adds an event, unless it is one that has no place on the wire.
func (o *Output) Event(ev session.Event) {
	if written(ev) {
		o.add(ev)
	}
}

// Record adds any value that encodes as a JSON object.
func (o *Output) Record(v any) { o.add(v) }

func (o *Output) add(v any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.err != nil {
		return
	}
	o.pending = append(o.pending, v)
	o.bytes += weight(v)
	o.changed.Signal()
}

// Wait blocks while too much is pending, until ctx ends or nobody reads any
// more.
func (o *Output) Wait(ctx context.Context) {
	for {
		o.mu.Lock()
		full, drained := (len(o.pending) >= mostRecords || o.bytes >= mostBytes) && o.err == nil && !o.closed, o.drained
		o.mu.Unlock()
		if !full {
			return
		}
		select {
		case <-drained:
		case <-ctx.Done():
			return
		}
	}
}

func weight(v any) int {
	if ev, ok := v.(session.Event); ok {
		return len(ev.Delta)
	}
	return 0
}

// Broken is closed when writing has failed.
func (o *Output) Broken() <-chan struct{} { return o.broken }

// Close writes what is pending and returns the error that ended the writing, if
// there was one. If ctx ends first, because nobody reads, the rest is dropped.
func (o *Output) Close(ctx context.Context) error {
	o.mu.Lock()
	o.closed = true
	o.changed.Signal()
	close(o.drained)
	o.drained = make(chan struct{})
	o.mu.Unlock()
	select {
	case <-o.done:
	case <-ctx.Done():
		return errors.New("the output was not read to its end")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// write is the goroutine. It ends when the output is closed and all is written,
// or a write fails.
func (o *Output) write() {
	defer close(o.done)
	var buf bytes.Buffer
	for {
		o.mu.Lock()
		for len(o.pending) == 0 && !o.closed {
			o.changed.Wait()
		}
		if len(o.pending) == 0 {
			o.mu.Unlock()
			return
		}
		// What is being written still counts as pending, or twice as much would be.
		next := o.pending
		o.mu.Unlock()
		buf.Reset()
		n := 0
		for n < len(next) && buf.Len() < batch {
			buf.Write(line(next[n]))
			n++
		}
		_, err := o.to.Write(buf.Bytes())
		if buf.Cap() > 4<<20 {
			buf = bytes.Buffer{} // one huge message should not be held for ever
		}
		o.mu.Lock()
		for _, v := range o.pending[:n] {
			o.bytes -= weight(v)
		}
		clear(o.pending[:n])
		if o.pending = o.pending[n:]; len(o.pending) == 0 {
			o.pending = nil
		}
		if err != nil {
			o.err, o.pending = err, nil
			close(o.broken)
		}
		close(o.drained)
		o.drained = make(chan struct{})
		o.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// line returns the text of a record. One that cannot be encoded would leave a
// hole that its reader waits at, so it becomes a record that says so.
func line(v any) []byte {
	var b []byte
	var err error
	if ev, ok := v.(session.Event); ok {
		b, err = Encode(ev)
	} else {
		b, err = openjson.Encode(v)
	}
	if err != nil {
		b, _ = openjson.Encode(map[string]string{"type": "error", "error": "encode record: " + err.Error()})
	}
	return append(b, '\n')
}
