package session

import (
	"fmt"
	"time"

	"tau/ai"
	"tau/session/library"
	"tau/session/message"
	"tau/session/store"
)

// Fork makes a new session of the path to before the entry id, which is a
// message of the user, and returns its store with the content of the message,
// for the editor. The new session names this one as its parent. It is on disk
// only if it has a message.
//
// Both sessions can be used; the caller closes the one it has no use for. A
// session that was never saved cannot be forked: [store.ErrUnsaved].
func (s *Session) Fork(lib library.Library, id string) (*store.Store, []ai.Block, error) {
	e, err := s.store.Entry(id)
	if err != nil {
		return nil, nil, err
	}
	content, ok := promptOf(e)
	if !ok {
		return nil, nil, fmt.Errorf("cannot fork before entry %s: it is not a message of the user", id)
	}
	parent := s.store.Parent(id)
	st, err := s.copyTo(lib, parent, parent == "")
	return st, content, err
}

// Clone makes a new session of the path to the leaf, leaf included.
func (s *Session) Clone(lib library.Library) (*store.Store, error) {
	return s.copyTo(lib, "", s.store.Leaf() == "")
}

// CloneAt makes a new session of the path to the entry id, that included.
func (s *Session) CloneAt(lib library.Library, id string) (*store.Store, error) {
	if _, err := s.store.Entry(id); err != nil {
		return nil, err
	}
	return s.copyTo(lib, id, false)
}

func (s *Session) copyTo(lib library.Library, leaf string, empty bool) (*store.Store, error) {
	if !s.store.Saved() {
		return nil, store.ErrUnsaved
	}
	h := store.Header{ID: store.NewSessionID(), CWD: s.opts.CWD, ParentSession: s.store.Path()}
	path := lib.NewPath(s.opts.CWD, h.ID, time.Now())
	if empty {
		return store.Create(path, h), nil
	}
	st, err := s.store.CopyPath(path, h, leaf)
	if err != nil {
		return nil, fmt.Errorf("fork session: %w", err)
	}
	return st, nil
}

// promptOf returns the content of an entry that somebody else than the model
// said, which is what going back to it puts into the editor.
func promptOf(e store.Entry) ([]ai.Block, bool) {
	switch e := e.(type) {
	case *store.MessageEntry:
		if m, ok := e.Message.(*ai.UserMessage); ok {
			return m.Content, true
		}
	case *store.CustomMessageEntry:
		return (&message.Custom{Content: e.Content}).Blocks(), true
	}
	return nil, false
}
