package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"
)

// maxLine is the longest line that is read. A line beyond it is skipped.
const maxLine = 256 << 20

// Open reads a session file. An empty file becomes a new session at that path.
func Open(path string) (*Store, error) {
	// A FIFO without a writer would block the open.
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("open session %s: %w: it is not a regular file", path, ErrNotSession)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	s := Create(path, Header{})
	if err := s.load(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("open session %s: %w", path, err)
	}
	s.in = f
	return s, nil
}

func (s *Store) load(f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return fmt.Errorf("%w: it is not a regular file", ErrNotSession)
	}
	if st.Size() == 0 {
		return nil
	}
	// What somebody appends from here on is not read, and is noticed when this
	// process wants to write.
	if err := s.read(f, st.Size()); err != nil {
		return err
	}
	s.end = st.Size()
	return nil
}

// ReadHeader reads only the header of a session file.
func ReadHeader(path string) (Header, error) {
	f, err := os.Open(path)
	if err != nil {
		return Header{}, fmt.Errorf("read session header: %w", err)
	}
	defer f.Close()
	line, err := bufio.NewReaderSize(io.LimitReader(f, 1<<20), 4096).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return Header{}, fmt.Errorf("read session header: %w", err)
	}
	h, ok := parseHeader(line)
	if !ok {
		return Header{}, fmt.Errorf("%s: %w", path, ErrNotSession)
	}
	return h, nil
}

// ParseHeader reads the first line of a file. ok is false if it is not that of
// a session.
func ParseHeader(line []byte) (h Header, ok bool) { return parseHeader(line) }

func parseHeader(line []byte) (Header, bool) {
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	var h Header
	if json.Unmarshal(bytes.TrimSpace(line), &h) != nil || h.Type != "session" {
		return Header{}, false
	}
	if h.Version == 0 {
		h.Version = 1
	}
	return h, true
}

// reader walks the lines of a file with their offsets.
type reader struct {
	r    *bufio.Reader
	off  int64
	line []byte
}

// next reads the next line. whole is false for a last line without a newline.
// A line over maxLine comes back empty.
func (r *reader) next() (line []byte, at int64, whole bool, err error) {
	r.line = r.line[:0]
	at = r.off
	for {
		part, err := r.r.ReadSlice('\n')
		r.off += int64(len(part))
		if len(r.line) <= maxLine {
			r.line = append(r.line, part...)
		}
		switch {
		case err == nil:
			if len(r.line) > maxLine {
				return nil, at, true, nil
			}
			return r.line[:len(r.line)-1], at, true, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			if len(r.line) == 0 {
				return nil, at, false, io.EOF
			}
			return r.line, at, false, nil
		default:
			return nil, at, false, err
		}
	}
}

func (s *Store) read(f *os.File, size int64) error {
	r := &reader{r: bufio.NewReaderSize(io.NewSectionReader(f, 0, size), 4<<10)}
	line, _, whole, err := r.next()
	if err != nil {
		return err
	}
	s.newline = !whole
	h, ok := parseHeader(line)
	if !ok {
		return ErrNotSession
	}
	s.header = h
	if h.Version < 3 {
		return s.readOld(r)
	}
	if h.Version > 3 {
		s.problems = append(s.problems, fmt.Sprintf("the session was written by a newer version (format %d); what this version does not know is kept but not shown", h.Version))
	}
	start := r.off
	if covered := s.loadIndex(f, start, size); covered > 0 {
		start = covered
	}
	lines, broken, err := scan(f, start, size)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	s.newline = lines.open || s.newline && start == size
	if len(s.nodes) == 0 {
		s.nodes = make([]node, 0, lines.count())
		s.byID = make(map[string]int32, lines.count())
	}
	var unresolved []unresolvedParent
	for _, part := range lines.parts {
		texts := part.texts
		for k := range part.lines {
			l := &part.lines[k]
			i := int32(len(s.nodes))
			n := node{id: l.id, typ: part.kinds[l.typ], parent: noParent, off: l.off, size: l.size, role: l.role}
			if l.follows {
				n.parent = i - 1
			} else if l.parent != "" {
				if p, ok := s.byID[l.parent]; ok {
					n.parent = p
				} else {
					unresolved = append(unresolved, unresolvedParent{i, l.parent})
				}
			}
			s.nodes = append(s.nodes, n)
			s.byID[l.id] = i
			if len(texts) > 0 && texts[0].line == k {
				if e, err := decodeEntry(validUTF8(texts[0].text)); err == nil {
					s.noteLocked(e)
				}
				texts = texts[1:]
			}
		}
	}
	missing := 0
	for _, u := range unresolved {
		if p, ok := s.byID[u.parent]; ok && p != u.i {
			s.nodes[u.i].parent = p
		} else {
			missing++
		}
	}
	if len(unresolved) > missing {
		if n := s.breakCycles(); n > 0 {
			s.problems = append(s.problems, fmt.Sprintf("%s of the session %s to an entry that comes from it; the circle was cut there", count(n, "entry"), points(n)))
		}
	}
	s.leaf = int32(len(s.nodes)) - 1
	s.begun = true
	if broken > 0 {
		s.problems = append(s.problems, fmt.Sprintf("%s of the session file could not be read and %s skipped", count(broken, "line"), was(broken)))
	}
	if missing > 0 {
		s.problems = append(s.problems, fmt.Sprintf("%s of the session %s to an entry that is missing; the conversation begins after the gap", count(missing, "entry"), points(missing)))
	}
	return nil
}

// breakCycles makes an entry of each circle of parents a root. Only entries
// that stand before their parent can be part of one.
func (s *Store) breakCycles() (broken int) {
	const walking, done = 1, 2
	state := make([]uint8, len(s.nodes))
	for start := range s.nodes {
		var walk []int32
		at := int32(start)
		for at != noParent && state[at] == 0 {
			state[at] = walking
			walk = append(walk, at)
			at = s.nodes[at].parent
		}
		if at != noParent && state[at] == walking {
			s.nodes[at].parent = noParent
			broken++
		}
		for _, i := range walk {
			state[i] = done
		}
	}
	return broken
}

type unresolvedParent struct {
	i      int32
	parent string
}

// lineHead is the beginning of an entry's line, which it points into.
type lineHead struct {
	typ, id []byte
	parent  []byte // nil for null
}

// base returns the head on its own.
func (h lineHead) base() Base {
	b := Base{Type: string(h.typ), ID: string(h.id)}
	if h.parent != nil {
		p := string(h.parent)
		b.ParentID = &p
	}
	return b
}

// quickHead reads `{"type":"…","id":"…","parentId":…` as all writers write
// it, without parsing the rest. It allocates nothing.
func quickHead(line []byte) (h lineHead, ok bool) {
	if h.typ, line = quickMember(line, `{"type":"`); h.typ == nil {
		return h, false
	}
	if h.id, line = quickMember(line, `,"id":"`); h.id == nil {
		return h, false
	}
	if bytes.HasPrefix(line, []byte(`,"parentId":null`)) {
		return h, true
	}
	h.parent, _ = quickMember(line, `,"parentId":"`)
	return h, h.parent != nil
}

// quickMember returns the string after a prefix and what follows it; nil if
// it is empty, no UTF-8, or has to be unescaped.
func quickMember(line []byte, prefix string) (value, rest []byte) {
	if len(line) < len(prefix) || string(line[:len(prefix)]) != prefix {
		return nil, nil
	}
	line = line[len(prefix):]
	end := bytes.IndexByte(line, '"')
	if end <= 0 || bytes.IndexByte(line[:end], '\\') >= 0 || !utf8.Valid(line[:end]) {
		return nil, nil
	}
	return line[:end], line[end+1:]
}

// validUTF8 replaces what is not UTF-8, and takes halves of surrogate pairs out,
// so that they do not travel on into requests.
func validUTF8(line []byte) []byte {
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\ufffd"))
	}
	return wholeSurrogates(line)
}

func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case noun == "entry":
		return fmt.Sprintf("%d entries", n)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func points(n int) string {
	if n == 1 {
		return "points"
	}
	return "point"
}
