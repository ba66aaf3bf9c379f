package credentials

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/gofrs/flock"

	"tau/ai/openjson"
)

// lockLimit is how long a change waits for another process, which may be asking
// a provider for a token.
const lockLimit = tokenLimit + 10*time.Second

// Entry is what auth.json has for a provider. Type is "api_key" or "oauth".
type Entry struct {
	Type    string            `json:"type"`
	Key     string            `json:"key,omitempty"` // may be a reference or a command
	Env     map[string]string `json:"env,omitempty"`
	Access  string            `json:"access,omitempty"` // of a sign-in
	Refresh string            `json:"refresh,omitempty"`
	Expires int64             `json:"expires,omitempty"` // Unix milliseconds
	Rest    openjson.Fields   `json:"-"`
}

// UnmarshalJSON reads the entry and keeps unknown members.
func (e *Entry) UnmarshalJSON(data []byte) (err error) {
	type plain Entry
	e.Rest, err = openjson.Unmarshal(data, (*plain)(e))
	return err
}

// MarshalJSON writes the entry with the members it was read with.
func (e Entry) MarshalJSON() ([]byte, error) {
	type plain Entry
	return openjson.Marshal(plain(e), e.Rest)
}

// Store is the file auth.json.
type Store struct{ path string }

// NewStore returns the store in the file at path, which need not exist.
func NewStore(path string) *Store { return &Store{path: path} }

// Get returns the entry of a provider.
func (s *Store) Get(provider string) (Entry, bool, error) {
	all, err := s.read()
	if err != nil {
		return Entry{}, false, err
	}
	raw, ok := all[provider]
	if !ok || string(raw) == "null" {
		return Entry{}, false, nil
	}
	var e Entry
	if err := json.Unmarshal(raw, &e); err != nil {
		// The decoder's words may quote the value.
		return Entry{}, false, fmt.Errorf("%s: the entry of provider %q has a wrong form", s.path, provider)
	}
	return e, true, nil
}

// Providers returns the providers that have an entry, in order of name.
func (s *Store) Providers() ([]string, error) {
	all, err := s.read()
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	return names, nil
}

// Set writes the entry of a provider and leaves all others as they are.
func (s *Store) Set(ctx context.Context, provider string, e Entry) error {
	return s.change(ctx, func(all openjson.Fields) error {
		raw, err := openjson.Encode(e)
		all[provider] = raw
		return err
	})
}

// Update replaces the entry of a provider by what edit makes of it, an empty
// one if there is none. The file stays locked meanwhile. An error of edit is
// returned as it is and leaves the file unchanged.
func (s *Store) Update(ctx context.Context, provider string, edit func(Entry) (Entry, error)) error {
	var editErr error
	err := s.change(ctx, func(all openjson.Fields) error {
		var e Entry
		if raw, ok := all[provider]; ok && string(raw) != "null" {
			if json.Unmarshal(raw, &e) != nil {
				return fmt.Errorf("the entry of provider %q has a wrong form", provider)
			}
		}
		changed, err := edit(e)
		if err != nil {
			editErr = err
			return err
		}
		raw, err := openjson.Encode(changed)
		all[provider] = raw
		return err
	})
	if editErr != nil {
		return editErr
	}
	return err
}

// Delete removes the entry of a provider, if there is one.
func (s *Store) Delete(ctx context.Context, provider string) error {
	return s.change(ctx, func(all openjson.Fields) error {
		delete(all, provider)
		return nil
	})
}

func (s *Store) read() (openjson.Fields, error) {
	data, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return openjson.Fields{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read credentials: %w", err)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	all := openjson.Fields{}
	if len(bytes.TrimSpace(data)) == 0 {
		return all, nil
	}
	if err := json.Unmarshal(data, &all); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			before := data[:min(int(syntax.Offset), len(data))]
			return nil, fmt.Errorf("%s:%d: not valid JSON", s.path, 1+bytes.Count(before, []byte("\n")))
		}
		return nil, fmt.Errorf("%s: must be a JSON object of providers", s.path)
	}
	if all == nil {
		all = openjson.Fields{}
	}
	return all, nil
}

// change rewrites the file under the lock. A file that cannot be read is not
// replaced.
func (s *Store) change(ctx context.Context, edit func(openjson.Fields) error) error {
	path := s.path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // keep the link of people who keep their files elsewhere
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write credentials: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, lockLimit)
	defer cancel()
	lock := flock.New(path+".flock", flock.SetPermissions(0o600))
	if ok, err := lock.TryLockContext(limited, 20*time.Millisecond); err != nil || !ok {
		return fmt.Errorf("write credentials: another process holds the lock %s.flock: %w", path, err)
	}
	defer lock.Unlock()
	all, err := s.read()
	if err != nil {
		return err
	}
	if err := edit(all); err != nil {
		return fmt.Errorf("write credentials: %w", err)
	}
	compact, err := openjson.Marshal(struct{}{}, all)
	if err != nil {
		return errors.New("write credentials: an entry cannot be written as JSON")
	}
	var text bytes.Buffer
	if err := json.Indent(&text, compact, "", "  "); err != nil {
		return errors.New("write credentials: an entry cannot be written as JSON")
	}
	text.WriteByte('\n')
	if err := replace(path, text.Bytes()); err != nil {
		return fmt.Errorf("write credentials: %w", err)
	}
	return nil
}

// replace writes a file in one step, readable by its owner only.
func replace(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".auth-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
