package tools

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientation returns how a camera says it was held: 1 to 8 as in the tag
// 0x0112 of EXIF, 1 if it does not say.
func orientation(jpeg []byte) int {
	// Segments: FF, kind, length of two bytes that counts itself.
	for p := jpeg[min(2, len(jpeg)):]; len(p) >= 4 && p[0] == 0xff && p[1] != 0xda; {
		n := int(binary.BigEndian.Uint16(p[2:])) + 2
		if n < 4 || n > len(p) {
			break
		}
		if body, ok := bytes.CutPrefix(p[4:n], []byte("Exif\x00\x00")); ok && p[1] == 0xe1 {
			return tiffOrientation(body)
		}
		p = p[n:]
	}
	return 1
}

func tiffOrientation(b []byte) int {
	if len(b) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if b[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(b[4:]))
	if at+2 > int64(len(b)) {
		return 1
	}
	b = b[at:]
	// Entries of 12 bytes: tag, type, count, value.
	for n, e := int(order.Uint16(b)), b[2:]; n > 0 && len(e) >= 12; n, e = n-1, e[12:] {
		if order.Uint16(e) == 0x0112 {
			if v := int(order.Uint16(e[8:])); v >= 1 && v <= 8 {
				return v
			}
		}
	}
	return 1
}

// upright turns a picture as its orientation says.
func upright(img image.Image, o int) image.Image {
	if o <= 1 {
		return img
	}
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	size := image.Rect(0, 0, w, h)
	if o >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewRGBA(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			from := [...]image.Point{
				2: {w - 1 - x, y}, 3: {w - 1 - x, h - 1 - y}, 4: {x, h - 1 - y},
				5: {y, x}, 6: {y, h - 1 - x}, 7: {w - 1 - y, h - 1 - x}, 8: {w - 1 - y, x},
			}[o]
			out.Set(x, y, img.At(b.Min.X+from.X, b.Min.Y+from.Y))
		}
	}
	return out
}
