package tools

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Operations is the port through which the tools reach files and processes, so
// that they can work in a container or on another machine, and be tested with
// faults. Paths are absolute. Methods may be called from several goroutines,
// and return errors as package os does: [fs.ErrNotExist] and the like are told
// apart with errors.Is.
type Operations interface {
	Stat(path string) (fs.FileInfo, error) // follows links
	Lstat(path string) (fs.FileInfo, error)
	Readlink(path string) (string, error)
	RealPath(path string) (string, error)       // of an existing file, without links
	ReadDir(path string) ([]fs.DirEntry, error) // sorted by name
	OpenFile(path string, flag int, mode fs.FileMode) (File, error)
	CreateTemp(dir, pattern string) (File, error)
	Rename(from, to string) error
	Remove(path string) error
	MkdirAll(path string, mode fs.FileMode) error
	// Start runs a command line. Its processes must not share tau's terminal.
	Start(c Command) (Process, error)
}

// File is an open file of [Operations].
type File interface {
	io.ReadWriteCloser
	io.ReaderAt
	io.WriterAt
	Name() string
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Chmod(mode fs.FileMode) error
	Sync() error
}

// Local is this machine.
type Local struct {
	shells *shells // nil: a shell is looked for each time
}

var _ Operations = Local{}

func (Local) Stat(path string) (fs.FileInfo, error)        { return os.Stat(path) }
func (Local) Lstat(path string) (fs.FileInfo, error)       { return os.Lstat(path) }
func (Local) Readlink(path string) (string, error)         { return os.Readlink(path) }
func (Local) RealPath(path string) (string, error)         { return filepath.EvalSymlinks(path) }
func (Local) ReadDir(path string) ([]fs.DirEntry, error)   { return os.ReadDir(path) }
func (Local) Rename(from, to string) error                 { return os.Rename(from, to) }
func (Local) Remove(path string) error                     { return os.Remove(path) }
func (Local) MkdirAll(path string, mode fs.FileMode) error { return os.MkdirAll(path, mode) }

func (l Local) Start(c Command) (Process, error) {
	path, known, err := l.shells.find(c.Shell)
	if err != nil {
		return nil, err
	}
	p, err := startProcess(c, path)
	if known && errors.Is(err, fs.ErrNotExist) { // it is not where it was
		l.shells.forget()
		return l.Start(c)
	}
	return p, err
}

func (Local) OpenFile(path string, flag int, mode fs.FileMode) (File, error) {
	f, err := os.OpenFile(path, flag, mode)
	if err != nil {
		return nil, err // not a File that holds a nil pointer
	}
	return f, nil
}

func (Local) CreateTemp(dir, pattern string) (File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	return f, nil
}
