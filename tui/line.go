package tui

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"tau/tui/text"
)

// noCursor says that a line holds no cursor marker.
const noCursor = -1

// line is a line as it goes to the terminal.
type line struct {
	raw    string // what the component rendered, to tell whether it changed
	out    string
	width  int
	cursor int   // column of the cursor marker, or noCursor
	risky  bool  // columns are addressed in it, so it may leave cells unwritten
	runs   []run // the cells of pictures; they are blanks in out
}

// prepare makes a rendered line into one that is safe to write in w columns:
//
//   - cursor markers go, and the column of the first one is kept;
//   - only SGR and OSC 8 sequences stay, control characters go, tabs become
//     spaces, Thai and Lao AM are decomposed, broken bytes become U+FFFD;
//   - a mark that is no part of a cluster, as at the start, goes if it has
//     nothing to be on or might change a width;
//   - what does not fit in w columns is cut off;
//   - what was switched on is switched off at the end;
//   - after a cluster whose width terminals disagree on, the column is
//     addressed again;
//   - cells of pictures become blanks, and those of pics are told apart.
//
// If fake is set, the cell behind the first marker is drawn reversed.
func prepare(raw string, w int, fake bool, pics *Pictures) line {
	if plainASCII(raw) {
		if len(raw) > w {
			return line{raw: raw, out: raw[:w], width: w, cursor: noCursor}
		}
		return line{raw: raw, out: raw, width: len(raw), cursor: noCursor}
	}
	p := preparer{l: line{raw: raw, cursor: noCursor}, w: w, fake: fake, pics: pics}
	p.run(text.DecomposeAM(raw))
	return p.l
}

func plainASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

type preparer struct {
	l    line
	w    int
	fake bool
	pics *Pictures
	b    strings.Builder
}

func (p *preparer) run(s string) {
	p.b.Grow(len(s) + 16)
	styled, reverse := false, false
	addressed := false // the column was addressed behind the last cluster
	for len(s) > 0 {
		if s[0] == 0x1b {
			if n := text.Escape(s); n > 0 {
				seq := s[:n]
				s = s[n:]
				switch {
				case seq == CursorMarker:
					if p.l.cursor == noCursor {
						p.l.cursor = p.l.width
						reverse = p.fake
					}
				case allowed(seq):
					p.b.WriteString(seq)
					styled = true
				}
				continue
			}
		}
		c, cw := text.Next(s)
		s = s[len(c):]
		if c[0] < 0x20 || c[0] == 0x7f {
			if c != "\t" {
				continue
			}
			c, cw = text.Spaces(min(text.TabWidth, p.w-p.l.width)), min(text.TabWidth, p.w-p.l.width)
			if cw <= 0 {
				continue
			}
		}
		if p.l.width+cw > p.w {
			// Sequences behind the cut still count: they close.
			if rest := sequences(s); rest != "" {
				p.b.WriteString(rest)
				styled = true
			}
			break
		}
		if c[0] == 0xf4 {
			if id, row, col, ok := text.PictureCell(c); ok {
				p.picture(id, row, col)
				c = " "
			}
		}
		if !utf8.ValidString(c) {
			c = strings.ToValidUTF8(c, "\uFFFD")
		}
		if len(c) == 2 && c[0] == 0xc2 && c[1] < 0xa0 {
			continue // C1 controls
		}
		risky := text.Risky(c)
		if cw == 0 && (p.l.width == 0 || addressed || risky) {
			// A mark without a cell to be on, or one that makes the cell
			// before it wider than it was measured.
			continue
		}
		addressed = risky
		// Without autowrap the cursor stays on the last column, and tmux puts a
		// mark that follows on the cell before it.
		edge := p.l.width+cw == p.w && cw > 0 && !risky && marked(c)
		if edge {
			p.b.WriteString("\x1b[?7h")
			p.l.risky = true
		}
		if reverse && cw > 0 {
			p.b.WriteString("\x1b[7m" + c + "\x1b[27m")
			reverse, styled = false, true
		} else {
			p.b.WriteString(c)
		}
		if edge {
			p.b.WriteString("\x1b[?7l")
		}
		p.l.width += cw
		if addressed {
			p.l.risky = true
			p.b.WriteString("\x1b[" + strconv.Itoa(p.l.width+1) + "G")
		}
	}
	if reverse && p.l.width < p.w {
		p.b.WriteString("\x1b[7m \x1b[27m")
		p.l.width++
	}
	if p.l.cursor >= p.w {
		p.l.cursor = p.w - 1
	}
	p.l.out = p.b.String()
	if styled {
		p.l.out += text.Close(p.l.out)
	}
}

// picture notes that the next column is a cell of a picture.
func (p *preparer) picture(id, row, col int) {
	runs := p.l.runs
	if n := len(runs); n > 0 {
		if r := &runs[n-1]; r.view.id == id && r.row == row && r.col+r.n == col && r.x+r.n == p.l.width {
			r.n++
			return
		}
	}
	if v := p.pics.find(id); v != nil && row < v.rows && col < v.cols {
		p.l.runs = append(runs, run{v, row, col, p.l.width, 1})
	}
}

// marked reports whether a cluster is a character with marks on it.
func marked(c string) bool {
	_, n := utf8.DecodeRuneInString(c)
	return n < len(c) && c[len(c)-1] >= utf8.RuneSelf
}

// allowed reports whether a sequence may go to the terminal.
func allowed(seq string) bool {
	if seq[1] == '[' {
		// With anything else in it, it is not SGR, and terminals differ.
		return seq[len(seq)-1] == 'm' && strings.Trim(seq[2:len(seq)-1], "0123456789;:") == ""
	}
	return strings.HasPrefix(seq, "\x1b]8;")
}

// sequences returns the allowed sequences of s.
func sequences(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, 0x1b)
		if i < 0 {
			return b.String()
		}
		s = s[i:]
		n := text.Escape(s)
		if n == 0 {
			n = 1
		} else if allowed(s[:n]) {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
}
