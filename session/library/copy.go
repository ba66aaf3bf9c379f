package library

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tau/session/store"
)

// Fork copies a whole session, all branches included, into a new session of
// the folder cwd, which names the old one as its parent.
func (l Library) Fork(path, cwd string) (Ref, error) {
	h := store.Header{ID: store.NewSessionID(), CWD: cwd, ParentSession: absolute(path)}
	to := l.NewPath(cwd, h.ID, time.Now())
	if err := store.CopyFile(path, to, h); err != nil {
		return Ref{}, err
	}
	return Ref{Path: to, ID: h.ID, CWD: cwd, Modified: time.Now()}, nil
}

// Import copies a session file into the library as it is: it keeps its id and
// folder. If a file of that name is there, the copy gets a number.
func (l Library) Import(path string) (Ref, error) {
	if st, err := os.Stat(path); err != nil {
		return Ref{}, fmt.Errorf("import session: %w", err)
	} else if !st.Mode().IsRegular() {
		return Ref{}, fmt.Errorf("import session %s: %w: it is not a regular file", path, store.ErrNotSession)
	}
	h, err := store.ReadHeader(path)
	if err != nil {
		return Ref{}, fmt.Errorf("import session: %w", err)
	}
	dir := l.Folder(h.CWD)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Ref{}, fmt.Errorf("import session: %w", err)
	}
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	for n := 0; n < 10000; n++ {
		to := filepath.Join(dir, name+".jsonl")
		if n > 0 {
			to = filepath.Join(dir, fmt.Sprintf("%s-%d.jsonl", name, n))
		}
		if sameFile(path, to) {
			return Ref{Path: to, ID: h.ID, CWD: h.CWD}, nil // it is in the library already
		}
		err := copyNew(path, to)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return Ref{}, fmt.Errorf("import session: %w", err)
		}
		return Ref{Path: to, ID: h.ID, CWD: h.CWD, Modified: time.Now()}, nil
	}
	return Ref{}, fmt.Errorf("import session: there are too many files named %s in %s", name, dir)
}

func sameFile(a, b string) bool {
	sa, err := os.Stat(a)
	if err != nil {
		return false
	}
	sb, err := os.Stat(b)
	return err == nil && os.SameFile(sa, sb)
}

// copyNew copies a file to a name that is not taken.
func copyNew(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		_ = os.Remove(to)
	}
	return err
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
