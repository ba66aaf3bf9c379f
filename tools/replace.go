package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile writes a whole file as one step: whoever reads it sees the old or
// the new content. A link stays a link, the mode and the owner stay.
//
// Where the folder does not let a new file take the place of the old one, or
// the file has other hard links, it is written in place.
func replaceFile(path string, data []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		target = resolveDangling(path)
	} else if err != nil {
		return err
	}
	st, err := os.Stat(target)
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
		return writeInPlace(target, data)
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), ".tau-*")
	if err != nil {
		if st != nil {
			return writeInPlace(target, data)
		}
		return err
	}
	defer os.Remove(tmp.Name())
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
	return os.Rename(tmp.Name(), target)
}

func writeInPlace(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil {
		err = f.Truncate(int64(len(data)))
	}
	return errors.Join(err, f.Close())
}

// resolveDangling follows a link whose target does not exist yet.
func resolveDangling(path string) string {
	for range 40 {
		target, err := os.Readlink(path)
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
