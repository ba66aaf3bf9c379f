package tools

import (
	"context"
	"path/filepath"
	"sync"
)

// mutations makes changes of one file happen one after another, in the order
// they were asked for. Files are told apart by their real path, so a link and
// its target are one file; a file that does not exist yet counts by the real
// path of its folder.
type mutations struct {
	ops   Operations
	mu    sync.Mutex
	lines map[string]*waitingLine
}

// waitingLine is the queue of one file; it is removed when nobody waits.
type waitingLine struct {
	tail  chan struct{} // closed when the last in line is through
	users int
}

// with runs fn when all earlier changes of the file are through. It returns
// ctx's error if the caller gives up waiting; its place in the line is then
// passed on in order.
func (m *mutations) with(ctx context.Context, path string, fn func() error) error {
	key := realPath(m.ops, path)
	m.mu.Lock()
	if m.lines == nil {
		m.lines = map[string]*waitingLine{}
	}
	l := m.lines[key]
	if l == nil {
		l = &waitingLine{tail: closed()}
		m.lines[key] = l
	}
	before, mine := l.tail, make(chan struct{})
	l.tail = mine
	l.users++
	m.mu.Unlock()

	leave := func() {
		close(mine)
		m.mu.Lock()
		defer m.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(m.lines, key)
		}
	}
	select {
	case <-before:
	case <-ctx.Done():
		// Those behind still have to wait for those in front.
		go func() {
			<-before
			leave()
		}()
		return ctx.Err()
	}
	defer leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	return fn()
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// realPath resolves links as far as the path exists.
func realPath(ops Operations, path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := ops.RealPath(path); err == nil {
		return caseKey(real)
	}
	// A dangling link is written through: its target is the file.
	if target, err := ops.Readlink(path); err == nil {
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		if target != path {
			return realPath(ops, target)
		}
	}
	dir, name := filepath.Split(path)
	if dir == path || name == "" {
		return caseKey(path)
	}
	return filepath.Join(realPath(ops, filepath.Clean(dir)), caseKey(name))
}
