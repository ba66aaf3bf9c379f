package graphics

import "strconv"

// Inline appends a picture of cols by rows cells with its corner at the cursor.
// The cursor is saved and put back: where it would be otherwise differs between
// terminals. The rows must be on the screen. encoded is from [Encode], of size
// bytes.
func Inline(b []byte, encoded string, size, cols, rows int) []byte {
	b = append(b, "\x1b7\x1b]1337;File=inline=1;preserveAspectRatio=0;size="...)
	b = strconv.AppendInt(b, int64(size), 10)
	b = append(b, ";width="...)
	b = strconv.AppendInt(b, int64(cols), 10)
	b = append(b, ";height="...)
	b = strconv.AppendInt(b, int64(rows), 10)
	b = append(b, ':')
	b = append(b, encoded...)
	return append(b, "\a\x1b8"...)
}
