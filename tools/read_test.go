package tools

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"tau/ai"
)

func put(t testing.TB, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func ends(s string) string {
	if len(s) < 600 {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q … %q", s[:100], s[len(s)-400:])
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d\n", i+1)
	}
	return b.String()
}

func TestReadText(t *testing.T) {
	dir := t.TempDir()
	set := New(Options{CWD: dir})
	x := strings.Repeat("x", 200<<10)
	files := map[string]string{
		"three": "l1\nl2\nl3", "empty": "", "2000": numbered(2000), "2001": numbered(2001), "long": x + "\nend\n",
		"long2": "a\n" + x + "\nend\n", "full": strings.Repeat("x", maxBytes) + "\n", "full1": strings.Repeat("x", maxBytes) + "y",
		"wide": strings.Repeat(strings.Repeat("y", 99)+"\n", 1000), "crlf": "a\r\nb\r\n", "bom": bomUTF8 + "a\n", "latin": "caf\xe9\n",
		"u16": string(encodeUTF16("größe\nb\n", littleEndian())), "u16be": string(encodeUTF16("größe\nb\n", binary.BigEndian)),
		"gif.txt": "GIF is a format\n", "bm": "BM is a text that begins so\n", "million": numbered(1000000), "blank": "\n\n\n",
		"esc": "a\x1b[1mb\n", "late": strings.Repeat("text\n", 3000) + "\x00",
	}
	for name, text := range files {
		put(t, dir, name, []byte(text))
	}
	for _, tt := range []struct{ args, want, err string }{
		{`{"path":"three"}`, "l1\nl2\nl3", ""},
		{`{"path":"three","offset":3}`, "l3", ""},
		{`{"path":"three","offset":4}`, "", "offset 4 is past the end of three, which has 3 lines"},
		{`{"path":"three","offset":0}`, "l1\nl2\nl3", ""},
		{`{"path":"three","offset":-3}`, "l1\nl2\nl3", ""},
		{`{"path":"three","limit":1}`, "l1\n\n[2 lines more in the file. Use offset=2 to continue.]", ""},
		{`{"path":"three","limit":0}`, "l1\nl2\nl3", ""},
		{`{"path":"three","offset":2,"limit":99}`, "l2\nl3", ""},
		{`{"path":"three","offset":2.0,"limit":1}`, "l2\n\n[1 line more in the file. Use offset=3 to continue.]", ""},
		{`{"file_path":"three","start_line":3}`, "l3", ""},
		{`{"path":"three","offset":1e300}`, "", "past the end"},
		{`{"path":"empty"}`, "(empty file)", ""},
		{`{"path":"empty","offset":1}`, "(empty file)", ""},
		{`{"path":"empty","offset":2}`, "", "0 lines"},
		{`{"path":"2000"}`, files["2000"], ""},
		{`{"path":"2001"}`, numbered(2000) + "\n[Showing lines 1-2000 of 2001. Use offset=2001 to continue.]", ""},
		{`{"path":"2001","offset":2001}`, "2001\n", ""},
		{`{"path":"2001","offset":2002}`, "", "2001 lines"},
		{`{"path":"long"}`, "[Line 1 has 200.0KB, more than the 50.0KB that can be shown. See part of it with bash: sed -n '1p' " + dir + "/long | head -c 51200. Use offset=2 to go on behind it.]", ""},
		{`{"path":"long","offset":2}`, "end\n", ""},
		{`{"path":"long2"}`, "a\n\n[Showing lines 1-1 of 3 (50.0KB limit). Use offset=2 to continue.]", ""},
		{`{"path":"full"}`, files["full"], ""},
		{`{"path":"full1"}`, "[Line 1 has 50.0KB, more than the 50.0KB that can be shown. See part of it with bash: sed -n '1p' " + dir + "/full1 | head -c 51200]", ""},
		{`{"path":"wide"}`, strings.Repeat(strings.Repeat("y", 99)+"\n", 512) + "\n[Showing lines 1-512 of 1000 (50.0KB limit). Use offset=513 to continue.]", ""},
		{`{"path":"crlf"}`, "a\nb\n", ""},
		{`{"path":"bom"}`, "a\n", ""},
		{`{"path":"latin"}`, "caf\ufffd\n", ""},
		{`{"path":"u16"}`, "größe\nb\n", ""},
		{`{"path":"u16be","offset":2}`, "b\n", ""},
		{`{"path":"gif.txt"}`, "GIF is a format\n", ""},
		{`{"path":"bm"}`, "BM is a text that begins so\n", ""},
		{`{"path":"million","offset":999999}`, "999999\n1000000\n", ""},
		{`{"path":"million","offset":500000,"limit":2}`, "500000\n500001\n\n[499999 lines more in the file. Use offset=500002 to continue.]", ""},
		{`{"path":"blank"}`, "\n\n\n", ""},
		{`{"path":"blank","offset":3}`, "\n", ""},
		{`{"path":"blank","offset":4}`, "", "3 lines"},
		{`{"path":"esc"}`, "a\x1b[1mb\n", ""},
		{`{"path":"late","offset":3000}`, "text\n\x00", ""},
		{`{"path":""}`, "", "path is empty"},
		{`{"path":"none"}`, "", "none: it does not exist"},
		{`{"path":"Three.md"}`, "", "it does not exist; in its folder there is three"},
		{`{"path":"no/three"}`, "", "it does not exist, nor does the folder it should be in"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			r, err := run(t, set.read(), json.RawMessage(tt.args))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := ai.ContentText(r.Content); got != tt.want {
				t.Errorf("got  %s\nwant %s", ends(got), ends(tt.want))
			}
			var d ReadDetails
			if r.Details != nil {
				if err := json.Unmarshal(r.Details, &d); err != nil {
					t.Fatal(err)
				}
			}
			cut := strings.Contains(tt.want, "[Showing") || strings.Contains(tt.want, "[Line")
			if (d.Truncation != nil && d.Truncation.Truncated) != cut {
				t.Errorf("details %s", r.Details)
			}
		})
	}
}

// Reading on from each note gives the whole file, whatever the pieces of the
// stream.
func TestReadOn(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var b strings.Builder
	for b.Len() < 400<<10 {
		b.WriteString(strings.Repeat("z", r.Intn(300)))
		b.WriteByte('\n')
	}
	text := b.String()
	var got strings.Builder
	for first := 1; ; {
		w := window{first: first}
		if err := w.fill(context.Background(), &pieces{text: text, r: r}); err != nil {
			t.Fatal(err)
		}
		got.Write(w.text)
		if w.total != countLines(text) {
			t.Fatalf("%d lines, want %d", w.total, countLines(text))
		}
		if first += w.shown; first > w.total {
			break
		}
	}
	if got.String() != text {
		t.Error("the pieces are not the whole")
	}
}

// pieces reads a text in pieces of random length.
type pieces struct {
	text string
	r    *rand.Rand
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, os.ErrClosed
	}
	n := copy(b[:min(len(b), 1+p.r.Intn(5000))], p.text)
	p.text = p.text[n:]
	if p.text == "" {
		return n, io.EOF
	}
	return n, nil
}

func TestReadHuge(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, "huge", []byte(numbered(5000)))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(4 << 30); err != nil {
		t.Skip(err) // no sparse files here
	}
	f.Close()
	set := New(Options{CWD: dir})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := run(t, set.read(), json.RawMessage(`{"path":"huge","offset":1,"limit":1}`))
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	text, allocated := ai.ContentText(r.Content), after.TotalAlloc-before.TotalAlloc
	if want := "1\n\n[Showing lines 1-1 of more than 5001, 4.0GB in all. Use offset=2 to continue.]"; text != want {
		t.Errorf("%q", text)
	}
	if allocated > 1<<20 {
		t.Errorf("%d bytes allocated", allocated)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := set.runRead(ctx, readArgs{Path: "huge"}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestReadBinary(t *testing.T) {
	dir := t.TempDir()
	set := New(Options{CWD: dir})
	random := make([]byte, 1<<20)
	rand.New(rand.NewSource(2)).Read(random)
	png1 := encodePNG(t, picture(10, 10, false))
	for name, c := range map[string]struct {
		data []byte
		err  string
	}{
		"r.dat":    {random, "a binary file of 1.0MB"},
		"nonul":    {bytes.ReplaceAll(random, []byte{0}, []byte{1}), "a binary file"},
		"it's.pdf": {[]byte("%PDF-1.7\n%text"), `pdftotext -layout '` + dir + `/it'\''s.pdf' -`},
		"a.out":    {[]byte("\x7fELF\x02"), "an ELF program"},
		"a.zip":    {[]byte("PK\x03\x04text"), "a ZIP archive"},
		"cut.png":  {png1[:20], "cannot be decoded"},
		"half.png": {png1[:len(png1)-20], "cannot be decoded"},
		"gif":      {[]byte("GIF89a"), "cannot be decoded"},
	} {
		put(t, dir, name, c.data)
		r, err := run(t, set.read(), map[string]string{"path": name})
		if err == nil || !strings.Contains(err.Error(), c.err) || len(err.Error()) > 500 {
			t.Errorf("%s: %v %.100v", name, err, r)
		}
	}
}

func picture(w, h int, noisy bool) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewSource(3))
	if noisy {
		r.Read(img.Pix)
	}
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255
	}
	img.Set(0, 0, color.NRGBA{255, 0, 0, 255})
	return img
}

func encodePNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadPictures(t *testing.T) {
	dir := t.TempDir()
	set := New(Options{CWD: dir})
	var asGIF, asBMP, asJPEG bytes.Buffer
	small := picture(30, 20, false)
	if err := gif.Encode(&asGIF, small, nil); err != nil {
		t.Fatal(err)
	}
	if err := bmp.Encode(&asBMP, small); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&asJPEG, picture(2100, 1000, false), nil); err != nil {
		t.Fatal(err)
	}
	plainPNG := encodePNG(t, small)
	actl := []byte("\x00\x00\x00\x08acTL\x00\x00\x00\x01\x00\x00\x00\x00")
	actl = binary.BigEndian.AppendUint32(actl, crc32.ChecksumIEEE(actl[4:]))
	animated := slices.Concat(plainPNG[:33], actl, plainPNG[33:])
	webp, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		data []byte
		note string
		mime string
		same bool // the bytes are those of the file
		w, h int
	}{
		{"png.txt", plainPNG, "Picture png.txt (image/png, 30x20).", "image/png", true, 30, 20},
		{"a.gif", asGIF.Bytes(), "Picture a.gif (image/gif, 30x20).", "image/gif", true, 30, 20},
		{"a.bmp", asBMP.Bytes(), "Picture a.bmp (image/bmp, 30x20).", "image/png", false, 30, 20},
		{"a.webp", webp, "Picture a.webp (image/webp, 1x1).", "image/webp", true, 1, 1},
		{"moving.png", animated, "Picture moving.png (image/png, 30x20).", "image/png", false, 30, 20},
		{"wide.png", encodePNG(t, picture(4000, 1000, false)), "Picture wide.png (image/png, 4000x1000), shown at 2000x500: multiply coordinates in it by 2.00 to get those of the file.", "image/png", false, 2000, 500},
		{"photo.jpg", asJPEG.Bytes(), "Picture photo.jpg (image/jpeg, 2100x1000), shown at 2000x952: multiply coordinates in it by 1.05 to get those of the file.", "image/jpeg", false, 2000, 952},
		{"turned.jpg", turned(asJPEG.Bytes(), 6), "Picture turned.jpg (image/jpeg, 1000x2100), shown at 952x2000: multiply coordinates in it by 1.05 to get those of the file.", "image/jpeg", false, 952, 2000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			put(t, dir, tt.name, tt.data)
			r, err := run(t, set.read(), map[string]string{"path": tt.name})
			if err != nil {
				t.Fatal(err)
			}
			if got := ai.ContentText(r.Content[:1]); got != tt.note {
				t.Errorf("got  %s\nwant %s", got, tt.note)
			}
			img := r.Content[1].(*ai.Image)
			data, err := base64.StdEncoding.DecodeString(img.Data)
			if err != nil || img.MimeType != tt.mime || bytes.Equal(data, tt.data) != tt.same {
				t.Errorf("%v %s, the file's bytes: %v", err, img.MimeType, bytes.Equal(data, tt.data))
			}
			if cfg, err := codecOf(tt.mime).config(bytes.NewReader(data)); err != nil || cfg.Width != tt.w || cfg.Height != tt.h {
				t.Errorf("%v %+v", err, cfg)
			}
		})
	}
}

// turned puts an orientation into a JPEG.
func turned(data []byte, o byte) []byte {
	exif := []byte("\xff\xe1\x00\x22Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00")
	exif[29] = o
	return append(append([]byte{0xff, 0xd8}, exif...), data[2:]...)
}

func TestPictureTooHeavy(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes large pictures")
	}
	data, kind, at, err := fit(context.Background(), picture(1900, 1900, true), 1, false)
	if err != nil {
		t.Fatal(err)
	}
	if n := base64.StdEncoding.EncodedLen(len(data)); n > maxBase64 || kind != "image/jpeg" || at.X > 1900 {
		t.Errorf("%d bytes of base64, %s, %v", n, kind, at)
	}
}

func TestUpright(t *testing.T) {
	// The red corner of the upright picture goes where each orientation puts it.
	want := map[int]image.Point{1: {0, 0}, 2: {2, 0}, 3: {2, 1}, 4: {0, 1}, 5: {0, 0}, 6: {1, 0}, 7: {1, 2}, 8: {0, 2}}
	for o, p := range want {
		out := upright(picture(3, 2, false), o)
		if r, _, _, _ := out.At(p.X, p.Y).RGBA(); r != 0xffff {
			t.Errorf("orientation %d: the corner is not at %v", o, p)
		}
	}
	if o := orientation(turned([]byte{0xff, 0xd8, 0xff, 0xda}, 7)); o != 7 {
		t.Errorf("orientation %d", o)
	}
}

func FuzzOrientation(f *testing.F) {
	f.Add(turned([]byte{0xff, 0xd8, 0xff, 0xda}, 3))
	f.Fuzz(func(t *testing.T, b []byte) {
		if o := orientation(b); o < 1 || o > 8 {
			t.Error(o)
		}
	})
}

func TestPathsAsPeopleWriteThem(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	set := New(Options{CWD: dir})
	for _, name := range []string{
		"Screenshot 10.00\u202fAM.png", "it\u2019s.txt", "cafe\u0301.txt", "src/a.go", "file with spaces", "@types/x.d.ts",
		"two \u2018x\u2019", "two \u201bx\u2019", "fold\u00a0er/in\u2019side", "~x",
	} {
		put(t, dir, name, []byte(name))
	}
	put(t, home, "x", []byte("home"))
	for path, want := range map[string]string{
		"Screenshot 10.00 AM.png": "Screenshot 10.00\u202fAM.png", "it's.txt": "it\u2019s.txt", "caf\u00e9.txt": "cafe\u0301.txt",
		"@src/a.go": "src/a.go", "~/x": "home", "file with spaces": "file with spaces", "@types/x.d.ts": "@types/x.d.ts",
		" src/a.go ": "src/a.go", "fold er/in's" + "ide": "fold\u00a0er/in\u2019side", "~x": "~x", "two 'x'": "",
		filepath.Join(dir, "it's.txt"): "it\u2019s.txt",
	} {
		r, err := run(t, set.read(), map[string]string{"path": path})
		switch {
		case want == "":
			if err == nil {
				t.Errorf("%q: read %q, though two files look like it", path, ai.ContentText(r.Content))
			}
		case err != nil || ai.ContentText(r.Content) != want:
			t.Errorf("%q: %v %q", path, err, ai.ContentText(r.Content))
		}
	}
}

func TestReadNotesWhatWasSeen(t *testing.T) {
	dir := t.TempDir()
	set := New(Options{CWD: dir})
	path := put(t, dir, "f", []byte("a\n"))
	if _, err := run(t, set.read(), map[string]string{"path": "f"}); err != nil || !set.seen.knows(path) || set.seen.changed(path) {
		t.Errorf("%v, knows %v", err, set.seen.knows(path))
	}
}
