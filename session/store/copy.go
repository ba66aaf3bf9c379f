package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"tau/ai/openjson"
)

// ErrUnsaved is returned when a conversation that is not on disk is to be
// forked.
var ErrUnsaved = errors.New("the session has not been saved yet: there is nothing to fork")

// CopyPath writes the path to the entry id ("" is the leaf) into a new session
// file at path, with the header h, and opens it. Entries keep their ids;
// labels of the path's entries follow at the end, with ids of their own. If
// there is no message on the path, nothing is on disk until there is one.
func (s *Store) CopyPath(path string, h Header, id string) (*Store, error) {
	if id != "" {
		if _, err := s.Entry(id); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.copyLocked(path, h, s.pathLocked(id))
}

func (s *Store) copyLocked(path string, h Header, from []int32) (*Store, error) {
	n := Create(path, h)
	write := func(w io.Writer) error { return s.writePathLocked(w, n.header, from) }
	for _, i := range from {
		if r := s.nodes[i].role; r == roleUser || r == roleAssistant {
			if err := writeNew(path, write); err != nil {
				return nil, fmt.Errorf("copy session: %w", err)
			}
			return Open(path)
		}
	}
	// Settings only: they wait in memory.
	for _, i := range from {
		e, err := s.entryLocked(i)
		if err != nil {
			return nil, fmt.Errorf("copy session: %w", err)
		}
		if _, isLabel := e.(*LabelEntry); isLabel {
			continue
		}
		line, err := encodeEntry(e)
		if err != nil {
			return nil, fmt.Errorf("copy session: %w", err)
		}
		c, err := decodeEntry(line)
		if err != nil {
			return nil, fmt.Errorf("copy session: %w", err)
		}
		if _, err := n.Append(c); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// writePathLocked writes a session file of the header and the entries.
func (s *Store) writePathLocked(w io.Writer, h Header, from []int32) error {
	head, err := openjson.Marshal(h, h.Rest)
	if err != nil {
		return fmt.Errorf("encode session header: %w", err)
	}
	if _, err := w.Write(append(head, '\n')); err != nil {
		return err
	}
	parent := ""
	on := make(map[string]int32, len(from))
	for _, i := range from {
		n := s.nodes[i]
		if n.typ == "label" {
			continue
		}
		line, err := s.lineLocked(i)
		if err != nil {
			return err
		}
		was := ""
		if n.parent != noParent {
			was = s.nodes[n.parent].id
		}
		if was != parent || (was == "" && !bytes.Contains(line[:min(len(line), 200)], []byte(`"parentId":null`))) {
			if line, err = withParent(line, parent); err != nil {
				continue // a line that is no JSON cannot be carried over
			}
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
		parent = n.id
		on[n.id] = i
	}
	for _, i := range from {
		label := s.labels[s.nodes[i].id]
		if label == "" || s.nodes[i].typ == "label" {
			continue
		}
		e := &LabelEntry{TargetID: s.nodes[i].id, Label: label}
		e.Type, e.ID, e.Timestamp = e.entryType(), newEntryID(on), stamp(time.Now())
		p := parent
		e.ParentID = &p
		line, err := encodeEntry(e)
		if err != nil {
			return fmt.Errorf("encode session entry: %w", err)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
		parent = e.ID
		on[e.ID] = 0
	}
	return nil
}

// withParent returns the entry's line with another parent; everything else
// stays.
func withParent(line []byte, parent string) ([]byte, error) {
	var b Base
	rest, err := openjson.Unmarshal(line, &b)
	if err != nil {
		return nil, err
	}
	b.ParentID = nil
	if parent != "" {
		b.ParentID = &parent
	}
	return openjson.Marshal(b, rest)
}

// lineLocked returns the line of entry i, without the newline.
func (s *Store) lineLocked(i int32) ([]byte, error) {
	n := s.nodes[i]
	if n.off == unsaved {
		return encodeEntry(s.cache.get(i))
	}
	line := make([]byte, n.size, n.size+1)
	f := s.readerLocked()
	if f == nil {
		return nil, fmt.Errorf("read entry %s: the session is closed", n.id)
	}
	if _, err := f.ReadAt(line, n.off); err != nil {
		return nil, fmt.Errorf("read entry %s: %w", n.id, err)
	}
	return line, nil
}

// CopyFile copies a whole session file, all branches included, to a new file
// with the header h. ID, Timestamp and Version of h are filled in.
func CopyFile(from, to string, h Header) error {
	src, err := Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	src.mu.Lock()
	defer src.mu.Unlock()
	old := src.rewrite
	h = Create(to, h).header
	err = writeNew(to, func(w io.Writer) error {
		if old {
			return src.writeAllLocked(w, h)
		}
		head, err := openjson.Marshal(h, h.Rest)
		if err != nil {
			return fmt.Errorf("encode session header: %w", err)
		}
		if _, err := w.Write(append(head, '\n')); err != nil {
			return err
		}
		return copyBody(w, from)
	})
	if err != nil {
		return fmt.Errorf("copy session %s: %w", from, err)
	}
	return nil
}

// writeAllLocked writes the entries as they are in the tree.
func (s *Store) writeAllLocked(w io.Writer, h Header) error {
	head, err := openjson.Marshal(h, h.Rest)
	if err != nil {
		return fmt.Errorf("encode session header: %w", err)
	}
	if _, err := w.Write(append(head, '\n')); err != nil {
		return err
	}
	for i := range s.nodes {
		line, err := s.lineLocked(int32(i))
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// copyBody copies everything after the first line, and ends it in a newline.
func copyBody(w io.Writer, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		_, err := r.ReadSlice('\n')
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) {
				return nil // a header and nothing else
			}
			return err
		}
	}
	t := &lastByte{w: w}
	if _, err := io.Copy(t, r); err != nil {
		return err
	}
	if t.any && t.last != '\n' {
		_, err = w.Write([]byte{'\n'})
	}
	return err
}

// lastByte remembers the last byte that went through.
type lastByte struct {
	w    io.Writer
	last byte
	any  bool
}

func (t *lastByte) Write(p []byte) (int, error) {
	if len(p) > 0 {
		t.last, t.any = p[len(p)-1], true
	}
	return t.w.Write(p)
}

// writeNew writes a file that must not exist yet. It appears whole, or not at
// all.
func writeNew(path string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w", path, os.ErrExist)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	b := bufio.NewWriterSize(f, 1<<20)
	err = write(b)
	err = errors.Join(err, b.Flush())
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Export writes the path to the entry id ("" is the leaf) as a session file of
// its own to w.
func (s *Store) Export(w io.Writer, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.pathLocked(id)
	if id != "" && path == nil {
		return fmt.Errorf("no entry %s in this session", id)
	}
	if err := s.writePathLocked(w, s.header, path); err != nil {
		return fmt.Errorf("export session: %w", err)
	}
	return nil
}
