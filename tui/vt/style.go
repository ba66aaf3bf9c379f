package vt

import (
	"strconv"
	"strings"
)

// Color is a colour of a cell: "" for the default, "0" to "255" for the
// palette, "#rrggbb" otherwise.
type Color string

// Style is how a cell is drawn. Styles compare with ==.
type Style struct {
	Bold, Dim, Italic, Blink, Reverse, Hidden, Strike, Overline bool
	Underline                                                   int // 0 none, 1 single, 2 double, 3 curly, ...
	FG, BG, UL                                                  Color
	Link                                                        string
}

func (s *Style) sgr(params string) {
	if params == "" {
		params = "0"
	}
	f := strings.Split(params, ";")
	for i := 0; i < len(f); i++ {
		sub := strings.Split(f[i], ":")
		n, _ := strconv.Atoi(sub[0])
		switch {
		case n == 0:
			*s = Style{Link: s.Link}
		case n == 1:
			s.Bold = true
		case n == 2:
			s.Dim = true
		case n == 3:
			s.Italic = true
		case n == 4:
			s.Underline = 1
			if len(sub) > 1 {
				s.Underline, _ = strconv.Atoi(sub[1])
			}
		case n == 5, n == 6:
			s.Blink = true
		case n == 7:
			s.Reverse = true
		case n == 8:
			s.Hidden = true
		case n == 9:
			s.Strike = true
		case n == 21:
			s.Underline = 2
		case n == 22:
			s.Bold, s.Dim = false, false
		case n == 23:
			s.Italic = false
		case n == 24:
			s.Underline = 0
		case n == 25:
			s.Blink = false
		case n == 27:
			s.Reverse = false
		case n == 28:
			s.Hidden = false
		case n == 29:
			s.Strike = false
		case n == 53:
			s.Overline = true
		case n == 55:
			s.Overline = false
		case n >= 30 && n <= 37:
			s.FG = Color(strconv.Itoa(n - 30))
		case n >= 90 && n <= 97:
			s.FG = Color(strconv.Itoa(n - 90 + 8))
		case n >= 40 && n <= 47:
			s.BG = Color(strconv.Itoa(n - 40))
		case n >= 100 && n <= 107:
			s.BG = Color(strconv.Itoa(n - 100 + 8))
		case n == 39:
			s.FG = ""
		case n == 49:
			s.BG = ""
		case n == 59:
			s.UL = ""
		case n == 38, n == 48, n == 58:
			var c Color
			if len(sub) > 1 {
				c = color(sub[1:], true)
			} else {
				rest := f[i+1:]
				c = color(rest, false)
				switch {
				case len(rest) > 0 && rest[0] == "5":
					i += 2
				case len(rest) > 0 && rest[0] == "2":
					i += 4
				}
			}
			switch n {
			case 38:
				s.FG = c
			case 48:
				s.BG = c
			case 58:
				s.UL = c
			}
		}
	}
}

func color(f []string, colon bool) Color {
	if len(f) >= 2 && f[0] == "5" {
		return Color(f[1])
	}
	if len(f) >= 4 && f[0] == "2" {
		v := f[1:]
		if colon && len(f) >= 5 {
			v = f[2:] // a colour space comes first
		}
		c := "#"
		for _, x := range v[:3] {
			n, _ := strconv.Atoi(x)
			h := strconv.FormatInt(int64(n&255), 16)
			c += strings.Repeat("0", 2-len(h)) + h
		}
		return Color(c)
	}
	return ""
}
