package themes

import (
	"strconv"
	"strings"
)

// Terminal is what a terminal says about its colours. Nil means unknown.
type Terminal struct {
	Foreground, Background *RGB
	Palette                [16]*RGB
	Scheme                 Appearance // dark/light report (mode 2031)
	ColorFgBg              string     // the environment variable COLORFGBG
}

// Detect tells dark from light: by the reported background, else the
// terminal's dark/light report, else COLORFGBG ("15;0": the last part is the
// background's palette index), else dark.
func Detect(background *RGB, scheme Appearance, colorFgBg string) Appearance {
	if background != nil {
		if toLab(*background).l > 0.6 {
			return Light
		}
		return Dark
	}
	if scheme != Unknown {
		return scheme
	}
	if i := strings.LastIndexByte(colorFgBg, ';'); i >= 0 {
		if n, err := strconv.Atoi(colorFgBg[i+1:]); err == nil {
			if n == 7 || n >= 9 && n <= 15 {
				return Light
			}
			return Dark
		}
	}
	return Dark
}

// System derives a theme from the terminal's own colours. Body text has a
// contrast of at least 4.5:1 against the background, muted text 3:1, also on
// the faint backgrounds of messages and tools. Without
// a known background it is the dark or light theme with the terminal's own
// text colour.
func System(t Terminal, d Depth) *Theme {
	app := Detect(t.Background, t.Scheme, t.ColorFgBg)
	base, err := Load(app.String(), Options{Depth: d})
	if err != nil {
		// Unreachable: a test loads both embedded themes.
		base = (&Theme{appearance: app}).resolve(d)
	}
	th := *base
	th.name = "system"
	if t.Background == nil {
		for _, tok := range []Token{Text, UserMessageText, CustomMessageText, ToolTitle} {
			th.colors[tok] = Color{}
		}
		return th.resolve(d)
	}
	bg := *t.Background
	fg := RGB{230, 230, 230}
	if app == Light {
		fg = RGB{30, 30, 30}
	}
	if t.Foreground != nil {
		fg = *t.Foreground
	}
	text := readable(fg, bg, 4.5)
	body := True(text)
	if text == fg && t.Foreground != nil {
		body = Color{} // the terminal's own colour also follows later changes
	}
	muted := readable(mix(text, bg, 0.3), bg, 4.2)
	dim := readable(mix(text, bg, 0.48), bg, 2.6)
	line := readable(mix(text, bg, 0.65), bg, 1.6)
	// hue picks the bright palette colour on dark backgrounds, the normal one
	// on light ones, and the built-in theme's colour where none is reported.
	hue := func(i int, fallback Token) RGB {
		if app == Dark {
			i += 8
		}
		c, _ := base.colors[fallback].RGB()
		if p := t.Palette[i]; p != nil {
			c = *p
		}
		return readable(c, bg, 4.5)
	}
	accent, red, green, yellow := hue(4, Accent), hue(1, ErrorColor), hue(2, Success), hue(3, Warning)
	magenta, cyan := hue(5, SyntaxKeyword), hue(6, SyntaxType)
	panel := mix(bg, text, 0.07)
	set := func(c Color, toks ...Token) {
		for _, tok := range toks {
			th.colors[tok] = c
		}
	}
	set(body, Text, UserMessageText, CustomMessageText, ToolTitle, MdCodeBlock, SyntaxVariable, ScrollbarThumb)
	set(True(muted), Muted, ThinkingText, ToolOutput, MdQuote, MdLinkURL, ToolDiffContext, SyntaxComment,
		SyntaxOperator, SyntaxPunctuation, ThinkingMinimal)
	set(True(dim), Dim, MdCodeBlockBorder, MdQuoteBorder, MdHr, ThinkingOff)
	set(True(line), Border, BorderMuted, ScrollbarTrack)
	set(True(accent), Accent, BorderAccent, CustomMessageLabel, MdHeading, MdLink, MdListBullet, SyntaxFunction, ThinkingLow, ThinkingMedium)
	set(True(green), Success, ToolDiffAdded, SyntaxString, BashMode)
	set(True(red), ErrorColor, ToolDiffRemoved)
	set(True(yellow), Warning, SyntaxNumber)
	set(True(cyan), MdCode, SyntaxType)
	set(True(magenta), SyntaxKeyword, ThinkingHigh, ThinkingXhigh, ThinkingMax)
	set(True(panel), UserMessageBg, ToolPendingBg)
	set(True(mix(bg, accent, 0.10)), CustomMessageBg)
	set(True(mix(bg, green, 0.08)), ToolSuccessBg)
	set(True(mix(bg, red, 0.10)), ToolErrorBg)
	set(True(mix(bg, accent, 0.25)), SelectedBg)
	set(True(mix(bg, yellow, 0.30)), SearchMatchBg)
	set(True(readable(text, mix(bg, yellow, 0.30), 4.5)), SearchMatchText)
	return th.resolve(d)
}

// readable moves c's lightness away from bg until the contrast is reached. It
// goes the other way where the first one ends at black or white too soon.
func readable(c, bg RGB, ratio float64) RGB {
	if Contrast(c, bg) >= ratio {
		return c
	}
	l := toLab(c)
	end := 1.0
	if bg.Luminance() > 0.18 {
		end = 0
	}
	for t := 0.02; t <= 1; t += 0.02 {
		k := lab{l.l + (end-l.l)*t, l.a * (1 - t*t), l.b * (1 - t*t)}.rgb()
		if Contrast(k, bg) >= ratio {
			return k
		}
	}
	white, black := RGB{255, 255, 255}, RGB{}
	if Contrast(white, bg) > Contrast(black, bg) {
		return white
	}
	return black
}
