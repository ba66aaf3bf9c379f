//go:build unix

package js

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// access is access(2): mode is 4 to read, 2 to write, 1 to execute, 0 to exist.
func access(path string, mode uint32) error {
	if err := unix.Access(path, mode&7); err != nil {
		return &fs.PathError{Op: "access", Path: path, Err: err}
	}
	return nil
}
