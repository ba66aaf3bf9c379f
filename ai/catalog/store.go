package catalog

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"tau/ai"
)

// storeHead is the first line of models-store.jsonl, which holds the built-in
// models as [Refresh] has brought them up to date. The other lines are models,
// in runs of one provider that the head points at, so that a lookup reads what
// it needs and no more.
type storeHead struct {
	Version   int            `json:"version"`
	Base      string         `json:"base"` // the built-in data that it was made from
	Source    string         `json:"source"`
	ETag      string         `json:"etag,omitempty"`
	Fetched   time.Time      `json:"fetched"`
	Providers []storeSection `json:"providers"`
}

type storeSection struct {
	Provider string `json:"provider"`
	Offset   int64  `json:"offset"` // from the end of the first line
	Length   int64  `json:"length"`
}

const storeVersion = 1

// maxStore bounds what is read of a file that somebody else may have written.
const maxStore = 64 << 20

// packedBase names the built-in data. A store that was made from other data is
// older or newer than the program; either way the program's own goes first.
var packedBase = sync.OnceValue(func() string {
	sum := sha256.Sum256([]byte(packedData))
	return hex.EncodeToString(sum[:8])
})

// readHead reads the first line of a store.
func readHead(path string) (h storeHead, body int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return h, 0, err
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, 1<<20)).ReadBytes('\n')
	if err != nil {
		return h, 0, fmt.Errorf("%s: its first line is not whole", path)
	}
	if err := json.Unmarshal(line, &h); err != nil || h.Version != storeVersion {
		return h, 0, fmt.Errorf("%s: not a store of models of this version", path)
	}
	return h, int64(len(line)), nil
}

// openStore is a store of which the head has been read.
type openStore struct {
	path string
	head storeHead
	body int64
	err  error // why there is one that cannot be used
}

// findStore reads the head of the store at path. A store that is not there, or
// that was made for another version of the program, is empty.
func findStore(path string) *openStore {
	s := &openStore{path: path}
	if path == "" {
		return s
	}
	h, body, err := readHead(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		s.err = err
	case h.Base == packedBase():
		s.head, s.body = h, body
	}
	return s
}

// models returns the models of a provider; ok is false if the store has none,
// or cannot be used.
func (s *openStore) models(provider string) (models []*ai.Model, ok bool) {
	for _, at := range s.head.Providers {
		if at.Provider != provider {
			continue
		}
		models, err := s.read(at)
		if err != nil {
			s.err = fmt.Errorf("%s: %w; tau models refresh writes it anew", s.path, err)
		}
		return models, err == nil
	}
	return nil, false
}

func (s *openStore) read(at storeSection) ([]*ai.Model, error) {
	if at.Offset < 0 || at.Length <= 0 || at.Length > maxStore {
		return nil, errors.New("its index is damaged")
	}
	f, err := os.Open(s.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := make([]byte, at.Length)
	if _, err := f.ReadAt(text, s.body+at.Offset); err != nil {
		return nil, errors.New("it is cut short")
	}
	var models []*ai.Model
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		type plain ai.Model // our own data has no unknown members to keep
		m := &ai.Model{}
		if json.Unmarshal(line, (*plain)(m)) != nil || m.Provider != at.Provider || m.ID == "" || m.API == "" {
			return nil, fmt.Errorf("it has a line that is no model of %s", at.Provider)
		}
		models = append(models, m)
	}
	return models, nil
}

// writeStore replaces the store in one step. lines are models in runs of one
// provider.
func writeStore(path string, h storeHead, lines []byte) (err error) {
	h.Version, h.Base, h.Providers = storeVersion, packedBase(), nil
	offset := int64(0)
	for line := range bytes.Lines(lines) {
		var m struct{ Provider string }
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		if n := len(h.Providers); n == 0 || h.Providers[n-1].Provider != m.Provider {
			h.Providers = append(h.Providers, storeSection{Provider: m.Provider, Offset: offset})
		}
		h.Providers[len(h.Providers)-1].Length += int64(len(line))
		offset += int64(len(line))
	}
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".models-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(append(append(head, '\n'), lines...)); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
