package input

import (
	"strconv"
	"strings"
)

// sgrMouse reads CSI < b ; x ; y M or m.
func sgrMouse(params string, final byte) (Mouse, bool) {
	if final != 'M' && final != 'm' {
		return Mouse{}, false
	}
	var v [3]int
	rest := params
	for i := range v {
		var f string
		more := true
		f, rest, more = strings.Cut(rest, ";")
		n, err := strconv.Atoi(f)
		if err != nil || n < 0 || n > 1<<20 || more != (i < 2) {
			return Mouse{}, false
		}
		v[i] = n
	}
	m := mouse(v[0], v[1]-1, v[2]-1)
	if final == 'm' && m.Action == MousePress {
		m.Action = MouseRelease
	}
	return m, true
}

// legacyMouse reads the three bytes behind CSI M. Releases do not say which
// button.
func legacyMouse(b, x, y byte) Mouse {
	m := mouse(int(b)-32, int(x)-33, int(y)-33)
	if m.Action == MousePress && m.Button == NoButton {
		m.Action = MouseRelease
	}
	return m
}

func mouse(b, x, y int) Mouse {
	m := Mouse{
		X: max(0, x), Y: max(0, y),
		Shift: b&4 != 0, Alt: b&8 != 0, Ctrl: b&16 != 0,
	}
	switch low := b & 3; {
	case b&64 != 0:
		m.Action = MouseWheel
		switch low {
		case 0:
			m.DY = -1
		case 1:
			m.DY = 1
		case 2:
			m.DX = -1
		case 3:
			m.DX = 1
		}
		return m
	case b&128 != 0:
		m.Button = Back + Button(low&1)
	case low != 3:
		m.Button = Left + Button(low)
	}
	if b&32 != 0 {
		m.Action = MouseMotion
	}
	return m
}
