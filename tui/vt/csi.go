package vt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (t *Terminal) csi(params string, final byte) {
	if params != "" && params[0] >= '<' && params[0] <= '?' {
		t.private(params[0], params[1:], final)
		return
	}
	if strings.HasSuffix(params, "$") || strings.HasSuffix(params, " ") || strings.HasSuffix(params, "!") {
		t.count("CSI" + params + string(rune(final)))
		return
	}
	if final == 'm' {
		t.pen.sgr(params)
		return
	}
	arg := func(i, def int) int {
		f := strings.Split(params, ";")
		if i < len(f) {
			if n, err := strconv.Atoi(f[i]); err == nil && n > 0 {
				return n
			}
		}
		return def
	}
	s := t.cur
	x, y := min(s.x, t.w-1), s.y
	if final != 'h' && final != 'l' && final != 'n' && final != 'c' && final != 't' {
		t.lastOK = false
	}
	switch final {
	case 'A':
		lo := 0
		if y >= s.top {
			lo = s.top
		}
		t.moveTo(max(lo, y-arg(0, 1)), x)
	case 'B', 'e':
		hi := t.h - 1
		if y <= s.bottom {
			hi = s.bottom
		}
		t.moveTo(min(hi, y+arg(0, 1)), x)
	case 'C', 'a':
		t.moveTo(y, x+arg(0, 1))
	case 'D':
		t.moveTo(y, x-arg(0, 1))
	case 'E':
		t.moveTo(y+arg(0, 1), 0)
	case 'F':
		t.moveTo(y-arg(0, 1), 0)
	case 'G', '`':
		t.moveTo(y, arg(0, 1)-1)
	case 'd':
		t.count("VPA")
		t.moveTo(arg(0, 1)-1, x)
	case 'H', 'f':
		t.count("CUP")
		t.moveTo(arg(0, 1)-1, arg(1, 1)-1)
	case 'J':
		n := arg(0, 0)
		t.count("ED" + strconv.Itoa(n))
		t.eraseDisplay(n, x, y)
	case 'K':
		n := arg(0, 0)
		t.count("EL" + strconv.Itoa(n))
		switch n {
		case 0:
			t.clear(y, x, t.w, t.empty())
			s.rows[y].wrapped = false
		case 1:
			t.clear(y, 0, x+1, t.empty())
		case 2:
			t.clear(y, 0, t.w, t.empty())
			s.rows[y].wrapped = false
		}
		s.x = x // erasing cancels a pending wrap
	case 'X':
		t.count("ECH")
		t.clear(y, x, x+arg(0, 1), t.empty())
	case '@':
		t.count("ICH")
		t.insertCells(y, x, min(arg(0, 1), t.w-x))
	case 'P':
		t.count("DCH")
		t.deleteCells(y, x, min(arg(0, 1), t.w-x))
	case 'L':
		t.count("IL")
		if y >= s.top && y <= s.bottom {
			t.scrollDown(y, s.bottom, min(arg(0, 1), s.bottom-y+1))
			s.x = 0
		}
	case 'M':
		t.count("DL")
		if y >= s.top && y <= s.bottom {
			t.scrollUp(y, s.bottom, min(arg(0, 1), s.bottom-y+1), false)
			s.x = 0
		}
	case 'S':
		t.count("SU")
		t.scrollUp(s.top, s.bottom, min(arg(0, 1), s.bottom-s.top+1), false)
	case 'T':
		t.count("SD")
		t.scrollDown(s.top, s.bottom, min(arg(0, 1), s.bottom-s.top+1))
	case 'r':
		t.count("DECSTBM")
		top, bottom := arg(0, 1)-1, min(arg(1, t.h), t.h)-1
		if top < bottom {
			s.top, s.bottom = top, bottom
			t.moveTo(0, 0)
		}
	case 's':
		s.save = saved{s.x, s.y, t.pen}
	case 'u':
		t.restore(s.save)
	case 'n':
		if arg(0, 0) == 6 && t.answers.Cursor {
			t.reply(fmt.Sprintf("\x1b[%d;%dR", y+1, x+1))
		}
	case 'c':
		if t.answers.DA1 {
			t.reply("\x1b[?62;22c")
		}
	case 't':
		if arg(0, 0) == 16 && t.answers.CellSize[0] > 0 {
			t.reply(fmt.Sprintf("\x1b[6;%d;%dt", t.answers.CellSize[1], t.answers.CellSize[0]))
		}
	default:
		t.count("CSI" + params + string(rune(final)))
	}
}

func (t *Terminal) eraseDisplay(n, x, y int) {
	s := t.cur
	clearRow := func(i int) {
		t.clear(i, 0, t.w, t.empty())
		s.rows[i].wrapped = false
	}
	switch n {
	case 0:
		t.clear(y, x, t.w, t.empty())
		s.rows[y].wrapped = false
		for i := y + 1; i < t.h; i++ {
			clearRow(i)
		}
	case 1:
		t.clear(y, 0, x+1, t.empty())
		for i := 0; i < y; i++ {
			clearRow(i)
		}
	case 2:
		for i := 0; i < t.h; i++ {
			clearRow(i)
		}
		t.cur.pics.shown = slices.DeleteFunc(t.cur.pics.shown, func(s shown) bool { return s.row+s.rows > t.firstRow() })
	case 3:
		for i := range t.main.pics.shown {
			t.main.pics.shown[i].row -= len(t.scrollback)
		}
		t.scrollback = nil
	}
}

func (t *Terminal) insertCells(y, x, n int) {
	cells := t.cur.rows[y].cells
	t.clear(y, x, x, blank)
	if cells[x].Width == 0 && x > 0 {
		cells[x-1], cells[x] = Cell{Text: " ", Width: 1}, Cell{Text: " ", Width: 1}
	}
	copy(cells[x+n:], cells[x:len(cells)-n])
	for i := x; i < x+n; i++ {
		cells[i] = t.empty()
	}
	if last := len(cells) - 1; cells[last].Width == 2 {
		cells[last] = Cell{Text: " ", Width: 1}
	}
}

func (t *Terminal) deleteCells(y, x, n int) {
	cells := t.cur.rows[y].cells
	if cells[x].Width == 0 && x > 0 {
		cells[x-1], cells[x] = Cell{Text: " ", Width: 1}, Cell{Text: " ", Width: 1}
	}
	if x+n < len(cells) && cells[x+n].Width == 0 {
		cells[x+n] = Cell{Text: " ", Width: 1}
	}
	copy(cells[x:], cells[x+n:])
	for i := len(cells) - n; i < len(cells); i++ {
		cells[i] = t.empty()
	}
}

// private handles CSI with one of < = > ? in front.
func (t *Terminal) private(mark byte, params string, final byte) {
	s := t.cur
	first, _ := strconv.Atoi(strings.SplitN(strings.TrimSuffix(params, "$"), ";", 2)[0])
	switch {
	case mark == '?' && (final == 'h' || final == 'l'):
		for p := range strings.SplitSeq(params, ";") {
			if n, err := strconv.Atoi(p); err == nil {
				t.mode(n, final == 'h')
			}
		}
	case mark == '?' && final == 'p' && first == 2026 && t.answers.Sync:
		t.reply("\x1b[?2026;2$y")
	case mark == '?' && final == 'u' && t.answers.Kitty:
		flags := 0
		if n := len(s.kitty); n > 0 {
			flags = s.kitty[n-1]
		}
		t.reply(fmt.Sprintf("\x1b[?%du", flags))
	case mark == '>' && final == 'u':
		s.kitty = append(s.kitty, first)
	case mark == '<' && final == 'u':
		s.kitty = s.kitty[:max(0, len(s.kitty)-max(1, first))]
	case mark == '>' && final == 'm':
		t.modes.ModifyKeys = 0
		if f := strings.Split(params, ";"); len(f) > 1 {
			t.modes.ModifyKeys, _ = strconv.Atoi(f[1])
		}
	default:
		t.count("CSI" + string(rune(mark)) + params + string(rune(final)))
	}
}

func (t *Terminal) mode(n int, on bool) {
	m := &t.modes
	switch n {
	case 1:
		m.AppCursor = on
	case 6:
		m.Origin = on
	case 7:
		m.Autowrap = on
		if !on && t.cur.x == t.w {
			t.cur.x = t.w - 1
		}
	case 25:
		m.CursorVisible = on
	case 47, 1047, 1049:
		t.count("ALT")
		t.alternate(on, n == 1049)
	case 1000, 1002, 1003:
		if on {
			m.Mouse = max(m.Mouse, n)
		} else if m.Mouse == n {
			m.Mouse = 0
		} else if m.Mouse > n {
			return
		}
	case 1004:
		m.Focus = on
	case 1006:
		m.MouseSGR = on
	case 2004:
		m.BracketedPaste = on
	case 2026:
		if on && !m.Sync {
			t.stats.frame = 8 // the bytes of the sequence
		}
		if !on && m.Sync {
			t.stats.Frames++
			t.stats.MaxFrame = max(t.stats.MaxFrame, t.stats.frame)
		}
		if on {
			// The opening sequence was counted as outside until now.
			t.stats.OutsideSync -= min(t.stats.OutsideSync, 7)
		}
		m.Sync = on
	case 2031:
		m.SchemeReports = on
	default:
		t.count("MODE" + strconv.Itoa(n))
	}
}

func (t *Terminal) alternate(on, save bool) {
	t.lastOK = false
	switch {
	case on && t.cur == t.main:
		if save {
			t.savedMain = saved{t.main.x, t.main.y, t.pen}
		}
		kitty := t.alt.kitty
		t.alt = newScreen(t.w, t.h)
		t.alt.kitty = kitty
		t.alt.x, t.alt.y = min(t.main.x, t.w-1), t.main.y
		t.cur = t.alt
	case !on && t.cur == t.alt:
		t.cur = t.main
		if save {
			t.restore(t.savedMain)
		}
	}
}
