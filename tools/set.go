package tools

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tau/agent"
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
}

// Set is the tools of one session, and what they share: the line for changes
// of each file, what the model has seen of which file, background jobs.
type Set struct {
	opts    Options
	changes mutations
	seen    seen
}

// New returns the tools for a folder.
func New(o Options) *Set { return &Set{opts: o} }

// All returns the tools in the order they are declared to a model.
func (s *Set) All() []*agent.Tool {
	return []*agent.Tool{s.edit(), s.write()}
}

// Close ends what commands have left running.
func (s *Set) Close() {}

// resolve turns a path as people and models write it into an absolute one: a
// leading @ goes, ~ is the home folder, special spaces become plain ones.
func (s *Set) resolve(path string) string {
	path = strings.TrimPrefix(strings.TrimSpace(path), "@")
	if path == "~" || strings.HasPrefix(path, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, path[1:])
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.opts.CWD, path)
	}
	return filepath.Clean(path)
}

// existing is resolve for a file that should be there. If it is not, names
// that look the same are tried.
func (s *Set) existing(path string) string { return s.resolve(path) }

// seen remembers the state of each file when the model last saw it.
type seen struct {
	mu    sync.Mutex
	files map[string]stamp
}

type stamp struct {
	size int64
	at   time.Time
}

// note remembers the file as it is now.
func (s *seen) note(path string) {
	st, err := os.Stat(path)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]stamp{}
	}
	s.files[realPath(path)] = stamp{st.Size(), st.ModTime()}
}

// knows reports whether the model has seen the file at all.
func (s *seen) knows(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.files[realPath(path)]
	return ok
}

// changed reports whether the file is not as the model last saw it.
func (s *seen) changed(path string) bool {
	st, err := os.Stat(path)
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was, ok := s.files[realPath(path)]
	return ok && (was.size != st.Size() || !was.at.Equal(st.ModTime()))
}
