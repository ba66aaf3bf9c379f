package themes

import "strings"

// Depth is how many colours the output can show.
type Depth uint8

// The depths, from most to least.
const (
	Truecolor Depth = iota
	Colors256
	Colors16
	Mono  // no colours, but bold, inverse and the like (NO_COLOR)
	Plain // no escape sequences at all (files, pipes, TERM=dumb)
)

// DepthFromEnv guesses the depth of a terminal from its environment.
// TAU_TRUE_COLOR (1 or 0) overrides what the terminal announces; NO_COLOR
// (no-color.org) overrides everything. Terminals that announce nothing get
// 256 colours, which every current one has.
func DepthFromEnv(getenv func(string) string) Depth {
	term := getenv("TERM")
	switch {
	case term == "dumb":
		return Plain
	case getenv("NO_COLOR") != "":
		return Mono
	}
	switch getenv("TAU_TRUE_COLOR") {
	case "1", "true":
		return Truecolor
	case "0", "false":
		return Colors256
	}
	switch strings.ToLower(getenv("COLORTERM")) {
	case "truecolor", "24bit":
		return Truecolor
	}
	if strings.HasSuffix(term, "-direct") || getenv("WT_SESSION") != "" {
		return Truecolor
	}
	for _, t := range []string{"xterm-kitty", "xterm-ghostty", "wezterm", "alacritty", "foot"} {
		if term == t {
			return Truecolor
		}
	}
	switch getenv("TERM_PROGRAM") {
	case "iTerm.app", "WezTerm", "vscode", "ghostty", "zed", "WarpTerminal":
		// Inside tmux TERM_PROGRAM is "tmux", so this is the terminal itself.
		return Truecolor
	}
	if term == "linux" || term == "vt100" || term == "ansi" {
		return Colors16
	}
	return Colors256
}

// sgr returns the sequence that switches the colour on, "" for the default.
func (c Color) sgr(d Depth, background bool) string {
	if c.kind == kindDefault || d >= Mono {
		return ""
	}
	base := 38
	if background {
		base = 48
	}
	index := c.index
	if c.kind == kindRGB {
		switch d {
		case Truecolor:
			return "\x1b[" + itoa(base) + ";2;" + itoa(int(c.rgb.R)) + ";" + itoa(int(c.rgb.G)) + ";" + itoa(int(c.rgb.B)) + "m"
		case Colors256:
			index = c.rgb.to256()
		default:
			index = c.rgb.to16()
		}
	} else if d == Colors16 && index >= 16 {
		index = palette256(index).to16()
	}
	if index < 16 {
		n := int(index) + base - 8
		if index >= 8 {
			n = int(index) - 8 + base + 52
		}
		return "\x1b[" + itoa(n) + "m"
	}
	return "\x1b[" + itoa(base) + ";5;" + itoa(int(index)) + "m"
}
