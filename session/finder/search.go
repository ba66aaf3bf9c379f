package finder

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"tau/ai"
	"tau/session/message"
	"tau/session/store"
)

// Result is a session in which every term of a query occurs.
type Result struct {
	Path string
	Hits []Hit // at most three, with every term in at least one of them if there are no more than three
}

// Hit is a place in a session.
type Hit struct {
	EntryID string
	Type    string  // of the entry; "session" for its header
	Role    ai.Role // of a message
	Text    string  // one line around the match
	From    int     // of the match in Text, in bytes
	To      int
}

const (
	pieceBytes = 4 << 20  // of a file that one worker looks at in one go
	lineBytes  = 64 << 20 // the longest line that is looked at
	maxHits    = 3
	around     = 60 // bytes of text before a match
	snippet    = 200
)

// Search looks for the query in the texts of the session files: what was said,
// run, called and answered, names and labels; not in system prompts and
// images. It calls each for every session that has all terms, as soon as that
// is known and never concurrently. Long files are split among the processors.
// Files that cannot be read are left out.
func Search(ctx context.Context, paths []string, q Query, each func(Result)) error {
	return searchIn(ctx, paths, q, pieceBytes, each)
}

// searchIn is Search with pieces of a size.
func searchIn(ctx context.Context, paths []string, q Query, size int64, each func(Result)) error {
	if q.Empty() {
		return nil
	}
	queue := &queue{size: size}
	for _, p := range paths {
		st, err := os.Stat(p)
		if err != nil || !st.Mode().IsRegular() || st.Size() == 0 {
			continue
		}
		queue.files = append(queue.files, &searched{path: p, size: st.Size()})
	}
	var mu sync.Mutex
	report := func(r Result) {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() == nil {
			each(r)
		}
	}
	q = q.longestFirst()
	workers := runtime.GOMAXPROCS(0)
	parallel(ctx, workers, func(int) {
		var b buffer
		for ctx.Err() == nil {
			p, ok := queue.next()
			if !ok {
				return
			}
			if !p.file.over() {
				if lines, err := b.read(p); err == nil {
					p.file.search(q.terms[p.term], p.term, q, lines, report)
				}
			}
			queue.finished(p, len(q.terms))
		}
	})
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("search sessions: %w", err)
	}
	return nil
}

// piece is a part of a file that is looked through for one term.
type piece struct {
	file     *searched
	from, to int64
	term     int
}

// queue hands out pieces: all of a file for its first term, and those for the
// next term only when the one before has been found.
type queue struct {
	size int64 // of a piece

	mu     sync.Mutex
	files  []*searched
	pieces []piece
}

// next returns a piece to look at. A worker that gets none may stop: what a
// piece under way leads to, its own worker does.
func (q *queue) next() (piece, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.pieces) == 0 {
		if len(q.files) == 0 {
			return piece{}, false
		}
		q.add(q.files[0], 0)
		q.files = q.files[1:]
	}
	p := q.pieces[0]
	q.pieces = q.pieces[1:]
	return p, true
}

func (q *queue) add(f *searched, term int) {
	for at := int64(0); at < f.size; at += q.size {
		q.pieces = append(q.pieces, piece{f, at, min(at+q.size, f.size), term})
		f.pending++
	}
}

// finished goes on to the next term of a file when all its pieces are done.
func (q *queue) finished(p piece, terms int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	f := p.file
	if f.pending--; f.pending > 0 || f.over() {
		return
	}
	for term := p.term; term < terms && f.has(term); term++ {
		if term+1 < terms && !f.has(term+1) {
			q.add(f, term+1)
			return
		}
	}
}

// searched is what is known of a file so far.
type searched struct {
	path    string
	size    int64
	pending int // pieces that are being looked at; the queue's

	check sync.Once
	bad   bool // not a session; set by check

	mu   sync.Mutex
	done bool   // all terms were found, and it was reported
	have uint64 // terms that were found
	hits []Hit
}

func (f *searched) has(term int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.have&(1<<term) != 0
}

// over reports whether there is nothing more to look for in the file.
func (f *searched) over() bool {
	f.check.Do(func() {
		_, err := store.ReadHeader(f.path)
		f.bad = err != nil
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.bad || f.done
}

type buffer struct{ raw []byte }

// read returns the lines that begin in the piece.
func (b *buffer) read(p piece) (lines []byte, err error) {
	f, err := os.Open(p.file.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	start := max(p.from-1, 0) // to see whether a line begins at from
	n := int(p.to - start)
	b.grow(n)
	got, err := f.ReadAt(b.raw[:n], start)
	if err != nil && err != io.EOF {
		return nil, err
	}
	lines = b.raw[:got]
	if p.from > 0 {
		i := bytes.IndexByte(lines, '\n')
		if i < 0 {
			return nil, nil // in the middle of a line
		}
		lines = lines[i+1:]
	}
	if len(lines) == 0 || lines[len(lines)-1] == '\n' {
		return lines, nil
	}
	// The last line ends in a later piece.
	skip := got - len(lines)
	for end := start + int64(got); got < lineBytes; {
		b.grow(got + 1<<18)
		more, err := f.ReadAt(b.raw[got:got+1<<18], end)
		i := bytes.IndexByte(b.raw[got:got+more], '\n')
		if i >= 0 {
			got += i + 1
			break
		}
		got += more
		end += int64(more)
		if err != nil {
			break
		}
	}
	return b.raw[skip:got], nil
}

func (b *buffer) grow(n int) {
	if n > len(b.raw) {
		raw := make([]byte, n+n/8)
		copy(raw, b.raw)
		b.raw = raw
	}
}

// search looks for term n in lines. In lines that have it the others are looked
// for too.
func (f *searched) search(t term, n int, q Query, lines []byte, report func(Result)) {
	for _, more := range t.also {
		if indexFold(lines, more, 0) < 0 {
			return
		}
	}
	for from := 0; from < len(lines) && f.wants(n); {
		at := indexFold(lines, t.raw, from)
		if at < 0 {
			return
		}
		begin := bytes.LastIndexByte(lines[:at], '\n') + 1
		end := len(lines)
		if i := bytes.IndexByte(lines[at:], '\n'); i >= 0 {
			end = at + i
		}
		if line := lines[begin:end]; searchable(line) && t.mayBeIn(line) {
			f.line(q, line, report)
		}
		from = end + 1
	}
}

// wants reports whether looking for term n still makes sense: until it has been
// found and there are enough hits.
func (f *searched) wants(n int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.done && (f.have&(1<<n) == 0 || len(f.hits) < maxHits)
}

// line looks for the terms in the text of a line that may have one.
func (f *searched) line(q Query, line []byte, report func(Result)) {
	e, err := store.DecodeEntry(line)
	if err != nil {
		return
	}
	hit := Hit{EntryID: store.EntryBase(e).ID, Type: store.EntryBase(e).Type}
	if m, ok := e.(*store.MessageEntry); ok {
		hit.Role = m.Message.MessageRole()
	}
	text := Text(e)
	low := lowered(text)
	var found uint64
	from, to := -1, 0
	for n, t := range q.terms {
		if a, b, ok := t.find(text, low); ok {
			found |= 1 << n
			if from < 0 {
				from, to = a, b
			}
		}
	}
	if found == 0 {
		return
	}
	hit.Text, hit.From, hit.To = excerpt(text, from, to)
	f.mu.Lock()
	var out *Result
	isNew := found&^f.have != 0
	f.have |= found
	known := slices.ContainsFunc(f.hits, func(h Hit) bool { return h.EntryID == hit.EntryID })
	switch {
	case known || f.done:
	case len(f.hits) < maxHits:
		f.hits = append(f.hits, hit)
	case isNew:
		f.hits[maxHits-1] = hit
	}
	all := uint64(1)<<len(q.terms) - 1
	if f.have&all == all && !f.done {
		f.done = true
		out = &Result{Path: f.path, Hits: f.hits}
	}
	f.mu.Unlock()
	if out != nil {
		report(*out)
	}
}

// searchable tells from the beginning of a line whether it has text that people
// look for.
func searchable(line []byte) bool {
	for _, typ := range [...]string{"message", "compaction", "branch_summary", "custom_message", "session_info", "label"} {
		if bytes.HasPrefix(line, []byte(`{"type":"`+typ+`"`)) {
			return typ != "message" || store.LineRole(line) != ai.RoleSystem
		}
	}
	// Another order of members, or a type without text.
	return !bytes.HasPrefix(line, []byte(`{"type":"`))
}

// Text returns what a search looks at in an entry.
func Text(e store.Entry) string {
	var b strings.Builder
	add := func(blocks []ai.Block) {
		for _, block := range blocks {
			switch block := block.(type) {
			case *ai.Text:
				b.WriteString(block.Text + "\n")
			case *ai.Thinking:
				b.WriteString(block.Thinking + "\n")
			case *ai.ToolCall:
				b.WriteString(block.Name + " " + string(block.Arguments) + "\n")
			}
		}
	}
	switch e := e.(type) {
	case *store.MessageEntry:
		switch m := e.Message.(type) {
		case *ai.UserMessage:
			add(m.Content)
		case *ai.AssistantMessage:
			add(m.Content)
			b.WriteString(m.ErrorMessage)
		case *ai.ToolResultMessage:
			add(m.Content)
		case *message.Bash:
			b.WriteString(m.Command + "\n" + m.Output)
		case *message.Custom:
			add(m.Blocks())
		}
	case *store.CompactionEntry:
		b.WriteString(e.Summary)
	case *store.BranchSummaryEntry:
		b.WriteString(e.Summary)
	case *store.CustomMessageEntry:
		add((&message.Custom{Content: e.Content}).Blocks())
	case *store.InfoEntry:
		b.WriteString(e.Name)
	case *store.LabelEntry:
		b.WriteString(e.Label)
	}
	return b.String()
}

// excerpt returns one line around a match and where the match is in it.
func excerpt(text string, from, to int) (line string, a, b int) {
	begin := max(from-around, 0)
	for begin > 0 && !utf8.RuneStart(text[begin]) {
		begin--
	}
	to = max(to, from)
	end := min(max(begin+snippet, to), begin+2*snippet, len(text))
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	to = min(to, end)
	flat := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return ' '
			}
			return r
		}, s)
	}
	before, match, after := flat(text[begin:from]), flat(text[from:to]), flat(text[to:end])
	before = strings.TrimLeft(before, " ")
	if begin > 0 {
		before = "…" + before
	}
	return before + match + strings.TrimRight(after, " "), len(before), len(before) + len(match)
}
