package text

import (
	"strings"
	"testing"
)

func pictureLine(id, row, cols int) string {
	var b []byte
	for x := range cols {
		b = AppendPictureCell(b, id, row, x)
	}
	return string(b)
}

func TestPictureCells(t *testing.T) {
	for _, c := range [][3]int{{0, 0, 0}, {1, 2, 3}, {MaxPictureID, MaxPictureRows - 1, MaxPictureCols - 1}, {239, 0, 253}, {240, 253, 0}} {
		s := string(AppendPictureCell(nil, c[0], c[1], c[2]))
		cluster, w := Next(s + s)
		id, row, col, ok := PictureCell(cluster)
		if !ok || cluster != s || w != 1 || [3]int{id, row, col} != c {
			t.Errorf("%v: %d %d %d %v, width %d", c, id, row, col, ok, w)
		}
	}
	line := "│ " + pictureLine(7, 3, 10) + " x"
	if w := Width(line); w != 14 {
		t.Errorf("width %d", w)
	}
	if id, row, col, ok := FirstPicture("\x1b[31m" + Slice(line, 5, 4)); !ok || id != 7 || row != 3 || col != 3 {
		t.Errorf("%d %d %d %v", id, row, col, ok)
	}
	if got := Overlay(line, "####", 4, 4); Width(got) != 14 || strings.Count(StripSequences(got), "#") != 4 {
		t.Errorf("%q", got)
	}
	if got := StripSequences(line); got != "│ "+Spaces(10)+" x" {
		t.Errorf("%q", got)
	}
	for _, l := range Wrap(line, 6) {
		if Width(l) > 6 {
			t.Errorf("%q", l)
		}
	}
	if _, _, _, ok := FirstPicture("no \U00100000 picture \U0010fffd"); ok {
		t.Error("found a picture where none is")
	}
	// Foreign text has none, however it is cut.
	if got := Sanitize(line); HasPicture(got) {
		t.Errorf("%q", got)
	}
	var z Sanitizer
	var out []byte
	for i := range len(line) {
		out = z.Append(out, line[i:i+1])
	}
	if HasPicture(string(z.Flush(out))) {
		t.Errorf("%q", out)
	}
}
