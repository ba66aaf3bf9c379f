// Package library finds session files: where a new one goes, which was the
// last one of a folder, which one an id means.
//
// Sessions of one working folder lie together in
// <base>/--<folder with dashes>--/<time>_<id>.jsonl. The name of the folder is
// not unique (a-b/c and a/b-c look alike), so the header of each file decides.
package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"tau/session/store"
)

// Library is the sessions below one folder.
type Library struct {
	// Base holds a folder for each working folder, or, if Flat, the files.
	Base string
	Flat bool
}

// ErrNone is returned when there is no session to continue.
var ErrNone = errors.New("no session here yet")

// Ref is a session file.
type Ref struct {
	Path     string
	ID       string
	CWD      string
	Modified time.Time
}

// RealCWD resolves symbolic links, so that a linked folder and the real one
// are the same project.
func RealCWD(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir
}

// Folder returns where the sessions of the working folder cwd are kept.
func (l Library) Folder(cwd string) string {
	if l.Flat {
		return l.Base
	}
	name := strings.TrimLeft(cwd[:min(1, len(cwd))], `/\`) + cwd[min(1, len(cwd)):]
	return filepath.Join(l.Base, "--"+strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(name)+"--")
}

// NewPath returns the path for a session that begins at the given time.
func (l Library) NewPath(cwd, id string, at time.Time) string {
	stamp := strings.NewReplacer(":", "-", ".", "-").Replace(at.UTC().Format("2006-01-02T15:04:05.000Z"))
	return filepath.Join(l.Folder(cwd), stamp+"_"+id+".jsonl")
}

// ValidID reports whether id may name a session.
func ValidID(id string) bool { return sessionID().MatchString(id) }

var sessionID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`)
})

// Recent returns the session of cwd that was modified last.
func (l Library) Recent(cwd string) (Ref, error) {
	files, err := files(l.Folder(cwd))
	if err != nil {
		return Ref{}, err
	}
	slices.SortStableFunc(files, func(a, b Ref) int { return b.Modified.Compare(a.Modified) })
	for _, f := range files {
		if h, err := store.ReadHeader(f.Path); err == nil && sameFolder(h.CWD, cwd) {
			f.ID, f.CWD = h.ID, h.CWD
			return f, nil
		}
	}
	return Ref{}, ErrNone
}

// Find returns the session with this id, or the only one whose id begins with
// it; sessions of cwd win over those of other folders.
func (l Library) Find(cwd, id string) (Ref, error) {
	here, err := files(l.Folder(cwd))
	if err != nil {
		return Ref{}, err
	}
	if r, err := pick(here, id, func(r Ref) bool { return sameFolder(r.CWD, cwd) }); err != nil || r.Path != "" {
		return r, err
	}
	dirs, err := os.ReadDir(l.Base)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return Ref{}, fmt.Errorf("list sessions: %w", err)
	}
	var all []Ref
	for _, d := range dirs {
		if d.IsDir() {
			more, err := files(filepath.Join(l.Base, d.Name()))
			if err != nil {
				continue
			}
			all = append(all, more...)
		}
	}
	if l.Flat {
		all = append(all, here...)
	}
	r, err := pick(all, id, func(Ref) bool { return true })
	if err == nil && r.Path == "" {
		err = fmt.Errorf("no session with the id %q", id)
	}
	return r, err
}

// pick looks for an exact id, then for a unique prefix. It reads the headers
// only of files whose name could match.
func pick(files []Ref, id string, ok func(Ref) bool) (Ref, error) {
	var exact, prefix []Ref
	for _, f := range files {
		_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(f.Path), ".jsonl"), "_")
		if !strings.HasPrefix(name, id) {
			continue
		}
		h, err := store.ReadHeader(f.Path)
		if err != nil {
			continue
		}
		f.ID, f.CWD = h.ID, h.CWD
		if !ok(f) {
			continue
		}
		if h.ID == id {
			exact = append(exact, f)
		}
		prefix = append(prefix, f)
	}
	switch {
	case len(exact) > 0:
		return exact[0], nil
	case len(prefix) == 1:
		return prefix[0], nil
	case len(prefix) > 1:
		return Ref{}, fmt.Errorf("the id %q is not unique: %d sessions begin with it", id, len(prefix))
	}
	return Ref{}, nil
}

// SameFolder reports whether two working folders are one, links resolved.
func SameFolder(a, b string) bool { return sameFolder(a, b) }

func sameFolder(a, b string) bool { return a == b || RealCWD(a) == RealCWD(b) }

func files(dir string) ([]Ref, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var out []Ref
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".jsonl") || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil {
			out = append(out, Ref{Path: filepath.Join(dir, e.Name()), Modified: info.ModTime()})
		}
	}
	return out, nil
}
