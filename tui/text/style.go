package text

import "strings"

// style is what SGR sequences and OSC 8 links have switched on so far. Its
// strings are parts of the sequences that were read.
type style struct {
	attrs      uint16 // bit n: attribute n+1 of 1..9
	underline  string // "4", "4:3", "21"; empty: none
	overline   bool
	fg, bg, ul string // whole parameters, such as "38;2;1;2;3"
	link       string // the opening OSC 8 sequence, with its terminator
}

func (st *style) plain() bool {
	return st.attrs == 0 && st.underline == "" && !st.overline && st.fg == "" && st.bg == "" && st.ul == ""
}

func (st *style) empty() bool { return st.plain() && st.link == "" }

// apply takes in one escape sequence; those that are neither SGR nor OSC 8
// change nothing.
func (st *style) apply(seq string) {
	if len(seq) < 3 {
		return
	}
	switch {
	case seq[1] == '[' && seq[len(seq)-1] == 'm':
		p := seq[2 : len(seq)-1]
		if strings.Trim(p, "0123456789;:") == "" {
			st.sgr(p)
		}
	case seq[1] == ']' && strings.HasPrefix(seq, "\x1b]8;"):
		if linkTarget(seq) == "" {
			st.link = ""
		} else {
			st.link = seq
		}
	}
}

// linkTarget returns the address in an OSC 8 sequence.
func linkTarget(seq string) string {
	body := seq[len("\x1b]8;"):]
	body = strings.TrimSuffix(strings.TrimSuffix(body, "\x07"), "\x1b\\")
	_, url, _ := strings.Cut(body, ";")
	return url
}

func (st *style) sgr(params string) {
	for rest, more := params, true; more; {
		start := rest
		var p string
		p, rest, more = strings.Cut(rest, ";")
		code, sub, colon := strings.Cut(p, ":")
		for len(code) > 1 && code[0] == '0' { // ls writes 01;34
			code = code[1:]
		}
		switch code {
		case "", "0":
			*st = style{link: st.link}
		case "4":
			if st.underline = p; sub == "0" {
				st.underline = ""
			}
		case "21":
			st.underline = "21"
		case "24":
			st.underline = ""
		case "1", "2", "3", "5", "6", "7", "8", "9":
			st.attrs |= 1 << (code[0] - '1')
		case "22":
			st.attrs &^= 1<<0 | 1<<1
		case "23":
			st.attrs &^= 1 << 2
		case "25":
			st.attrs &^= 1<<4 | 1<<5
		case "27":
			st.attrs &^= 1 << 6
		case "28":
			st.attrs &^= 1 << 7
		case "29":
			st.attrs &^= 1 << 8
		case "53":
			st.overline = true
		case "55":
			st.overline = false
		case "39":
			st.fg = ""
		case "49":
			st.bg = ""
		case "59":
			st.ul = ""
		case "38", "48", "58":
			val := p
			if !colon {
				// The colour follows in parameters of its own.
				n := 0
				var mode string
				mode, _, _ = strings.Cut(rest, ";")
				mode = strings.TrimLeft(mode, "0")
				switch mode {
				case "5":
					n = 2
				case "2":
					n = 4
				}
				used := len(p)
				for ; n > 0 && more; n-- {
					var q string
					q, rest, more = strings.Cut(rest, ";")
					used += 1 + len(q)
				}
				val = start[:used]
				if used == len(p) {
					continue
				}
			}
			switch code {
			case "38":
				st.fg = val
			case "48":
				st.bg = val
			case "58":
				st.ul = val
			}
		default:
			if len(code) == 2 && code[1] >= '0' && code[1] <= '7' {
				switch code[0] {
				case '3', '9':
					st.fg = p
				case '4':
					st.bg = p
				}
			} else if len(code) == 3 && code[0] == '1' && code[1] == '0' && code[2] <= '7' {
				st.bg = p
			}
		}
	}
}

// open appends what switches the style on from nothing: one SGR sequence, then
// the link with its original terminator (some terminals make only links that
// end in BEL clickable).
func (st *style) open(b []byte) []byte {
	if !st.plain() {
		b = append(b, "\x1b["...)
		first := true
		add := func(p string) {
			if p == "" {
				return
			}
			if !first {
				b = append(b, ';')
			}
			first = false
			b = append(b, p...)
		}
		const digits = "123456789"
		for i := 0; i < 9; i++ {
			if st.attrs&(1<<i) != 0 {
				add(digits[i : i+1])
			}
		}
		add(st.underline)
		if st.overline {
			add("53")
		}
		add(st.fg)
		add(st.bg)
		add(st.ul)
		b = append(b, 'm')
	}
	return append(b, st.link...)
}

// closeLine appends what must not run on to the padding of a line: underline,
// strikethrough, overline and the link. Colours stay open so that padding
// keeps the background.
func (st *style) closeLine(b []byte) []byte {
	if st.underline != "" {
		b = append(b, "\x1b[24m"...)
	}
	if st.attrs&(1<<8) != 0 {
		b = append(b, "\x1b[29m"...)
	}
	if st.overline {
		b = append(b, "\x1b[55m"...)
	}
	return st.closeLink(b)
}

func (st *style) closeLink(b []byte) []byte {
	if st.link == "" {
		return b
	}
	if strings.HasSuffix(st.link, "\x07") {
		return append(b, "\x1b]8;;\x07"...)
	}
	return append(b, "\x1b]8;;\x1b\\"...)
}

// closeAll appends what switches everything off.
func (st *style) closeAll(b []byte) []byte {
	b = st.closeLink(b)
	if !st.plain() {
		b = append(b, "\x1b[0m"...)
	}
	return b
}

// Close returns what must follow s so that nothing it switched on (colours,
// attributes, a link) runs on; it is empty if s leaves nothing open.
func Close(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 {
		return ""
	}
	var st style
	for i := strings.IndexByte(s, 0x1b); i >= 0; i = strings.IndexByte(s, 0x1b) {
		s = s[i:]
		n := Escape(s)
		if n == 0 {
			s = s[1:]
			continue
		}
		st.apply(s[:n])
		s = s[n:]
	}
	if st.empty() {
		return ""
	}
	return string(st.closeAll(nil))
}
