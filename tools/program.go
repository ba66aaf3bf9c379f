package tools

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Program is a program that was started without a shell and speaks to tau
// itself, with everything that it starts: a server of tools, another tau.
type Program struct {
	cmd    *exec.Cmd
	tree   tree
	ended  chan struct{}
	code   int
	ending sync.Mutex
}

// StartProgram starts cmd in a session of its own, away from tau's terminal.
// The caller has set everything else of it, and should give it files of its own
// for input and output: the end of the program is not the end of those who have
// inherited them.
func StartProgram(cmd *exec.Cmd) (*Program, error) {
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	mark := hex.EncodeToString(id[:]) + ";"
	p := &Program{cmd: cmd, ended: make(chan struct{})}
	p.tree.prepare(cmd, mark, nil)
	cmd.Env = marked(cmd.Environ(), mark)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %s", cmd.Path, cause(unwrapExec(err)))
	}
	p.tree.started(cmd)
	go func() {
		_ = cmd.Wait() // what it says is in the state
		p.tree.ended()
		p.code = -1
		if cmd.ProcessState != nil {
			p.code = exitCode(cmd.ProcessState)
		}
		close(p.ended)
	}()
	return p, nil
}

// marked puts a mark into an environment, behind the one of a tau around it.
func marked(env []string, mark string) []string {
	for i, e := range env {
		if outer, ok := strings.CutPrefix(e, markVariable+"="); ok {
			env[i] = markVariable + "=" + strings.TrimSpace(outer+" "+mark)
			return env
		}
	}
	return append(env, markVariable+"="+mark)
}

// Pid is the number of the process and of its group.
func (p *Program) Pid() int { return p.cmd.Process.Pid }

// Ended is closed when the program itself has ended.
func (p *Program) Ended() <-chan struct{} { return p.ended }

// ExitCode is the program's, once Ended is closed: 128 and the number of the
// signal if one ended it.
func (p *Program) ExitCode() int { return p.code }

// Signal asks the whole tree to end or, with force, ends it.
func (p *Program) Signal(force bool) { p.tree.signal(force) }

// End waits for the program to end by itself for quiet, then asks it to and
// waits for polite, then ends what is left of the tree. It returns when the
// program has ended.
func (p *Program) End(quiet, polite time.Duration) {
	p.ending.Lock()
	defer p.ending.Unlock()
	if !p.within(quiet) {
		p.Signal(false)
		p.within(polite)
	}
	if !p.within(0) || p.tree.alive(true) {
		p.Signal(true)
	}
	<-p.ended
}

func (p *Program) within(d time.Duration) bool {
	select {
	case <-p.ended:
		return true
	default:
	}
	if d <= 0 {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.ended:
		return true
	case <-t.C:
		return false
	}
}

// ProgramEnv is the environment for a program: tau's own, in which nothing
// waits for a person, with env (NAME=value) over it.
func ProgramEnv(dir string, env []string) []string {
	return environment(Command{Dir: dir, Env: env})
}
