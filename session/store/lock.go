package store

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// fileLock marks a session file as being written to. It lies beside the file,
// because a lock on the file itself would keep others from reading it on
// Windows.
type fileLock struct{ f *flock.Flock }

func acquire(session string) (*fileLock, error) {
	path := session + ".lock"
	for range 3 {
		f := flock.New(path, flock.SetPermissions(0o600))
		ok, err := f.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock session: %w", err)
		}
		if !ok {
			owner := ""
			if b, err := os.ReadFile(path); err == nil && len(b) > 0 && len(b) < 100 {
				owner = " (process " + strings.TrimSpace(string(b)) + ")"
			}
			return nil, fmt.Errorf("%w%s: %s", ErrLocked, owner, session)
		}
		// The last owner removes the file when it lets go. If that happened between
		// our open and our lock, the lock holds nobody off: take the new one.
		a, errA := os.Stat(path)
		b, errB := f.Stat()
		if errA == nil && errB == nil && os.SameFile(a, b) {
			_ = os.WriteFile(path, fmt.Appendf(nil, "%d since %s\n", os.Getpid(), time.Now().Format(time.DateTime)), 0o600)
			return &fileLock{f}, nil
		}
		_ = f.Close()
	}
	return nil, fmt.Errorf("lock session: %s is being replaced", path)
}

func (l *fileLock) release() {
	_ = os.Remove(l.f.Path())
	_ = l.f.Close()
}

// InUse reports whether a program has the session open for writing.
func InUse(path string) (bool, error) {
	if _, err := os.Stat(path + ".lock"); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	l, err := acquire(path)
	if errors.Is(err, ErrLocked) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	l.release()
	return false, nil
}
