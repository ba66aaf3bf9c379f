package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"sync"
)

const (
	scanBuffer = 1 << 20
	// Lines of files up to this size are parsed when the file is opened, so that a
	// broken one is known at once. Longer files would take too long; a broken line
	// in the middle of them is found when it is read.
	parsedBytes = 16 << 20
	parsedLine  = 64 << 10 // the longest line that is parsed then
	scanPart    = 4 << 20  // the least that is worth a goroutine
	longHead    = 1 << 10  // the part that is kept of a line longer than the buffer
)

// scannedLine is what the index needs of a line.
type scannedLine struct {
	id, typ string
	parent  string // "" for a root
	off     int64
	size    int32
	role    role
	text    []byte // of labels and names
}

// scanned are the lines of a file, in parts that follow each other.
type scanned struct {
	parts []*scanPartial
	open  bool // the last line has no newline
}

func (s *scanned) count() (n int) {
	for _, p := range s.parts {
		n += len(p.lines)
	}
	return n
}

// scanPartial takes the lines that begin in its part of the file.
type scanPartial struct {
	f          io.ReaderAt
	start, end int64 // of the part
	size       int64 // of the file
	buffer     int
	parse      bool

	lines  []scannedLine
	broken int
	open   bool
	err    error
	types  map[string]string
}

// scan reads the lines of a file from start to size, on all processors if the
// file is long.
func scan(f io.ReaderAt, start, size int64) (scanned, int, error) {
	n := min(int64(runtime.GOMAXPROCS(0)), (size-start)/scanPart+1)
	return scanIn(f, start, size, n, scanBuffer)
}

// scanIn is scan in n parts with buffers of a size, which is at least longHead.
func scanIn(f io.ReaderAt, start, size, n int64, buffer int) (scanned, int, error) {
	var out scanned
	var wg sync.WaitGroup
	for i := range n {
		p := &scanPartial{
			f: f, start: start + (size-start)*i/n, end: start + (size-start)*(i+1)/n, size: size, buffer: buffer,
			parse: size <= parsedBytes, types: map[string]string{},
		}
		out.parts = append(out.parts, p)
		if i == n-1 {
			p.scan(i > 0)
		} else {
			wg.Go(func() { p.scan(i > 0) })
		}
	}
	wg.Wait()
	broken := 0
	var errs []error
	for _, p := range out.parts {
		broken += p.broken
		out.open = out.open || p.open
		errs = append(errs, p.err)
	}
	return out, broken, errors.Join(errs...)
}

// scan reads the part. inside is true if the part may begin inside a line.
func (p *scanPartial) scan(inside bool) {
	buf := make([]byte, min(int64(p.buffer), p.size-p.start+1))
	inside = inside && p.start > 0
	pos := p.start
	if inside {
		pos-- // the newline before the first line may be right there
	}
	skip := inside // up to the first newline
	for pos < p.size && (pos < p.end || skip) {
		n, err := p.f.ReadAt(buf[:min(int64(len(buf)), p.size-pos)], pos)
		if err != nil && (!errors.Is(err, io.EOF) || n == 0) {
			p.err = err
			return
		}
		b := buf[:n]
		last := pos+int64(n) >= p.size
		if skip {
			i := bytes.IndexByte(b, '\n')
			if i < 0 {
				pos += int64(n)
				continue
			}
			pos += int64(i) + 1
			b, skip = b[i+1:], false
		}
		for len(b) > 0 && pos < p.end {
			i := bytes.IndexByte(b, '\n')
			if i < 0 {
				break
			}
			p.line(b[:i], pos, pos+int64(i)+1 >= p.size)
			b = b[i+1:]
			pos += int64(i) + 1
		}
		switch {
		case len(b) == 0 || pos >= p.end:
		case last:
			p.open = true
			p.line(b, pos, true)
			return
		case len(b) == n: // the line is longer than the buffer
			pos = p.long(pos, buf)
			if p.err != nil {
				return
			}
		}
	}
}

// long takes a line that is longer than the buffer and returns where the next
// one begins.
func (p *scanPartial) long(at int64, buf []byte) int64 {
	head := bytes.Clone(buf[:longHead])
	end := at + int64(len(buf))
	for {
		if end >= p.size {
			p.open = true
			break
		}
		n, err := p.f.ReadAt(buf[:min(int64(len(buf)), p.size-end)], end)
		if n == 0 {
			p.err = err
			return end
		}
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			end += int64(i)
			break
		}
		end += int64(n)
	}
	next := end + 1
	tail := make([]byte, 2)
	if _, err := p.f.ReadAt(tail, end-2); err != nil && !errors.Is(err, io.EOF) {
		p.err = err
		return next
	}
	size, lastByte := end-at, tail[1]
	if lastByte == '\r' {
		size, lastByte = size-1, tail[0]
	}
	if size > maxLine {
		p.broken++
		return next
	}
	head2, quick := quickHead(head)
	if !quick || next >= p.size {
		// The last line may be torn, and one of another writer has its members in
		// another order.
		whole := make([]byte, size)
		if _, err := p.f.ReadAt(whole, at); err != nil && !errors.Is(err, io.EOF) {
			p.err = err
			return next
		}
		p.line(whole, at, true)
		return next
	}
	if lastByte != '}' {
		p.broken++
		return next
	}
	p.keep(head2, head, at, int32(size))
	return next
}

// line takes a line without its newline.
func (p *scanPartial) line(line []byte, at int64, last bool) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	text := bytes.TrimSpace(line)
	if len(text) == 0 {
		return
	}
	if len(line) > maxLine || text[0] != '{' || text[len(text)-1] != '}' {
		p.broken++
		return
	}
	head, quick := quickHead(text)
	if !quick {
		head = Base{}
		if json.Unmarshal(text, &head) != nil || head.Type == "" || head.ID == "" {
			p.broken++
			return
		}
	} else if (last || p.parse && len(line) <= parsedLine) && !json.Valid(text) {
		p.broken++
		return
	}
	p.keep(head, line, at, int32(len(line)))
}

// keep adds the line; begin is the beginning of it, or all of a short one.
func (p *scanPartial) keep(head Base, begin []byte, at int64, size int32) {
	l := scannedLine{id: head.ID, typ: p.intern(head.Type), off: at, size: size}
	if head.ParentID != nil {
		l.parent = *head.ParentID
		// Most entries follow their parent, and can share its string.
		if n := len(p.lines); n > 0 && p.lines[n-1].id == l.parent {
			l.parent = p.lines[n-1].id
		}
	}
	switch l.typ {
	case "message":
		l.role = quickRole(begin)
	case "label", "session_info":
		if int(size) == len(begin) {
			l.text = bytes.Clone(begin)
		}
	}
	p.lines = append(p.lines, l)
}

// intern shares the strings of types.
func (p *scanPartial) intern(typ string) string {
	if t, ok := p.types[typ]; ok {
		return t
	}
	p.types[typ] = typ
	return typ
}
