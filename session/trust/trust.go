// Package trust decides whether what a project brings may be used: its
// settings, extensions, skills, templates, themes, MCP servers and system
// prompt. Until the user has said so, none of these is read.
//
//	st := trust.Store{Dir: agentDir}
//	d := st.Decide(trust.Question{CWD: cwd, ProjectDir: ".tau", Default: "ask"})
//	if d.Ask { … st.Save(cwd, true) }
//
// Trust covers what was there when it was given: if a file changes, or one is
// added, the question comes again. A folder above can be trusted with all that
// is below it.
package trust

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Store keeps the decisions in the agent folder: trust.json maps folders to
// true or false, trust-seen.json to what was trusted in them.
type Store struct{ Dir string }

// Question is what is to be decided.
type Question struct {
	CWD        string
	ProjectDir string // the name of the project's own folder, ".tau"
	// Given is the decision of the command line; nil if there is none.
	Given *bool
	// Default is the setting defaultProjectTrust: ask, always or never; "" is ask.
	Default string
}

// Decision is the answer.
type Decision struct {
	Trusted bool
	// Ask is set if nobody has decided: the user has to be asked, and until then
	// the project is not trusted.
	Ask bool
	// Changed is set if the folder was trusted, and is not what it was then.
	Changed bool
	// Files are what there is to trust, relative to the folder where they can be.
	Files []string
}

// Decide answers without asking anybody. A folder that has nothing to trust is
// trusted, and no question.
func (s Store) Decide(q Question) Decision {
	found := protected(q.CWD, q.ProjectDir)
	d := Decision{Files: found.names()}
	switch {
	case len(found) == 0:
		d.Trusted = true
		return d
	case q.Given != nil:
		d.Trusted = *q.Given
		return d
	}
	saved, ok := s.saved(q.CWD)
	switch {
	case ok && !saved:
		return d
	case ok:
		seen := s.seen()[canonical(q.CWD)]
		if now := found.sum(); seen == "" {
			// Trusted by hand, by another program, or through a folder above.
			_ = s.remember(q.CWD, now)
			d.Trusted = true
		} else if d.Trusted = seen == now; !d.Trusted {
			d.Ask, d.Changed = true, true
		}
		return d
	case q.Default == "always":
		d.Trusted = true
	case q.Default == "never":
	default:
		d.Ask = true
	}
	return d
}

// saved returns the decision for the folder or the nearest one above it.
func (s Store) saved(cwd string) (trusted, ok bool) {
	all := map[string]bool{}
	_ = s.read("trust.json", &all) // a file that cannot be read decides nothing
	for dir := canonical(cwd); ; dir = filepath.Dir(dir) {
		if t, ok := all[dir]; ok {
			return t, true
		}
		if filepath.Dir(dir) == dir {
			return false, false
		}
	}
}

func (s Store) seen() map[string]string {
	all := map[string]string{}
	_ = s.read("trust-seen.json", &all) // as for saved
	return all
}

// Save writes the decision for a folder, and what it has now.
func (s Store) Save(folder, cwd, projectDir string, trusted bool) error {
	all := map[string]json.RawMessage{}
	err := s.update("trust.json", &all, func() {
		all[canonical(folder)] = json.RawMessage(fmt.Sprint(trusted))
	})
	if err != nil {
		return fmt.Errorf("save trust: %w", err)
	}
	if trusted {
		if err := s.remember(cwd, protected(cwd, projectDir).sum()); err != nil {
			return fmt.Errorf("save trust: %w", err)
		}
	}
	return nil
}

// Renew takes what a trusted folder has now as what was trusted, after a change
// that the user has made himself.
func (s Store) Renew(cwd, projectDir string) error {
	if trusted, ok := s.saved(cwd); !ok || !trusted {
		return errors.New("the folder is not trusted")
	}
	return s.remember(cwd, protected(cwd, projectDir).sum())
}

func (s Store) remember(cwd, sum string) error {
	all := map[string]string{}
	return s.update("trust-seen.json", &all, func() { all[canonical(cwd)] = sum })
}

func (s Store) read(name string, v any) error {
	b, err := os.ReadFile(filepath.Join(s.Dir, name))
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// update changes a file under a lock, in one step. A file that is broken is
// not touched.
func (s Store) update(name string, v any, change func()) error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(s.Dir, name)
	lock := flock.New(path + ".lock")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if ok, err := lock.TryLockContext(ctx, 20*time.Millisecond); !ok {
		return fmt.Errorf("%s is locked by another process: %w", path, err)
	}
	defer func() { _ = lock.Close() }()
	if err := s.read(name, v); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not valid and was left alone: %w", path, err)
	}
	change()
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(s.Dir, "."+name+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(b, '\n'))
	if err := errors.Join(err, f.Chmod(0o600), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// canonical is the folder without links in its path.
func canonical(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Clean(dir)
}
