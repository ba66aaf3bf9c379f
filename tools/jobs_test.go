//go:build unix

package tools

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"tau/agent"
	"tau/ai"
)

// start runs a command as a call and returns the channel of its result.
func startCall(t *testing.T, ctx context.Context, set *Set, id, command string) chan agent.Result {
	t.Helper()
	done := make(chan agent.Result, 1)
	running := make(chan struct{}, 1000)
	go func() {
		r, err := set.runBash(ctx, id, bashArgs{Command: command}, func(agent.Result) { running <- struct{}{} })
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	<-running // it has written something
	return done
}

func TestMoveToBackground(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	set := New(Options{CWD: dir})
	defer set.Close()
	ctx, cancel := context.WithCancel(context.Background())
	done := startCall(t, ctx, set, "c1", "echo first; while [ ! -e go ]; do sleep 0.02; done; echo second; exit 5")
	if jobs := set.Jobs(); len(jobs) != 0 {
		t.Errorf("a command that is waited for is a job: %+v", jobs)
	}
	if _, err := set.Background("other"); err == nil {
		t.Error("a call that is not there was moved")
	}
	job, err := set.Background("c1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.Background("c1"); err == nil {
		t.Error("moved twice")
	}
	r := <-done
	text := ai.ContentText(r.Content)
	var d BashDetails
	if err := json.Unmarshal(r.Details, &d); err != nil {
		t.Fatal(err)
	}
	if r.IsError || !strings.HasPrefix(text, "first\n\n[The command was moved to the background, where it runs on as job-1, process group ") || !strings.Contains(text, d.FullOutputPath) || d.JobID != "job-1" || job.ID != "job-1" {
		t.Errorf("%q %s", text, r.Details)
	}
	// The end of the call's context is not the end of the job.
	cancel()
	jobs := set.Jobs()
	if len(jobs) != 1 || jobs[0].State != JobRunning || jobs[0].ExitCode != nil || jobs[0].LogPath != d.FullOutputPath || !strings.HasPrefix(jobs[0].Command, "echo first") {
		t.Errorf("%+v", jobs)
	}
	put(t, dir, "go", nil)
	waitFor(t, func() bool { return set.Jobs()[0].State == JobExited })
	j := set.Jobs()[0]
	if j.ExitCode == nil || *j.ExitCode != 5 || j.Ended.IsZero() || j.Ended.Before(j.Started) {
		t.Errorf("%+v", j)
	}
	if b, err := os.ReadFile(d.FullOutputPath); err != nil || string(b) != "first\nsecond\n" {
		t.Errorf("log %q %v", b, err)
	}
	if err := set.KillJob("job-1"); err != nil {
		t.Errorf("ending what has ended: %v", err)
	}
	if set.Jobs()[0].State != JobExited {
		t.Error("a job that ended by itself counts as killed")
	}
}

func TestJobOfAmpersand(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	set := New(Options{CWD: t.TempDir()})
	defer set.Close()
	r, err := run(t, set.bash(), bashArgs{Command: "echo up; (trap '' TERM; while :; do echo tick; sleep 0.02; done) &"})
	if err != nil || r.IsError {
		t.Fatal(err, r)
	}
	jobs := set.Jobs()
	if len(jobs) != 1 || jobs[0].State != JobRunning || jobs[0].ExitCode == nil || *jobs[0].ExitCode != 0 {
		t.Fatalf("%+v", jobs)
	}
	size := func() int64 {
		st, err := os.Stat(jobs[0].LogPath)
		if err != nil {
			t.Fatal(err)
		}
		return st.Size()
	}
	before := size()
	waitFor(t, func() bool { return size() > before })
	if b, _ := os.ReadFile(jobs[0].LogPath); !strings.HasPrefix(string(b), "up\ntick\n") {
		t.Errorf("log %q", b)
	}
	if err := set.KillJob("job-7"); err == nil || !strings.Contains(err.Error(), "job-7") {
		t.Errorf("%v", err)
	}
	if err := set.KillJob(jobs[0].ID); err != nil {
		t.Error(err)
	}
	if j := set.Jobs()[0]; j.State != JobKilled || j.Ended.IsZero() {
		t.Errorf("%+v", j)
	}
	if left := processesOf(t, set); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	// A second one gets the next number.
	if _, err := run(t, set.bash(), bashArgs{Command: "sleep 30 &"}); err != nil || len(set.Jobs()) != 2 || set.Jobs()[1].ID != "job-2" {
		t.Errorf("%v %+v", err, set.Jobs())
	}
}

// Many commands at once, some moved, some aborted: all return, nothing is left.
func TestCommandsAtOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	set := New(Options{CWD: t.TempDir()})
	var done []chan agent.Result
	var cancels []context.CancelFunc
	for i := range 12 {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		cancels = append(cancels, cancel)
		done = append(done, startCall(t, ctx, set, string(rune('a'+i)), "echo up; sleep 60"))
	}
	for i := range 12 {
		switch i % 3 {
		case 0:
			cancels[i]()
		case 1:
			if _, err := set.Background(string(rune('a' + i))); err != nil {
				t.Error(err)
			}
		}
	}
	start := time.Now()
	set.Close() // ends those that are still waited for
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("Close took %v", took)
	}
	for i, d := range done {
		text := ai.ContentText((<-d).Content)
		want := []string{"Command aborted", "job-", "Command exited with code 143"}[i%3]
		if !strings.Contains(text, want) {
			t.Errorf("%d: %q, want %q", i, text, want)
		}
	}
	if left := processesOf(t, set); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	set.Close() // again is nothing
}

func TestCloseEndsUnknownEscapees(t *testing.T) {
	set := New(Options{CWD: t.TempDir()})
	// Nothing in the words of the command tells of a child that stays.
	if _, err := run(t, set.bash(), bashArgs{Command: `python3 -c 'import os,time
if os.fork(): os._exit(0)
os.setsid()
for f in (0,1,2): os.close(f)
time.sleep(60)'`}); err != nil {
		t.Fatal(err)
	}
	if len(processesOf(t, set)) == 0 {
		t.Skip("no python3 or no process table")
	}
	set.Close()
	if left := processesOf(t, set); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}

func TestLeaveRunning(t *testing.T) {
	set := New(Options{CWD: t.TempDir(), LeaveRunning: true})
	if _, err := run(t, set.bash(), bashArgs{Command: "sleep 60 >/dev/null 2>&1 &"}); err != nil {
		t.Fatal(err)
	}
	jobs := set.Jobs()
	if len(jobs) != 1 || jobs[0].State != JobRunning {
		t.Fatalf("%+v", jobs)
	}
	set.Close()
	if jobs := set.Jobs(); jobs[0].State != JobRunning {
		t.Errorf("the job was ended: %+v", jobs[0])
	}
	if err := set.KillJob(jobs[0].ID); err != nil {
		t.Error(err)
	}
}

// slowStart starts commands only when it may.
type slowStart struct {
	Local
	begins, may chan struct{}
}

func (s slowStart) Start(c Command) (Process, error) {
	close(s.begins)
	<-s.may
	return s.Local.Start(c)
}

// A command that is just being started when the session ends is ended as well.
func TestCloseWhileStarting(t *testing.T) {
	ops := slowStart{begins: make(chan struct{}), may: make(chan struct{})}
	set := New(Options{CWD: t.TempDir(), Operations: ops})
	done := make(chan []ai.Block)
	go func() {
		r, err := set.runBash(t.Context(), "", bashArgs{Command: "sleep 60"}, func(agent.Result) {})
		if err != nil {
			t.Error(err)
		}
		done <- r.Content
	}()
	<-ops.begins
	closed := make(chan struct{})
	go func() {
		set.Close()
		close(closed)
	}()
	for open := true; open; {
		set.jobs.mu.Lock()
		open = !set.jobs.closed
		set.jobs.mu.Unlock()
	}
	close(ops.may)
	if got := ai.ContentText(<-done); !strings.Contains(got, "143") {
		t.Errorf("the command: %q", got)
	}
	<-closed
}
