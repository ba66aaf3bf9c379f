package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"tau/ai/openjson"
)

// Append adds e as a child of the leaf, makes it the leaf, and writes it. It
// fills in the entry's type, id, parent and time; e must not be changed
// afterwards.
//
// An error means that the entry is not on disk. It is in the conversation all
// the same, and is written together with the next one that can be.
func (s *Store) Append(e Entry) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := e.base()
	b.Type = e.entryType()
	if b.ID == "" {
		b.ID = newEntryID(s.byID)
	}
	if b.Timestamp == "" {
		b.Timestamp = stamp(time.Now())
	}
	b.ParentID = nil
	if s.leaf != noParent {
		parent := s.nodes[s.leaf].id
		b.ParentID = &parent
	}
	line, err := encodeEntry(e)
	if err != nil {
		return "", fmt.Errorf("encode session entry: %w", err)
	}
	i := int32(len(s.nodes))
	s.nodes = append(s.nodes, node{id: b.ID, typ: b.Type, parent: s.leaf, off: unsaved, role: roleOf(e)})
	s.byID[b.ID] = i
	s.leaf = i
	s.cache.put(i, e, len(line), true)
	s.waiting = append(s.waiting, i)
	s.noteLocked(e)
	return b.ID, s.flushLocked()
}

// NewID returns an id for an entry that has to know its own. Set it as the ID
// of the entry's Base before Append.
func (s *Store) NewID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return newEntryID(s.byID)
}

// Discard forgets entries that could not be written, for a caller that is told
// so and gives up.
func (s *Store) Discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting, s.failure = nil, nil
}

// Flush tries again to write entries that could not be written.
func (s *Store) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flushLocked()
}

// Acquire takes the lock on an existing file now instead of at the first write,
// so that a second program learns at once that it cannot write.
func (s *Store) Acquire() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path == "" || s.end == 0 || s.rewrite {
		return nil
	}
	return s.openLocked()
}

// Unsaved returns how many entries should be on disk and are not, and why.
func (s *Store) Unsaved() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		return 0, nil
	}
	return len(s.waiting), s.failure
}

// Sync makes the conversation durable. Entries that could not be written are
// tried again.
func (s *Store) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.flushLocked(); err != nil {
		return err
	}
	if !s.dirty || s.file == nil {
		return nil
	}
	if err := s.file.Sync(); err != nil {
		return fmt.Errorf("sync session: %w", err)
	}
	s.dirty = false
	return nil
}

// Close writes what is pending, makes it durable and gives the lock up.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.flushLocked()
	s.saveIndexLocked()
	if s.file != nil {
		if s.dirty {
			err = errors.Join(err, s.file.Sync())
			s.dirty = false
		}
		err = errors.Join(err, s.file.Close())
		s.file = nil
	}
	if s.in != nil {
		err = errors.Join(err, s.in.Close())
		s.in = nil
	}
	if s.lock != nil {
		s.lock.release()
		s.lock = nil
	}
	return err
}

// flushLocked writes the waiting entries with one write.
func (s *Store) flushLocked() (err error) {
	if s.path == "" || !s.begun || len(s.waiting) == 0 {
		return nil
	}
	defer func() { s.failure = err }()
	if err := s.openLocked(); err != nil {
		return err
	}
	var block []byte
	fresh, last := s.end == 0 || s.rewrite, s.end
	if fresh {
		last = 0
		h, err := openjson.Marshal(s.header, s.header.Rest)
		if err != nil {
			return fmt.Errorf("encode session header: %w", err)
		}
		block = append(h, '\n')
	} else if s.newline {
		block = append(block, '\n')
	}
	type placed struct {
		i    int32
		off  int64
		size int32
	}
	var places []placed
	for _, i := range s.waiting {
		line, err := encodeEntry(s.cache.get(i))
		if err != nil {
			return fmt.Errorf("encode session entry: %w", err)
		}
		places = append(places, placed{i, last + int64(len(block)), int32(len(line))})
		block = append(append(block, line...), '\n')
	}
	if fresh {
		if err := s.createLocked(block); err != nil {
			return err
		}
	} else if n, err := s.file.WriteAt(block, s.end); err != nil {
		// A part of the block may be on disk. It is cut off again, so that the next
		// try does not write it twice; if even that fails it is a broken line.
		if n > 0 && s.file.Truncate(s.end) != nil {
			s.end += int64(n)
			s.newline = true
		}
		return fmt.Errorf("write session: %w", err)
	}
	s.end = last + int64(len(block))
	s.newline, s.dirty = false, !fresh // a new file is synced already
	for _, p := range places {
		s.nodes[p.i].off, s.nodes[p.i].size = p.off, p.size
		s.cache.unpin(p.i)
	}
	s.waiting = s.waiting[:0]
	return nil
}

// openLocked takes the lock and opens the file for writing.
func (s *Store) openLocked() error {
	if s.file != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("create session folder: %w", err)
	}
	if s.lock == nil {
		lock, err := acquire(s.path)
		if err != nil {
			return err
		}
		s.lock = lock
	}
	if s.end == 0 || s.rewrite {
		return nil // there is no file yet: the flush makes it
	}
	f, err := s.openDisk(s.path, 0)
	if err != nil {
		return fmt.Errorf("open session for writing: %w", err)
	}
	st, err := f.Stat()
	if err == nil && st.Size() != s.end {
		err = s.changed()
	}
	if err != nil {
		// Nothing will be written any more, so that others may.
		s.lock.release()
		s.lock = nil
		return errors.Join(err, f.Close())
	}
	s.file = f
	return nil
}

// newEntryID returns 8 hex digits that are not taken yet.
func newEntryID(taken map[string]int32) string {
	for range 100 {
		id := uuid.NewString()[:8]
		if _, ok := taken[id]; !ok {
			return id
		}
	}
	return uuid.NewString()
}
