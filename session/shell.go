package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tau/agent"
	"tau/session/message"
	"tau/session/store"
)

// ShellFunc runs a command line of the user's own in the working folder until
// it ends or ctx does. delta gets the output as it comes. An error means that
// nothing was run.
type ShellFunc func(ctx context.Context, command string, delta func(text string)) (ShellResult, error)

// ShellResult is what a command left.
type ShellResult struct {
	Output         string // the end of it
	ExitCode       *int   // nil if it was cancelled
	Cancelled      bool
	Truncated      bool
	FullOutputPath string // of all the output, if it was cut
}

// ErrNoShell is returned by RunShell if Options.Shell is not set.
var ErrNoShell = errors.New("no commands can be run in this session")

// RunShell runs a command of the user's own, which is what ! and !! in front of
// a message ask for, and returns what came of it. Meanwhile subscribers get a
// [ShellUpdate] for each piece of output, and a [ShellEnd] when it is over;
// both carry id.
//
// The command and its output become part of the conversation, but are not sent
// to the model if exclude is set. If the agent is working, they go in when it
// is done, so that no tool call is cut off from its result. It may be called
// during a run, and several times at once.
func (s *Session) RunShell(ctx context.Context, id, command string, exclude bool) (*message.Bash, error) {
	if s.opts.Shell == nil {
		return nil, ErrNoShell
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, ErrClosed
	}
	s.shells.Add(1)
	n := s.shellCount
	s.shellCount++
	if s.shellCancel == nil {
		s.shellCancel = map[int]context.CancelFunc{}
	}
	s.shellCancel[n] = cancel
	s.mu.Unlock()
	defer s.shells.Done()

	delta := func(text string) {
		s.pace(ctx)
		s.emit(Event{Type: ShellUpdate, ShellID: id, Delta: text})
	}
	r, err := s.hookedShell(ctx, command, exclude, delta)
	defer s.sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.shellCancel, n)
	if err != nil {
		return nil, fmt.Errorf("run the command: %w", err)
	}
	m := &message.Bash{
		Command: command, Output: r.Output, ExitCode: r.ExitCode, Cancelled: r.Cancelled, Truncated: r.Truncated,
		FullOutputPath: r.FullOutputPath, ExcludeFromContext: exclude, Timestamp: time.Now().UnixMilli(),
	}
	s.shellWaiting = append(s.shellWaiting, m)
	s.emitLocked(Event{Type: ShellEnd, ShellID: id, Shell: m})
	if s.cancel == nil {
		s.keepShellLocked()
	}
	return m, nil
}

// AbortShell ends the commands that RunShell is running. It does not wait.
func (s *Session) AbortShell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cancel := range s.shellCancel {
		cancel()
	}
}

// ShellRunning reports whether RunShell is running a command.
func (s *Session) ShellRunning() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.shellCancel) > 0
}

// keepShellLocked puts the commands that have ended into the conversation. No
// run may be under way.
func (s *Session) keepShellLocked() {
	for _, m := range s.shellWaiting {
		_, err := s.store.Append(&store.MessageEntry{Message: m})
		s.noteSavedLocked(err)
		s.usage.add(m)
		if s.loaded {
			s.agent.Configure(func(_ *agent.Config, c *agent.Context) {
				c.Messages = append(c.Messages[:len(c.Messages):len(c.Messages)], m)
			})
		}
	}
	s.shellWaiting = nil
}
