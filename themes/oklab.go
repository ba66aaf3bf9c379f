package themes

import "math"

// The OKLab and OKHSL colour spaces are Björn Ottosson's
// (bottosson.github.io/posts/oklab, .../colorpicker). The matrices and the
// constants of the mid chroma curve are his; the gamut edge is found by
// bisection instead of his polynomial start values.

type lab struct{ l, a, b float64 }

func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

func gamma(x float64) uint8 {
	x = min(1, max(0, x))
	if x <= 0.0031308 {
		x *= 12.92
	} else {
		x = 1.055*math.Pow(x, 1/2.4) - 0.055
	}
	return uint8(math.Round(x * 255))
}

func toLab(c RGB) lab {
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return lab{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

// linearRGB may return values outside 0 to 1: the colour is then out of gamut.
func (c lab) linearRGB() (r, g, b float64) {
	l := c.l + 0.3963377774*c.a + 0.2158037573*c.b
	m := c.l - 0.1055613458*c.a - 0.0638541728*c.b
	s := c.l - 0.0894841775*c.a - 1.2914855480*c.b
	l, m, s = l*l*l, m*m*m, s*s*s
	return 4.0767416621*l - 3.3077115913*m + 0.2309699292*s,
		-1.2684380046*l + 2.6097574011*m - 0.3413193965*s,
		-0.0041960863*l - 0.7034186147*m + 1.7076147010*s
}

func (c lab) rgb() RGB {
	r, g, b := c.linearRGB()
	return RGB{gamma(r), gamma(g), gamma(b)}
}

func (c lab) inGamut() bool {
	r, g, b := c.linearRGB()
	const e = 1e-6
	return min(r, g, b) >= -e && max(r, g, b) <= 1+e
}

// bisect returns the largest x in 0 to hi for which ok holds, where ok holds
// up to a point and not after it.
func bisect(hi float64, ok func(float64) bool) float64 {
	lo := 0.0
	if ok(hi) {
		return hi
	}
	for range 48 {
		if mid := (lo + hi) / 2; ok(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// oklch converts lightness 0-1, chroma and hue in degrees. Colours out of the
// sRGB gamut lose chroma, not hue or lightness.
func oklch(l, c, h float64) RGB {
	sin, cos := math.Sincos(h * math.Pi / 180)
	at := func(c float64) lab { return lab{l, c * cos, c * sin} }
	return at(bisect(c, func(c float64) bool { return at(c).inGamut() })).rgb()
}

// okhsl converts hue in degrees, saturation and lightness 0-1.
func okhsl(h, s, l float64) RGB {
	if l >= 1 {
		return RGB{255, 255, 255}
	}
	if l <= 0 {
		return RGB{}
	}
	b, a := math.Sincos(h * math.Pi / 180)
	const k1, k2 = 0.206, 0.03
	const k3 = (1 + k1) / (1 + k2)
	L := (l*l + k1*l) / (k3 * (l + k2))
	c0, cMid, cMax := chromas(L, a, b)
	const mid = 0.8
	var c float64
	if s < mid {
		t := s / mid
		q := mid * c0
		c = t * q / (1 - (1-q/cMid)*t)
	} else {
		t := (s - mid) / (1 - mid)
		q := (1 - mid) * cMid * cMid / (mid * mid) / c0
		c = cMid + t*q/(1-(1-q/(cMax-cMid))*t)
	}
	return lab{L, c * a, c * b}.rgb()
}

func chromas(l, a, b float64) (c0, cMid, cMax float64) {
	// Where saturation is highest one channel reaches zero.
	s := bisect(1, func(s float64) bool {
		r, g, bl := lab{1, s * a, s * b}.linearRGB()
		return min(r, g, bl) >= 0
	})
	r, g, bl := lab{1, s * a, s * b}.linearRGB()
	cuspL := math.Cbrt(1 / max(r, g, bl))
	cuspC := cuspL * s

	cMax = bisect(1, func(c float64) bool { return lab{l, c * a, c * b}.inGamut() })
	k := cMax / min(l*cuspC/cuspL, (1-l)*cuspC/(1-cuspL))

	sMid := 0.11516993 + 1/(7.44778970+4.15901240*b+
		a*(-2.19557347+1.75198401*b+
			a*(-2.13704948-10.02301043*b+
				a*(-4.24894561+5.38770819*b+4.69891013*a))))
	tMid := 0.11239642 + 1/(1.61320320-0.68124379*b+
		a*(0.40370612+0.90148123*b+
			a*(-0.27087943+0.61223990*b+
				a*(0.00299215-0.45399568*b-0.14661872*a))))
	p, q := l*sMid, (1-l)*tMid
	cMid = 0.9 * k * math.Sqrt(math.Sqrt(1/(1/(p*p*p*p)+1/(q*q*q*q))))
	p, q = l*0.4, (1-l)*0.8
	c0 = math.Sqrt(1 / (1/(p*p) + 1/(q*q)))
	return c0, cMid, cMax
}

// mix goes from a to b in OKLab; t is 0 to 1.
func mix(a, b RGB, t float64) RGB {
	x, y := toLab(a), toLab(b)
	return lab{x.l + (y.l-x.l)*t, x.a + (y.a-x.a)*t, x.b + (y.b-x.b)*t}.rgb()
}
