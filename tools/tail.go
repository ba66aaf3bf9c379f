package tools

import (
	"bytes"
	"unicode/utf8"
)

// tail keeps the end of a text and counts all of it. It holds at least the
// last keepTail bytes and never more than twice that and one write.
type tail struct {
	text      []byte
	lineStart int   // where in text the current line begins
	midLine   bool  // text[0] is not the beginning of a line
	lines     int   // newlines so far
	bytes     int64 // bytes so far, of lines as they are now
	lineBytes int64 // of them in the current line
	lastLine  int64 // bytes of the last line that has ended
	lost      bool  // whole lines went
}

const keepTail = 2 * maxBytes

func (t *tail) append(p []byte) {
	t.bytes += int64(len(p))
	if i := bytes.LastIndexByte(p, '\n'); i >= 0 {
		t.lines += bytes.Count(p, []byte{'\n'})
		if j := bytes.LastIndexByte(p[:i], '\n'); j >= 0 {
			t.lastLine = int64(i - j - 1)
		} else {
			t.lastLine = t.lineBytes + int64(i)
		}
		t.lineStart = len(t.text) + i + 1
		t.lineBytes = int64(len(p) - i - 1)
	} else {
		t.lineBytes += int64(len(p))
	}
	t.text = append(t.text, p...)
	if len(t.text) <= 2*keepTail {
		return
	}
	cut := len(t.text) - keepTail
	t.midLine = t.text[cut-1] != '\n'
	if t.lineStart > 0 {
		t.lost = true
	}
	t.text = t.text[:copy(t.text, t.text[cut:])]
	t.lineStart = max(0, t.lineStart-cut)
}

// dropLine takes the current line back.
func (t *tail) dropLine() {
	t.bytes -= t.lineBytes
	t.lineBytes = 0
	t.text = t.text[:t.lineStart]
	if t.lineStart == 0 {
		t.midLine = false
	}
}

// dropRune takes the last character of the current line back.
func (t *tail) dropRune() {
	if len(t.text) <= t.lineStart {
		return
	}
	_, n := utf8.DecodeLastRune(t.text)
	t.text = t.text[:len(t.text)-n]
	t.bytes -= int64(n)
	t.lineBytes -= int64(n)
}

// over reports whether the text is more than one result may hold.
func (t *tail) over() bool {
	lines, size := t.lines, t.bytes
	if t.lineBytes > 0 {
		lines++
	} else if t.lines > 0 {
		size-- // a newline at the end counts for nothing
	}
	return t.lost || lines > maxLines || size > maxBytes
}

// shown returns the end of the text within the limits, whole lines unless one
// line alone is over them, and how it was cut. The newline at the end goes.
func (t *tail) shown() (string, *Truncation) {
	body := t.text
	total := t.lines
	if t.lineBytes > 0 {
		total++
	} else if len(body) > 0 {
		body = body[:len(body)-1]
	}
	if !t.over() {
		return string(body), nil
	}
	cut := &Truncation{
		Truncated: true, TruncatedBy: "lines", TotalLines: total, TotalBytes: t.bytes, MaxLines: maxLines, MaxBytes: maxBytes,
	}
	start := len(body)
	for end := len(body); cut.OutputLines < maxLines; {
		begin := bytes.LastIndexByte(body[:end], '\n') + 1
		if len(body)-begin > maxBytes || begin == 0 && t.midLine {
			cut.TruncatedBy = "bytes"
			break
		}
		start = begin
		cut.OutputLines++
		if begin == 0 {
			cut.TruncatedBy = "bytes"
			break
		}
		end = begin - 1
	}
	if cut.OutputLines == 0 {
		start = max(0, len(body)-maxBytes)
		for start < len(body) && !utf8.RuneStart(body[start]) {
			start++
		}
		cut.OutputLines, cut.LastLinePartial = 1, true
	}
	cut.OutputBytes = len(body) - start
	return string(body[start:]), cut
}
