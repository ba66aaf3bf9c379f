package tools

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// resolve turns a path as people and models write it into an absolute one: a
// leading @ goes, ~ is the home folder.
func (s *Set) resolve(path string) string {
	path = strings.TrimPrefix(strings.TrimSpace(path), "@")
	if path == "~" || strings.HasPrefix(path, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, path[1:])
		}
	}
	return s.absolute(path)
}

func (s *Set) absolute(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.opts.CWD, path)
	}
	return filepath.Clean(path)
}

// existing is resolve for a file that should be there. If it is not, the name
// just as it was given is tried (a folder may be called @types), then names
// that look the same, if there is exactly one: the system writes a narrow
// no-break space into the names of screenshots, typographic quotes into those
// of documents, and some disks keep letters and accents apart.
func (s *Set) existing(path string) string {
	resolved := s.resolve(path)
	if s.exists(resolved) {
		return resolved
	}
	if literal := s.absolute(path); literal != resolved && s.exists(literal) {
		return literal
	}
	if found := s.lookAlike(resolved); found != "" {
		return found
	}
	return resolved
}

func (s *Set) exists(path string) bool {
	_, err := s.ops.Lstat(path)
	return err == nil
}

// lookAlike finds the one file whose path looks like this one, or nothing.
func (s *Set) lookAlike(path string) string {
	dir, name := filepath.Split(path)
	dir = filepath.Clean(dir)
	if dir == path || name == "" {
		return ""
	}
	if !s.exists(dir) {
		if dir = s.lookAlike(dir); dir == "" {
			return ""
		}
		if exact := filepath.Join(dir, name); s.exists(exact) {
			return exact
		}
	}
	entries, err := s.ops.ReadDir(dir)
	if err != nil {
		return ""
	}
	found, key := "", lookKey(name)
	for _, e := range entries {
		if lookKey(e.Name()) != key {
			continue
		}
		if found != "" {
			return ""
		}
		found = e.Name()
	}
	if found == "" {
		return ""
	}
	return filepath.Join(dir, found)
}

func lookKey(name string) string {
	if ascii(name) {
		return name
	}
	folded, _ := fold(norm.NFC.String(name))
	return folded
}
