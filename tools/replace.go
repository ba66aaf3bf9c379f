package tools

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile writes a whole file as one step: whoever reads it sees the old or
// the new content. A link stays a link, the mode and the owner stay.
//
// Where the folder does not let a new file take the place of the old one, or
// the file has other hard links, it is written in place, and put back as it was
// if that fails.
func replaceFile(ops Operations, path string, data []byte) error {
	target, err := ops.RealPath(path)
	if errors.Is(err, fs.ErrNotExist) {
		target = resolveDangling(ops, path)
	} else if err != nil {
		return err
	}
	st, err := ops.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		st = nil
	case err != nil:
		return err
	case st.IsDir():
		return errors.New("it is a directory")
	case !st.Mode().IsRegular():
		return fmt.Errorf("it is not a regular file (%s)", kind(st.Mode()))
	case st.Mode().Perm()&0o222 == 0:
		return errors.New("it is read-only")
	}
	if st != nil && links(st) > 1 {
		return writeInPlace(ops, target, data)
	}
	tmp, err := ops.CreateTemp(filepath.Dir(target), ".tau-*")
	if err != nil {
		if st != nil {
			return writeInPlace(ops, target, data)
		}
		return err
	}
	defer ops.Remove(tmp.Name())
	mode := os.FileMode(0o644) &^ umask()
	if st != nil {
		mode = st.Mode().Perm() | st.Mode()&(os.ModeSetuid|os.ModeSetgid|os.ModeSticky)
		keepOwner(tmp, st)
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	return ops.Rename(tmp.Name(), target)
}

// writeInPlace overwrites a file. What lies behind the old end is written
// first, since only that can want for room; what is overwritten is kept to be
// put back.
func writeInPlace(ops Operations, path string, data []byte) error {
	f, err := ops.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	was := st.Size()
	old := make([]byte, min(was, int64(len(data))))
	if _, err := f.ReadAt(old, 0); err != nil && err != io.EOF {
		return err
	}
	if int64(len(data)) > was {
		if _, err := f.WriteAt(data[was:], was); err != nil {
			return errors.Join(err, f.Truncate(was))
		}
	}
	_, err = f.WriteAt(data[:len(old)], 0)
	if err == nil {
		err = f.Sync()
	}
	if err == nil && int64(len(data)) < was {
		err = f.Truncate(int64(len(data)))
	}
	if err != nil {
		if _, again := f.WriteAt(old, 0); again != nil {
			return fmt.Errorf("%w; the file could not be put back as it was: %w", err, again)
		}
		if int64(len(data)) > was {
			err = errors.Join(err, f.Truncate(was))
		}
	}
	return err
}

// resolveDangling follows a link whose target does not exist yet.
func resolveDangling(ops Operations, path string) string {
	for range 40 {
		target, err := ops.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return path
}

// kind names what is not a regular file.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m&fs.ModeSymlink != 0:
		return "a link"
	}
	return "not a regular file"
}

// cause is the reason in an error of the file system, without the path.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		err = le.Err
	}
	return err.Error()
}
