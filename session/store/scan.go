package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	scanBuffer = 256 << 10 // about what stays in a processor's own cache
	// Lines of files up to this size are parsed when the file is opened, so that a
	// broken one is known at once. Longer files would take too long; a broken line
	// in the middle of them is found when it is read.
	parsedBytes = 2 << 20
	parsedLine  = 64 << 10 // the longest line that is parsed then
	scanPart    = 1 << 20  // the least that is worth a goroutine
	scanParts   = 4        // for each goroutine, so that all end at about the same time
	idArena     = 32 << 10 // ids are allocated together
	longHead    = 1 << 10  // the part that is kept of a line longer than the buffer
)

// scannedLine is what the index needs of a line.
type scannedLine struct {
	id      string
	parent  string // "" for a root, and if follows is set
	off     int64
	size    int32
	typ     int32 // place in the kinds of its part
	role    role
	follows bool // the parent is the line before
}

// scannedText is the whole of a line whose text the index has to know: a label
// or a name.
type scannedText struct {
	line int
	text []byte
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
	parse      bool

	lines  []scannedLine
	texts  []scannedText
	kinds  []string
	types  map[string]int32 // places in kinds
	broken int
	open   bool
	err    error
	ids    strings.Builder
}

// scan reads the lines of a file from start to size, on all processors if the
// file is long.
func scan(f io.ReaderAt, start, size int64) (scanned, int, error) {
	n := min(int64(runtime.GOMAXPROCS(0)*scanParts), (size-start)/scanPart+1)
	return scanIn(f, start, size, n, scanBuffer)
}

// scanIn is scan in n parts with buffers of a size, which is at least longHead.
func scanIn(f io.ReaderAt, start, size, n int64, buffer int) (scanned, int, error) {
	var out scanned
	for i := range n {
		out.parts = append(out.parts, &scanPartial{
			f: f, start: start + (size-start)*i/n, end: start + (size-start)*(i+1)/n, size: size,
			parse: size <= parsedBytes, types: map[string]int32{},
		})
	}
	var next atomic.Int64
	work := func() {
		buf := make([]byte, min(int64(buffer), size-start+1))
		for i := next.Add(1) - 1; i < n; i = next.Add(1) - 1 {
			out.parts[i].scan(buf, i > 0)
		}
	}
	var wg sync.WaitGroup
	for range min(n, int64(runtime.GOMAXPROCS(0))) - 1 {
		wg.Go(work)
	}
	work()
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

// scan reads the part through a buffer. inside is true if the part may begin
// inside a line.
func (p *scanPartial) scan(buf []byte, inside bool) {
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
		p.reserve(pos)
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
	quickly, quick := quickHead(head)
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
	p.keep(quickly, head, at, int32(size))
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
		head, _, quick = anyHead(text)
	}
	if !quick {
		var base Base
		if json.Unmarshal(text, &base) != nil || base.Type == "" || base.ID == "" {
			p.broken++
			return
		}
		head = lineHead{typ: []byte(base.Type), id: []byte(base.ID)}
		if base.ParentID != nil {
			head.parent = []byte(*base.ParentID)
		}
	} else if (last || p.parse && len(line) <= parsedLine) && !json.Valid(text) {
		p.broken++
		return
	}
	p.keep(head, line, at, int32(len(line)))
}

// keep adds the line; begin is the beginning of it, or all of a short one.
func (p *scanPartial) keep(head lineHead, begin []byte, at int64, size int32) {
	l := scannedLine{id: p.str(head.id), typ: p.intern(head.typ), off: at, size: size}
	if len(head.parent) > 0 {
		// Most entries follow their parent.
		if n := len(p.lines); n > 0 && p.lines[n-1].id == string(head.parent) {
			l.follows = true
		} else {
			l.parent = p.str(head.parent)
		}
	}
	switch p.kinds[l.typ] {
	case "message":
		l.role = quickRole(begin)
	case "label", "session_info":
		if int(size) == len(begin) {
			p.texts = append(p.texts, scannedText{len(p.lines), bytes.Clone(begin)})
		}
	}
	p.lines = append(p.lines, l)
}

// reserve makes room for the lines that are still to come, if those up to pos
// are like them.
func (p *scanPartial) reserve(pos int64) {
	n := int64(len(p.lines))
	if n < 8 || cap(p.lines)-len(p.lines) > 8 || pos <= p.start || pos >= p.end {
		return
	}
	more := (p.end - pos) / ((pos-p.start)/n + 1)
	p.lines = slices.Grow(p.lines, int(more+more/16+16))
}

// str copies an id into a string.
func (p *scanPartial) str(b []byte) string {
	if p.ids.Cap()-p.ids.Len() < len(b) {
		p.ids = strings.Builder{}
		p.ids.Grow(max(idArena, len(b)))
	}
	at := p.ids.Len()
	p.ids.Write(b)
	return p.ids.String()[at:]
}

// intern returns the place of a type in kinds.
func (p *scanPartial) intern(typ []byte) int32 {
	i, ok := p.types[string(typ)]
	if !ok {
		i = int32(len(p.kinds))
		p.kinds = append(p.kinds, string(typ))
		p.types[p.kinds[i]] = i
	}
	return i
}
