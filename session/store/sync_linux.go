package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync flushes the file's data and the size, but not its times.
func datasync(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }

// syncDir makes the names in a folder durable. Some file systems cannot; the
// file itself is safe all the same.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
