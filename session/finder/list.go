package finder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tau/session/library"
	"tau/session/store"
)

// Session is a row of the list.
type Session struct {
	Path          string
	ID            string
	CWD           string
	Name          string // "" if it has none
	ParentSession string // path of the session it was forked from
	First         string // the first message of the user, on one line
	Created       time.Time
	// Modified is the time of the last message of the user or the model. Renaming
	// or opening a session does not change it.
	Modified time.Time
	Messages int // of the user and the model
	Size     int64
	// Whole is false for a first look at a long file: Name may be an older one,
	// Messages is missing.
	Whole bool
	Depth int // below the session it was forked from; set by Threads
}

// List calls each for every session of the folder cwd, or of all folders if cwd
// is "". Long files are reported twice: from their head and tail at once, and
// when they have been read through. The order is that of the last change of
// the files, roughly. each is not called concurrently.
//
// It ends early, with the context's error, if ctx is cancelled.
func List(ctx context.Context, lib library.Library, cwd string, each func(Session)) error {
	paths, err := Paths(lib, cwd)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	report := func(s Session) bool {
		if cwd != "" && !library.SameFolder(s.CWD, cwd) {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() == nil {
			each(s)
		}
		return true
	}
	var long []string
	var longMu sync.Mutex
	spaces := sync.Pool{New: func() any { return new([2 * lookBytes]byte) }}
	parallel(ctx, len(paths), func(i int) {
		space := spaces.Get().(*[2 * lookBytes]byte)
		defer spaces.Put(space)
		s, err := look(paths[i], space[:])
		if err == nil && report(s) && !s.Whole {
			longMu.Lock()
			long = append(long, paths[i])
			longMu.Unlock()
		}
	})
	parallel(ctx, len(long), func(i int) {
		if s, err := readThrough(ctx, long[i]); err == nil {
			report(s)
		}
	})
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("list sessions: %w", err)
	}
	return nil
}

// Paths returns the session files of the folder cwd, or of all folders if cwd
// is "", the one that was changed last first. It does not look into them: with
// cwd, some may belong to another folder of a similar name.
func Paths(lib library.Library, cwd string) ([]string, error) {
	var dirs []string
	switch {
	case lib.Flat:
		dirs = []string{lib.Base}
	case cwd != "":
		dirs = []string{lib.Folder(cwd)}
	default:
		entries, err := os.ReadDir(lib.Base)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list sessions: %w", err)
		}
		for _, e := range entries {
			if e.IsDir() {
				dirs = append(dirs, filepath.Join(lib.Base, e.Name()))
			}
		}
	}
	type file struct {
		path string
		at   time.Time
	}
	var files []file
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			if len(dirs) == 1 {
				return nil, fmt.Errorf("list sessions: %w", err)
			}
			continue
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".jsonl") || strings.HasPrefix(e.Name(), ".") || !e.Type().IsRegular() {
				continue
			}
			if info, err := e.Info(); err == nil {
				files = append(files, file{filepath.Join(dir, e.Name()), info.ModTime()})
			}
		}
	}
	slices.SortStableFunc(files, func(a, b file) int { return b.at.Compare(a.at) })
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.path
	}
	return paths, nil
}

// parallel calls do for 0 to n-1 on all processors and waits.
func parallel(ctx context.Context, n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	wg.Wait()
}

// Recent sorts sessions by activity, the last first.
func Recent(rows []Session) {
	slices.SortStableFunc(rows, func(a, b Session) int {
		if c := b.Modified.Compare(a.Modified); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
}

// Threads returns the sessions with forks below the session they came from.
// Threads are sorted by the last activity of any of their sessions, forks by
// their own.
func Threads(rows []Session) []Session {
	rows = slices.Clone(rows)
	Recent(rows)
	at := make(map[string]int, len(rows))
	for i, s := range rows {
		rows[i].Depth = 0
		at[filepath.Clean(s.Path)] = i
	}
	children := make([][]int, len(rows))
	var roots []int
	for i, s := range rows {
		if p, ok := at[filepath.Clean(s.ParentSession)]; ok && s.ParentSession != "" && p != i {
			children[p] = append(children[p], i)
		} else {
			roots = append(roots, i)
		}
	}
	// The rows are sorted, so the first row of a thread is its latest.
	out := make([]Session, 0, len(rows))
	seen := make([]bool, len(rows))
	var walk func(i, depth int)
	walk = func(i, depth int) {
		if seen[i] {
			return
		}
		seen[i] = true
		rows[i].Depth = depth
		out = append(out, rows[i])
		for _, c := range children[i] {
			walk(c, depth+1)
		}
	}
	latest := make([]int, len(rows)) // smallest row number in the thread of a root
	root := make([]int, len(rows))
	for i := range rows {
		root[i] = i
		for hops := 0; hops < len(rows); hops++ {
			p, ok := at[filepath.Clean(rows[root[i]].ParentSession)]
			if !ok || rows[root[i]].ParentSession == "" || p == root[i] {
				break
			}
			root[i] = p
		}
		latest[i] = i
	}
	for i := range rows {
		latest[root[i]] = min(latest[root[i]], i)
	}
	slices.SortStableFunc(roots, func(a, b int) int { return latest[a] - latest[b] })
	for _, r := range roots {
		walk(r, 0)
	}
	for i := range rows {
		walk(i, 0) // parents that go in circles
	}
	return out
}

// headerOf reads a header line as far as the list needs it.
func headerOf(s *Session, h store.Header) {
	s.ID, s.CWD, s.ParentSession = h.ID, h.CWD, h.ParentSession
	if t, err := time.Parse(time.RFC3339Nano, h.Timestamp); err == nil {
		s.Created = t
	}
}
