package components

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"tau/tui"
	"tau/tui/graphics"
	"tau/tui/text"
)

func picture(t testing.TB, kind string, w, h int) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, w, h))
	var b bytes.Buffer
	var err error
	switch kind {
	case "png":
		err = png.Encode(&b, m)
	case "jpeg":
		err = jpeg.Encode(&b, m, nil)
	default:
		err = gif.Encode(&b, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestImageInfo(t *testing.T) {
	for _, kind := range []string{"png", "jpeg", "gif"} {
		w, h, mime, err := ImageInfo(picture(t, kind, 30, 20))
		if err != nil || w != 30 || h != 20 || mime != "image/"+kind {
			t.Errorf("%s: %d %d %s %v", kind, w, h, mime, err)
		}
	}
	for _, bad := range []string{"", "GIF is a format", "GIF89a", string(picture(t, "png", 30, 20)[:20])} {
		if _, _, _, err := ImageInfo([]byte(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestFitImage(t *testing.T) {
	for _, c := range []struct{ w, h, maxCols, maxRows, cols, rows int }{
		{90, 90, 60, 30, 10, 5}, {5400, 5400, 60, 30, 60, 30}, {9000, 90, 60, 30, 60, 1}, {90, 9000, 60, 30, 1, 30}, {1, 1, 60, 30, 1, 1}, {540, 540, 60, 10, 20, 10},
	} {
		if cols, rows := FitImage(c.w, c.h, 9, 18, c.maxCols, c.maxRows); cols != c.cols || rows != c.rows {
			t.Errorf("%v: %d %d", c, cols, rows)
		}
	}
}

func TestImage(t *testing.T) {
	m := NewImage(picture(t, "png", 180, 180), ImageOptions{Path: "/home/u/a.png", Home: "/home/u"})
	if got := m.Render(60); len(got) != 1 || got[0] != "[Image: ~/a.png [image/png] 180x180]" {
		t.Errorf("%q", got)
	}
	m = NewImage(picture(t, "jpeg", 180, 180), ImageOptions{Pictures: tui.NewPictures(graphics.Kitty, DecodeImage)})
	got := m.Render(60)
	if len(got) != 10 || text.Width(got[0]) != 20 {
		t.Errorf("%d lines of %d", len(got), text.Width(got[0]))
	}
	if again := m.Render(60); &again[0] != &got[0] {
		t.Error("nothing changed, but the lines are others")
	}
	m = NewImage([]byte("nonsense"), ImageOptions{Pictures: tui.NewPictures(graphics.Kitty, DecodeImage), Path: "x\x1b[2J.png"})
	if got := m.Render(60); len(got) != 1 || got[0] != "[Image: x.png not readable]" {
		t.Errorf("%q", got)
	}
}

func TestDecodeImage(t *testing.T) {
	for _, kind := range []string{"png", "jpeg", "gif"} {
		if m, err := DecodeImage(picture(t, kind, 30, 20)); err != nil || m.Bounds().Dx() != 30 {
			t.Errorf("%s: %v", kind, err)
		}
		if _, err := DecodeImage(picture(t, kind, 30, 20)[:60]); err == nil {
			t.Errorf("half a %s was read", kind)
		}
	}
}
