package tui

import (
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"math/rand"
	"strings"
	"testing"

	"tau/tui/graphics"
	"tau/tui/vt"
)

// testPics are pictures of noise, with cells of 3 by 5 pixels, that are ready
// at once.
type testPics struct {
	*Pictures
	r    *rand.Rand
	seed byte
}

func testPictures(r *rand.Rand, p graphics.Protocol) *testPics {
	t := &testPics{r: r}
	t.Pictures = NewPictures(p, func(data []byte) (image.Image, error) {
		if len(data) < 3 {
			return nil, fmt.Errorf("broken")
		}
		m := image.NewNRGBA(image.Rect(0, 0, int(data[0]), int(data[1])))
		noise := rand.New(rand.NewSource(int64(data[2])))
		for i := range m.Pix {
			m.Pix[i] = byte(noise.Int())
		}
		m.Set(0, 0, color.NRGBA{data[2], 0, 0, 255})
		return m, nil
	})
	t.cellW, t.cellH = 3, 5
	t.begin = func(f func()) { f() }
	return t
}

// pictureLabel is a component with a picture between lines.
type pictureLabel struct {
	above      []string
	pic        *Picture
	cols, rows int
	settled    int
	lines      []string
}

func (p *testPics) label(above ...string) *pictureLabel {
	p.seed++
	cols, rows := 1+p.r.Intn(12), 1+p.r.Intn(6)
	return &pictureLabel{above: above, pic: p.Picture([]byte{byte(cols * 3), byte(rows * 5), p.seed}), cols: cols, rows: rows}
}

func (l *pictureLabel) Render(width int) []string {
	if l.lines == nil {
		l.lines = append(l.lines, l.above...)
		for _, s := range l.pic.Lines(l.cols, l.rows) {
			l.lines = append(l.lines, "| "+s)
		}
		l.lines = append(l.lines, "end")
	}
	return l.lines
}

func (l *pictureLabel) Settled(int) int { return l.settled }

func setLines(c Component, lines []string) {
	switch c := c.(type) {
	case *label:
		c.set(lines...)
	case *pictureLabel:
		if c.settled == 0 {
			c.above, c.lines = lines, nil
		}
	}
}

// wantTiles is what the cells of a line show of pictures.
func wantTiles(p *painter, runs []run, w int) []vt.Tile {
	var out []vt.Tile
	for _, r := range runs {
		if !p.shows(r.view) {
			continue
		}
		if out == nil {
			out = make([]vt.Tile, w)
		}
		name := vt.PictureName(decoded(r.view.encoded))
		for i := range r.n {
			out[r.x+i] = vt.Tile{Name: name, X: int32((r.col + i) * r.view.cellW), Y: int32(r.row * r.view.cellH)}
		}
	}
	return out
}

func tilesOf(tiles []vt.Tile) string {
	var b strings.Builder
	for x, t := range tiles {
		if t != (vt.Tile{}) {
			fmt.Fprintf(&b, "%d:%d,%d,%d ", x, t.Name, t.X, t.Y)
		}
	}
	return b.String()
}

// checkTiles holds the pictures on the screen against the lines.
func checkTiles(t *testing.T, name string, screen *vt.Terminal, top int, p *painter, n int, runs func(int) []run) {
	t.Helper()
	w, _ := screen.Size()
	partly := map[*pixels]bool{} // not drawn at all where parts cannot be
	if !p.kitty() {
		for _, r := range rects(n, n, runs) {
			if !r.whole() {
				partly[r.view] = true
			}
		}
	}
	for y := range n {
		var in []run
		for _, r := range runs(y) {
			if !partly[r.view] {
				in = append(in, r)
			}
		}
		want := wantTiles(p, in, w)
		for x := range w {
			var tile vt.Tile
			if want != nil {
				tile = want[x]
			}
			if got := screen.Cell(top+y, x).Picture; got != tile {
				t.Fatalf("%s: cell %d,%d shows %+v of a picture, want %+v\n%s", name, y, x, got, tile, screen)
			}
		}
	}
}

// checkHistory holds the pictures in the scrollback against what was committed.
func (g *inlineRig) checkHistory(t *testing.T, name string) {
	t.Helper()
	any := false
	for _, s := range g.tiles {
		any = any || s != ""
	}
	if !any {
		return
	}
	rows := g.screen.AllCells()
	for i, want := range g.tiles {
		tiles := make([]vt.Tile, 0, g.u.w)
		for _, c := range rows[len(g.shell)+i] {
			tiles = append(tiles, c.Picture)
		}
		got := tilesOf(tiles)
		if got == "" && !g.r.paint.kitty() {
			continue // not all of it was in sight, so it was not drawn
		}
		if got != want {
			t.Fatalf("%s: committed line %d shows %q of pictures, want %q\n%q", name, i, got, want, g.log)
		}
	}
}

func decoded(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}
