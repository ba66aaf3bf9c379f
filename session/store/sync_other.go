//go:build !linux

package store

import "os"

func datasync(f *os.File) error { return f.Sync() }

func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
