package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tau/agent"
)

// showName makes a file's name fit for a line: one with control characters or
// bytes that are not UTF-8 is quoted as in Go.
func showName(name string) string {
	if utf8.ValidString(name) && strings.IndexFunc(name, unicode.IsControl) < 0 {
		return name
	}
	return strconv.Quote(name)
}

// searched is the folder or file that a search is for.
type searched struct {
	path string // absolute
	// shown is put before the paths of what is found, so that they can be given
	// to other tools: empty for the working folder, else with a slash at its end.
	shown string
	file  bool
}

// root finds what a search is for; the working folder if path is empty.
func (s *Set) root(path string) (searched, error) {
	if strings.TrimSpace(path) == "" {
		path = "."
	}
	r := searched{path: s.existing(path)}
	st, err := s.ops.Stat(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, fmt.Errorf("%s does not exist", path)
	case err != nil:
		return r, fmt.Errorf("could not look into %s: %s", path, cause(err))
	case !st.IsDir() && !st.Mode().IsRegular():
		return r, fmt.Errorf("%s is %s, not a directory", path, kind(st.Mode()))
	}
	r.file = !st.IsDir()
	r.shown = filepath.ToSlash(r.path)
	if rel, err := filepath.Rel(s.opts.CWD, r.path); err == nil && filepath.IsLocal(rel) {
		r.shown = filepath.ToSlash(rel)
	}
	switch {
	case r.file:
	case r.shown == ".":
		r.shown = ""
	case !strings.HasSuffix(r.shown, "/"):
		r.shown += "/"
	}
	return r, nil
}

// listResult makes the result of a list of lines, within the byte limit, with
// the notes in brackets at its end.
func listResult(text string, details func(*Truncation) any, any bool, notes ...string) agent.Result {
	text, cut := headLines(text)
	if cut != nil {
		notes = append(notes, fmt.Sprintf("%s limit reached", size(maxBytes)))
	}
	var said []string
	for _, n := range notes {
		if n != "" {
			said = append(said, n)
		}
	}
	if len(said) > 0 {
		text += "\n\n[" + strings.Join(said, ". ") + "]"
	}
	r := agent.TextResult(text)
	if any || cut != nil {
		r.Details, _ = json.Marshal(details(cut)) // numbers and words always encode
	}
	return r
}
