package tui

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"golang.org/x/image/draw"

	"tau/tui/graphics"
	"tau/tui/text"
)

// Pictures are the pictures that the components of a [UI] show. Give them to
// the UI by Options.Pictures and make a [Picture] for each of them.
//
// In lines a picture is made of cells like any text, so components may cut,
// indent and overlay them. The renderers put the pixels there: they send a
// picture once, show the part of it whose cells are in sight, and take away
// what is not. A Pictures may be used from any goroutine.
type Pictures struct {
	protocol graphics.Protocol
	decode   func([]byte) (image.Image, error)
	one      chan struct{} // one picture is prepared at a time
	begin    func(prepare func())

	version atomic.Uint64

	mu           sync.Mutex
	cellW, cellH int
	off          bool // the renderer in use cannot show pictures
	views        map[int]weak.Pointer[pixels]
	next         int
	changed      func(layout bool)
}

// NewPictures returns pictures for a terminal with this protocol. decode reads
// a picture of any format the program takes; it is called off the UI goroutine.
func NewPictures(p graphics.Protocol, decode func([]byte) (image.Image, error)) *Pictures {
	return &Pictures{
		protocol: p, decode: decode, one: make(chan struct{}, 1), begin: func(f func()) { go f() },
		cellW: 9, cellH: 18, views: map[int]weak.Pointer[pixels]{}, changed: func(bool) {},
	}
}

// Shown reports whether pictures can be shown now. It changes when the screen
// does: a terminal that draws pictures into cells gets none on the alternate
// screen, where they cannot be cut.
func (p *Pictures) Shown() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.protocol != graphics.None && !p.off
}

// Cell returns the size of a cell in pixels: what the terminal has told, or 9
// by 18.
func (p *Pictures) Cell() (w, h int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cellW, p.cellH
}

// Version changes when Shown or Cell do, or when a picture turned out to be
// broken.
func (p *Pictures) Version() uint64 {
	if p == nil {
		return 0
	}
	return p.version.Load()
}

func (p *Pictures) update(change func() bool) {
	p.mu.Lock()
	changed := change()
	tell := p.changed
	p.mu.Unlock()
	if changed {
		p.version.Add(1)
		tell(true)
	}
}

func (p *Pictures) setCell(w, h int) {
	if w > 0 && h > 0 && w <= 200 && h <= 400 {
		p.update(func() bool {
			changed := w != p.cellW || h != p.cellH
			p.cellW, p.cellH = w, h
			return changed
		})
	}
}

func (p *Pictures) setInline(inline bool) {
	if p == nil {
		return
	}
	p.update(func() bool {
		was := p.off
		p.off = p.protocol == graphics.ITerm2 && !inline
		return p.off != was
	})
}

// Picture is one picture. It belongs to the component that shows it. On the
// alternate screen the terminal keeps its data while it is in sight and a little
// longer; what has scrolled off the main screen is the terminal's.
type Picture struct {
	of   *Pictures
	data []byte
	bad  atomic.Bool

	view  *pixels // the cells it was shown in last
	lines []string
}

// Picture returns a picture of data, in any format that the decoder of p reads.
func (p *Pictures) Picture(data []byte) *Picture { return &Picture{of: p, data: data} }

// Broken reports whether the picture could not be decoded. That is only known
// some time after its lines were on the screen first.
func (c *Picture) Broken() bool { return c.bad.Load() }

// Lines returns the lines of the picture, in so many cells. They are the same
// slice while nothing changes.
func (c *Picture) Lines(cols, rows int) []string {
	cols, rows = min(max(cols, 1), text.MaxPictureCols), min(max(rows, 1), text.MaxPictureRows)
	w, h := c.of.Cell()
	if v := c.view; v != nil && v.cols == cols && v.rows == rows && v.cellW == w && v.cellH == h {
		return c.lines
	}
	if c.view != nil {
		c.view.stale.Store(true)
	}
	v := c.of.add(&pixels{pic: c, cols: cols, rows: rows, cellW: w, cellH: h})
	c.view = v
	c.lines = make([]string, rows)
	for y := range c.lines {
		b := make([]byte, 0, 12*cols)
		for x := range cols {
			b = text.AppendPictureCell(b, v.id, y, x)
		}
		c.lines[y] = string(b)
	}
	return c.lines
}

// pixels are a picture in cells of a certain number and size.
type pixels struct {
	id         int
	pic        *Picture
	cols, rows int
	cellW      int
	cellH      int

	stale   atomic.Bool   // there is another one: the size has changed
	state   atomic.Uint32 // of the fields below
	encoded string        // a PNG of cols*cellW by rows*cellH pixels, in base64
	size    int           // of the PNG
}

const (
	viewIdle uint32 = iota
	viewWorking
	viewReady
	viewFailed
)

func (p *Pictures) add(v *pixels) *pixels {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range text.MaxPictureID {
		p.next = p.next%text.MaxPictureID + 1
		if p.views[p.next].Value() == nil {
			break
		}
	}
	v.id = p.next
	at := weak.Make(v)
	p.views[v.id] = at
	runtime.AddCleanup(v, func(id int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.views[id].Value() == nil {
			delete(p.views, id)
		}
	}, v.id)
	return v
}

// find returns the view that a picture cell is of.
func (p *Pictures) find(id int) *pixels {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.views[id].Value()
}

// ready reports whether the pixels are there, and has them made if not.
func (v *pixels) ready() bool {
	switch v.state.Load() {
	case viewReady:
		return true
	case viewIdle:
		v.state.Store(viewWorking)
		v.pic.of.begin(v.prepare)
	}
	return v.state.Load() == viewReady
}

// prepare makes the pixels: of the size they are shown in, so that the cells of
// the picture are cells of the screen to the pixel, and no more is sent than is
// seen.
func (v *pixels) prepare() {
	p := v.pic.of
	p.one <- struct{}{}
	defer func() { <-p.one }()
	if v.stale.Load() {
		v.state.Store(viewFailed)
		return
	}
	encoded, size, err := v.encode()
	p.mu.Lock()
	tell := p.changed
	p.mu.Unlock()
	if err != nil {
		v.state.Store(viewFailed)
		v.pic.bad.Store(true)
		p.version.Add(1)
		tell(true)
		return
	}
	v.encoded, v.size = encoded, size
	v.state.Store(viewReady)
	tell(false)
}

func (v *pixels) encode() (encoded string, size int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("decoding a picture: %v", r)
		}
	}()
	src, err := v.pic.of.decode(v.pic.data)
	if err != nil {
		return "", 0, err
	}
	box := image.Rect(0, 0, v.cols*v.cellW, v.rows*v.cellH)
	dst := image.NewNRGBA(box)
	in := src.Bounds()
	at := fitPixels(in.Dx(), in.Dy(), box.Dx(), box.Dy())
	if at.Size() == in.Size() {
		draw.Draw(dst, at, src, in.Min, draw.Src)
	} else {
		draw.ApproxBiLinear.Scale(dst, at, src, in, draw.Src, nil)
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, dst); err != nil {
		return "", 0, fmt.Errorf("encoding a picture: %w", err)
	}
	return graphics.Encode(out.Bytes()), out.Len(), nil
}

// fitPixels returns where a picture of w by h pixels goes in a box: at its top
// left corner, in its shape, and no larger than it is.
func fitPixels(w, h, boxW, boxH int) image.Rectangle {
	if w <= boxW && h <= boxH {
		return image.Rect(0, 0, w, h)
	}
	if w*boxH > h*boxW {
		return image.Rect(0, 0, boxW, max(1, h*boxW/w))
	}
	return image.Rect(0, 0, max(1, w*boxH/h), boxH)
}
