package tools

import (
	"fmt"
	"strconv"
)

// What one result may hold, whichever is reached first.
const (
	maxLines = 2000
	maxBytes = 50 << 10
)

// Truncation says how a result was cut. It is part of the details of read,
// bash, grep, find and ls; the text itself is in the result's content only.
type Truncation struct {
	Truncated             bool   `json:"truncated"`
	TruncatedBy           string `json:"truncatedBy"` // lines, bytes
	TotalLines            int    `json:"totalLines"`
	TotalBytes            int64  `json:"totalBytes"`
	OutputLines           int    `json:"outputLines"`
	OutputBytes           int    `json:"outputBytes"`
	LastLinePartial       bool   `json:"lastLinePartial"`       // bash: the only line shown lost its beginning
	FirstLineExceedsLimit bool   `json:"firstLineExceedsLimit"` // read: nothing could be shown
	MaxLines              int    `json:"maxLines"`
	MaxBytes              int    `json:"maxBytes"`
}

// size writes a number of bytes for people: 512B, 50.0KB, 1.5MB, 4.0GB.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return strconv.FormatInt(n, 10) + "B"
	case n < 1<<20:
		return fmt.Sprintf("%.1fKB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1fMB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1fGB", float64(n)/(1<<30))
}

// headLines cuts text after a whole line so that it keeps the byte limit. t is
// nil if nothing was cut. It is for lists, whose lines are short.
func headLines(text string) (string, *Truncation) {
	if len(text) <= maxBytes {
		return text, nil
	}
	total := countLines(text)
	cut := maxBytes
	for cut > 0 && text[cut] != '\n' {
		cut--
	}
	head := text[:cut]
	return head, &Truncation{
		Truncated: true, TruncatedBy: "bytes", TotalLines: total, TotalBytes: int64(len(text)),
		OutputLines: countLines(head), OutputBytes: len(head), MaxLines: maxLines, MaxBytes: maxBytes,
	}
}

// countLines counts lines; a newline at the end does not begin another.
func countLines(s string) int {
	if s == "" {
		return 0
	}
	n := 0
	for i := range len(s) {
		if s[i] == '\n' {
			n++
		}
	}
	if s[len(s)-1] != '\n' {
		n++
	}
	return n
}
