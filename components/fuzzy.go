package components

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"
)

// Fuzzy filters n texts by a query and returns the numbers of those that match,
// best first and otherwise in their order. The words of the query, parted by
// blanks and slashes, must all match; an empty query keeps everything.
func Fuzzy(query string, n int, text func(i int) string) []int {
	tokens := fuzzyTokens(query)
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	if len(tokens) == 0 {
		return out
	}
	scores := make([]float64, n)
	for _, token := range tokens {
		found := make(map[int]float64, len(out))
		for _, alt := range spellings(token) {
			for _, m := range fuzzy.FindFromNoSort(alt.pattern, chosen{out, text}) {
				i := out[m.Index]
				s := score(alt.pattern, m.Str, m.MatchedIndexes) + alt.penalty
				if old, ok := found[i]; !ok || s < old {
					found[i] = s
				}
			}
		}
		out = slices.DeleteFunc(out, func(i int) bool {
			s, ok := found[i]
			scores[i] += s
			return !ok
		})
	}
	slices.SortStableFunc(out, func(a, b int) int {
		switch {
		case scores[a] < scores[b]:
			return -1
		case scores[a] > scores[b]:
			return 1
		}
		return 0
	})
	return out
}

// FuzzyMatch matches one text. A lower score is better.
func FuzzyMatch(query, text string) (points float64, ok bool) {
	for _, token := range fuzzyTokens(query) {
		best, found := 0.0, false
		for _, alt := range spellings(token) {
			for _, m := range fuzzy.FindNoSort(alt.pattern, []string{text}) {
				if s := score(alt.pattern, text, m.MatchedIndexes) + alt.penalty; !found || s < best {
					best, found = s, true
				}
			}
		}
		if !found {
			return 0, false
		}
		points += best
	}
	return points, true
}

// chosen is the texts that are still in.
type chosen struct {
	of   []int
	text func(int) string
}

func (c chosen) Len() int            { return len(c.of) }
func (c chosen) String(i int) string { return c.text(c.of[i]) }

func fuzzyTokens(query string) []string {
	return strings.FieldsFunc(query, func(r rune) bool { return unicode.IsSpace(r) || r == '/' })
}

type spelling struct {
	pattern string
	penalty float64
}

// spellings gives the token and, where it is letters and digits or digits and
// letters, the two the other way round: "codex52" finds "gpt-5.2-codex".
func spellings(token string) []spelling {
	out := []spelling{{pattern: token}}
	digit := func(r rune) bool { return r >= '0' && r <= '9' }
	letter := func(r rune) bool { return !digit(r) && (unicode.IsLetter(r)) }
	split := func(first, second func(rune) bool) bool {
		i := strings.IndexFunc(token, func(r rune) bool { return !first(r) })
		if i <= 0 || strings.IndexFunc(token[i:], func(r rune) bool { return !second(r) }) >= 0 {
			return false
		}
		out = append(out, spelling{token[i:] + token[:i], 5})
		return true
	}
	if !split(letter, digit) {
		split(digit, letter)
	}
	return out
}

// score rates a match: runs of neighbours and starts of words are good, gaps
// and distance from the start are bad. The places the matcher found compete
// with every place where the pattern stands in one piece.
func score(pattern, s string, at []int) float64 {
	best := rate(s, at)
	lower, p := strings.ToLower(s), strings.ToLower(pattern)
	if lower == p {
		best -= 100
	}
	if len(lower) != len(s) {
		return best // folding moved the offsets
	}
	run := make([]int, 0, len(at))
	for from, tries := 0, 0; tries < 50; tries++ {
		i := strings.Index(lower[from:], p)
		if i < 0 {
			break
		}
		run = run[:0]
		for k := range p {
			run = append(run, from+i+k)
		}
		r := rate(s, run)
		if lower == p {
			r -= 100
		}
		best = min(best, r)
		_, n := utf8.DecodeRuneInString(lower[from+i:])
		from += i + n
	}
	return best
}

func rate(s string, at []int) float64 {
	points, streak, end := 0.0, 0, 0
	for k, i := range at {
		if i == end {
			streak++
			points -= 5 * float64(streak)
		} else {
			streak = 0
			if k > 0 {
				points += 2 * float64(i-end)
			}
		}
		if i == 0 || strings.IndexByte(" -_./:", s[i-1]) >= 0 {
			points -= 10
		}
		points += 0.1 * float64(i)
		_, n := utf8.DecodeRuneInString(s[i:])
		end = i + n
	}
	return points
}
