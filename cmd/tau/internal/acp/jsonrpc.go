package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"tau/cmd/tau/internal/wire"
)

// Error codes of JSON-RPC and of the protocol.
const (
	codeParse        = -32700
	codeInvalid      = -32600
	codeNoMethod     = -32601
	codeParams       = -32602
	codeInternal     = -32603
	codeAuthRequired = -32000
	codeNotFound     = -32002
)

// rpcError is the error of a request.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

func failure(code int, format string, args ...any) *rpcError {
	return &rpcError{code, fmt.Sprintf(format, args...)}
}

// incoming is any message of the peer.
type incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

// outgoing is any message to the peer.
type outgoing struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// peer is the other side. Calls and notifications may come from any goroutine.
type peer struct {
	out *wire.Output

	mu      sync.Mutex
	last    int64
	waiting map[string]chan incoming
	gone    bool
}

func newPeer(out *wire.Output) *peer { return &peer{out: out, waiting: map[string]chan incoming{}} }

func (p *peer) notify(method string, params any) {
	p.out.Record(outgoing{Version: "2.0", Method: method, Params: params})
}

func (p *peer) reply(id json.RawMessage, result any, err error) {
	if len(id) == 0 {
		return // it was a notification
	}
	m := outgoing{Version: "2.0", ID: id, Result: result}
	if err != nil {
		var e *rpcError
		if !errors.As(err, &e) {
			e = failure(codeInternal, "%s", err.Error())
		}
		m.Result, m.Error = nil, e
	} else if result == nil {
		m.Result = struct{}{}
	}
	p.out.Record(m)
}

// call asks the peer and decodes its answer into result.
func (p *peer) call(ctx context.Context, method string, params, result any) error {
	answer := make(chan incoming, 1)
	p.mu.Lock()
	if p.gone {
		p.mu.Unlock()
		return io.ErrClosedPipe
	}
	p.last++
	id := strconv.FormatInt(p.last, 10)
	p.waiting[id] = answer
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.waiting, id)
	}()
	p.out.Record(outgoing{Version: "2.0", ID: json.RawMessage(id), Method: method, Params: params})
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return io.ErrClosedPipe
		case m.Error != nil:
			return fmt.Errorf("%s: %w", method, m.Error)
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answered hands an answer to the call that waits for it.
func (p *peer) answered(m incoming) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ch := p.waiting[string(m.ID)]; ch != nil {
		ch <- m
		delete(p.waiting, string(m.ID))
	}
}

// close fails all calls, also those to come.
func (p *peer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	for id, ch := range p.waiting {
		close(ch)
		delete(p.waiting, id)
	}
}
