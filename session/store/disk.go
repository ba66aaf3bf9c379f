package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// disk is what a store does with the file it writes to; tests put a failing
// one in its place.
type disk interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Stat() (os.FileInfo, error)
	Sync() error // of the data
	Close() error
}

// diskFile is the disk of a real file.
type diskFile struct{ *os.File }

func (f diskFile) Sync() error { return datasync(f.File) }

// openDisk opens a file for reading and writing.
func (s *Store) openDisk(path string, flags int) (disk, error) {
	f, err := os.OpenFile(path, os.O_RDWR|flags, 0o600)
	if err != nil {
		return nil, err
	}
	if s.wrap != nil {
		return s.wrap(f), nil
	}
	return diskFile{f}, nil
}

// createLocked makes the session's file with its first block. The file appears
// whole: a program that is killed meanwhile leaves no half of a header behind.
// A file of an older version stays beside it under another name.
func (s *Store) createLocked(block []byte) (err error) {
	if st, err := os.Stat(s.path); err == nil && st.Size() > 0 && !s.rewrite {
		return s.changed()
	}
	tmp := filepath.Join(filepath.Dir(s.path), "."+filepath.Base(s.path)+".new")
	f, err := s.openDisk(tmp, os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return fmt.Errorf("create session: %w", err)
	}
	_, err = f.WriteAt(block, 0)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("write session: %w", err)
	}
	if s.rewrite {
		if err := os.Link(s.path, s.path+".v1.bak"); err != nil && !errors.Is(err, os.ErrExist) {
			// No links here: for a moment there is only the copy.
			if err := os.Rename(s.path, s.path+".v1.bak"); err != nil {
				_ = os.Remove(tmp)
				return fmt.Errorf("migrate session: %w", err)
			}
		}
	}
	if s.in != nil { // Windows does not replace an open file
		_ = s.in.Close()
		s.in = nil
	}
	if err := os.Rename(tmp, s.path); err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("create session: %w", err)
	}
	if s.wrap == nil {
		syncDir(filepath.Dir(s.path))
	}
	f, err = s.openDisk(s.path, 0)
	if err != nil {
		// The block is on disk all the same.
		s.end, s.rewrite = int64(len(block)), false
		return nil
	}
	s.file, s.rewrite = f, false
	return nil
}

func (s *Store) changed() error {
	return fmt.Errorf("session %s has changed on disk since it was read; open it again", s.path)
}
