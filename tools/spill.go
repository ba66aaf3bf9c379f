package tools

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// spill is the log file of a command, readable only by its owner.
type spill struct {
	path string
	f    io.WriteCloser
}

func newSpill() (*spill, error) {
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	path := filepath.Join(os.TempDir(), "tau-bash-"+hex.EncodeToString(id[:])+".log")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create log: %w", err)
	}
	return &spill{path, f}, nil
}

func (s *spill) Write(p []byte) (int, error) { return s.f.Write(p) }

func (s *spill) Close() error { return s.f.Close() }

func (s *spill) remove() { _ = os.Remove(s.path) }
