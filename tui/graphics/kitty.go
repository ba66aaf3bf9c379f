package graphics

import (
	"encoding/base64"
	"strconv"
)

// Chunk is the most base64 that the Kitty protocol takes in one sequence.
const Chunk = 4096

// Encode returns data as it is uploaded.
func Encode(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

// Upload appends the sequences that send encoded[from:] of the PNG number id,
// as many as fit into about room bytes but at least one, and returns where the
// next call goes on. No other graphics sequence may come before the last piece
// was sent, except those of [Abort].
func Upload(b []byte, id uint32, encoded string, from, room int) (out []byte, next int) {
	start := len(b)
	for first := true; first || from < len(encoded) && len(b)-start+Chunk+64 <= room; first = false {
		n := min(len(encoded)-from, Chunk)
		b = append(b, "\x1b_G"...)
		if from == 0 {
			b = append(b, "a=t,f=100,i="...)
			b = strconv.AppendUint(b, uint64(id), 10)
			b = append(b, ',')
		}
		b = append(b, "q=2,m="...)
		if from+n < len(encoded) {
			b = append(b, "1;"...)
		} else {
			b = append(b, "0;"...)
		}
		b = append(b, encoded[from:from+n]...)
		b = append(b, "\x1b\\"...)
		from += n
	}
	return b, from
}

// Abort appends what ends an upload in the middle and forgets it.
func Abort(b []byte, id uint32) []byte {
	b = append(b, "\x1b_Gq=2,m=0;\x1b\\"...)
	return Free(b, id)
}

// Part is a part of a picture, in pixels.
type Part struct{ X, Y, W, H int }

// Place appends what shows a part of picture id in cols by rows cells, with its
// corner at the cursor, which stays there. The same place shown again moves.
func Place(b []byte, id, place uint32, p Part, cols, rows int) []byte {
	b = append(b, "\x1b_Ga=p,q=2,C=1"...)
	for _, kv := range [...]struct {
		key byte
		val int
	}{{'i', int(id)}, {'p', int(place)}, {'x', p.X}, {'y', p.Y}, {'w', p.W}, {'h', p.H}, {'c', cols}, {'r', rows}} {
		b = append(b, ',', kv.key, '=')
		b = strconv.AppendInt(b, int64(kv.val), 10)
	}
	return append(b, "\x1b\\"...)
}

// Remove appends what takes one place of a picture off the screen.
func Remove(b []byte, id, place uint32) []byte {
	b = append(b, "\x1b_Ga=d,d=i,q=2,i="...)
	b = strconv.AppendUint(b, uint64(id), 10)
	b = append(b, ",p="...)
	b = strconv.AppendUint(b, uint64(place), 10)
	return append(b, "\x1b\\"...)
}

// FreeVisible appends what ends an upload that may have been cut anywhere and
// removes all pictures that are on the screen.
func FreeVisible(b []byte) []byte {
	return append(b, "\x1b\\\x1b_Gq=2,m=0;\x1b\\\x1b_Ga=d,d=A,q=2\x1b\\"...)
}

// Free appends what removes a picture and its data.
func Free(b []byte, id uint32) []byte {
	b = append(b, "\x1b_Ga=d,d=I,q=2,i="...)
	b = strconv.AppendUint(b, uint64(id), 10)
	return append(b, "\x1b\\"...)
}
