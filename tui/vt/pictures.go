package vt

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"image/png"
	"slices"
	"strconv"
	"strings"
)

// Tile is what a cell shows of a picture: its name (a hash of the file, see
// [PictureName]) and the pixel at the corner of the cell.
type Tile struct {
	Name  uint32
	X, Y  int32
	place [2]uint32 // id and place, to take it away again
}

// PictureName returns the name of a picture file.
func PictureName(file []byte) uint32 {
	h := fnv.New32a()
	_, _ = h.Write(file)
	return h.Sum32()
}

// PictureModel says how the terminal keeps pictures of the Kitty protocol.
type PictureModel uint8

// The models. PictureLayer is Kitty's: pictures lie above the text, scroll with
// the screen, and stay when text is written or lines are inserted. PictureCells
// is WezTerm's: they are in the cells, move with them and go when something is
// written there.
const (
	PictureLayer PictureModel = iota
	PictureCells
)

// SetPictures chooses the model.
func (t *Terminal) SetPictures(m PictureModel) { t.pictureModel = m }

// BadPictures returns what was wrong with graphics sequences.
func (t *Terminal) BadPictures() []string { return t.badPictures }

// Pictures returns the number of pictures whose data the current screen keeps.
func (t *Terminal) Pictures() int { return len(t.cur.pics.files) }

// pictures are those of one screen.
type pictures struct {
	files   map[uint32]file
	loading uint32 // 0: none
	data    strings.Builder
	shown   []shown
}

type file struct {
	name uint32
	w, h int
}

// shown is a placement in the layer model.
type shown struct {
	place      [2]uint32
	file       file
	row, col   int // row counts from the first line of the scrollback
	cols, rows int
	x, y, w, h int
}

func (s shown) tile(row, col int) Tile {
	return Tile{Name: s.file.name, X: int32(s.x + (col-s.col)*s.w/s.cols), Y: int32(s.y + (row-s.row)*s.h/s.rows)}
}

func (t *Terminal) bad(format string, a ...any) {
	t.badPictures = append(t.badPictures, fmt.Sprintf(format, a...))
}

// graphics handles a sequence of the Kitty protocol, without its G.
func (t *Terminal) graphics(body string) {
	p := &t.cur.pics
	head, data, _ := strings.Cut(body, ";")
	opt := map[string]string{}
	for kv := range strings.SplitSeq(head, ",") {
		k, v, _ := strings.Cut(kv, "=")
		opt[k] = v
	}
	num := func(k string) int { n, _ := strconv.Atoi(opt[k]); return n }
	if opt["q"] != "2" {
		t.bad("answers are not switched off: %q", head)
	}
	if len(data) > 4096 {
		t.bad("a piece of %d bytes", len(data))
	}
	if a := opt["a"]; (a == "t" || a == "") && !t.modes.Sync {
		t.stats.OutsideSync -= len("\x1b_G") + len(body) + len("\x1b\\") // draws nothing
	}
	id := uint32(num("i"))
	switch a := opt["a"]; {
	case a == "" && p.loading != 0:
		p.data.WriteString(data)
	case p.loading != 0:
		t.bad("%q inside of an upload", head)
		return
	case a == "t":
		p.loading = id
		p.data.Reset()
		p.data.WriteString(data)
	case a == "p":
		t.place(id, uint32(num("p")), shown{cols: num("c"), rows: num("r"), x: num("x"), y: num("y"), w: num("w"), h: num("h")})
		return
	case a == "" && opt["m"] == "0":
		return // the end of an upload that was given up
	case a == "d":
		t.remove(opt["d"], id, uint32(num("p")))
		return
	default:
		t.bad("unknown: %q", head)
		return
	}
	if opt["m"] == "1" {
		return
	}
	id, p.loading = p.loading, 0
	raw, err := base64.StdEncoding.DecodeString(p.data.String())
	if err != nil {
		t.count("aborted picture")
		return
	}
	c, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil || !bytes.Contains(raw[max(0, len(raw)-16):], []byte("IEND")) {
		t.count("aborted picture")
		return
	}
	if p.files == nil {
		p.files = map[uint32]file{}
	}
	p.files[id] = file{PictureName(raw), c.Width, c.Height}
	t.count("picture")
}

func (t *Terminal) place(id, place uint32, s shown) {
	p := &t.cur.pics
	f, ok := p.files[id]
	if !ok {
		t.bad("picture %d is not there", id)
		return
	}
	y, x := t.cur.y, min(t.cur.x, t.w-1)
	if s.cols < 1 || s.rows < 1 || x+s.cols > t.w || y+s.rows > t.h {
		t.bad("%d by %d cells at %d,%d of %dx%d", s.cols, s.rows, y, x, t.w, t.h)
		return
	}
	if s.x < 0 || s.y < 0 || s.w < 1 || s.h < 1 || s.x+s.w > f.w || s.y+s.h > f.h {
		t.bad("part %+v of %+v", s, f)
		return
	}
	t.remove("i", id, place)
	s.place, s.file, s.row, s.col = [2]uint32{id, place}, f, t.firstRow()+y, x
	t.count("place")
	if t.pictureModel == PictureCells {
		t.fill(s)
		return
	}
	p.shown = append(p.shown, s)
}

// fill puts a placement into the cells at the cursor.
func (t *Terminal) fill(s shown) {
	y := s.row - t.firstRow()
	for r := range s.rows {
		for c := range s.cols {
			tile := s.tile(s.row+r, s.col+c)
			tile.place = s.place
			t.cur.rows[y+r].cells[s.col+c].Picture = tile
		}
	}
}

// firstRow is the number of the first row of the screen in shown.row.
func (t *Terminal) firstRow() int {
	if t.cur == t.main {
		return len(t.scrollback)
	}
	return 0
}

func (t *Terminal) remove(what string, id, place uint32) {
	p := &t.cur.pics
	match := func(at [2]uint32) bool {
		switch what {
		case "i":
			return at[0] == id && (place == 0 || at[1] == place)
		case "I":
			return at[0] == id
		}
		return at[0] != 0
	}
	p.shown = slices.DeleteFunc(p.shown, func(s shown) bool {
		return match(s.place) && (what != "A" || s.row+s.rows > t.firstRow())
	})
	clearCells := func(rows []row) {
		for _, r := range rows {
			for i := range r.cells {
				if match(r.cells[i].Picture.place) {
					r.cells[i].Picture = Tile{}
				}
			}
		}
	}
	if t.pictureModel == PictureCells {
		clearCells(t.cur.rows)
		if t.cur == t.main && what != "A" {
			clearCells(t.scrollback)
		}
	}
	switch what {
	case "I":
		delete(p.files, id)
	case "A":
		p.files = nil
	}
}

// inlinePicture handles OSC 1337 ; File.
func (t *Terminal) inlinePicture(body string) {
	head, data, _ := strings.Cut(body, ":")
	raw, err := base64.StdEncoding.DecodeString(data)
	opt := map[string]string{}
	for kv := range strings.SplitSeq(strings.TrimPrefix(head, "File="), ";") {
		k, v, _ := strings.Cut(kv, "=")
		opt[k] = v
	}
	cols, _ := strconv.Atoi(opt["width"])
	rows, _ := strconv.Atoi(opt["height"])
	c, err2 := png.DecodeConfig(bytes.NewReader(raw))
	y, x := t.cur.y, min(t.cur.x, t.w-1)
	switch {
	case err != nil || err2 != nil || opt["size"] != strconv.Itoa(len(raw)):
		t.bad("a broken picture: %q", head)
	case cols < 1 || rows < 1 || x+cols > t.w || y+rows > t.h:
		t.bad("%d by %d cells at %d,%d of %dx%d", cols, rows, y, x, t.w, t.h)
	default:
		t.count("place")
		t.fill(shown{place: [2]uint32{1, 1}, file: file{PictureName(raw), c.Width, c.Height}, row: t.firstRow() + y, col: x, cols: cols, rows: rows, w: c.Width, h: c.Height})
	}
}

// scrolledPictures moves the pictures of the alternate screen up with its text.
// Those of the main screen are counted from the top of the scrollback.
func (t *Terminal) scrolledPictures(top, bottom int) {
	if t.cur == t.main || top != 0 || bottom != t.h-1 {
		return
	}
	for i := range t.cur.pics.shown {
		t.cur.pics.shown[i].row--
	}
}

// tileAt returns what a layer shows above a cell of a screen.
func (s *screen) tileAt(row, col int) Tile {
	for i := len(s.pics.shown) - 1; i >= 0; i-- {
		if p := s.pics.shown[i]; row >= p.row && row < p.row+p.rows && col >= p.col && col < p.col+p.cols {
			return p.tile(row, col)
		}
	}
	return Tile{}
}

func (s *screen) cell(c Cell, row, col int) Cell {
	c.Picture.place = [2]uint32{}
	if len(s.pics.shown) > 0 {
		c.Picture = s.tileAt(row, col)
	}
	return c
}

// AllCells returns the cells of the scrollback and the screen of the main
// buffer.
func (t *Terminal) AllCells() [][]Cell {
	var out [][]Cell
	for i, r := range append(append([]row(nil), t.scrollback...), t.main.rows...) {
		cells := slices.Clone(r.cells)
		for x := range cells {
			cells[x] = t.main.cell(cells[x], i, x)
		}
		out = append(out, cells)
	}
	return out
}
