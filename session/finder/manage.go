package finder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"tau/session/store"
)

// ErrOpen is returned for a session that is open somewhere.
var ErrOpen = errors.New("the session is open")

// Rename names a session that is not open. Its file keeps its time, so that
// it does not become the latest one.
func Rename(path, name string) (err error) {
	st, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("rename session: %w", err)
	}
	s, err := store.Open(path)
	if err != nil {
		return fmt.Errorf("rename session: %w", err)
	}
	defer func() {
		err = errors.Join(err, s.Close(), os.Chtimes(path, time.Time{}, st.ModTime()))
	}()
	if _, err := s.Append(&store.InfoEntry{Name: name}); err != nil {
		if errors.Is(err, store.ErrLocked) {
			s.Discard()
			return fmt.Errorf("rename session: %w", ErrOpen)
		}
		return fmt.Errorf("rename session: %w", err)
	}
	return nil
}

// Delete moves a session that is not open to the trash; without one it removes
// the file. trashed says which. current is the session in use, which is never
// deleted.
func Delete(ctx context.Context, path, current string) (trashed bool, err error) {
	if same(path, current) {
		return false, fmt.Errorf("delete session: %w", ErrOpen)
	}
	if _, err := store.ReadHeader(path); err != nil {
		return false, fmt.Errorf("delete session: %w", err)
	}
	if open, err := store.InUse(path); err != nil {
		return false, fmt.Errorf("delete session: %w", err)
	} else if open {
		return false, fmt.Errorf("delete session: %w in another process", ErrOpen)
	}
	defer func() {
		if err == nil {
			_ = os.Remove(store.IndexPath(path))
		}
	}()
	if trash(ctx, path) {
		return true, nil
	}
	if err := os.Remove(path); err != nil {
		return false, fmt.Errorf("delete session: %w", err)
	}
	return false, nil
}

func same(a, b string) bool {
	if a == b {
		return true
	}
	sa, err := os.Stat(a)
	if err != nil {
		return false
	}
	sb, err := os.Stat(b)
	return err == nil && os.SameFile(sa, sb)
}

// trash gives the file to a program that can take it back.
func trash(ctx context.Context, path string) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for _, command := range [...]string{"trash", "gio trash", "trash-put"} {
		args := strings.Fields(command)
		bin, err := exec.LookPath(args[0])
		if err != nil {
			continue
		}
		cmd := exec.CommandContext(ctx, bin, append(args[1:], path)...)
		cmd.WaitDelay = time.Second
		if cmd.Run() != nil {
			continue
		}
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}
