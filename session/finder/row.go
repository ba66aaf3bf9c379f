package finder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"tau/ai"
	"tau/session/store"
)

const (
	lookBytes = 64 << 10 // of the head and the tail of a long file
	lineHead  = 2 << 10  // of a line that is looked at
	textRunes = 300      // of the first message
)

// row gathers what the list shows from the lines of a file.
type row struct {
	Session
	header bool
	bad    bool // no session
}

// line takes the beginning of a line; the whole of it if whole is set.
func (r *row) line(line []byte, whole bool) {
	line = bytes.TrimSpace(line)
	if !r.header {
		h, ok := store.ParseHeader(line)
		r.header, r.bad = true, !ok
		if ok {
			headerOf(&r.Session, h)
		}
		return
	}
	switch {
	case bytes.HasPrefix(line, []byte(`{"type":"message"`)):
		r.message(line)
	case bytes.HasPrefix(line, []byte(`{"type":"session_info"`)):
		r.name(line)
	case bytes.HasPrefix(line, []byte(`{"type":"`)):
	case whole && len(line) > 1 && line[0] == '{':
		// Some other writer with another order of members.
		var e struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(line, &e) == nil {
			switch e.Type {
			case "message":
				r.message(line)
			case "session_info":
				r.name(line)
			}
		}
	}
}

func (r *row) message(line []byte) {
	role := store.LineRole(line)
	if role != ai.RoleUser && role != ai.RoleAssistant {
		return
	}
	r.Messages++
	if role == ai.RoleUser && r.First == "" {
		r.First = firstText(line)
	}
	if at := stamp(line); at.After(r.Modified) {
		r.Modified = at
	}
}

func (r *row) name(line []byte) {
	var e struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(line, &e) == nil {
		r.Name = strings.Join(strings.Fields(e.Name), " ")
	}
}

// stamp reads the entry's time.
func stamp(line []byte) time.Time {
	i := bytes.Index(line, []byte(`"timestamp":"`))
	if i < 0 {
		return time.Time{}
	}
	rest := line[i+len(`"timestamp":"`):]
	end := bytes.IndexByte(rest[:min(len(rest), 40)], '"')
	if end < 0 {
		return time.Time{}
	}
	t, _ := time.Parse(time.RFC3339Nano, string(rest[:end]))
	return t
}

// firstText reads the beginning of a message's text from the beginning of its
// line.
func firstText(line []byte) string {
	for _, key := range [...]string{`"text":"`, `"content":"`} {
		if i := bytes.Index(line, []byte(key)); i >= 0 {
			return store.OneLine(unquote(line[i+len(key):]), textRunes)
		}
	}
	return ""
}

// unquote decodes a JSON string up to its end or that of what there is.
func unquote(b []byte) string {
	end := 0
	for end < len(b) && b[end] != '"' {
		if b[end] == '\\' {
			end++
		}
		end++
	}
	b = b[:min(end, len(b))]
	// A cut escape at the end is dropped.
	for cut := 0; cut <= 6 && cut <= len(b); cut++ {
		if s, err := strconv.Unquote(`"` + string(b[:len(b)-cut]) + `"`); err == nil {
			return strings.ToValidUTF8(s, "")
		}
		var s string
		if json.Unmarshal([]byte(`"`+string(b[:len(b)-cut])+`"`), &s) == nil {
			return strings.ToValidUTF8(s, "")
		}
	}
	return ""
}

var errNotSession = errors.New("not a session")

// look reads a short file whole, and of a long one the head and the tail. It
// reads into space, of 2*lookBytes.
func look(path string, space []byte) (Session, error) {
	f, err := os.Open(path)
	if err != nil {
		return Session{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return Session{}, err
	}
	r := row{Session: Session{Path: path, Size: st.Size(), Modified: time.Time{}}}
	size := st.Size()
	whole := size <= 2*lookBytes
	n := int64(lookBytes)
	if whole {
		n = size
	}
	buf := space[:n]
	got, err := io.ReadFull(f, buf)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Session{}, err
	}
	buf = buf[:got]
	r.lines(buf, whole)
	if r.bad || !r.header {
		return Session{}, errNotSession
	}
	if !whole {
		if _, err := f.ReadAt(buf, size-int64(len(buf))); err == nil {
			// The first line in the tail is a rest.
			if i := bytes.IndexByte(buf, '\n'); i >= 0 {
				r.lines(buf[i+1:], true)
			}
		}
		r.Messages = 0
	}
	return r.finish(st, whole), nil
}

// lines takes the lines of a block. The last one is whole only if the block
// ends the file.
func (r *row) lines(b []byte, last bool) {
	for len(b) > 0 && !r.bad {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			r.line(b, last)
			return
		}
		r.line(b[:end], true)
		b = b[end+1:]
	}
}

func (r *row) finish(st os.FileInfo, whole bool) Session {
	s := r.Session
	s.Whole = whole
	if s.Created.IsZero() {
		s.Created = st.ModTime()
	}
	if s.Modified.IsZero() {
		s.Modified = s.Created
		if !whole {
			s.Modified = st.ModTime() // the last message is longer than the tail
		}
	}
	return s
}

// readThrough reads a long file to its end. Of each line it looks at the
// beginning only.
func readThrough(ctx context.Context, path string) (Session, error) {
	f, err := os.Open(path)
	if err != nil {
		return Session{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return Session{}, err
	}
	r := row{Session: Session{Path: path, Size: st.Size()}}
	buf := make([]byte, 1<<20)
	head := make([]byte, 0, lineHead)
	for ctx.Err() == nil {
		n, err := f.Read(buf)
		for b := buf[:n]; len(b) > 0; {
			end := bytes.IndexByte(b, '\n')
			part := b
			if end >= 0 {
				part = b[:end]
			}
			head = append(head, part[:min(len(part), lineHead-len(head))]...)
			if end < 0 {
				break
			}
			r.line(head, len(head) < lineHead)
			if r.bad {
				return Session{}, errNotSession
			}
			head = head[:0]
			b = b[end+1:]
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Session{}, err
		}
	}
	if len(head) > 0 {
		r.line(head, len(head) < lineHead)
	}
	if err := ctx.Err(); err != nil {
		return Session{}, err
	}
	return r.finish(st, true), nil
}
