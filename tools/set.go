package tools

import (
	"encoding/json"
	"sync"
	"time"

	"tau/agent"
	"tau/ai/openjson"
)

// Options configure a Set.
type Options struct {
	// CWD is the folder relative paths and commands start from.
	CWD string
	// ShellPath is the shell of bash; found in the usual places if empty.
	ShellPath string
	// CommandPrefix is put in front of each command, on a line of its own.
	CommandPrefix string
	// Env is added to the environment of commands, as NAME=value.
	Env []string
	// LeaveRunning makes Close leave alone what runs in the background.
	LeaveRunning bool
	// Operations is where files and processes are; Local if nil.
	Operations Operations
}

// Set is the tools of one session, and what they share: the line for changes
// of each file, what the model has seen of which file, background jobs.
type Set struct {
	opts    Options
	ops     Operations
	changes mutations
	seen    seen
	jobs    jobs
}

// New returns the tools for a folder.
func New(o Options) *Set {
	s := &Set{opts: o, ops: o.Operations}
	if s.ops == nil {
		s.ops = Local{shells: &shells{}}
	}
	s.changes.ops, s.seen.ops = s.ops, s.ops
	return s
}

// All returns the tools in the order they are declared to a model.
func (s *Set) All() []*agent.Tool {
	all := []*agent.Tool{s.read(), s.bash(), s.edit(), s.write(), s.grep(), s.find(), s.ls()}
	for _, t := range all {
		// How pi declares its own tools in a session: arguments are to be held to the
		// schema where the model can.
		t.Rest = openjson.Fields{"constrainedSampling": json.RawMessage(`{"type":"json_schema","strict":"prefer"}`)}
	}
	return all
}

// seen remembers the state of each file when the model last saw it.
type seen struct {
	ops   Operations
	mu    sync.Mutex
	files map[string]stamp
}

type stamp struct {
	size int64
	at   time.Time
}

// note remembers the file as it is now.
func (s *seen) note(path string) {
	st, err := s.ops.Stat(path)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]stamp{}
	}
	s.files[realPath(s.ops, path)] = stamp{st.Size(), st.ModTime()}
}

// knows reports whether the model has seen the file at all.
func (s *seen) knows(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.files[realPath(s.ops, path)]
	return ok
}

// changed reports whether the file is not as the model last saw it.
func (s *seen) changed(path string) bool {
	st, err := s.ops.Stat(path)
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was, ok := s.files[realPath(s.ops, path)]
	return ok && (was.size != st.Size() || !was.at.Equal(st.ModTime()))
}
