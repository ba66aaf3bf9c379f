package tui

import "strconv"

// shift is a move of the rows from top to bottom (exclusive) by so many rows;
// above 0 is up.
type shift struct{ top, bottom, by int }

const (
	// shiftCost is about what a shift takes in bytes.
	shiftCost = 24
	// shiftTries bounds the work of looking for a shift.
	shiftTries = 6
)

// scrolled finds out whether rows are mostly those of the last frame, moved up
// or down, and moving them on the terminal takes fewer bytes than writing them.
func (r *screenRenderer) scrolled(rows []string) (shift, bool) {
	n := min(len(rows), len(r.prev))
	changed := 0
	for i := range n {
		if !same(r.prev[i].raw, rows[i]) {
			changed++
		}
	}
	if changed < 3 {
		return shift{}, false
	}
	var best shift
	gain := 0
	var tried [shiftTries]int
	tries, probes := 0, 0
	for i := 0; i < n && tries < len(tried) && probes < shiftTries; i++ {
		if len(rows[i]) < 4 || same(r.prev[i].raw, rows[i]) {
			continue
		}
		probes++
		for j := 0; j < n && tries < len(tried); j++ {
			by := j - i
			if by == 0 || !same(r.prev[j].raw, rows[i]) || contains(tried[:tries], by) {
				continue
			}
			tried[tries] = by
			tries++
			if s, g := r.rate(rows[:n], by); g > gain {
				best, gain = s, g
			}
		}
	}
	return best, gain > shiftCost
}

// rate returns the rows that a shift puts in their place, and roughly how many
// bytes it saves.
func (r *screenRenderer) rate(rows []string, by int) (shift, int) {
	s := shift{top: -1, by: by}
	for i := range rows {
		if j := i + by; j >= 0 && j < len(rows) && rows[i] != "" && same(r.prev[j].raw, rows[i]) && !same(r.prev[i].raw, rows[i]) {
			if s.top < 0 {
				s.top = min(i, j)
			}
			s.bottom = max(i, j) + 1
		}
	}
	if s.top < 0 {
		return s, 0
	}
	gain := 0
	for i := s.top; i < s.bottom; i++ {
		if !same(r.prev[i].raw, rows[i]) {
			gain += len(rows[i])
		}
		if j := i + by; j < s.top || j >= s.bottom || !same(r.prev[j].raw, rows[i]) {
			gain -= len(rows[i])
		}
	}
	return s, gain
}

// shift appends the move: a scroll region, and lines deleted or inserted at its
// top, which all terminals know (the Linux console has no SU and SD) and which
// puts nothing into a scrollback.
func (r *screenRenderer) shift(b []byte, s shift) []byte {
	b = append(b, "\x1b["...)
	b = strconv.AppendInt(b, int64(s.top+1), 10)
	b = append(b, ';')
	b = strconv.AppendInt(b, int64(s.bottom), 10)
	b = append(b, 'r')
	b = appendCUP(b, s.top, 0)
	n, final := s.by, byte('M')
	if n < 0 {
		n, final = -n, 'L'
	}
	b = append(b, "\x1b["...)
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, final)
	b = append(b, "\x1b[r"...)

	p := r.prev[s.top:s.bottom]
	blank := line{cursor: noCursor}
	if s.by > 0 {
		copy(p, p[n:])
		fill(p[len(p)-n:], blank)
	} else {
		copy(p[n:], p)
		fill(p[:n], blank)
	}
	return b
}

func fill(p []line, l line) {
	for i := range p {
		p[i] = l
	}
}

func contains(p []int, n int) bool {
	for _, v := range p {
		if v == n {
			return true
		}
	}
	return false
}
