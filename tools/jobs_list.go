package tools

import (
	"fmt"
	"time"
)

// JobState is what has become of a job.
type JobState string

// The states of a job.
const (
	JobRunning JobState = "running"
	JobExited  JobState = "exited" // ended by itself
	JobKilled  JobState = "killed" // ended by KillJob
)

// Job is a command, or what a command has left running, that nobody waits for.
type Job struct {
	ID      string // job-1, job-2, …
	Command string
	// LogPath is a file with all output of the command; empty if the output
	// goes elsewhere, or no file could be made.
	LogPath string
	PID     int // of the shell, also of the process group
	State   JobState
	Started time.Time
	Ended   time.Time // when that was noticed
	// ExitCode is that of the shell, 128 and more for a signal; nil while it runs.
	ExitCode *int
}

// info is the job as it is known; the caller has jobs.mu.
func (j *job) info() Job {
	i := Job{ID: j.id, Command: j.command, LogPath: j.logPath, PID: j.proc.Pid(), State: JobRunning, Started: j.started, Ended: j.over}
	select {
	case <-j.exited:
		code := j.code
		i.ExitCode = &code
	default:
	}
	if !j.over.IsZero() {
		i.State = JobExited
		if j.killed {
			i.State = JobKilled
		}
	}
	return i
}

// Background lets the call with this id, which is running a command, return at
// once; the command runs on as a job.
func (s *Set) Background(callID string) (Job, error) {
	g := &s.jobs
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, j := range g.list {
		if j.callID == callID && j.awaited && j.detachOK {
			s.name(j)
			j.detachOK = false
			j.logPath = j.out.logPath()
			close(j.detached)
			return j.info(), nil
		}
	}
	return Job{}, fmt.Errorf("no command of call %s is running", callID)
}

// Jobs returns the background jobs, ended ones too, in the order they began. It
// looks at the processes, which may take milliseconds.
func (s *Set) Jobs() []Job {
	g := &s.jobs
	g.mu.Lock()
	list := make([]*job, 0, len(g.list))
	for _, j := range g.list {
		if j.id != "" {
			list = append(list, j)
		}
	}
	g.mu.Unlock()
	out := make([]Job, len(list))
	for i, j := range list {
		alive := j.running()
		g.mu.Lock()
		if !alive && j.over.IsZero() {
			j.over = time.Now()
		}
		out[i] = j.info()
		g.mu.Unlock()
	}
	return out
}

// running reports whether anything of the command is left.
func (j *job) running() bool {
	for _, c := range []chan struct{}{j.exited, j.eof} {
		select {
		case <-c:
		default:
			return true
		}
	}
	return j.proc.Alive(true)
}

// KillJob ends a background job with all its processes and returns when they
// have ended.
func (s *Set) KillJob(id string) error {
	g := &s.jobs
	g.mu.Lock()
	var j *job
	for _, other := range g.list {
		if other.id == id && id != "" {
			j = other
		}
	}
	g.mu.Unlock()
	if j == nil {
		return fmt.Errorf("there is no job %q", id)
	}
	if !j.running() {
		return nil
	}
	g.mu.Lock()
	j.killed = j.over.IsZero()
	g.mu.Unlock()
	j.end()
	if j.proc.Alive(true) {
		return fmt.Errorf("%s (process group %d) could not be ended", id, j.proc.Pid())
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if j.over.IsZero() {
		j.over = time.Now()
	}
	return nil
}
