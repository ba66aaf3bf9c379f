//go:build unix

package tools

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// tree is the processes of one command.
//
// Most of them are in the group that the shell leads, which one signal reaches
// without a race. Others may have left it (setsid, a daemon, job control of an
// inner shell), so where there is a table of processes it is searched for
//
//   - members of the shell's session,
//   - processes with the command's mark in their environment,
//   - holders of the output pipe, which survives an emptied environment,
//   - descendants of all these, which a search finds before it ends their
//     parents, and remembers.
//
// The other known way, to be the sub-reaper of all descendants, is not taken:
// it is a property of the whole of tau, and orphans of other origin would have
// to be told apart and reaped too.
type tree struct {
	mark string
	pipe string // the output pipe as a process table names it, where it does

	mu   sync.Mutex
	pid  int
	dead bool // the shell was reaped: its number may come to mean another process
	// known are the processes that were found, by number and start.
	known map[int]int64
}

func (t *tree) prepare(cmd *exec.Cmd, mark string, out *os.File) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	t.mark = mark
	t.pipe = pipeName(out)
}

func (t *tree) started(cmd *exec.Cmd) { t.pid = cmd.Process.Pid }

func (t *tree) ended() {
	t.mu.Lock()
	t.dead = true
	t.mu.Unlock()
}

func exitCode(st *os.ProcessState) int {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return st.ExitCode()
}

// groupIsOurs reports whether the group still has the shell's number because
// of us. A number is not given anew while a group bears it, so a group that is
// there after the shell was reaped is the old one unless it had been empty
// meanwhile; the table, where there is one, decides.
func (t *tree) groupIsOurs(found []process) bool {
	t.mu.Lock()
	dead := t.dead
	t.mu.Unlock()
	if !dead {
		return true
	}
	if !haveTable {
		return syscall.Kill(-t.pid, 0) == nil
	}
	for _, p := range found {
		if p.group == t.pid {
			return true
		}
	}
	return false
}

func (t *tree) signal(force bool) {
	sig := syscall.SIGTERM
	if force {
		sig = syscall.SIGKILL
	}
	// What is found may have children by the time it is ended; they bear the
	// mark as well and are found the next time.
	rounds := 1
	if force {
		rounds = 20
	}
	for range rounds {
		found := t.members()
		if t.groupIsOurs(found) {
			_ = syscall.Kill(-t.pid, sig)
		}
		if len(found) == 0 {
			break
		}
		for _, p := range found {
			if p.group != t.pid {
				_ = syscall.Kill(p.pid, sig)
			}
			if !force {
				// A stopped process gets the signal only when it goes on.
				_ = syscall.Kill(p.pid, syscall.SIGCONT)
			}
		}
	}
}

func (t *tree) alive(thorough bool) bool {
	group := syscall.Kill(-t.pid, 0) != syscall.ESRCH
	if !haveTable || !group && !thorough {
		return group
	}
	if len(t.members()) > 0 {
		return true
	}
	// The group may be one of zombies. But a process that is just being replaced
	// (execve) has no environment for a moment, so that it is not known as ours.
	for range 3 {
		if syscall.Kill(-t.pid, 0) == syscall.ESRCH {
			return false
		}
		time.Sleep(10 * time.Millisecond)
		if len(t.members()) > 0 {
			return true
		}
	}
	return false
}

// process is a row of the process table.
type process struct {
	pid, parent, group, session int
	start                       int64 // when it began, in a unit of the system
	ours                        bool  // bears the mark or holds the pipe
}

// members returns the processes of the tree that are not zombies.
func (t *tree) members() []process {
	all := processes(t.mark, t.pipe)
	t.mu.Lock()
	defer t.mu.Unlock()
	dead := t.dead
	in := map[int]bool{}
	session := !dead
	for _, p := range all {
		if p.ours && p.session == t.pid {
			session = true
		}
	}
	for _, p := range all {
		if p.ours || session && p.session == t.pid || !dead && p.pid == t.pid || t.known[p.pid] == p.start && p.start != 0 {
			in[p.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !in[p.pid] && in[p.parent] {
				in[p.pid], grown = true, true
			}
		}
	}
	self := os.Getpid()
	var out []process
	known := map[int]int64{}
	for _, p := range all {
		if in[p.pid] && p.pid != self {
			out = append(out, p)
			known[p.pid] = p.start
		}
	}
	t.known = known
	return out
}

// endMarked ends every process that bears the mark.
func endMarked(mark string) {
	if !haveTable {
		return
	}
	t := tree{mark: mark, dead: true}
	t.signal(true)
}
