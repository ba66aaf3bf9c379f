// Package proc runs extensions that are programs of their own, in any language.
//
//	l := &proc.Loader{Env: proc.Env{CWD: dir, …}}
//	r := extension.NewRunner(extension.Options{Load: l.Load, …})
//
// The program is started in the folder of the session and speaks JSON-RPC 2.0,
// one message a line, over its standard input and output; what it writes to its
// standard error is told of if it dies. The first request it gets is initialize;
// what it answers is what it registers, see [Registrations]. From then on it is
// asked the methods of package extension, and may ask those of a host.
//
// A program that ends, sends what is no message, or does not read, is ended with
// all that it has started, and told of; the session goes on.
package proc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tau/session/extension"
	"tau/session/extension/jsonrpc"
	"tau/session/resources"
)

// Protocol is the version of the protocol.
const Protocol = 1

// Env is what programs are told of their surroundings.
type Env struct {
	CWD      string `json:"cwd"`
	AgentDir string `json:"agentDir"`
	Project  string `json:"configDir"`
	Version  string `json:"version"`
	Mode     string `json:"mode"`
}

// Loader starts programs. It is safe for concurrent use.
type Loader struct {
	Env Env
}

// Registrations are what a program answers to initialize. Handlers of events
// are numbered in the order of Events, from 1.
type Registrations struct {
	Events    []string          `json:"events"`
	Tools     []json.RawMessage `json:"tools"`
	Commands  []json.RawMessage `json:"commands"`
	Shortcuts []json.RawMessage `json:"shortcuts"`
	Flags     []json.RawMessage `json:"flags"`
	Channels  []string          `json:"channels"` // of the event bus
	Providers []json.RawMessage `json:"providers"`
	// Autocomplete is what registerAutocomplete takes.
	Autocomplete json.RawMessage `json:"autocomplete"`
}

// process is a program that runs.
type process struct {
	cmd  *exec.Cmd
	conn *jsonrpc.Conn
	host extension.Host
	done chan struct{}
	said tail

	mu     sync.Mutex
	closed bool
	loaded bool
}

// grace is how long a program may take to answer a call that was cancelled, and
// to end.
const grace = time.Second

// Load implements extension.Loader for files that are programs.
func (l *Loader) Load(ctx context.Context, src resources.Source, host extension.Host) (extension.Carrier, error) {
	name, args, err := commandOf(src.Path)
	if err != nil {
		return nil, err
	}
	p := &process{host: host, done: make(chan struct{})}
	p.cmd = exec.Command(name, args...)
	p.cmd.Dir = l.Env.CWD
	p.cmd.Stderr = &p.said
	group(p.cmd)
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", src.Path, err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", src.Path, err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", src.Path, err)
	}
	p.conn = jsonrpc.New(out, in, jsonrpc.Options{Grace: grace, Serve: p.serve, Garbage: p.garbage})
	go func() {
		defer close(p.done)
		why := p.conn.Run()
		_ = in.Close() // it may be gone
		p.ended(why)
	}()
	raw, err := p.conn.Call(ctx, "initialize", struct {
		Protocol int `json:"protocol"`
		Env
	}{Protocol, l.Env})
	if err == nil {
		err = p.register(ctx, raw)
	}
	if err != nil {
		_ = p.Close()
		<-p.done
		if text := p.said.String(); text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
		return nil, fmt.Errorf("%s does not start: %w", filepath.Base(src.Path), err)
	}
	p.mu.Lock()
	p.loaded = true
	p.mu.Unlock()
	return p, nil
}

// commandOf is how a file is run: by itself if it may be executed, else by the
// interpreter that its ending names.
func commandOf(path string) (name string, args []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", nil, err
	}
	if info.Mode()&0o111 != 0 && !info.IsDir() {
		return path, nil, nil
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".py":
		return "python3", []string{path}, nil
	case ".sh":
		return "sh", []string{path}, nil
	case ".exe", ".bat", ".cmd":
		return path, nil, nil
	}
	return "", nil, fmt.Errorf("%s cannot be run: it is neither JavaScript or TypeScript nor executable", path)
}

func (p *process) serve(ctx context.Context, method string, params json.RawMessage) (any, error) {
	return p.host.Serve(ctx, method, params)
}

// garbage tells of a line that is no message.
func (p *process) garbage(line []byte) {
	const most = 80
	if len(line) > most {
		line = line[:most]
	}
	p.report(fmt.Sprintf("a line on its standard output is no message: %q", line))
}

func (p *process) report(text string) {
	b, err := json.Marshal(map[string]string{"event": "process", "error": text})
	if err == nil {
		_, _ = p.host.Serve(context.Background(), "error", b)
	}
}

// ended clears up after a program whose connection is over.
func (p *process) ended(why error) {
	p.mu.Lock()
	asked := p.closed
	p.mu.Unlock()
	over := make(chan error, 1)
	go func() { over <- p.cmd.Wait() }()
	var err error
	select {
	case err = <-over:
	case <-time.After(grace):
		kill(p.cmd)
		err = <-over
	}
	kill(p.cmd) // what it has started
	if asked {
		return
	}
	text := "it has ended"
	var exit *exec.ExitError
	switch {
	case errors.Is(why, jsonrpc.ErrTooLong) || errors.Is(why, jsonrpc.ErrGarbage) || errors.Is(why, jsonrpc.ErrStuck):
		text = why.Error() + " and was ended"
	case errors.As(err, &exit):
		text += " (" + exit.String() + ")"
	}
	if said := p.said.String(); said != "" {
		text += ": " + said
	}
	p.conn.Close(extension.ErrGone)
	p.mu.Lock()
	loaded := p.loaded
	p.mu.Unlock()
	if loaded {
		p.report(text)
	}
}

func (p *process) register(ctx context.Context, raw json.RawMessage) error {
	var r Registrations
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &r); err != nil {
			return fmt.Errorf("the answer to initialize cannot be read: %w", err)
		}
	}
	say := func(method string, params any) error {
		b, err := json.Marshal(params)
		if err != nil {
			return err
		}
		_, err = p.host.Serve(ctx, method, b)
		return err
	}
	for i, ev := range r.Events {
		if err := say("on", map[string]any{"event": ev, "handler": i + 1}); err != nil {
			return err
		}
	}
	for _, c := range r.Channels {
		if err := say("events.on", map[string]any{"channel": c}); err != nil {
			return err
		}
	}
	if len(r.Autocomplete) > 0 {
		if err := say("registerAutocomplete", r.Autocomplete); err != nil {
			return err
		}
	}
	for _, list := range []struct {
		method string
		items  []json.RawMessage
	}{
		{"registerTool", r.Tools}, {"registerCommand", r.Commands}, {"registerShortcut", r.Shortcuts}, {"registerFlag", r.Flags},
		{"registerProvider", r.Providers},
	} {
		for _, it := range list.items {
			if err := say(list.method, it); err != nil {
				return err
			}
		}
	}
	return nil
}

// Call implements extension.Carrier.
func (p *process) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return p.conn.Call(ctx, method, params)
}

// Close implements extension.Carrier. The program is told, and ended if it does
// not end by itself.
func (p *process) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	_ = p.conn.Notify("shutdown", struct{}{}) // it may be gone
	p.conn.Close(extension.ErrGone)
	select {
	case <-p.done:
		return nil
	case <-time.After(grace):
	}
	kill(p.cmd)
	select {
	case <-p.done:
		return nil
	case <-time.After(2 * grace):
		return errors.New("the extension does not end")
	}
}

// tail keeps the end of what is written.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 2 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if cut := len(t.buf) - tailSize; cut > 0 {
		t.buf = append(t.buf[:0], t.buf[cut:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.buf), "\ufffd"))
}
