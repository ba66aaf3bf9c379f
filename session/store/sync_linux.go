package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync flushes the file's data and the size, but not its times.
func datasync(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
