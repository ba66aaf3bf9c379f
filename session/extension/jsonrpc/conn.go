// Package jsonrpc speaks JSON-RPC 2.0 in both directions over two streams, one
// message a line.
//
//	c := jsonrpc.New(in, out, jsonrpc.Options{Serve: serve})
//	go c.Run()
//	raw, err := c.Call(ctx, "method", params)
//
// Each request of the other side is served on a goroutine of its own; a
// notification is one without an answer. If the context of a call ends, the other
// side is told with the notification "cancel" {id}, and has Options.Grace to
// answer all the same. A Conn is safe for concurrent use.
package jsonrpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// MaxLine is how long a message may be, in bytes.
const MaxLine = 32 << 20

// maxQueue is how much may wait to be written, in bytes: the other side does
// not read.
const maxQueue = 128 << 20

// maxGarbage is how many lines that are no messages are put up with.
const maxGarbage = 100

// Errors that end a connection.
var (
	ErrTooLong = fmt.Errorf("it sent a line of more than %d MiB", MaxLine>>20)
	ErrGarbage = errors.New("it sends lines that are not JSON-RPC")
	ErrStuck   = errors.New("it does not read what it is sent")
)

// Error is the error of an answer.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// The codes of errors that this package makes.
const (
	codeNoMethod = -32601
	codeFailed   = -32000
)

// ErrNoMethod is returned by Serve for a method it does not have.
var ErrNoMethod = errors.New("there is no such method")

// Options configure a Conn.
type Options struct {
	// Serve answers the other side. ctx ends with the request.
	Serve func(ctx context.Context, method string, params json.RawMessage) (any, error)
	// Garbage is told of lines that are no messages.
	Garbage func(line []byte)
	// Grace is how long a call that was cancelled may take to answer; 0 is none.
	Grace time.Duration
}

// Conn is one connection.
type Conn struct {
	in  *bufio.Reader
	out io.Writer
	o   Options

	ctx  context.Context
	stop context.CancelCauseFunc

	mu      sync.Mutex
	ready   sync.Cond
	queue   [][]byte
	queued  int
	next    int64
	waiting map[int64]chan message
	serving map[string]context.CancelFunc
	done    bool
}

type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// New returns a connection that reads from in and writes to out.
func New(in io.Reader, out io.Writer, o Options) *Conn {
	c := &Conn{in: bufio.NewReaderSize(in, 64<<10), out: out, o: o, waiting: map[int64]chan message{}, serving: map[string]context.CancelFunc{}}
	c.ready.L = &c.mu
	c.ctx, c.stop = context.WithCancelCause(context.Background())
	return c
}

// Run reads until the input ends or Close, and returns why.
func (c *Conn) Run() error {
	var wg sync.WaitGroup
	wg.Go(c.write)
	err := c.read()
	c.end(err)
	wg.Wait()
	return err
}

// Close ends the connection. Calls under way fail with cause.
func (c *Conn) Close(cause error) { c.end(cause) }

func (c *Conn) end(cause error) {
	if cause == nil || errors.Is(cause, io.EOF) {
		cause = io.ErrClosedPipe
	}
	c.stop(cause)
	c.mu.Lock()
	c.done = true
	c.ready.Broadcast()
	c.mu.Unlock()
}

func (c *Conn) read() error {
	garbage := 0
	for {
		line, err := c.line()
		if err != nil {
			return err
		}
		var m message
		if json.Unmarshal(line, &m) != nil || m.Method == "" && len(m.ID) == 0 {
			if c.o.Garbage != nil {
				c.o.Garbage(line)
			}
			if garbage++; garbage > maxGarbage {
				return ErrGarbage
			}
			continue
		}
		c.take(m)
		if c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
	}
}

// line returns the next line that is not blank.
func (c *Conn) line() ([]byte, error) {
	var whole []byte
	for {
		part, err := c.in.ReadSlice('\n')
		whole = append(whole, part...)
		switch {
		case len(whole) > MaxLine:
			return nil, ErrTooLong
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(bytes.TrimSpace(whole)) == 0:
			return nil, err
		}
		if whole = bytes.TrimSpace(whole); len(whole) > 0 {
			return whole, nil
		}
	}
}

func (c *Conn) take(m message) {
	switch {
	case m.Method == "cancel":
		var p struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(m.Params, &p) == nil {
			c.mu.Lock()
			cancel := c.serving[string(p.ID)]
			c.mu.Unlock()
			if cancel != nil {
				cancel()
			}
		}
	case m.Method != "":
		ctx, cancel := context.WithCancel(c.ctx)
		if len(m.ID) > 0 {
			c.mu.Lock()
			c.serving[string(m.ID)] = cancel
			c.mu.Unlock()
		}
		go c.serve(ctx, cancel, m)
	default:
		var id int64
		if json.Unmarshal(m.ID, &id) != nil {
			return
		}
		c.mu.Lock()
		ch := c.waiting[id]
		delete(c.waiting, id)
		c.mu.Unlock()
		if ch != nil {
			ch <- m
		}
	}
}

func (c *Conn) serve(ctx context.Context, cancel context.CancelFunc, m message) {
	defer cancel()
	out, err := c.o.Serve(ctx, m.Method, m.Params)
	if len(m.ID) == 0 {
		return
	}
	c.mu.Lock()
	delete(c.serving, string(m.ID))
	c.mu.Unlock()
	answer := message{Version: "2.0", ID: m.ID}
	if err == nil {
		answer.Result, err = json.Marshal(out)
	}
	if err != nil {
		code := codeFailed
		if errors.Is(err, ErrNoMethod) {
			code = codeNoMethod
		}
		answer.Result, answer.Error = nil, &Error{code, err.Error()}
	}
	c.send(answer)
}

// send queues a message: who is slow to read must not hold up who answers.
func (c *Conn) send(m message) {
	line, err := json.Marshal(m)
	if err != nil {
		return // all parts are JSON already
	}
	c.mu.Lock()
	c.queue = append(c.queue, append(line, '\n'))
	c.queued += len(line)
	stuck := c.queued > maxQueue
	c.ready.Signal()
	c.mu.Unlock()
	if stuck {
		c.end(ErrStuck)
	}
}

// write empties the queue. At the end it closes the output, if that can be: the
// other side learns from it.
func (c *Conn) write() {
	defer func() {
		if out, ok := c.out.(io.Closer); ok {
			_ = out.Close() // nobody is left to be told
		}
	}()
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && !c.done {
			c.ready.Wait()
		}
		batch := c.queue
		c.queue, c.queued = nil, 0
		done := c.done
		c.mu.Unlock()
		for _, line := range batch {
			if _, err := c.out.Write(line); err != nil {
				c.end(err)
				return
			}
		}
		if done && len(batch) == 0 {
			return
		}
	}
}

// Notify tells the other side something.
func (c *Conn) Notify(method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	c.send(message{Version: "2.0", Method: method, Params: raw})
	return nil
}

// Call asks the other side and waits for the answer.
func (c *Conn) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	raw, ok := params.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(params); err != nil {
			return nil, fmt.Errorf("encode %s: %w", method, err)
		}
	}
	ch := make(chan message, 1)
	c.mu.Lock()
	if c.done {
		c.mu.Unlock()
		return nil, context.Cause(c.ctx)
	}
	c.next++
	id := c.next
	c.waiting[id] = ch
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, id)
	}()
	name, _ := json.Marshal(id) // a number encodes
	c.send(message{Version: "2.0", ID: name, Method: method, Params: raw})
	select {
	case m := <-ch:
		return m.answer()
	case <-c.ctx.Done():
		return nil, context.Cause(c.ctx)
	case <-ctx.Done():
	}
	_ = c.Notify("cancel", map[string]any{"id": id})
	if c.o.Grace > 0 {
		t := time.NewTimer(c.o.Grace)
		defer t.Stop()
		select {
		case m := <-ch:
			return m.answer()
		case <-c.ctx.Done():
		case <-t.C:
		}
	}
	return nil, context.Cause(ctx)
}

func (m message) answer() (json.RawMessage, error) {
	if m.Error != nil {
		return nil, m.Error
	}
	return m.Result, nil
}
