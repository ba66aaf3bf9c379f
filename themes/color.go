package themes

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

// RGB is an sRGB colour.
type RGB struct{ R, G, B uint8 }

// ParseRGB reads #rgb or #rrggbb.
func ParseRGB(s string) (RGB, bool) {
	h, ok := strings.CutPrefix(s, "#")
	if !ok || len(h) != 3 && len(h) != 6 {
		return RGB{}, false
	}
	n, err := strconv.ParseUint(h, 16, 32)
	if err != nil {
		return RGB{}, false
	}
	if len(h) == 3 {
		return RGB{uint8(n>>8&15) * 17, uint8(n>>4&15) * 17, uint8(n&15) * 17}, true
	}
	return RGB{uint8(n >> 16), uint8(n >> 8), uint8(n)}, true
}

// String returns #rrggbb.
func (c RGB) String() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Luminance is the relative luminance of WCAG 2, 0 to 1.
func (c RGB) Luminance() float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// Contrast is the contrast ratio of WCAG 2, 1 to 21.
func Contrast(a, b RGB) float64 {
	la, lb := a.Luminance(), b.Luminance()
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

type colorKind uint8

const (
	kindDefault colorKind = iota // the terminal's own colour
	kindIndexed
	kindRGB
)

// Color is a colour as a theme gives it: the terminal's default (the zero
// value), an index into the terminal's palette, or sRGB.
type Color struct {
	kind  colorKind
	index uint8
	rgb   RGB
}

// Indexed returns the colour i of the terminal's palette.
func Indexed(i uint8) Color { return Color{kind: kindIndexed, index: i} }

// True returns an sRGB colour.
func True(c RGB) Color { return Color{kind: kindRGB, rgb: c} }

// RGB returns the colour's sRGB value. It is false for the terminal's default
// and for the first 16 palette colours, whose values only the terminal knows.
func (c Color) RGB() (RGB, bool) {
	switch {
	case c.kind == kindRGB:
		return c.rgb, true
	case c.kind == kindIndexed && c.index >= 16:
		return palette256(c.index), true
	}
	return RGB{}, false
}

// ParseColor reads "" (terminal default), #rgb, #rrggbb, a palette index
// 0-255, oklch(L% C H) or okhsl(H S% L%).
func ParseColor(s string) (Color, error) {
	switch {
	case s == "":
		return Color{}, nil
	case strings.HasPrefix(s, "#"):
		if c, ok := ParseRGB(s); ok {
			return True(c), nil
		}
		return Color{}, fmt.Errorf("%q is not #rgb or #rrggbb", s)
	case strings.HasPrefix(s, "oklch("):
		v, err := numbers(s, "oklch")
		if err != nil {
			return Color{}, err
		}
		return True(oklch(v[0], v[1], v[2])), nil
	case strings.HasPrefix(s, "okhsl("):
		v, err := numbers(s, "okhsl")
		if err != nil {
			return Color{}, err
		}
		return True(okhsl(v[0], v[1], v[2])), nil
	}
	if n, err := strconv.Atoi(s); err == nil {
		if n < 0 || n > 255 {
			return Color{}, fmt.Errorf("palette index %d is not in 0-255", n)
		}
		return Indexed(uint8(n)), nil
	}
	return Color{}, fmt.Errorf("%q is not a colour", s)
}

// numbers reads the three arguments of a colour function. Percentages become
// fractions; the hue is in degrees.
func numbers(s, fn string) ([3]float64, error) {
	var out [3]float64
	body, ok := strings.CutSuffix(strings.TrimPrefix(s, fn+"("), ")")
	f := strings.FieldsFunc(body, func(r rune) bool { return r == ' ' || r == ',' })
	if !ok || len(f) != 3 {
		return out, fmt.Errorf("%q needs the form %s", s, map[string]string{
			"oklch": "oklch(L% C H)", "okhsl": "okhsl(H S% L%)"}[fn])
	}
	for i, p := range f {
		num, pct := strings.CutSuffix(strings.TrimSuffix(p, "deg"), "%")
		v, err := strconv.ParseFloat(num, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return out, fmt.Errorf("%q in %q is not a number", p, s)
		}
		hue := fn == "oklch" && i == 2 || fn == "okhsl" && i == 0
		if pct && hue {
			return out, fmt.Errorf("the hue of %q is in degrees, not per cent", s)
		}
		if pct {
			v /= 100
		}
		if !hue && (v < 0 || v > 1) {
			return out, fmt.Errorf("%q in %q is out of range", p, s)
		}
		out[i] = v
	}
	return out, nil
}

// palette256 returns the fixed values xterm gives the colours 16 to 255.
func palette256(i uint8) RGB {
	if i >= 232 {
		v := 8 + 10*(i-232)
		return RGB{v, v, v}
	}
	n := int(i) - 16
	level := func(k int) uint8 {
		if k == 0 {
			return 0
		}
		return uint8(55 + 40*k)
	}
	return RGB{level(n / 36), level(n / 6 % 6), level(n % 6)}
}

// to256 finds the nearest of the fixed palette colours. Greys stay grey: a
// tinted grey on a 256-colour screen is more visible than the loss.
func (c RGB) to256() uint8 {
	lo, hi := min(c.R, c.G, c.B), max(c.R, c.G, c.B)
	from := 16
	if hi-lo < 12 {
		avg := (int(c.R) + int(c.G) + int(c.B)) / 3
		switch {
		case avg < 4:
			return 16
		case avg > 246:
			return 231
		}
		from = 232
	}
	best, dist, at := 0, math.MaxFloat64, toLab(c)
	for i, l := range paletteLab()[from:] {
		if d := at.distance(l); d < dist {
			best, dist = from+i, d
		}
	}
	return uint8(best)
}

// paletteLab holds the fixed palette as eyes see it. To make it costs more than
// all themes do with it.
var paletteLab = sync.OnceValue(func() *[256]lab {
	var out [256]lab
	for i := 16; i < 256; i++ {
		out[i] = toLab(palette256(uint8(i)))
	}
	return &out
})

// ansi16 holds the usual values of the first 16 colours, for matching only.
var ansi16 = [16]RGB{
	{0, 0, 0}, {205, 49, 49}, {13, 188, 121}, {229, 229, 16}, {36, 114, 200}, {188, 63, 188}, {17, 168, 205}, {204, 204, 204},
	{118, 118, 118}, {241, 76, 76}, {35, 209, 139}, {245, 245, 67}, {59, 142, 234}, {214, 112, 214}, {41, 184, 219}, {255, 255, 255},
}

func (c RGB) to16() uint8 {
	best, dist := 0, math.MaxFloat64
	for i, p := range ansi16 {
		if d := distance(c, p); d < dist {
			best, dist = i, d
		}
	}
	return uint8(best)
}

// distance compares colours the way eyes do, in OKLab.
func distance(a, b RGB) float64 { return toLab(a).distance(toLab(b)) }

func (x lab) distance(y lab) float64 {
	dl, da, db := x.l-y.l, x.a-y.a, x.b-y.b
	return dl*dl + 2*(da*da+db*db)
}
