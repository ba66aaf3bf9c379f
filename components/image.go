package components

import (
	"bytes"
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

	"tau/tui"
	"tau/tui/text"
)

// ImageOptions configure an Image.
type ImageOptions struct {
	// Pictures are those of the UI; nil: the line is shown.
	Pictures      *tui.Pictures
	MaxCols       int    // default 60
	MaxRows       int    // default: as high as MaxCols is wide
	Path          string // shown and linked where there are no pictures
	Home          string // replaced by ~ in Path
	Style         Style  // of the line shown instead of the picture
	Hyperlinks    bool
	FallbackIndex int // [Image 2: ...] if above 0
}

// Image shows a picture, or a line about it where the terminal cannot.
type Image struct {
	o       ImageOptions
	pic     *tui.Picture
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
	m := &Image{o: o}
	m.w, m.h, m.mime, m.err = ImageInfo(data)
	if o.Pictures != nil && m.err == nil {
		m.pic = o.Pictures.Picture(data)
	}
	return m
}

// Drawable reports whether the picture itself is shown.
func (m *Image) Drawable() bool {
	return m.pic != nil && !m.pic.Broken() && m.o.Pictures.Shown()
}

// Summary says in a few words what the picture is, such as "png 640x480".
func (m *Image) Summary() string {
	if m.err != nil {
		return "picture, not readable"
	}
	return fmt.Sprintf("%s %dx%d", strings.TrimPrefix(m.mime, "image/"), m.w, m.h)
}

// Cells returns the columns and rows the picture takes on a screen that wide.
func (m *Image) Cells(width int) (cols, rows int) {
	cellW, cellH := 9, 18
	if m.o.Pictures != nil {
		cellW, cellH = m.o.Pictures.Cell()
	}
	maxCols := max(1, min(width-2, m.o.MaxCols))
	maxRows := m.o.MaxRows
	if maxRows <= 0 {
		maxRows = max(1, maxCols*cellW/cellH)
	}
	return FitImage(m.w, m.h, cellW, cellH, maxCols, maxRows)
}

// Invalidate makes the next Render build its lines anew.
func (m *Image) Invalidate() { m.version++ }

// Version counts changes.
func (m *Image) Version() uint64 { return m.version + m.o.Pictures.Version() }

// Render implements tui.Component.
func (m *Image) Render(width int) []string {
	width = max(1, width)
	if v := m.Version(); m.lines == nil || m.width != width || m.drawn != v {
		m.width, m.drawn = width, v
		if m.Drawable() {
			m.lines = m.pic.Lines(m.Cells(width))
		} else {
			m.lines = []string{m.o.Style.apply(m.fallback(width))}
		}
	}
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
	if m.err != nil || m.pic != nil && m.pic.Broken() {
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

// DecodeImage reads a PNG, JPEG, GIF or WebP picture. It can take long.
func DecodeImage(data []byte) (image.Image, error) {
	w, h, mime, err := ImageInfo(data)
	if err != nil {
		return nil, err
	}
	if w > imagePixels/h {
		return nil, fmt.Errorf("decoding %s: %dx%d is too large", mime, w, h)
	}
	var m image.Image
	r := bytes.NewReader(data)
	switch mime {
	case "image/png":
		m, err = png.Decode(r)
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
	return m, nil
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
