package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"tau/agent"
)

// window is a range of the lines of a text that is read as a stream: it holds
// what it shows and no more, however large the text is.
type window struct {
	first int // line it begins at, from 1
	limit int // lines the caller wants at most; 0 for no wish

	text  []byte // the lines shown, with their ends
	shown int    // lines in text
	cutBy string // limit of the tool that ended it: lines, bytes

	line      int   // lines ended so far
	open      bool  // the current line has a byte
	total     int   // lines in all
	counted   bool  // total is known; else there are at least that many
	tooLong   bool  // the first line alone is over the limit
	lineBytes int64 // of that line, as far as it was read
}

// countAhead is how far beyond the window lines are counted. A larger file is
// not read to its end only to tell its length.
const countAhead = 64 << 20

// fill reads the text.
func (w *window) fill(ctx context.Context, r io.Reader) error {
	buf := make([]byte, 256<<10)
	ahead := 0
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		p := buf[:n]
		if !w.full() {
			p = w.take(p)
		}
		if w.full() {
			ahead += len(p)
			w.count(p)
		}
		if err == io.EOF {
			w.counted = true
			break
		}
		if err != nil {
			return err
		}
		if ahead > countAhead {
			break
		}
	}
	w.total = w.line
	if w.open {
		w.total++
		if w.inside() && !w.full() {
			w.shown++
		}
	}
	return nil
}

// inside reports whether the current line is one to show.
func (w *window) inside() bool { return w.line+1 >= w.first }

func (w *window) full() bool {
	return w.cutBy != "" || w.limit > 0 && w.shown == w.limit
}

// count goes over what is not shown.
func (w *window) count(p []byte) {
	if len(p) == 0 {
		return
	}
	n := bytes.Count(p, []byte{'\n'})
	if w.tooLong && w.line+1 == w.first {
		if n > 0 {
			w.lineBytes += int64(bytes.IndexByte(p, '\n'))
		} else {
			w.lineBytes += int64(len(p))
		}
	}
	w.line += n
	w.open = p[len(p)-1] != '\n'
}

// skip goes over p up to the window and returns the rest.
func (w *window) skip(p []byte) []byte {
	lines := w.first - 1 - w.line
	if bytes.Count(p, []byte{'\n'}) < lines {
		w.count(p)
		return nil
	}
	for range lines {
		p = p[bytes.IndexByte(p, '\n')+1:]
	}
	w.line += lines
	w.open = false
	return p
}

// take puts p into the window until that is full, and returns the rest.
func (w *window) take(p []byte) []byte {
	if !w.inside() {
		p = w.skip(p)
	}
	for len(p) > 0 && !w.full() {
		if w.shown == maxLines {
			w.cutBy = "lines"
			break
		}
		i := bytes.IndexByte(p, '\n')
		line := p
		if i >= 0 {
			line = p[:i]
		}
		if len(w.text)+len(line) > maxBytes {
			w.cutBy = "bytes"
			// What the line has had so far goes.
			begin := bytes.LastIndexByte(w.text, '\n') + 1
			w.tooLong = w.shown == 0
			w.lineBytes = int64(len(w.text) - begin)
			w.text = w.text[:begin]
			break
		}
		if i < 0 {
			w.text = append(w.text, p...)
			w.open = true
			return nil
		}
		w.text = append(w.text, p[:i+1]...)
		w.line++
		w.shown++
		w.open = false
		p = p[i+1:]
	}
	return p
}

// result is what the model gets. fileSize is in bytes; path is for a hint.
func (w *window) result(fileSize int64, path string) agent.Result {
	if w.total == 0 {
		return agent.TextResult("(empty file)")
	}
	text := strings.ReplaceAll(strings.ToValidUTF8(string(w.text), "\ufffd"), "\r\n", "\n")
	last := w.first + w.shown - 1
	of := fmt.Sprint(w.total)
	if !w.counted {
		of = fmt.Sprintf("more than %d, %s in all", w.total, size(fileSize))
	}
	more := last < w.total || !w.counted
	note := ""
	switch {
	case w.tooLong:
		long := size(w.lineBytes)
		if !w.counted && w.line < w.first {
			long = "more than " + long
		}
		note = fmt.Sprintf("Line %d has %s, more than the %s that can be shown. See part of it with bash: sed -n '%dp' %s | head -c %d", w.first, long, size(maxBytes), w.first, quoteShell(path), maxBytes)
		if w.first < w.total {
			note += fmt.Sprintf(". Use offset=%d to go on behind it.", w.first+1)
		}
	case w.cutBy == "bytes":
		note = fmt.Sprintf("Showing lines %d-%d of %s (%s limit). Use offset=%d to continue.", w.first, last, of, size(maxBytes), last+1)
	case w.cutBy == "lines":
		note = fmt.Sprintf("Showing lines %d-%d of %s. Use offset=%d to continue.", w.first, last, of, last+1)
	case more && w.counted:
		left := w.total - last
		note = fmt.Sprintf("%s more in the file. Use offset=%d to continue.", plural(left, "line"), last+1)
	case more:
		note = fmt.Sprintf("Showing lines %d-%d of %s. Use offset=%d to continue.", w.first, last, of, last+1)
	}
	if note == "" {
		return agent.TextResult(text)
	}
	text = strings.TrimSuffix(text, "\n")
	shown := len(text)
	if w.shown > 0 {
		text += "\n\n"
	}
	r := agent.TextResult(text + "[" + note + "]")
	if w.cutBy != "" {
		r.Details, _ = json.Marshal(ReadDetails{&Truncation{ // numbers and words always encode
			Truncated: true, TruncatedBy: w.cutBy, TotalLines: w.total, TotalBytes: fileSize,
			OutputLines: w.shown, OutputBytes: shown, FirstLineExceedsLimit: w.tooLong,
			MaxLines: maxLines, MaxBytes: maxBytes,
		}})
	}
	return r
}
