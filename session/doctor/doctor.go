// Package doctor checks session files and repairs them.
//
//	report, err := doctor.Check(path)
//	copy, err := doctor.Repair(path)
//
// [Check] only reads. [Repair] never changes the file it is given: it writes a
// new session beside it with everything that can be read, including entries
// that were glued to a torn line, and with a parent for those whose own is
// gone. Opening a damaged session does not need a repair; it only skips what
// cannot be read.
package doctor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tau/ai/openjson"
	"tau/session/store"
)

// Kind is a kind of damage.
type Kind string

// The kinds.
const (
	NotSession    Kind = "not a session"
	Torn          Kind = "torn last line"
	Broken        Kind = "broken line"
	Duplicate     Kind = "duplicate id"
	MissingParent Kind = "missing parent"
	Cycle         Kind = "circle of parents"
	StaleLock     Kind = "stale lock"
	InUse         Kind = "in use"       // no damage
	OldVersion    Kind = "old version"  // no damage
	UnknownType   Kind = "unknown type" // no damage
)

// Harmless reports whether the kind is only worth knowing.
func (k Kind) Harmless() bool { return k == InUse || k == OldVersion || k == UnknownType }

// Finding is something about one place of a file.
type Finding struct {
	Kind Kind
	Line int // from 1; 0: the whole file
	Text string
}

func (f Finding) String() string {
	if f.Line == 0 {
		return f.Text
	}
	return fmt.Sprintf("line %d: %s", f.Line, f.Text)
}

// Report is what a check found.
type Report struct {
	Path     string
	Entries  int // that can be read
	Bytes    int64
	Findings []Finding
}

// Sound reports whether there is no damage.
func (r *Report) Sound() bool {
	for _, f := range r.Findings {
		if !f.Kind.Harmless() {
			return false
		}
	}
	return true
}

// maxFindings keeps the report of a file of garbage readable.
const maxFindings = 100

func (r *Report) add(k Kind, line int, format string, args ...any) {
	if len(r.Findings) < maxFindings {
		r.Findings = append(r.Findings, Finding{k, line, fmt.Sprintf(format, args...)})
	}
}

// Check reads a file and reports its damage. The error is for files that
// cannot be read at all.
func Check(path string) (*Report, error) {
	r := &Report{Path: path}
	c, err := read(path, r)
	if err != nil {
		return nil, fmt.Errorf("check session: %w", err)
	}
	if c != nil {
		c.tree(r)
	}
	lock(path, r)
	return r, nil
}

func lock(path string, r *Report) {
	if _, err := os.Stat(path + ".lock"); errors.Is(err, fs.ErrNotExist) {
		return
	}
	// Asking takes the lock for a moment, which removes a stale one.
	switch used, err := store.InUse(path); {
	case err != nil:
		r.add(StaleLock, 0, "the lock file cannot be examined: %v", err)
	case used:
		r.add(InUse, 0, "a program has the session open")
	default:
		r.add(StaleLock, 0, "a lock file was left behind by a program that is gone; it has been removed")
	}
}

// entry is a line that can be read.
type entry struct {
	line   int
	id     string
	parent string
	root   bool  // parent is null
	off    int64 // of its text in the file
	size   int
}

// content is what can be read of a file.
type content struct {
	header  store.Header
	entries []entry
}

func read(path string, r *Report) (*content, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		r.add(NotSession, 0, "it is not a regular file")
		return nil, nil
	}
	r.Bytes = st.Size()
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &content{}
	in := bufio.NewReaderSize(f, 1<<20)
	var off, next int64
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		off, next = next, next+int64(len(line))
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		last := err != nil
		whole := bytes.HasSuffix(line, []byte("\n"))
		off += int64(len(line) - len(bytes.TrimLeft(line, " \t\r\n")))
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
		switch {
		case n == 1:
			h, ok := store.ParseHeader(line)
			if !ok {
				r.add(NotSession, 1, "the file does not begin with a session header")
				return nil, nil
			}
			if c.header = h; h.Version < 3 {
				r.add(OldVersion, 1, "the file has format %d; it is brought up to date when something is appended", h.Version)
				return nil, nil
			}
		case len(line) == 0:
		case !c.add(n, line, off, r):
			if tail := glued(line); tail != nil && c.add(n, tail, off+int64(len(line)-len(tail)), r) {
				r.add(Broken, n, "a torn entry and a whole one are on one line; opening the session skips both")
			} else if last && !whole {
				r.add(Torn, n, "the last entry was cut off while it was written")
			} else {
				r.add(Broken, n, "this is not an entry: %s", excerpt(line))
			}
		}
		if last {
			return c, nil
		}
	}
}

// add takes a line if it is an entry.
func (c *content) add(n int, line []byte, off int64, r *Report) bool {
	if !json.Valid(line) {
		return false
	}
	var b store.Base
	if json.Unmarshal(line, &b) != nil || b.ID == "" || b.Type == "" {
		return false
	}
	e := entry{line: n, id: b.ID, root: b.ParentID == nil, off: off, size: len(line)}
	if b.ParentID != nil {
		e.parent = *b.ParentID
	}
	c.entries = append(c.entries, e)
	r.Entries++
	return true
}

// glued returns the last entry that begins inside a broken line, or nil.
func glued(line []byte) []byte {
	for i := bytes.LastIndex(line, []byte(`{"type":"`)); i > 0; i = bytes.LastIndex(line[:i], []byte(`{"type":"`)) {
		var b store.Base
		if tail := line[i:]; json.Valid(tail) && json.Unmarshal(tail, &b) == nil && b.ID != "" {
			return tail
		}
	}
	return nil
}

func excerpt(line []byte) string {
	return fmt.Sprintf("%q", store.OneLine(strings.ToValidUTF8(string(line[:min(len(line), 200)]), "?"), 40))
}

// tree checks ids and parents, and mends them in c.
func (c *content) tree(r *Report) {
	first := make(map[string]int, len(c.entries))
	for i, e := range c.entries {
		if at, ok := first[e.id]; ok {
			r.add(Duplicate, e.line, "the id %s is that of line %d too", e.id, c.entries[at].line)
			continue
		}
		first[e.id] = i
	}
	for i, e := range c.entries {
		if e.root {
			continue
		}
		if _, ok := first[e.parent]; !ok {
			r.add(MissingParent, e.line, "the parent %s of entry %s is missing", e.parent, e.id)
			c.adopt(i)
		}
	}
	state := make([]uint8, len(c.entries)) // 1: on this walk, 2: done
	for start := range c.entries {
		var walk []int
		at := start
		for state[at] == 0 {
			state[at] = 1
			walk = append(walk, at)
			if c.entries[at].root {
				break
			}
			at = first[c.entries[at].parent]
		}
		if state[at] == 1 && !c.entries[at].root {
			r.add(Cycle, c.entries[at].line, "entry %s comes from itself", c.entries[at].id)
			c.entries[at].root, c.entries[at].parent = true, ""
		}
		for _, i := range walk {
			state[i] = 2
		}
	}
}

// adopt gives entry i the one before it in the file as its parent: what is
// missing between them was most likely on the same path.
func (c *content) adopt(i int) {
	if i == 0 {
		c.entries[i].root, c.entries[i].parent = true, ""
		return
	}
	c.entries[i].parent = c.entries[i-1].id
}

// Repair writes what can be read of a session into a new one beside it, and
// returns the path of that. The new session has an id of its own and names the
// old one as its parent. If there is no damage it is [ErrSound].
func Repair(path string) (string, error) {
	r := &Report{Path: path}
	c, err := read(path, r)
	if err != nil {
		return "", fmt.Errorf("repair session: %w", err)
	}
	if c == nil {
		return "", fmt.Errorf("repair session: %s: %s", path, r.Findings[0].Text)
	}
	c.tree(r)
	if r.Sound() {
		return "", ErrSound
	}
	h := c.header
	h.ID, h.Version, h.ParentSession = store.NewSessionID(), 3, path
	if abs, err := filepath.Abs(path); err == nil {
		h.ParentSession = abs
	}
	stamp := strings.NewReplacer(":", "-", ".", "-").Replace(time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	to := filepath.Join(filepath.Dir(path), stamp+"_"+h.ID+".jsonl")
	if err := c.write(path, to, h); err != nil {
		return "", fmt.Errorf("repair session: %w", err)
	}
	return to, nil
}

// ErrSound is returned by Repair if there is nothing to repair.
var ErrSound = errors.New("the session has no damage")

func (c *content) write(from, path string, h store.Header) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(path)
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	head, err := openjson.Marshal(h, h.Rest)
	if err != nil {
		return err
	}
	_, _ = w.Write(append(head, '\n'))
	taken := map[string]bool{}
	for _, e := range c.entries {
		id := e.id
		for n := 2; taken[id]; n++ {
			id = fmt.Sprintf("%s-%d", e.id, n)
		}
		taken[id] = true
		text := make([]byte, e.size)
		if _, err := in.ReadAt(text, e.off); err != nil {
			return err
		}
		line, err := e.mended(text, id)
		if err != nil {
			return err
		}
		_, _ = w.Write(append(line, '\n')) // the error comes back from Flush
	}
	return errors.Join(w.Flush(), f.Sync())
}

// mended returns the line with another id or parent, or as it was.
func (e entry) mended(text []byte, id string) ([]byte, error) {
	var b store.Base
	rest, err := openjson.Unmarshal(text, &b)
	if err != nil {
		return nil, err
	}
	same := b.ID == id && (b.ParentID == nil) == e.root && (b.ParentID == nil || *b.ParentID == e.parent)
	if same {
		return text, nil
	}
	b.ID, b.ParentID = id, nil
	if !e.root {
		b.ParentID = &e.parent
	}
	return openjson.Marshal(b, rest)
}
