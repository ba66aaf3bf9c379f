package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tooWide stands for a cluster that is wider than the whole line.
const tooWide = "…"

// Wrap breaks s into lines of at most width columns (at least one).
//
// Lines end at CRLF, CR and LF, and break at spaces and next to CJK
// characters; a word longer than a line breaks anywhere between clusters.
// Spaces at a break are dropped, indentation is kept if a character fits
// behind it. A cluster that is wider than the width becomes "…".
//
// Colours and links go on in the next line: it begins with one SGR sequence
// for all that is on, and the link is opened again as it was. Underline,
// strikethrough and the link are closed at the end of each line; colours stay
// open there so that padding can take the background.
//
// Lines are parts of s where nothing had to be added, so plain text is wrapped
// without copying. The result has at least one line.
func Wrap(s string, width int) []string {
	width = max(1, width)
	if len(s) <= width && asciiRun(s) == len(s) {
		return []string{s}
	}
	out := make([]string, 0, 1+strings.Count(s, "\n")+len(s)/max(width, 16))
	w := wrapper{width: width, out: out}
	for {
		i := strings.IndexAny(s, "\r\n")
		if i < 0 {
			w.line(s)
			return w.out
		}
		w.line(s[:i])
		if s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n' {
			i++
		}
		s = s[i+1:]
	}
}

type wrapper struct {
	width int
	out   []string
	st    style // at the start of the line being collected
}

// line wraps one line of the source. The names below are positions in s:
//
//	start   first byte of the line being collected
//	end     where it ends if it is broken at the last place found
//	resume  where the next line begins then
//	col     columns from start to i
func (w *wrapper) line(s string) {
	if w.st.empty() && strings.IndexByte(s, 0x1b) < 0 && Width(s) <= w.width {
		w.out = append(w.out, s)
		return
	}
	var (
		start, end, resume int
		col, resumeCol     int
		visible            bool // something but spaces since start
		spaces             = -1 // start of the run of spaces before i
		i                  int
	)
	begin := func(at, c int) {
		start, end, resume, col, resumeCol = at, -1, -1, c, 0
		visible, spaces = false, -1
	}
	begin(0, 0)
	pendingEscape := -1 // first of the escapes directly before i
	prevWide := false   // the last cluster may be followed by a break

	for i < len(s) {
		if s[i] == 0x1b {
			if n := Escape(s[i:]); n > 0 {
				if pendingEscape < 0 {
					pendingEscape = i
				}
				i += n
				continue
			}
		}
		n, cw := next(s[i:])
		at := i
		if pendingEscape >= 0 {
			at = pendingEscape
		}
		pendingEscape = -1
		space := n == 1 && (s[i] == ' ' || s[i] == '\t')
		if space {
			if spaces < 0 {
				spaces = at
			}
			col += cw
			i += n
			prevWide = false
			continue
		}
		cjk := cw == 2 && breaksAround(s[i:])
		if visible {
			if spaces >= 0 {
				end, resume, resumeCol = spaces, at, col
			} else if (cjk || prevWide) && !closing(s[i:]) {
				end, resume, resumeCol = at, at, col
			}
		}
		spaces = -1
		if col+cw > w.width {
			switch {
			case !visible:
				// Only indentation so far, and no room behind it.
				if col > 0 {
					w.skip(s[start:at])
					begin(at, 0)
				}
			case end >= 0:
				w.emit(s[start:end], s[end:resume])
				from := resume
				begin(from, col-resumeCol)
				visible = from < at
			default:
				w.emit(s[start:at], "")
				begin(at, 0)
			}
			if visible && col+cw > w.width {
				w.emit(s[start:at], "")
				begin(at, 0)
			}
			if cw > w.width {
				w.emit(s[start:i]+tooWide, "")
				begin(i+n, 0)
				i += n
				prevWide = false
				continue
			}
		}
		visible = true
		col += cw
		i += n
		prevWide = cjk
	}
	if start == len(s) && start > 0 {
		return
	}
	if col > w.width && spaces >= 0 {
		w.emit(s[start:spaces], s[spaces:])
		return
	}
	w.emit(s[start:], "")
}

// skip takes in the escapes of a part that is not shown.
func (w *wrapper) skip(part string) {
	for i := strings.IndexByte(part, 0x1b); i >= 0; i = strings.IndexByte(part, 0x1b) {
		part = part[i:]
		n := max(1, Escape(part))
		w.st.apply(part[:n])
		part = part[n:]
	}
}

// emit adds one line: what is on, the text, and the escapes among the dropped
// spaces behind it. Escapes at the start of the text are taken into what is on,
// so that a colour that ends there is not opened once more.
func (w *wrapper) emit(line, dropped string) {
	for len(line) > 0 && line[0] == 0x1b {
		n := Escape(line)
		if n == 0 || !styling(line[:n]) {
			break
		}
		w.st.apply(line[:n])
		line = line[n:]
	}
	esc := strings.IndexByte(line, 0x1b) >= 0
	dropEsc := strings.IndexByte(dropped, 0x1b) >= 0
	if !esc && !dropEsc && w.st.empty() {
		w.out = append(w.out, line)
		return
	}
	b := make([]byte, 0, len(line)+64)
	b = w.st.open(b)
	b = append(b, line...)
	if esc {
		w.skip(line)
	}
	if dropEsc {
		for d := dropped; d != ""; {
			i := strings.IndexByte(d, 0x1b)
			if i < 0 {
				break
			}
			d = d[i:]
			n := max(1, Escape(d))
			b = append(b, d[:n]...)
			d = d[n:]
		}
		w.skip(dropped)
	}
	b = w.st.closeLine(b)
	w.out = append(w.out, string(b))
}

func styling(seq string) bool {
	return seq[1] == '[' && seq[len(seq)-1] == 'm' || strings.HasPrefix(seq, "\x1b]8;")
}

// breaksAround reports whether lines may break before and after the wide
// character at the start of s.
func breaksAround(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xff01 && r <= 0xff60, r >= 0x20000 && r <= 0x3fffd, r >= 0x1100 && r <= 0x11ff:
		return true
	}
	return unicode.Is(unicode.Bopomofo, r)
}

// closing reports whether s begins with punctuation that must not begin a line.
func closing(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	switch r {
	case '、', '。', '，', '．', '：', '；', '？', '！', '）', '］', '｝', '」', '』', '】', '〉', '》', '〕', '”', '’', '…', 'ー', '々',
		',', '.', ':', ';', '?', '!', ')', ']', '}':
		return true
	}
	return false
}
