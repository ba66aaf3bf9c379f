package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// walk goes through the files below a folder in the order of their names, a
// folder before what is in it. Links are not followed, .git is left out, and so
// is what ignore files say.
//
// Folders are read by several goroutines, ahead of the visits; the order of the
// visits does not depend on them.
type walk struct {
	set   *Set
	root  string
	fails failures

	mu    sync.Mutex
	wake  *sync.Cond
	stack []*folder // to be read; the next is the last
	over  bool
}

// folder is a folder of the tree, read when done is closed.
type folder struct {
	path    string // absolute, with the system's separators
	rel     string // below the root with slashes; empty for the root
	rules   *rules // that hold in it because of folders above
	done    chan struct{}
	entries []visit
}

// visit is a file or folder that the walk comes to.
type visit struct {
	rel  string // path below the root, with slashes
	name string
	mode fs.FileMode // the type only
	down *folder     // of a folder
}

// readers is how many folders or files are read at a time.
func readers() int { return min(max(runtime.GOMAXPROCS(0), 2), 8) }

// each calls fn for everything below root until that returns false or ctx ends.
func (w *walk) each(ctx context.Context, fn func(visit) bool) error {
	w.wake = sync.NewCond(&w.mu)
	top := &folder{path: w.root, rules: w.set.rulesAbove(w.root), done: make(chan struct{})}
	w.stack = []*folder{top}
	var all sync.WaitGroup
	for range readers() {
		all.Go(w.readAhead)
	}
	defer all.Wait()
	defer w.end()
	stop := context.AfterFunc(ctx, w.end)
	defer stop()
	_, err := w.visit(ctx, top, fn)
	return err
}

func (w *walk) end() {
	w.mu.Lock()
	w.over = true
	w.mu.Unlock()
	w.wake.Broadcast()
}

func (w *walk) visit(ctx context.Context, f *folder, fn func(visit) bool) (bool, error) {
	select {
	case <-f.done:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	entries := f.entries
	f.entries = nil
	for i := range entries {
		e := &entries[i]
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if !fn(*e) {
			return false, nil
		}
		if e.down != nil {
			if on, err := w.visit(ctx, e.down, fn); !on {
				return false, err
			}
			e.down = nil
		}
	}
	return true, nil
}

// readAhead reads folders until the walk ends.
func (w *walk) readAhead() {
	for {
		w.mu.Lock()
		for len(w.stack) == 0 && !w.over {
			w.wake.Wait()
		}
		if w.over {
			w.mu.Unlock()
			return
		}
		f := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		w.mu.Unlock()

		below := w.read(f)
		close(f.done)
		if len(below) == 0 {
			continue
		}
		slices.Reverse(below) // the first is read first
		w.mu.Lock()
		w.stack = append(w.stack, below...)
		w.mu.Unlock()
		w.wake.Broadcast()
	}
}

// read fills in the folder and returns the folders in it.
func (w *walk) read(f *folder) []*folder {
	list, err := w.set.ops.ReadDir(f.path)
	if err != nil {
		w.fails.add(f.rel, err)
	}
	r := w.rulesIn(f, list)
	slash := filepath.ToSlash(f.path)
	if !strings.HasSuffix(slash, "/") {
		slash += "/"
	}
	prefix := f.rel
	if prefix != "" {
		prefix += "/"
	}
	var below []*folder
	f.entries = make([]visit, 0, len(list))
	for _, e := range list {
		name := e.Name()
		if name == ".git" || r.ignores(slash+name, name, e.IsDir()) {
			continue
		}
		v := visit{rel: prefix + name, name: name, mode: e.Type()}
		if e.IsDir() {
			v.down = &folder{path: filepath.Join(f.path, name), rel: v.rel, rules: r, done: make(chan struct{})}
			below = append(below, v.down)
		}
		f.entries = append(f.entries, v)
	}
	return below
}

// rulesIn returns the rules for what is in the folder. At the top of a
// repository those of the folders above end.
func (w *walk) rulesIn(f *folder, list []fs.DirEntry) *rules {
	has := func(name string) bool {
		_, found := slices.BinarySearchFunc(list, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
		return found
	}
	r := f.rules
	if has(".git") {
		r = w.set.repositoryRules(f.path)
	} else if f.rel == "" && r == nil {
		r = w.set.globalRules(f.path)
	}
	for _, name := range ignoreFiles {
		if has(name) {
			r = w.set.folderRules(f.path, name, r)
		}
	}
	return r
}

// failures gathers what could not be read.
type failures struct {
	mu    sync.Mutex
	first []string
	more  int
}

func (f *failures) add(rel string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return // gone while we were on the way
	}
	if rel == "" {
		rel = "."
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.first) < 5 {
		f.first = append(f.first, fmt.Sprintf("%s (%s)", showName(rel), cause(err)))
	} else {
		f.more++
	}
}

// note is empty if everything could be read.
func (f *failures) note() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.first) == 0 {
		return ""
	}
	slices.Sort(f.first)
	text := "Could not read " + strings.Join(f.first, ", ")
	if f.more > 0 {
		text += fmt.Sprintf(" and %d more", f.more)
	}
	return text
}
