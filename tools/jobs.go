package tools

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"
)

// job is a command from its start until nothing of it is left.
type job struct {
	callID  string
	command string
	started time.Time
	proc    Process
	out     *output

	exited   chan struct{} // the shell has ended; code is set
	code     int
	eof      chan struct{} // the output has ended
	detached chan struct{} // closed by Background

	ending sync.Once
	ended  chan struct{} // closed when end is through

	// Under the Set's jobs.mu:
	id       string // set for background jobs
	logPath  string
	killed   bool
	over     time.Time
	awaited  bool // a call waits for it
	detachOK bool // detached is not closed yet
}

// jobs are the commands of a Set.
type jobs struct {
	mu     sync.Mutex
	mark   string // in the environment of all of them
	count  int    // commands started
	last   int    // number of the last background job
	list   []*job // running in the foreground, and all background jobs
	closed bool
	wg     sync.WaitGroup // readers and enders
}

const (
	// lateOutput is how long a call goes on listening after its shell has ended,
	// for what its children still write.
	lateOutput = 150 * time.Millisecond
	// patience is how long the end of the output is waited for before a thread
	// waits for the shell: most commands have ended by then.
	patience = 10 * time.Millisecond
	// grace is what processes get between the request to end and the kill.
	grace = time.Second
)

// start runs a command. changed is told of each piece of its raw output.
func (s *Set) start(callID, script string, changed func(p []byte)) (*job, error) {
	mark, err := s.jobs.admit()
	if err != nil {
		return nil, err
	}
	defer s.jobs.wg.Done()
	proc, err := s.ops.Start(Command{
		Shell: s.opts.ShellPath, Script: script, Dir: s.opts.CWD, Env: s.opts.Env, Mark: mark,
	})
	if err != nil {
		return nil, err
	}
	j := &job{
		callID: callID, command: script, started: time.Now(), proc: proc, out: newOutput(newSpill),
		exited: make(chan struct{}), eof: make(chan struct{}), detached: make(chan struct{}), ended: make(chan struct{}),
		awaited: true, detachOK: true,
	}
	g := &s.jobs
	g.mu.Lock()
	defer g.mu.Unlock()
	g.list = append(g.list, j)
	g.wg.Go(func() { j.read(changed) })
	g.wg.Go(j.wait)
	if g.closed { // meanwhile
		g.wg.Go(j.end)
	}
	return j, nil
}

// admit gives a command that is about to start its mark. The caller is to tell wg
// when it has started, so that Close knows of all commands.
func (g *jobs) admit() (mark string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return "", errors.New("the session has ended; no command is started any more")
	}
	if g.mark == "" {
		var id [8]byte
		if _, err := rand.Read(id[:]); err != nil {
			return "", err
		}
		g.mark = hex.EncodeToString(id[:])
	}
	g.count++
	g.wg.Add(1)
	return fmt.Sprintf("%s.%d;", g.mark, g.count), nil
}

// wait waits for the shell.
func (j *job) wait() {
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-j.eof:
	case <-t.C:
	}
	j.code, _ = j.proc.Wait()
	close(j.exited)
}

// read takes the output until it ends.
func (j *job) read(changed func(p []byte)) {
	out := j.proc.Output()
	buf := make([]byte, 4<<10)
	for {
		n, err := out.Read(buf)
		if n > 0 {
			_, _ = j.out.Write(buf[:n])
			changed(buf[:n])
		}
		if n == len(buf) && n < 64<<10 { // what a pipe holds
			buf = make([]byte, 4*n)
		}
		if err != nil {
			break
		}
	}
	out.Close()
	j.out.finish()
	close(j.eof)
}

// end ends the tree of the command: request, grace, kill. It returns when
// nothing is left, or what is left cannot be ended by us.
func (j *job) end() {
	j.ending.Do(func() {
		defer close(j.ended)
		j.proc.Signal(false)
		if !j.gone(grace) {
			j.proc.Signal(true)
			for range 20 {
				if j.gone(grace / 10) {
					break
				}
				j.proc.Signal(true)
			}
		}
		// A process of another user may still hold the pipe.
		select {
		case <-j.eof:
		case <-time.After(lateOutput):
			j.proc.Output().Close()
		}
	})
	<-j.ended
}

// gone waits until no process is left, or the time is up.
func (j *job) gone(limit time.Duration) bool {
	until := time.Now().Add(limit)
	for step := 5 * time.Millisecond; ; step = min(2*step, 50*time.Millisecond) {
		if !j.proc.Alive(true) {
			return true
		}
		left := time.Until(until)
		if left <= 0 {
			return false
		}
		time.Sleep(min(step, left))
	}
}

// endSoon ends the job in the background; the Set waits for that.
func (s *Set) endSoon(j *job) {
	g := &s.jobs
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wg.Go(func() {
		j.end()
		s.forget(j)
	})
}

// forget drops a command that never was a background job.
func (s *Set) forget(j *job) {
	g := &s.jobs
	g.mu.Lock()
	defer g.mu.Unlock()
	j.awaited = false
	if j.id != "" {
		return
	}
	for i, other := range g.list {
		if other == j {
			g.list = append(g.list[:i:i], g.list[i+1:]...)
			return
		}
	}
}

// background makes the command a job that nobody waits for. logged says
// whether tau still gets its output.
func (s *Set) background(j *job, logged bool) *Job {
	path := ""
	if logged {
		path = j.out.logPath()
	}
	g := &s.jobs
	g.mu.Lock()
	defer g.mu.Unlock()
	j.awaited = false
	s.name(j)
	j.logPath = path
	i := j.info()
	return &i
}

func (s *Set) name(j *job) {
	if j.id == "" {
		s.jobs.last++
		j.id = fmt.Sprintf("job-%d", s.jobs.last)
	}
}

// closeWait is how long Close waits for processes that do not end, such as one
// that hangs inside the kernel.
const closeWait = 5 * time.Second

// Close ends what commands have left running, wherever it went, and waits for
// it; with LeaveRunning only what a call still waits for. No command starts
// after it.
func (s *Set) Close() {
	g := &s.jobs
	g.mu.Lock()
	g.closed = true
	var enders sync.WaitGroup
	for _, j := range g.list {
		if s.opts.LeaveRunning && !j.awaited {
			continue
		}
		enders.Go(func() {
			if j.running() {
				j.end()
			}
		})
	}
	used := g.count > 0 && !s.opts.LeaveRunning
	g.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		enders.Wait()
		if s.opts.LeaveRunning {
			return // the readers of what runs on never end
		}
		g.wg.Wait()
		if used {
			endMarked(g.mark)
		}
	}()
	select {
	case <-done:
	case <-time.After(closeWait):
	}
}
