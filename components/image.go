package components

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/image/webp"

	"tau/tui/text"
)

// ImageProtocol is a way to put pictures on a terminal.
type ImageProtocol uint8

// The protocols.
const (
	NoImages ImageProtocol = iota
	KittyImages
	ITerm2Images
)

// ImageOptions configure an Image.
type ImageOptions struct {
	Protocol      ImageProtocol
	MaxCols       int    // default 60
	MaxRows       int    // default: as high as MaxCols is wide
	CellW, CellH  int    // pixels of a cell, default 9 by 18
	ID            uint32 // names the picture to Kitty; the program keeps it unique
	Path          string // shown and linked where there are no pictures
	Home          string // replaced by ~ in Path
	Style         Style  // of the line shown instead of the picture
	Hyperlinks    bool
	FallbackIndex int // [Image 2: ...] if above 0
}

// Image shows a picture, or a line about it where the terminal cannot.
//
// With a protocol set, Render returns blank lines of the picture's height and
// [Image.Encode] the sequence that draws it with the cursor at the first of
// them. The renderers of package tui let no such sequence through and do not
// place pictures, so in a tui.UI leave the protocol at NoImages: the line is
// shown.
type Image struct {
	o       ImageOptions
	data    []byte
	mime    string
	w, h    int
	err     error
	version uint64

	width int
	drawn uint64
	lines []string
}

// NewImage returns an image of PNG, JPEG, GIF or WebP data.
func NewImage(data []byte, o ImageOptions) *Image {
	if o.MaxCols <= 0 {
		o.MaxCols = 60
	}
	if o.CellW <= 0 || o.CellH <= 0 {
		o.CellW, o.CellH = 9, 18
	}
	m := &Image{o: o, data: data}
	m.w, m.h, m.mime, m.err = ImageInfo(data)
	return m
}

// SetCell tells how many pixels a cell has.
func (m *Image) SetCell(w, h int) {
	if w > 0 && h > 0 && (w != m.o.CellW || h != m.o.CellH) {
		m.o.CellW, m.o.CellH = w, h
		m.version++
	}
}

// SetProtocol changes how the picture is drawn.
func (m *Image) SetProtocol(p ImageProtocol) { m.o.Protocol = p; m.version++ }

// SetPNG replaces the data by a PNG of the same picture, for Kitty, which takes
// nothing else (see [ImageToPNG]).
func (m *Image) SetPNG(data []byte) {
	m.data, m.mime = data, "image/png"
	m.version++
}

// Drawable reports whether the picture itself can be drawn.
func (m *Image) Drawable() bool {
	return m.err == nil && (m.o.Protocol == ITerm2Images || m.o.Protocol == KittyImages && m.mime == "image/png")
}

// Cells returns the columns and rows the picture takes on a screen that wide.
func (m *Image) Cells(width int) (cols, rows int) {
	maxCols := max(1, min(width-2, m.o.MaxCols))
	maxRows := m.o.MaxRows
	if maxRows <= 0 {
		maxRows = max(1, maxCols*m.o.CellW/m.o.CellH)
	}
	return FitImage(m.w, m.h, m.o.CellW, m.o.CellH, maxCols, maxRows)
}

// Encode returns the sequence that draws the picture at the cursor.
func (m *Image) Encode(width int) string {
	if !m.Drawable() {
		return ""
	}
	cols, rows := m.Cells(width)
	if m.o.Protocol == KittyImages {
		return KittyImage(m.o.ID, m.data, cols, rows)
	}
	return ITerm2Image(m.data, cols)
}

// Invalidate makes the next Render build its lines anew.
func (m *Image) Invalidate() { m.version++ }

// Version counts changes.
func (m *Image) Version() uint64 { return m.version }

// Render implements tui.Component.
func (m *Image) Render(width int) []string {
	width = max(1, width)
	if m.lines != nil && m.width == width && m.drawn == m.version {
		return m.lines
	}
	m.width, m.drawn = width, m.version
	if m.Drawable() {
		_, rows := m.Cells(width)
		m.lines = make([]string, rows)
		return m.lines
	}
	m.lines = []string{m.o.Style.apply(m.fallback(width))}
	return m.lines
}

func (m *Image) fallback(width int) string {
	var b strings.Builder
	b.WriteString("[Image")
	if m.o.FallbackIndex > 0 {
		b.WriteString(" " + strconv.Itoa(m.o.FallbackIndex))
	}
	b.WriteString(":")
	if p := oneLine(m.o.Path); p != "" {
		short := p
		if home := strings.TrimRight(m.o.Home, `/\`); home != "" && strings.HasPrefix(p, home) && len(p) > len(home) && strings.IndexByte(`/\`, p[len(home)]) >= 0 {
			short = "~" + p[len(home):]
		}
		if m.o.Hyperlinks && filepath.IsAbs(m.o.Path) {
			short = text.Link(short, (&url.URL{Scheme: "file", Path: filepath.ToSlash(m.o.Path)}).String())
		}
		b.WriteString(" " + short)
	}
	if m.err != nil {
		b.WriteString(" not readable]")
		return text.Truncate(b.String(), width, "…")
	}
	fmt.Fprintf(&b, " [%s] %dx%d]", m.mime, m.w, m.h)
	return text.Truncate(b.String(), width, "…")
}

// imagePixels is the largest picture that is decoded.
const imagePixels = 64 << 20

// ImageInfo reads the size in pixels and the type from the first bytes of a
// picture, whatever its name says.
func ImageInfo(data []byte) (w, h int, mime string, err error) {
	var c image.Config
	r := bytes.NewReader(data)
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		mime = "image/png"
		c, err = png.DecodeConfig(r)
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		mime = "image/jpeg"
		c, err = jpeg.DecodeConfig(r)
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		mime = "image/gif"
		c, err = gif.DecodeConfig(r)
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		mime = "image/webp"
		c, err = webp.DecodeConfig(r)
	default:
		return 0, 0, "", errors.New("not a PNG, JPEG, GIF or WebP picture")
	}
	if err == nil && (c.Width < 1 || c.Height < 1) {
		err = errors.New("no size")
	}
	if err != nil {
		return 0, 0, mime, fmt.Errorf("reading the head of a picture: %w", err)
	}
	return c.Width, c.Height, mime, nil
}

// ImageToPNG converts a picture. It can take long: call it off the goroutine
// that draws.
func ImageToPNG(data []byte) ([]byte, error) {
	w, h, mime, err := ImageInfo(data)
	if err != nil {
		return nil, err
	}
	if mime == "image/png" {
		return data, nil
	}
	if w > imagePixels/h {
		return nil, fmt.Errorf("converting a picture: %dx%d is too large", w, h)
	}
	var m image.Image
	r := bytes.NewReader(data)
	switch mime {
	case "image/jpeg":
		m, err = jpeg.Decode(r)
	case "image/gif":
		m, err = gif.Decode(r)
	default:
		m, err = webp.Decode(r)
	}
	if err != nil {
		return nil, fmt.Errorf("decoding %s: %w", mime, err)
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, m); err != nil {
		return nil, fmt.Errorf("converting a picture: %w", err)
	}
	return out.Bytes(), nil
}

// FitImage returns the cells a picture takes: as large as fits, never larger
// than its pixels, in its shape as nearly as whole cells allow.
func FitImage(w, h, cellW, cellH, maxCols, maxRows int) (cols, rows int) {
	if w < 1 || h < 1 {
		return 1, 1
	}
	scale := min(1, float64(maxCols*cellW)/float64(w), float64(maxRows*cellH)/float64(h))
	fw, fh := float64(w)*scale/float64(cellW), float64(h)*scale/float64(cellH)
	up := func(f float64, most int) int { return max(1, min(most, int(f+0.999))) }
	cols, rows = up(fw, maxCols), up(fh, maxRows)
	// Rounding both up may stretch the picture; take the row less if that is
	// nearer to its shape.
	if rows > 1 {
		want := float64(h) / float64(w)
		shape := func(r int) float64 { return float64(r*cellH) / float64(cols*cellW) }
		if abs(shape(rows-1)-want) < abs(shape(rows)-want) {
			rows--
		}
	}
	return cols, rows
}

func abs(f float64) float64 { return max(f, -f) }

// kittyChunk is the most base64 the Kitty protocol takes in one sequence.
const kittyChunk = 4096

// KittyImage returns the sequences that send a PNG and show it at the cursor,
// scaled to the cells, without moving the cursor and without a reply
// (sw.kovidgoyal.net/kitty/graphics-protocol).
func KittyImage(id uint32, data []byte, cols, rows int) string {
	s := base64.StdEncoding.EncodeToString(data)
	var b strings.Builder
	b.Grow(len(s) + len(s)/kittyChunk*16 + 64)
	fmt.Fprintf(&b, "\x1b_Ga=T,f=100,q=2,C=1,c=%d,r=%d", cols, rows)
	if id > 0 {
		fmt.Fprintf(&b, ",i=%d", id)
	}
	for first := true; first || s != ""; first = false {
		n := min(len(s), kittyChunk)
		more := 0
		if n < len(s) {
			more = 1
		}
		if first {
			fmt.Fprintf(&b, ",m=%d;", more)
		} else {
			fmt.Fprintf(&b, "\x1b_Gm=%d;", more)
		}
		b.WriteString(s[:n])
		b.WriteString("\x1b\\")
		s = s[n:]
	}
	return b.String()
}

// KittyPlace returns the sequence that shows a picture sent before.
func KittyPlace(id uint32, cols, rows int) string {
	return fmt.Sprintf("\x1b_Ga=p,q=2,C=1,i=%d,c=%d,r=%d\x1b\\", id, cols, rows)
}

// KittyDelete returns the sequence that removes a picture and frees its data.
func KittyDelete(id uint32) string { return fmt.Sprintf("\x1b_Ga=d,d=I,q=2,i=%d\x1b\\", id) }

// KittyDeleteAll returns the sequence that removes all pictures and frees them.
func KittyDeleteAll() string { return "\x1b_Ga=d,d=A,q=2\x1b\\" }

// KittyClear returns the sequence that takes all pictures off the screen but
// keeps their data.
func KittyClear() string { return "\x1b_Ga=d,d=a,q=2\x1b\\" }

// ITerm2Image returns the sequence that shows a picture at the cursor
// (iterm2.com/documentation-images.html).
func ITerm2Image(data []byte, cols int) string {
	return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d;width=%d;height=auto;preserveAspectRatio=1:%s\a",
		len(data), cols, base64.StdEncoding.EncodeToString(data))
}
