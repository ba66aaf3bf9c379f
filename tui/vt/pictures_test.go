package vt

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
)

func TestPictures(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 20, 40))); err != nil {
		t.Fatal(err)
	}
	data, name := base64.StdEncoding.EncodeToString(b.Bytes()), PictureName(b.Bytes())
	upload := "\x1b_Ga=t,f=100,i=5,q=2,m=1;" + data[:40] + "\x1b\\\x1b_Gq=2,m=0;" + data[40:] + "\x1b\\"
	place := "\x1b_Ga=p,q=2,C=1,i=5,p=1,x=10,y=20,w=10,h=20,c=2,r=2\x1b\\"
	for _, c := range []struct {
		name   string
		model  PictureModel
		input  string
		at     string // of the picture's corner, after that
		broken bool
	}{
		{"layer", PictureLayer, upload + "\x1b[2;3H" + place, "1,2", false},
		{"cells", PictureCells, upload + "\x1b[2;3H" + place, "1,2", false},
		{"layer under text", PictureLayer, upload + "\x1b[2;3H" + place + "xxxx", "1,2", false},
		{"cells under text", PictureCells, upload + "\x1b[2;3H" + place + "xxxx", "2,2", false},
		{"scrolled", PictureLayer, upload + "\x1b[3;3H" + place + "\x1b[8;1H\n", "1,2", false},
		{"moved", PictureLayer, upload + "\x1b[2;3H" + place + "\x1b[4;5H" + place, "3,4", false},
		{"removed", PictureLayer, upload + "\x1b[2;3H" + place + "\x1b_Ga=d,d=i,q=2,i=5,p=1\x1b\\", "", false},
		{"freed", PictureCells, upload + "\x1b[2;3H" + place + "\x1b_Ga=d,d=I,q=2,i=5\x1b\\", "", false},
		{"cleared", PictureLayer, upload + "\x1b[2;3H" + place + "\x1b[2J", "", false},
		{"off the edge", PictureLayer, upload + "\x1b[8;3H" + place, "", true},
		{"unknown", PictureLayer, place, "", true},
		{"inside of an upload", PictureLayer, upload[:len(upload)-20] + "\x18" + place, "", true},
		{"inline", PictureCells, fmt.Sprintf("\x1b[2;3H\x1b]1337;File=inline=1;size=%d;width=2;height=2:%s\a", b.Len(), data), "1,2", false},
	} {
		term := New(10, 8)
		term.SetPictures(c.model)
		term.WriteString(c.input)
		at := ""
		for y := range 8 {
			for x := range 10 {
				if p := term.Cell(y, x).Picture; p.Name == name && at == "" {
					at = fmt.Sprintf("%d,%d", y, x)
				}
			}
		}
		if at != c.at || (term.BadPictures() != nil) != c.broken {
			t.Errorf("%s: at %q, want %q; %q", c.name, at, c.at, term.BadPictures())
		}
		if strings.Contains(term.String(), "a=") {
			t.Errorf("%s: sequences on the screen", c.name)
		}
	}
}
