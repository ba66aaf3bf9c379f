package vt

// Resize changes the size as xterm and tmux do. The alternate screen is cut or
// extended. The main screen reflows: rows the terminal had wrapped are joined
// and wrapped at the new width, rows above the cursor go to the scrollback when
// the screen gets lower, and come back when it gets higher (see SetPull).
func (t *Terminal) Resize(w, h int) {
	w, h = max(1, w), max(1, h)
	t.lastOK = false
	t.resizeAlt(w, h)
	t.resizeMain(w, h)
	t.w, t.h = w, h
	for _, s := range []*screen{t.main, t.alt} {
		s.top, s.bottom = 0, h-1
		s.x, s.y = min(s.x, w-1), min(s.y, h-1)
	}
}

func fit(r row, w int) row {
	if len(r.cells) > w {
		r.cells = append([]Cell(nil), r.cells[:w]...)
		if r.cells[w-1].Width == 2 {
			r.cells[w-1] = blank
		}
	}
	for len(r.cells) < w {
		r.cells = append(r.cells, blank)
	}
	return r
}

func (t *Terminal) resizeAlt(w, h int) {
	s := t.alt
	for len(s.rows) > h {
		if s.y >= h {
			s.rows = s.rows[1:]
			s.y--
		} else {
			s.rows = s.rows[:len(s.rows)-1]
		}
	}
	for i := range s.rows {
		s.rows[i] = fit(s.rows[i], w)
	}
	for len(s.rows) < h {
		s.rows = append(s.rows, newRow(w, blank))
	}
}

func (t *Terminal) resizeMain(w, h int) {
	s := t.main
	// Blank rows below the cursor and the content are no content.
	last := s.y
	for i := s.y + 1; i < len(s.rows); i++ {
		if s.rows[i].used() > 0 {
			last = i
		}
	}
	oldScroll := len(t.scrollback)
	all := append(append([]row(nil), t.scrollback...), s.rows[:last+1]...)
	cy, cx := oldScroll+s.y, min(s.x, t.w-1)
	if w != t.w && !t.clips {
		// Where wrapping moves them to is nowhere written down.
		s.pics.shown = nil
		all, cy, cx = reflow(all, cy, cx, w)
	}
	top := 0
	switch {
	case (w == t.w || t.clips) && h <= t.h:
		// Lower: rows below the cursor go first, then rows above.
		top = oldScroll + max(0, s.y-(h-1))
	case w == t.w || t.clips:
		top = oldScroll
		if !t.noPull {
			top -= min(oldScroll, h-t.h)
		}
	default:
		top = max(0, min(len(all)-h, cy))
		if t.noPull {
			top = max(top, min(oldScroll, cy))
		}
		top = max(top, cy-h+1)
	}
	all = all[:min(len(all), top+h)]
	if t.clips {
		for i := range all {
			all[i] = fit(all[i], w)
			all[i].wrapped = false
		}
	}
	t.scrollback = append([]row(nil), all[:top]...)
	s.rows = append([]row(nil), all[top:]...)
	for i := range s.rows {
		s.rows[i] = fit(s.rows[i], w)
	}
	for len(s.rows) < h {
		s.rows = append(s.rows, newRow(w, blank))
	}
	s.y, s.x = min(max(cy-top, 0), h-1), min(cx, w-1)
}

// reflow wraps rows at another width and says where the cursor went.
func reflow(rows []row, cy, cx, w int) ([]row, int, int) {
	var out []row
	ncy, ncx := 0, 0
	for i := 0; i < len(rows); {
		var line []Cell
		cursorAt := -1
		for {
			r := rows[i]
			n := r.used()
			if r.wrapped {
				n = len(r.cells)
				// A wide cluster that did not fit left a blank.
				if n > 0 && r.cells[n-1] == blank {
					n--
				}
			}
			if i == cy {
				cursorAt = len(line) + cx
				n = max(n, min(cx, len(r.cells)))
			}
			line = append(line, r.cells[:n]...)
			i++
			if !r.wrapped || i >= len(rows) {
				break
			}
		}
		first := true
		for pos := 0; first || pos < len(line); first = false {
			n := min(w, len(line)-pos)
			if n > 0 && pos+n < len(line) && line[pos+n].Width == 0 && n > 1 {
				n--
			}
			if n == 1 && w == 1 && line[pos].Width == 2 {
				n = 2
			}
			nr := row{cells: append([]Cell(nil), line[pos:pos+n]...), wrapped: pos+n < len(line)}
			if cursorAt >= pos && (cursorAt < pos+n || pos+n >= len(line)) {
				ncy, ncx = len(out), min(cursorAt-pos, w-1)
				cursorAt = -1
			}
			out = append(out, fit(nr, w))
			pos += n
		}
	}
	return out, ncy, ncx
}
