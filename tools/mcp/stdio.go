package mcp

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tau/tools"
)

// How long a program may take to end after its input was closed, and after it
// was asked to.
const (
	quietEnd  = 500 * time.Millisecond
	politeEnd = time.Second
)

// maxMessage bounds one message of a program.
const maxMessage = 16 << 20

// program is a server that runs here.
type program struct {
	*tools.Program
	in, out, errs *os.File // our ends of its pipes

	mu     sync.Mutex
	last   string        // line of standard error
	silent chan struct{} // closed at the end of standard error
}

// startProgram starts the server's command.
func (s *server) startProgram() (*program, error) {
	command, err := expand(s.cfg.Command)
	if err != nil {
		return nil, err
	}
	args := make([]string, len(s.cfg.Args))
	for i, a := range s.cfg.Args {
		if args[i], err = expand(a); err != nil {
			return nil, err
		}
	}
	env, err := expandAll(s.cfg.Env)
	if err != nil {
		return nil, fmt.Errorf("env: %w", err)
	}
	dir, err := s.cfg.folder(s.hub.o.CWD)
	if err != nil {
		return nil, err
	}
	var list []string
	for k, v := range env {
		list = append(list, k+"="+v)
	}
	cmd := exec.Command(command, args...)
	cmd.Dir, cmd.Env = dir, tools.ProgramEnv(dir, list)
	p := &program{silent: make(chan struct{})}
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	defer inR.Close()
	outR, outW, err := os.Pipe()
	if err != nil {
		inW.Close()
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	defer outW.Close()
	errR, errW, err := os.Pipe()
	if err != nil {
		inW.Close()
		outR.Close()
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	defer errW.Close()
	p.in, p.out, p.errs = inW, outR, errR
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, errW
	if p.Program, err = tools.StartProgram(cmd); err != nil {
		p.closePipes()
		return nil, err
	}
	go func() {
		defer close(p.silent)
		s.hub.log.copy(s.cfg.Name, errR, func(line string) {
			p.mu.Lock()
			p.last = line
			p.mu.Unlock()
		})
	}()
	return p, nil
}

// why says how the program ended, if it has.
func (p *program) why() string {
	// Its last words may still be on the way.
	t := time.NewTimer(100 * time.Millisecond)
	defer t.Stop()
	select {
	case <-p.Ended():
	case <-t.C:
		return ""
	}
	select {
	case <-p.silent:
	case <-t.C: // a child holds it
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf("the program ended with status %d", p.ExitCode())
	if p.last != "" {
		text += ": " + clip(p.last, 300)
	}
	return text
}

// end closes its input, and ends it with all it started if that does not.
func (p *program) end() {
	_ = p.in.Close()
	p.End(quietEnd, politeEnd)
	p.closePipes()
}

func (p *program) closePipes() {
	_ = p.in.Close()
	_ = p.out.Close()
	_ = p.errs.Close()
}

// transport speaks to the program. What it prints that is no message goes to
// the log: many print a greeting.
func (s *server) transport(p *program) sdk.Transport {
	return &sdk.IOTransport{
		Reader:        &messages{in: bufio.NewReaderSize(p.out, 64<<10), other: func(line string) { s.hub.log.line(s.cfg.Name, "stdout: "+line) }},
		Writer:        p.in,
		MaxLineLength: maxMessage,
	}
}

// messages passes on the lines that may be JSON-RPC messages.
type messages struct {
	in     *bufio.Reader
	other  func(line string)
	inside bool // of a message
}

// Close leaves the pipe open: a program that ends may still have something to
// say, and would fail if nobody could hear it.
func (m *messages) Close() error { return nil }

func (m *messages) Read(b []byte) (int, error) {
	for !m.inside {
		c, err := m.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n', '\r', ' ', '\t':
		case '{', '[':
			m.inside = true
			_ = m.in.UnreadByte() // one was just read
		default:
			_ = m.in.UnreadByte()
			if err := m.skip(); err != nil {
				return 0, err
			}
		}
	}
	if m.in.Buffered() == 0 {
		if _, err := m.in.Peek(1); err != nil {
			return 0, err
		}
	}
	buffered, err := m.in.Peek(min(m.in.Buffered(), len(b)))
	if err != nil {
		return 0, err
	}
	n := len(buffered)
	for i, c := range buffered {
		if c == '\n' {
			n, m.inside = i+1, false
			break
		}
	}
	return m.in.Read(b[:n])
}

// skip reads to the end of a line, of which the beginning is told.
func (m *messages) skip() error {
	line, err := m.in.ReadSlice('\n')
	m.other(clip(string(line), 500))
	for err == bufio.ErrBufferFull {
		_, err = m.in.ReadSlice('\n')
	}
	return err
}

// startError is why a program was not even started.
type startError struct{ err error }

func (e *startError) Error() string { return e.err.Error() }
func (e *startError) Unwrap() error { return e.err }

// connectProgram starts the program and speaks to it.
func (s *server) connectProgram(ctx context.Context, o *sdk.ClientSessionOptions) (*sdk.ClientSession, *program, error) {
	p, err := s.startProgram()
	if err != nil {
		return nil, nil, &startError{err}
	}
	cs, err := s.client().Connect(ctx, s.transport(p), o)
	if err != nil {
		if why := p.why(); why != "" {
			err = fmt.Errorf("%s", why)
		}
		p.end()
		return nil, nil, err
	}
	return cs, p, nil
}
