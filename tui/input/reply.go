package input

import (
	"bytes"
	"strconv"
	"strings"
)

type header uint8

const (
	headerNo header = iota
	headerMaybe
	headerYes
)

// replyHeader reports whether the string sequence that b begins is known to be
// a reply. Those wait for their end however long it takes, since what follows
// the cut is not something a person typed.
func replyHeader(b []byte) header {
	body := b[2:]
	switch b[1] {
	case ']':
		best := headerNo
		for _, h := range [...]string{"10;", "11;", "12;", "4;", "52;", "7501;"} {
			best = max(best, prefix(body, h))
		}
		return best
	case 'P':
		best := headerNo
		for _, h := range [...]string{">|", "1$r", "0$r", "1+r", "0+r", "!|"} {
			best = max(best, prefix(body, h))
		}
		return best
	case '_':
		return prefix(body, "G")
	}
	return headerNo
}

func prefix(body []byte, h string) header {
	if bytes.HasPrefix(body, []byte(h)) {
		return headerYes
	}
	if strings.HasPrefix(h, string(body)) {
		return headerMaybe
	}
	return headerNo
}

// reply handles a complete string sequence.
func (p *Parser) reply(kind byte, body, raw string) {
	if kind == ']' {
		if c, ok := colorReply(body); ok {
			p.emit(c)
			return
		}
		if strings.HasPrefix(body, "7501;?") {
			p.emit(StatusReply{})
			return
		}
	}
	if len(raw) > 4096 {
		raw = raw[:4096]
	}
	p.emit(Unknown{raw})
}

func colorReply(body string) (Color, bool) {
	code, rest, ok := strings.Cut(body, ";")
	if !ok {
		return Color{}, false
	}
	c := Color{}
	switch code {
	case "10":
		c.Slot = Foreground
	case "11":
		c.Slot = Background
	case "4":
		n, spec, ok := strings.Cut(rest, ";")
		slot, err := strconv.Atoi(n)
		if !ok || err != nil || slot < 0 || slot > 255 {
			return Color{}, false
		}
		c.Slot, rest = slot, spec
	default:
		return Color{}, false
	}
	c.RGB, ok = ParseColor(rest)
	return c, ok
}

// ParseColor reads the colour forms of terminals: rgb:r/g/b and rgba:r/g/b/a
// with one to four hexadecimal digits a channel, #rrggbb and #rrrrggggbbbb.
func ParseColor(s string) (RGB, bool) {
	if h, ok := strings.CutPrefix(s, "#"); ok {
		n := len(h) / 3
		if len(h)%3 != 0 || n < 1 || n > 4 {
			return RGB{}, false
		}
		return channels(h[:n], h[n:2*n], h[2*n:])
	}
	kind, list, ok := strings.Cut(s, ":")
	if !ok || kind != "rgb" && kind != "rgba" {
		return RGB{}, false
	}
	ch := strings.Split(list, "/")
	if kind == "rgb" && len(ch) != 3 || kind == "rgba" && len(ch) != 4 {
		return RGB{}, false
	}
	return channels(ch[0], ch[1], ch[2])
}

func channels(r, g, b string) (c RGB, ok bool) {
	for _, p := range [...]struct {
		s   string
		dst *uint8
	}{{r, &c.R}, {g, &c.G}, {b, &c.B}} {
		if len(p.s) < 1 || len(p.s) > 4 {
			return RGB{}, false
		}
		v, err := strconv.ParseUint(p.s, 16, 16)
		if err != nil {
			return RGB{}, false
		}
		full := uint64(1)<<(4*len(p.s)) - 1
		*p.dst = uint8((v*255 + full/2) / full)
	}
	return c, true
}

// privateReply reads CSI ? params final.
func privateReply(s string, final byte, raw string) Event {
	body := strings.TrimSuffix(s, "$")
	f, ok := fields(body)
	if !ok {
		return Unknown{raw}
	}
	switch final {
	case 'c':
		da := DeviceAttributes{}
		for i := range f {
			da.Params = append(da.Params, f.at(i, 0))
		}
		return da
	case 'u':
		if len(f) == 1 && f.at(0, 0) >= 0 {
			return KittyFlags{f.at(0, 0)}
		}
	case 'n':
		if len(f) == 2 && f.at(0, 0) == 997 {
			switch f.at(1, 0) {
			case 1:
				return Scheme{Dark: true}
			case 2:
				return Scheme{Dark: false}
			}
		}
	case 'y':
		if len(f) == 2 && body != s {
			return ModeReport{f.at(0, 0), f.at(1, 0)}
		}
	case 'R':
		if len(f) >= 2 && f.at(0, 0) > 0 && f.at(1, 0) > 0 {
			return CursorPosition{f.at(0, 0), f.at(1, 0)}
		}
	}
	return Unknown{raw}
}
