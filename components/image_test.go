package components

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
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
		b, err := ImageToPNG(picture(t, kind, 30, 20))
		if _, _, mime, _ := ImageInfo(b); err != nil || mime != "image/png" {
			t.Errorf("%s: %s %v", kind, mime, err)
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

func TestKittyImage(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 1000)
	s := KittyImage(7, data, 3, 2)
	if !strings.HasPrefix(s, "\x1b_Ga=T,f=100,q=2,C=1,c=3,r=2,i=7,m=1;") {
		t.Errorf("%q", s[:60])
	}
	var sent strings.Builder
	parts := strings.Split(strings.TrimSuffix(s, "\x1b\\"), "\x1b\\")
	for i, p := range parts {
		head, body, _ := strings.Cut(p, ";")
		if last := i == len(parts)-1; len(body) > 4096 || strings.HasSuffix(head, "m=0") != last {
			t.Errorf("chunk %d: %q, %d bytes", i, head, len(body))
		}
		sent.WriteString(body)
	}
	if got, err := base64.StdEncoding.DecodeString(sent.String()); err != nil || !bytes.Equal(got, data) {
		t.Error("data is not what was sent")
	}
}

func TestImage(t *testing.T) {
	m := NewImage(picture(t, "png", 180, 180), ImageOptions{Path: "/home/u/a.png", Home: "/home/u"})
	if got := m.Render(60); len(got) != 1 || got[0] != "[Image: ~/a.png [image/png] 180x180]" {
		t.Errorf("%q", got)
	}
	m.SetProtocol(KittyImages)
	if got := m.Render(60); len(got) != 10 || !strings.Contains(m.Encode(60), "c=20,r=10") {
		t.Errorf("%d lines, %q", len(got), m.Encode(60)[:40])
	}
	m = NewImage(picture(t, "jpeg", 180, 180), ImageOptions{Protocol: KittyImages})
	if m.Drawable() || len(m.Render(60)) != 1 {
		t.Error("Kitty takes PNG only")
	}
	p, err := ImageToPNG(m.data)
	if err != nil {
		t.Fatal(err)
	}
	if m.SetPNG(p); !m.Drawable() {
		t.Error("converted and still not drawable")
	}
	m = NewImage([]byte("nonsense"), ImageOptions{Protocol: ITerm2Images, Path: "x\x1b[2J.png"})
	if got := m.Render(60); len(got) != 1 || got[0] != "[Image: x.png not readable]" {
		t.Errorf("%q", got)
	}
}
