package tools

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
)

// Command is a command line for a shell.
type Command struct {
	Shell  string // of the settings; the usual one of the place if empty
	Script string // what the shell gets with -c
	Dir    string
	Env    []string // added to the environment of the place, NAME=value
	// Mark is a text that no other command has. A Process may put it into the
	// environment to tell its processes, wherever they went, from all others.
	Mark string
}

// Process is a running command with everything it has started.
type Process interface {
	// Pid is the shell's; it is also the number of its process group.
	Pid() int
	// Output is what the command writes, stdout and stderr as they come. It
	// ends when no process holds it any more; Close stops reading it.
	Output() io.ReadCloser
	// Wait returns when the shell itself has ended: its exit code, or 128 and
	// the number of the signal that ended it. It may be called once.
	Wait() (int, error)
	// Signal asks the whole tree to end or, with force, ends it.
	Signal(force bool)
	// Alive reports whether any process of the tree is left. Without thorough,
	// which may take milliseconds, only those are seen that stayed together.
	Alive(thorough bool) bool
}

// localProcess is a Process of this machine.
type localProcess struct {
	cmd    *exec.Cmd
	out    *os.File
	script string // file that holds a long script; removed when the shell has ended
	tree   tree
}

// maxScript is how long a script may be to be given as an argument; Linux takes
// 128 KiB in one.
const maxScript = 100 << 10

// startProcess starts a command in a session of its own, away from tau's
// terminal: a child that asks for a password finds no terminal and fails
// instead of waiting, and a signal to its group reaches all that stayed in it.
func startProcess(c Command, shell string) (Process, error) {
	if strings.IndexByte(c.Script, 0) >= 0 {
		return nil, errors.New("the command holds a NUL character, which no shell takes")
	}
	args := []string{"-c", c.Script}
	p := &localProcess{}
	if len(c.Script) > maxScript {
		f, err := os.CreateTemp("", "tau-script-*")
		if err != nil {
			return nil, fmt.Errorf("keep the command: %w", err)
		}
		p.script = f.Name()
		_, err = f.WriteString(c.Script)
		if err = errors.Join(err, f.Close()); err != nil {
			p.removeScript()
			return nil, fmt.Errorf("keep the command: %w", err)
		}
		args = []string{p.script}
	}
	r, w, err := os.Pipe()
	if err != nil {
		p.removeScript()
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	p.out = r
	cmd := exec.Command(shell, args...)
	cmd.Dir, cmd.Env = c.Dir, environment(c)
	cmd.Stdout, cmd.Stderr = w, w // stdin is the null device
	p.cmd = cmd
	p.tree.prepare(cmd, c.Mark, r)
	err = cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		p.removeScript()
		return nil, &startError{shell, err}
	}
	p.tree.started(cmd)
	return p, nil
}

// startError is why a shell could not be started.
type startError struct {
	shell string
	err   error
}

func (e *startError) Error() string {
	return fmt.Sprintf("start %s: %s", e.shell, cause(unwrapExec(e.err)))
}

func (e *startError) Unwrap() error { return e.err }

func unwrapExec(err error) error {
	var ee *exec.Error
	if errors.As(err, &ee) {
		return ee.Err
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func (p *localProcess) removeScript() {
	if p.script != "" {
		_ = os.Remove(p.script)
	}
}

func (p *localProcess) Pid() int { return p.cmd.Process.Pid }

func (p *localProcess) Output() io.ReadCloser { return p.out }

func (p *localProcess) Wait() (int, error) {
	err := p.cmd.Wait()
	p.tree.ended()
	p.removeScript()
	st := p.cmd.ProcessState
	if st == nil {
		return -1, err
	}
	return exitCode(st), nil
}

func (p *localProcess) Signal(force bool) { p.tree.signal(force) }

func (p *localProcess) Alive(thorough bool) bool { return p.tree.alive(thorough) }
