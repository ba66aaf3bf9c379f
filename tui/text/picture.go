package text

import (
	"strings"
	"unicode/utf8"
)

// A picture cell is a cluster that stands for one cell of a picture: a private
// character that says which cell, with two variation selectors that say which
// picture. It is one column wide and goes through wrapping, cutting and
// overlays like any other cell. Renderers replace it; it never reaches a
// terminal.
const (
	pictureBase = 0x100000 // plane 16, for private use
	selectors   = 0xe0100  // VARIATION SELECTOR-17 and the 239 after it
	selectorN   = 240

	// MaxPictureID, MaxPictureRows and MaxPictureCols bound what a picture
	// cell can say.
	MaxPictureID   = selectorN*selectorN - 1
	MaxPictureRows = 254
	MaxPictureCols = 254

	pictureLead = 0xf4 // the first byte of all of plane 16
	pictureLen  = 12
)

// AppendPictureCell appends the cell of a picture at row and col, which count
// from 0.
func AppendPictureCell(b []byte, id, row, col int) []byte {
	b = utf8.AppendRune(b, rune(pictureBase+row<<8+col))
	b = utf8.AppendRune(b, rune(selectors+id/selectorN))
	return utf8.AppendRune(b, rune(selectors+id%selectorN))
}

// HasPicture reports whether s may hold picture cells.
func HasPicture(s string) bool { return strings.IndexByte(s, pictureLead) >= 0 }

// PictureCell reads a cluster that was made by [AppendPictureCell].
func PictureCell(cluster string) (id, row, col int, ok bool) {
	if len(cluster) != pictureLen || cluster[0] != pictureLead {
		return 0, 0, 0, false
	}
	base, n := utf8.DecodeRuneInString(cluster)
	a, m := utf8.DecodeRuneInString(cluster[n:])
	b, k := utf8.DecodeRuneInString(cluster[n+m:])
	if n+m+k != pictureLen || a < selectors || a >= selectors+selectorN || b < selectors || b >= selectors+selectorN {
		return 0, 0, 0, false
	}
	at := int(base - pictureBase)
	return int(a-selectors)*selectorN + int(b-selectors), at >> 8, at & 255, true
}

// FirstPicture returns the first picture cell of a line.
func FirstPicture(s string) (id, row, col int, ok bool) {
	for {
		i := strings.IndexByte(s, pictureLead)
		if i < 0 || len(s)-i < pictureLen {
			return 0, 0, 0, false
		}
		if id, row, col, ok = PictureCell(s[i : i+pictureLen]); ok {
			return id, row, col, true
		}
		s = s[i+1:]
	}
}

// blankPictures makes picture cells spaces.
func blankPictures(s string) string {
	if !HasPicture(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == pictureLead && i+pictureLen <= len(s) {
			if _, _, _, ok := PictureCell(s[i : i+pictureLen]); ok {
				b.WriteByte(' ')
				i += pictureLen
				continue
			}
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}
