package tools

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"path/filepath"

	"golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"tau/agent"
	"tau/ai"
)

// What providers take in one picture.
const (
	maxSide   = 2000            // pixels of width and height
	maxBase64 = 45 << 20 / 10   // bytes of base64, 4.5 MiB
	maxPixels = 80_000_000      // larger ones are not decoded
	maxFile   = int64(64 << 20) // of a picture
)

// imageKind tells a picture by its first bytes: its MIME type, or nothing.
func imageKind(head []byte) string {
	has := func(at int, magic string) bool {
		return len(head) >= at+len(magic) && string(head[at:at+len(magic)]) == magic
	}
	switch {
	case has(0, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case has(0, "\xff\xd8\xff"):
		return "image/jpeg"
	case has(0, "GIF87a"), has(0, "GIF89a"):
		return "image/gif"
	case has(0, "RIFF") && has(8, "WEBP"):
		return "image/webp"
	case has(0, "BM") && has(6, "\x00\x00\x00\x00") && len(head) > 17 && head[14] >= 12 && head[15] == 0 && head[16] == 0:
		// File header with its reserved zeros, then the size of the info header.
		return "image/bmp"
	}
	return ""
}

// codec decodes one kind of picture; of an animation its first frame.
type codec struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

func codecOf(kind string) codec {
	switch kind {
	case "image/png":
		return codec{png.DecodeConfig, png.Decode}
	case "image/jpeg":
		return codec{jpeg.DecodeConfig, jpeg.Decode}
	case "image/gif":
		return codec{gif.DecodeConfig, gif.Decode}
	case "image/webp":
		return codec{webp.DecodeConfig, webp.Decode}
	}
	return codec{bmp.DecodeConfig, bmp.Decode}
}

// readImage makes the result of a picture: a line about it, and itself in a
// form that providers take. A picture that cannot be decoded whole is refused,
// since it would make each later request of the session fail.
func readImage(ctx context.Context, r io.Reader, fileSize int64, kind, shown string) (agent.Result, error) {
	if fileSize > maxFile {
		return agent.Result{}, fmt.Errorf("%s is a picture of %s; pictures up to %s can be shown", shown, size(fileSize), size(maxFile))
	}
	data, err := io.ReadAll(io.LimitReader(r, maxFile))
	if err != nil {
		return agent.Result{}, fmt.Errorf("could not read %s: %s", shown, cause(err))
	}
	broken := func(err error) error {
		return fmt.Errorf("%s begins like a picture (%s) but cannot be decoded: %w", shown, kind, err)
	}
	c := codecOf(kind)
	cfg, err := c.config(bytes.NewReader(data))
	if err != nil {
		return agent.Result{}, broken(err)
	}
	if cfg.Width <= 0 || cfg.Height <= 0 || cfg.Width > maxPixels/cfg.Height {
		return agent.Result{}, fmt.Errorf("%s is a picture of %dx%d pixels, which is too large to be shown", shown, cfg.Width, cfg.Height)
	}
	img, err := c.decode(bytes.NewReader(data))
	if err != nil {
		return agent.Result{}, broken(err)
	}
	name := filepath.Base(shown)
	asIs := kind != "image/bmp" && !animatedPNG(kind, data)
	if asIs && cfg.Width <= maxSide && cfg.Height <= maxSide && base64.StdEncoding.EncodedLen(len(data)) <= maxBase64 {
		return pictureResult(fmt.Sprintf("Picture %s (%s, %dx%d).", name, kind, cfg.Width, cfg.Height), data, kind), nil
	}
	full, turn := img.Bounds().Size(), 1
	if kind == "image/jpeg" {
		// What is encoded anew does not say how the camera was held.
		if turn = orientation(data); turn >= 5 {
			full.X, full.Y = full.Y, full.X
		}
	}
	data, encoded, got, err := fit(ctx, img, turn, kind == "image/jpeg")
	if err != nil {
		return agent.Result{}, fmt.Errorf("could not make %s smaller: %w", shown, err)
	}
	note := fmt.Sprintf("Picture %s (%s, %dx%d).", name, kind, full.X, full.Y)
	if got != full {
		note = fmt.Sprintf("Picture %s (%s, %dx%d), shown at %dx%d: multiply coordinates in it by %.2f to get those of the file.",
			name, kind, full.X, full.Y, got.X, got.Y, float64(full.X)/float64(got.X))
	}
	return pictureResult(note, data, encoded), nil
}

func pictureResult(note string, data []byte, kind string) agent.Result {
	return agent.Result{Content: []ai.Block{
		&ai.Text{Text: note},
		&ai.Image{Data: base64.StdEncoding.EncodeToString(data), MimeType: kind},
	}}
}

// animatedPNG looks for the chunk acTL, which has to come before the data.
func animatedPNG(kind string, data []byte) bool {
	if kind != "image/png" {
		return false
	}
	i := bytes.Index(data, []byte("acTL"))
	return i >= 0 && i < bytes.Index(data, []byte("IDAT"))
}

// fit encodes a picture within the limits: PNG if that is small, else JPEG of
// less and less quality, then smaller and smaller.
func fit(ctx context.Context, img image.Image, turn int, photo bool) (data []byte, kind string, at image.Point, err error) {
	scale := 1.0
	if b := img.Bounds().Size(); b.X > maxSide || b.Y > maxSide {
		scale = math.Min(maxSide/float64(b.X), maxSide/float64(b.Y))
	}
	for ; ; scale *= 0.75 {
		small := upright(scaled(img, scale), turn)
		at = small.Bounds().Size()
		var best []byte
		if !photo {
			var b bytes.Buffer
			if err := png.Encode(&b, small); err != nil {
				return nil, "", at, err
			}
			best, kind = b.Bytes(), "image/png"
		}
		for _, quality := range []int{80, 70, 55, 40} {
			if err := ctx.Err(); err != nil {
				return nil, "", at, err
			}
			if best != nil && base64.StdEncoding.EncodedLen(len(best)) <= maxBase64 && quality != 80 {
				break
			}
			var b bytes.Buffer
			if err := jpeg.Encode(&b, onWhite(small), &jpeg.Options{Quality: quality}); err != nil {
				return nil, "", at, err
			}
			if best == nil || b.Len() < len(best) {
				best, kind = b.Bytes(), "image/jpeg"
			}
		}
		if base64.StdEncoding.EncodedLen(len(best)) <= maxBase64 {
			return best, kind, at, nil
		}
		if at.X <= 1 && at.Y <= 1 {
			return nil, "", at, errors.New("no size of it is small enough")
		}
	}
}

func scaled(img image.Image, scale float64) image.Image {
	if scale == 1 {
		return img
	}
	b := img.Bounds()
	w := max(1, int(math.Round(float64(b.Dx())*scale)))
	h := max(1, int(math.Round(float64(b.Dy())*scale)))
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.BiLinear.Scale(out, out.Bounds(), img, b, draw.Src, nil)
	return out
}

// onWhite takes the transparency away, which JPEG does not have.
func onWhite(img image.Image) image.Image {
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		return img
	}
	b := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(out, out.Bounds(), img, b.Min, draw.Over)
	return out
}
