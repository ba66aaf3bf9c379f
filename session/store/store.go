package store

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"tau/ai"
)

// Errors of opening and appending.
var (
	ErrNotSession = errors.New("not a session file")
	ErrLocked     = errors.New("the session is open in another process")
)

// node is what is kept in memory of each entry.
type node struct {
	id     string
	typ    string
	parent int32 // index, or noParent
	size   int32 // bytes of the line, without the newline
	role   role  // of a message
	off    int64 // of the line in the file, or unsaved
}

const (
	noParent = -1
	unsaved  = -1
)

// Store is one conversation. See the package comment.
type Store struct {
	mu     sync.Mutex
	path   string // "": in memory only
	header Header

	nodes []node
	byID  map[string]int32
	leaf  int32 // index of the current leaf, or noParent
	cache cache

	in      *os.File // for reading, from Open until Close
	file    disk     // for writing; nil until the first write
	end     int64    // size of the file
	newline bool     // the file does not end in a newline
	lock    *fileLock
	wrap    func(*os.File) disk // set by tests
	waiting []int32             // entries not on disk yet, in order
	begun   bool                // a user or assistant message exists, so the file should
	rewrite bool                // the file has an older version and is replaced by the next write
	dirty   bool                // written since the last sync
	indexed int64               // how much of the file the index beside it covers

	labels   map[string]string
	name     string
	problems []string
	failure  error // of the last write
}

// Create returns a new session that will be stored at path once it has a
// message; with an empty path it stays in memory. Missing header fields are
// filled in.
func Create(path string, h Header) *Store {
	if h.ID == "" {
		h.ID = NewSessionID()
	}
	if h.Timestamp == "" {
		h.Timestamp = stamp(time.Now())
	}
	h.Type, h.Version = "session", 3
	return &Store{path: path, header: h, byID: map[string]int32{}, leaf: noParent, labels: map[string]string{}}
}

// NewSessionID returns a UUIDv7: ids sort by the time they were made.
func NewSessionID() string {
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.NewString()
	}
	return id.String()
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Path returns where the session is or will be stored, or "".
func (s *Store) Path() string { return s.path }

// Saved reports whether the session's file exists.
func (s *Store) Saved() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.path != "" && (s.file != nil || s.end > 0)
}

// Header returns the first line of the file.
func (s *Store) Header() Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.header
}

// Len returns the number of entries.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.nodes)
}

// Leaf returns the id of the entry the conversation ends at, or "".
func (s *Store) Leaf() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leaf == noParent {
		return ""
	}
	return s.nodes[s.leaf].id
}

// SetLeaf moves the end of the conversation to the entry id, or before the
// first entry if id is empty. The next entry becomes its child.
func (s *Store) SetLeaf(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" {
		s.leaf = noParent
		return nil
	}
	i, ok := s.byID[id]
	if !ok {
		return fmt.Errorf("no entry %s in this session", id)
	}
	s.leaf = i
	return nil
}

// Entry returns the entry with this id.
func (s *Store) Entry(id string) (Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.byID[id]
	if !ok {
		return nil, fmt.Errorf("no entry %s in this session", id)
	}
	return s.entryLocked(i)
}

// Node is an entry's place in the tree.
type Node struct {
	ID, Type, ParentID string
	Role               ai.Role // of a message
}

// Nodes returns all entries in the order of the file.
func (s *Store) Nodes() []Node {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Node, len(s.nodes))
	for i := range s.nodes {
		out[i] = s.nodeLocked(int32(i))
	}
	return out
}

func (s *Store) nodeLocked(i int32) Node {
	n := s.nodes[i]
	out := Node{ID: n.id, Type: n.typ, Role: n.role.name()}
	if n.parent != noParent {
		out.ParentID = s.nodes[n.parent].id
	}
	return out
}

// PathTo returns the entries from the root to id, in this order; id "" means
// the leaf. A missing parent ends the path, and so does a cycle.
func (s *Store) PathTo(id string) []Node {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.pathLocked(id)
	if len(path) == 0 {
		return nil
	}
	out := make([]Node, len(path))
	for n, i := range path {
		out[n] = s.nodeLocked(i)
	}
	return out
}

// Back yields the entries from the leaf to the root, as far as the loop goes.
// The store may be used meanwhile.
func (s *Store) Back() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		s.mu.Lock()
		at, steps := s.leaf, 0
		for at != noParent && steps <= len(s.nodes) {
			n := s.nodeLocked(at)
			s.mu.Unlock()
			if !yield(n) {
				return
			}
			s.mu.Lock()
			at, steps = s.nodes[at].parent, steps+1
		}
		s.mu.Unlock()
	}
}

func (s *Store) pathLocked(id string) []int32 {
	at := s.leaf
	if id != "" {
		i, ok := s.byID[id]
		if !ok {
			return nil
		}
		at = i
	}
	var back []int32
	// More steps than entries can only be a cycle.
	for at != noParent && len(back) <= len(s.nodes) {
		back = append(back, at)
		at = s.nodes[at].parent
	}
	if len(back) > len(s.nodes) {
		back = cutCycle(back)
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}

// cutCycle keeps the part of a walk before it comes to an entry again.
func cutCycle(walk []int32) []int32 {
	seen := map[int32]bool{}
	for n, i := range walk {
		if seen[i] {
			return walk[:n]
		}
		seen[i] = true
	}
	return walk
}

// Label returns the label of an entry, or "".
func (s *Store) Label(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.labels[id]
}

// Name returns the session's name, or "".
func (s *Store) Name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name
}

// Problems tells, in sentences, what was wrong with the file when it was read.
func (s *Store) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.problems...)
}

// noteLocked keeps what is looked up without reading bodies: labels and names.
func (s *Store) noteLocked(e Entry) {
	switch e := e.(type) {
	case *LabelEntry:
		if e.Label == "" {
			delete(s.labels, e.TargetID)
		} else {
			s.labels[e.TargetID] = e.Label
		}
	case *InfoEntry:
		s.name = strings.TrimSpace(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(e.Name))
	case *MessageEntry:
		switch e.Message.MessageRole() {
		case ai.RoleUser, ai.RoleAssistant:
			s.begun = true
		}
	}
}

// readerLocked returns the file to read entries from, or nil.
func (s *Store) readerLocked() io.ReaderAt {
	switch {
	case s.file != nil:
		return s.file
	case s.in != nil:
		return s.in
	}
	return nil
}

// entryLocked decodes entry i, from the cache or from the file.
func (s *Store) entryLocked(i int32) (Entry, error) {
	if e := s.cache.get(i); e != nil {
		return e, nil
	}
	n := s.nodes[i]
	line := make([]byte, n.size)
	f := s.readerLocked()
	if f == nil {
		return nil, fmt.Errorf("read entry %s: the session is closed", n.id)
	}
	if _, err := f.ReadAt(line, n.off); err != nil {
		return nil, fmt.Errorf("read entry %s: %w", n.id, err)
	}
	e, err := decodeEntry(validUTF8(line))
	if err != nil {
		// Long lines are not parsed when the file is opened. A broken one keeps its
		// place in the tree and says nothing.
		head, _ := quickHead(line)
		e = &RawEntry{Base: Base{Type: n.typ, ID: string(head.id)}, JSON: line}
	}
	if id := e.base().ID; id != n.id {
		// Somebody changed the file in its middle, and the index is of before.
		_ = os.Remove(IndexPath(s.path))
		return nil, fmt.Errorf("read entry %s: another entry, %s, is in its place; open the session again", n.id, id)
	}
	s.cache.put(i, e, int(n.size), false)
	return e, nil
}
