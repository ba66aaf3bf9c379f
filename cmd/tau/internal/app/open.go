package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tau/session"
	"tau/session/library"
	"tau/session/store"
)

// Start opens the conversation that the options ask for and returns a session
// with its model. notes are for the user.
func (a *App) Start() (s *session.Session, notes []string, err error) {
	defer CollectLater()()
	s, notes, err = a.opened(a.open())
	if err == nil && a.Options.Name != "" {
		s.SetName(a.Options.Name)
	}
	return s, notes, err
}

// Fresh begins a new conversation with the model and level of the old one.
func (a *App) Fresh(old *session.Session) (*session.Session, error) {
	return a.Child(old, "")
}

// Child is Fresh for a conversation that came out of the one in the file parent,
// if that is not empty.
func (a *App) Child(old *session.Session, parent string) (*session.Session, error) {
	return a.build(a.create("", parent), old.Model(), old.Thinking()), nil
}

// Open opens the session in a file, with the model it had.
func (a *App) Open(path string) (*session.Session, []string, error) {
	return a.opened(a.load(library.Ref{Path: path}))
}

// OpenFork opens a copy of the session in a file; it belongs to the folder of
// this run.
func (a *App) OpenFork(path string) (*session.Session, []string, error) {
	return a.opened(a.fork(library.Ref{Path: path}))
}

// opened makes a session of a store that was just opened, or closes it.
func (a *App) opened(st *store.Store, notes []string, err error) (*session.Session, []string, error) {
	if err != nil {
		return nil, nil, err
	}
	s, more, err := a.session(st)
	if err != nil {
		_ = st.Close()
		return nil, nil, err
	}
	return s, append(notes, more...), nil
}

// Import copies a session file into the library.
func (a *App) Import(name string) (library.Ref, error) {
	path := expandHome(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.CWD, path)
	}
	return a.Library.Import(path)
}

// Adopt makes a session of a store, with the model and level of another.
func (a *App) Adopt(st *store.Store, like *session.Session) *session.Session {
	return a.build(st, like.Model(), like.Thinking())
}

func (a *App) create(id, parent string) *store.Store {
	h := store.Header{CWD: a.CWD, ID: id, ParentSession: parent}
	if h.ID == "" {
		h.ID = store.NewSessionID()
	}
	if a.Options.NoSession {
		return store.Create("", h)
	}
	return store.Create(a.Library.NewPath(a.CWD, h.ID, time.Now()), h)
}

func (a *App) open() (*store.Store, []string, error) {
	o := a.Options
	var ref library.Ref
	var err error
	switch {
	case o.NoSession:
		return a.create("", ""), nil, nil
	case o.Continue:
		if ref, err = a.Library.Recent(a.CWD); errors.Is(err, library.ErrNone) {
			return a.create("", ""), []string{"There is no session in this folder yet; this is a new one."}, nil
		}
	case o.SessionID != "":
		if !library.ValidID(o.SessionID) {
			return nil, nil, fmt.Errorf("--session-id %q: an id has letters, digits, dots, dashes and underscores, and begins and ends with a letter or digit", o.SessionID)
		}
		if ref, err = a.Library.Find(a.CWD, o.SessionID); err != nil || ref.ID != o.SessionID {
			return a.create(o.SessionID, ""), nil, nil
		}
	case o.Session != "":
		ref, err = a.Find(o.Session)
	case o.Fork != "":
		if ref, err = a.Find(o.Fork); err == nil {
			return a.fork(ref)
		}
	default:
		return a.create("", ""), nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return a.load(ref)
}

// Find returns the session that a path, an id or the beginning of one names.
func (a *App) Find(name string) (library.Ref, error) {
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".jsonl") {
		return library.Ref{Path: expandHome(name)}, nil
	}
	return a.Library.Find(a.CWD, name)
}

// ErrFolderGone is returned for a session whose working folder does not exist.
var ErrFolderGone = errors.New("the folder of this session is gone")

func (a *App) load(ref library.Ref) (*store.Store, []string, error) {
	st, err := store.Open(ref.Path)
	if err != nil {
		return nil, nil, err
	}
	if err := st.Acquire(); err != nil {
		_ = st.Close()
		if !errors.Is(err, store.ErrLocked) {
			return nil, nil, err
		}
		if a.ask(fmt.Sprintf("The session is open in another process.\n%v\nFork it, that is, go on in a copy?", err), "fork", "cancel") == "fork" {
			return a.fork(ref)
		}
		return nil, nil, fmt.Errorf("%w\nTo go on in a copy: tau --fork %s", err, ref.Path)
	}
	notes := st.Problems()
	cwd := st.Header().CWD
	if cwd == "" || library.RealCWD(cwd) == a.CWD {
		return st, notes, nil
	}
	if info, err := os.Stat(cwd); err == nil && info.IsDir() {
		a.move(library.RealCWD(cwd))
		return st, append(notes, "This session works in "+cwd+"."), nil
	}
	switch a.ask(fmt.Sprintf("The folder of this session, %s, is gone.\nGo on in %s, or in a copy (fork) that belongs here?", cwd, a.CWD), "continue", "fork", "cancel") {
	case "continue":
		return st, append(notes, fmt.Sprintf("The folder of this session, %s, is gone; it goes on in %s.", cwd, a.CWD)), nil
	case "fork":
		_ = st.Close()
		return a.fork(ref)
	}
	_ = st.Close()
	return nil, nil, fmt.Errorf("%w: %s\nTo go on in a copy that belongs here: tau --fork %s", ErrFolderGone, cwd, ref.Path)
}

// fork opens a copy of a session, which belongs to the folder of this run.
func (a *App) fork(ref library.Ref) (*store.Store, []string, error) {
	copied, err := a.Library.Fork(ref.Path, a.CWD)
	if err != nil {
		return nil, nil, err
	}
	st, notes, err := a.load(copied)
	return st, append(notes, "This is a fork of "+ref.Path+"."), err
}

// ask puts a question to the user, if there is somebody to ask.
func (a *App) ask(question string, choices ...string) string {
	if a.Ask == nil {
		return ""
	}
	return a.Ask(question, choices)
}
