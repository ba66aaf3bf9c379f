package tools

import (
	"fmt"
	"strings"
)

// nearest returns the passage of the file that is most like old, with line
// numbers, as it stands now; or nothing if there is none worth showing.
func (f *finder) nearest(old string) string {
	f.index()
	want := strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	places := map[string][]int{}
	trimmed := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for i, k := range f.keys {
		if k = trimmed(k); len(k) > 2 {
			places[k] = append(places[k], i)
		}
	}
	// Each line of old that the file has votes for where the passage would begin.
	votes := map[int]int{}
	best, most := -1, 0
	for j, w := range want {
		at := places[trimmed(lineKey(w))]
		if len(at) > 50 {
			continue // too common to say anything
		}
		for _, i := range at {
			start := i - j
			if votes[start]++; votes[start] > most || votes[start] == most && start < best {
				best, most = start, votes[start]
			}
		}
	}
	if most == 0 {
		if best = f.mostLike(want); best < 0 {
			return ""
		}
	}
	const shown = 24
	from := max(0, best-1)
	to := min(len(f.lines), best+min(len(want), shown)+1)
	var b strings.Builder
	for i := from; i < to; i++ {
		end := len(f.lf.text)
		if i+1 < len(f.lines) {
			end = f.lines[i+1] - 1
		}
		fmt.Fprintf(&b, "%6d  %s\n", i+1, cutLine(f.lf.text[f.lines[i]:end], longLine))
	}
	return b.String()
}

// mostLike returns the line that shares most words with the longest line of
// want, or -1. It looks at a bounded part of a large file.
func (f *finder) mostLike(want []string) int {
	longest, at := "", 0
	for j, w := range want {
		if w = strings.TrimSpace(w); len(w) > len(longest) {
			longest, at = w, j
		}
	}
	words := map[string]bool{}
	for _, w := range tokens(longest) {
		words[w] = true
	}
	if len(words) < 2 {
		return -1
	}
	best, score := -1, 0.5
	for i, k := range f.keys {
		if i > 200_000 || len(k) > 10_000 {
			continue
		}
		var same, other int
		for _, w := range tokens(k) {
			if words[w] {
				same++
			} else {
				other++
			}
		}
		if s := float64(same) / float64(len(words)+other); s > score {
			best, score = i-at, s
		}
	}
	return max(best, -1)
}

func tokens(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0x80)
	})
}
