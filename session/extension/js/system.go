package js

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	goruntime "runtime"
	"strings"
	"sync"
	"syscall"
)

// text is an answer that is no JSON: it reaches JavaScript as it is.
type text string

// call answers one method of the system.
type call func(ctx context.Context, params json.RawMessage) (any, error)

// system is what the modules of Node are made of: files, processes, the
// network. Its handles end with the machine.
type system struct {
	m *machine

	mu      sync.Mutex
	next    int
	handles map[int]func() // ends a handle
	procs   map[int]*process
}

func newSystem(m *machine) *system {
	return &system{m: m, handles: map[int]func(){}, procs: map[int]*process{}}
}

func (s *system) close() {
	s.mu.Lock()
	handles := s.handles
	s.handles = map[int]func(){}
	s.mu.Unlock()
	for _, end := range handles {
		end()
	}
}

// open gives a handle its number. ok is false if the machine has ended.
func (s *system) open(end func()) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	s.handles[s.next] = end
	return s.next
}

// end ends a handle, once.
func (s *system) end(id int) {
	s.mu.Lock()
	end := s.handles[id]
	delete(s.handles, id)
	s.mu.Unlock()
	if end != nil {
		end()
	}
}

func (s *system) find(method string) call {
	if !strings.HasPrefix(method, "sys.") {
		return nil
	}
	if c := s.files(method); c != nil {
		return c
	}
	if c := s.processes(method); c != nil {
		return c
	}
	return s.others(method)
}

// takes makes a call of a function that takes its parameters as P.
func takes[P any](do func(ctx context.Context, p P) (any, error)) call {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		var p P
		if len(params) > 0 {
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, fmt.Errorf("the parameters cannot be read: %w", err)
			}
		}
		return do(ctx, p)
	}
}

// errorText is an error as the runtime reads it: the code that Node gives such
// an error in front, if there is one.
func errorText(err error) string {
	if code := errorCode(err); code != "" {
		return "\x01" + code + "\x01" + err.Error()
	}
	return err.Error()
}

func errorCode(err error) string {
	var no syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "ENOENT"
	case errors.Is(err, fs.ErrExist):
		return "EEXIST"
	case errors.Is(err, fs.ErrPermission):
		return "EACCES"
	case errors.Is(err, context.Canceled):
		return "ABORT_ERR"
	case errors.As(err, &no):
		switch no {
		case syscall.ESRCH:
			return "ESRCH"
		case syscall.EISDIR:
			return "EISDIR"
		case syscall.ENOTDIR:
			return "ENOTDIR"
		case syscall.ENOTEMPTY:
			return "ENOTEMPTY"
		}
	}
	return ""
}

// environ is the environment of the program.
func environ() map[string]string {
	out := map[string]string{}
	for _, kv := range os.Environ() {
		if k, v, ok := strings.Cut(kv, "="); ok {
			out[k] = v
		}
	}
	return out
}

// platform is the name that Node has for the operating system.
func platform() string {
	if goruntime.GOOS == "windows" {
		return "win32"
	}
	return goruntime.GOOS
}

func arch() string {
	switch goruntime.GOARCH {
	case "amd64":
		return "x64"
	case "386":
		return "ia32"
	}
	return goruntime.GOARCH
}
