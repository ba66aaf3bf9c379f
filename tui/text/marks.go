package text

import "unicode"

// spacingMark reports whether r is a mark that takes a cell of its own in
// terminals: Spacing_Mark (Mc) without those that terminals draw over the base,
// and some Mn of Arabic, Tibetan and Myanmar that they do not.
func spacingMark(r rune) bool {
	if r < 0x065f || r > 0x1ffff {
		return false
	}
	switch r {
	case 0x1734, 0x302e, 0x302f:
		return false
	case 0x065f, 0x0f7f, 0x102b, 0x102c, 0x1031, 0x1033, 0x1034, 0x1035, 0x1038, 0x103a, 0x103b, 0x103c, 0x103d, 0x103e:
		return true
	}
	return unicode.Is(unicode.Mc, r)
}

// DecomposeAM splits the Thai and Lao vowel AM into its two parts. Terminals
// that compose clusters draw the parts in the two cells that the whole is
// measured as; some draw the whole in one.
func DecomposeAM(s string) string {
	for i := 0; i+2 < len(s); i++ {
		if s[i] == 0xe0 && (s[i+1] == 0xb8 || s[i+1] == 0xba) && s[i+2] == 0xb3 {
			return decomposeAM(s)
		}
	}
	return s
}

func decomposeAM(s string) string {
	b := make([]rune, 0, len(s))
	for _, r := range s {
		switch r {
		case 0x0e33:
			b = append(b, 0x0e4d, 0x0e32)
		case 0x0eb3:
			b = append(b, 0x0ecd, 0x0eb2)
		default:
			b = append(b, r)
		}
	}
	return string(b)
}
