package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/tailscale/hujson"

	"tau/ai/openjson"
)

// Set writes one field of the file at path; field is a JSON pointer such as
// "/theme" or "/retry/maxRetries". All other keys and the comments stay, also
// what others wrote since the file was read; white space is tidied. A file that
// cannot be parsed is not touched.
func Set(path, field string, value any) error {
	return edit(path, func(doc *hujson.Value) error {
		patch, err := setPatch(doc, field, value)
		if err != nil {
			return err
		}
		if err := doc.Patch(patch); err != nil {
			return fmt.Errorf("%s: %w", field, err)
		}
		return nil
	})
}

// Remove takes a field out of the file, as Set puts one in. It reports whether
// it was there.
func Remove(path, field string) (was bool, err error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	err = edit(path, func(doc *hujson.Value) error {
		if was = doc.Find(field) != nil; !was {
			return nil
		}
		patch, err := json.Marshal([]map[string]string{{"op": "remove", "path": field}})
		if err != nil {
			return err
		}
		return doc.Patch(patch)
	})
	return was, err
}

// Op is one change of a file, as RFC 6902 has them: add, replace or remove.
type Op struct {
	Op    string `json:"op"`
	Path  string `json:"path"` // a JSON pointer
	Value any    `json:"value,omitempty"`
}

// Change makes changes that depend on what is in the file, which nobody else
// changes meanwhile. plan gets the file as plain JSON; without changes the file
// stays as it is.
func Change(path string, plan func(doc []byte) ([]Op, error)) error {
	return edit(path, func(doc *hujson.Value) error {
		plain := doc.Clone()
		plain.Standardize()
		ops, err := plan(plain.Pack())
		if err != nil || len(ops) == 0 {
			return err
		}
		patch, err := openjson.Encode(ops)
		if err != nil {
			return err
		}
		return doc.Patch(patch)
	})
}

// Pointer is the JSON pointer of a field; its parts are names as they are.
func Pointer(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(p))
	}
	return b.String()
}

// edit changes a file under its lock, in one step.
func edit(path string, change func(doc *hujson.Value) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	lock := flock.New(path + ".lock")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if ok, err := lock.TryLockContext(ctx, 20*time.Millisecond); !ok {
		return fmt.Errorf("write settings: %s is locked by another process: %w", path, err)
	}
	defer func() { _ = lock.Close() }()
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(strings.TrimSpace(string(b))) == 0 {
		b = []byte("{\n}\n")
	} else if err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	doc, err := hujson.Parse([]byte(strings.TrimPrefix(string(b), "\ufeff")))
	if err != nil {
		return fmt.Errorf("write settings: %s is not valid and was left alone: %w", path, err)
	}
	if _, ok := doc.Value.(*hujson.Object); !ok {
		return fmt.Errorf("write settings: %s does not hold an object and was left alone", path)
	}
	if err := change(&doc); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	doc.Format()
	if err := replaceFile(path, doc.Pack()); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}

// setPatch adds the value, and the objects around it that are missing.
func setPatch(doc *hujson.Value, field string, value any) ([]byte, error) {
	type op struct {
		Op    string          `json:"op"`
		Path  string          `json:"path"`
		Value json.RawMessage `json:"value"`
	}
	var ops []op
	for i := 1; i < len(field); i++ {
		if field[i] == '/' && doc.Find(field[:i]) == nil {
			ops = append(ops, op{"add", field[:i], json.RawMessage("{}")})
		}
	}
	v, err := openjson.Encode(value)
	if err != nil {
		return nil, err
	}
	return json.Marshal(append(ops, op{"add", field, v}))
}

// replaceFile writes a file as one step: readers see the old or the new one.
func replaceFile(path string, b []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := os.FileMode(0o600)
	if st, err := os.Stat(path); err == nil {
		mode = st.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".settings-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
