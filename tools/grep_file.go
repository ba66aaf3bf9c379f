package tools

import (
	"bytes"
	"context"
	"io"
	"os"
	"unicode/utf8"
)

// hit is a line of a file that is shown: one that matches, or one around it.
type hit struct {
	line   int
	text   string
	match  bool
	before bool // it stands before a match, not after one
	cut    bool // text is not all of the line
}

// maxLine is how many characters of a line are shown.
const maxLine = 500

// searchBlock is how much of a file is looked at at a time. A longer line is
// looked at in pieces.
const searchBlock = 4 << 20

// searchBuffer is memory that the searches of one goroutine share.
type searchBuffer struct {
	b   []byte
	dfa *dfa // of the matcher it was used with
}

// searchFile returns the lines of a file that match, with those around them, up
// to a number of matches. Binary files have none.
func (s *Set) searchFile(ctx context.Context, path string, m *matcher, around, limit int, buf *searchBuffer) (found []hit, binary bool, err error) {
	f, err := s.ops.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if len(m.need) == 0 && buf.dfa == nil {
		buf.dfa = newDFA(m)
	}
	sc := &scan{at: cursors{dfa: buf.dfa}, m: m, around: around, limit: limit, from: f, buf: buf, line: 1}
	if err := sc.fill(0); err != nil {
		return nil, false, err
	}
	head := buf.b[:min(sc.end, sniffed)]
	switch {
	case bytes.HasPrefix(head, []byte(bomUTF8)):
		sc.end = copy(buf.b, buf.b[len(bomUTF8):sc.end])
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		raw := bytes.Clone(buf.b[:sc.end])
		sc.from, _ = textReader(raw, f)
		sc.end, sc.eof = 0, false
		if err := sc.fill(0); err != nil {
			return nil, false, err
		}
	case bytes.IndexByte(head, 0) >= 0:
		return nil, true, nil
	}
	err = sc.run(ctx)
	return sc.found, false, err
}

// scan goes over a file with a bounded buffer. What lies before pos in it is
// kept as far as it may be shown before a match.
type scan struct {
	m             *matcher
	around, limit int
	from          io.Reader
	buf           *searchBuffer
	end           int // of the data in buf
	eof           bool

	pos     int // where the search goes on, mostly the beginning of a line
	line    int // number of that line
	at      cursors
	matches int
	shown   int // the last line in found
	found   []hit
}

// fill drops what is before keep and reads on until the buffer is full.
func (s *scan) fill(keep int) error {
	b := s.buf.b
	s.end = copy(b, b[keep:s.end])
	s.pos -= keep
	s.at.set = false
	for !s.eof {
		if s.end == len(b) {
			if len(b) >= searchBlock {
				break
			}
			b = append(b, make([]byte, max(64<<10, 3*len(b)))...)
			s.buf.b = b
		}
		n, err := io.ReadFull(s.from, b[s.end:])
		s.end += n
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			s.eof = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

// whole returns the end of the whole lines in the buffer; of a line that fills
// all of it, of the piece that is there.
func (s *scan) whole() int {
	if s.eof {
		return s.end
	}
	if i := bytes.LastIndexByte(s.buf.b[s.pos:s.end], '\n'); i >= 0 {
		return s.pos + i + 1
	}
	return s.end
}

// searchStep is how much is searched at a time by an expression alone, which
// may take a microsecond for a few bytes.
const searchStep = 128 << 10

// step returns the part of b that is searched before the context is looked at
// again.
func (s *scan) step(b []byte) []byte {
	if len(s.m.need) > 0 || len(b)-s.pos <= searchStep {
		return b
	}
	if i := bytes.IndexByte(b[s.pos+searchStep:], '\n'); i >= 0 {
		return b[:s.pos+searchStep+i+1]
	}
	return b
}

func (s *scan) run(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := s.buf.b[:s.whole()]
		part := s.step(b)
		start, end, match := s.m.next(part, s.pos, &s.at)
		if start < 0 {
			s.line += bytes.Count(part[s.pos:], []byte{'\n'})
			s.pos = len(part)
			if s.pos < len(b) {
				continue
			}
			if s.eof {
				return nil
			}
			if err := s.fill(s.back(b, s.pos)); err != nil {
				return err
			}
			continue
		}
		s.line += bytes.Count(b[s.pos:start], []byte{'\n'})
		s.pos = start
		if keep := s.back(b, start); !s.eof && keep > 0 && s.forward(b, end) == len(b) {
			// What is to be shown after it has to be in the buffer.
			if err := s.fill(keep); err != nil {
				return err
			}
			continue
		}
		if s.line == s.shown && s.matches > 0 && s.found[len(s.found)-1].match {
			// Another piece of the same line.
			s.pos = min(end+1, len(b))
			if end < len(b) {
				s.line++
			}
			continue
		}
		s.show(b, start, end, match)
		if s.matches == s.limit {
			return nil
		}
	}
}

// back returns the beginning of what may be shown before a line, at most a
// quarter of the buffer away.
func (s *scan) back(b []byte, start int) int {
	least := max(0, start-searchBlock/4)
	at := start
	for range s.around {
		if at <= least {
			break
		}
		i := bytes.LastIndexByte(b[least:at-1], '\n')
		if i < 0 {
			if least > 0 {
				return at
			}
			return 0
		}
		at = least + i + 1
	}
	return at
}

// forward returns the end of what is shown after a line that ends at end.
func (s *scan) forward(b []byte, end int) int {
	at := min(end+1, len(b))
	for range s.around {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			return len(b)
		}
		at += i + 1
	}
	return at
}

// show adds a match, the lines before it, and those after it up to the next.
func (s *scan) show(b []byte, start, end, match int) {
	before := s.back(b, start)
	n := s.line - bytes.Count(b[before:start], []byte{'\n'})
	for at := before; at < start && n < s.line; n++ {
		i := at + bytes.IndexByte(b[at:], '\n')
		if n > s.shown {
			s.add(n, b[at:i], 0, false, true)
		}
		at = i + 1
	}
	s.add(s.line, b[start:end], match, true, false)
	s.matches++
	s.pos = min(end+1, len(b))
	if end < len(b) {
		s.line++
	}
	if s.around == 0 || s.pos == len(b) {
		return
	}
	next, _, _ := s.m.next(b[:s.forward(b, end)], s.pos, &cursors{dfa: s.at.dfa})
	at := s.pos
	for n := s.line; n < s.line+s.around && at < len(b) && (next < 0 || at < next); n++ {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			i = len(b) - at
		}
		s.add(n, b[at:at+i], 0, false, false)
		at = min(at+i+1, len(b))
	}
}

func (s *scan) add(line int, text []byte, match int, is, before bool) {
	h := hit{line: line, match: is, before: before}
	h.text, h.cut = cutAround(bytes.TrimSuffix(text, []byte{'\r'}), match)
	s.found = append(s.found, h)
	s.shown = line
}

// cutAround returns at most maxLine characters of a line, from its beginning
// if the match is in them, and whether that is not all.
func cutAround(line []byte, match int) (string, bool) {
	if len(line) <= maxLine {
		return string(bytes.ToValidUTF8(line, []byte("\ufffd"))), false
	}
	from := 0
	if match > maxLine-maxLine/5 {
		from = match - maxLine/5
		for from > 0 && !utf8.RuneStart(line[from]) {
			from--
		}
	}
	to := from
	for n := 0; n < maxLine && to < len(line); n++ {
		_, size := utf8.DecodeRune(line[to:])
		to += size
	}
	text := string(bytes.ToValidUTF8(line[from:to], []byte("\ufffd")))
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text, from > 0 || to < len(line)
}
