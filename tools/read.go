package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"tau/agent"
)

const readDescription = `Read a file. Text is returned up to 2000 lines or 50KB, whichever comes first, with a note how to go on; offset and limit choose the lines. Pictures (png, jpeg, gif, webp, bmp) are shown as pictures.`

const readSchema = `{"type":"object","properties":{"path":{"type":"string","description":"File to read, relative to the working folder or absolute"},"offset":{"type":"number","description":"Line to begin at, from 1"},"limit":{"type":"number","description":"Number of lines at most"}},"required":["path"]}`

type readArgs struct {
	Path   string   `json:"path"`
	Offset *float64 `json:"offset"`
	Limit  *float64 `json:"limit"`
}

// ReadDetails is the details of the result of a read; the truncation is there
// if a limit of the tool, not of the call, cut it.
type ReadDetails struct {
	Truncation *Truncation `json:"truncation,omitempty"`
}

func (s *Set) read() *agent.Tool {
	return &agent.Tool{
		Name: "read", Label: "Read", Description: readDescription, Parameters: json.RawMessage(readSchema),
		Snippet:    "read a file: text, or a picture",
		Guidelines: []string{"Look at files with read, not with cat or sed."},
		Prepare: renaming(map[string][]string{
			"path": {"file_path", "filePath", "filename", "file"}, "offset": {"start_line", "startLine", "line"}, "limit": {"num_lines", "max_lines", "lines"},
		}),
		Execute: func(ctx context.Context, call agent.Call, _ func(agent.Result)) (agent.Result, error) {
			var a readArgs
			if err := json.Unmarshal(call.Args, &a); err != nil {
				return agent.Result{}, fmt.Errorf("arguments of read: %w", err)
			}
			return s.runRead(ctx, a)
		},
	}
}

// whole makes a count of a number that a model gave; none and what is below
// least become other.
func whole(f *float64, least, other int) int {
	if f == nil || math.IsNaN(*f) || *f < float64(least) {
		return other
	}
	return int(min(*f, 1<<52))
}

// sniffed is how much of a file is looked at to tell what it is.
const sniffed = 8 << 10

func (s *Set) runRead(ctx context.Context, a readArgs) (r agent.Result, err error) {
	if strings.TrimSpace(a.Path) == "" {
		return r, errors.New("path is empty; name the file to read")
	}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	path := s.existing(a.Path)
	f, st, err := s.openRegular(path, a.Path)
	if err != nil {
		return r, err
	}
	defer f.Close()
	head := make([]byte, sniffed)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return r, fmt.Errorf("could not read %s: %s", a.Path, cause(err))
	}
	head = head[:n]
	if kind := imageKind(head); kind != "" {
		r, err = readImage(ctx, io.MultiReader(bytes.NewReader(head), f), st.Size(), kind, a.Path)
		if err == nil {
			s.seen.note(path)
		}
		return r, err
	}
	text, enc := textReader(head, f)
	if enc == utf8Plain || enc == utf8BOM {
		if what := binaryKind(head); what != "" {
			return r, fmt.Errorf("%s is %s of %s, which read does not show. %s", a.Path, what, size(st.Size()), otherMeans(what, path))
		}
	}
	w := window{first: whole(a.Offset, 1, 1), limit: whole(a.Limit, 1, 0)}
	if err := w.fill(ctx, text); err != nil {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		return r, fmt.Errorf("could not read %s: %s", a.Path, cause(err))
	}
	if w.first > w.total && (w.first > 1 || w.total > 0) {
		return r, fmt.Errorf("offset %d is past the end of %s, which has %s", w.first, a.Path, plural(w.total, "line"))
	}
	s.seen.note(path)
	return w.result(st.Size(), path), nil
}

// openRegular opens a file for reading if it is one. Anything else is refused
// before it is opened, since a FIFO would block and a device may not end.
func (s *Set) openRegular(path, shown string) (File, fs.FileInfo, error) {
	st, err := s.ops.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if to, err := s.ops.Readlink(path); err == nil {
			return nil, nil, fmt.Errorf("could not read %s: it is a link to %s, which does not exist", shown, to)
		}
		return nil, nil, fmt.Errorf("could not read %s: it does not exist%s", shown, s.similar(path))
	case err != nil:
		return nil, nil, fmt.Errorf("could not read %s: %s", shown, cause(err))
	case st.IsDir():
		return nil, nil, fmt.Errorf("could not read %s: it is a directory; ls lists it", shown)
	case !st.Mode().IsRegular():
		return nil, nil, fmt.Errorf("could not read %s: it is %s, not a regular file", shown, kind(st.Mode()))
	}
	f, err := s.ops.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("could not read %s: %s", shown, cause(err))
	}
	// Something else may have come in its place.
	if now, err := f.Stat(); err != nil || !now.Mode().IsRegular() {
		f.Close()
		return nil, nil, fmt.Errorf("could not read %s: it is no regular file any more", shown)
	}
	return f, st, nil
}

// similar names files beside a missing one that may have been meant.
func (s *Set) similar(path string) string {
	dir, name := filepath.Split(path)
	entries, err := s.ops.ReadDir(filepath.Clean(dir))
	if err != nil {
		return ", nor does the folder it should be in"
	}
	stem := func(name string) string { return strings.ToLower(strings.TrimSuffix(name, filepath.Ext(name))) }
	var found []string
	for _, e := range entries {
		if stem(e.Name()) == stem(name) && len(found) < 5 {
			found = append(found, showName(e.Name()))
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "; in its folder there is " + strings.Join(found, ", ")
}

// textReader returns the file as UTF-8 without its BOM.
func textReader(head []byte, rest io.Reader) (io.Reader, encoding) {
	all := io.MultiReader(bytes.NewReader(head), rest)
	switch {
	case bytes.HasPrefix(head, []byte(bomUTF8)):
		return io.MultiReader(bytes.NewReader(head[len(bomUTF8):]), rest), utf8BOM
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(all), utf16LE
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder().Reader(all), utf16BE
	}
	return all, utf8Plain
}

// binaryKind names what a file is that holds no text; empty for text.
func binaryKind(head []byte) string {
	for _, k := range [...]struct{ magic, name string }{
		{"%PDF-", "a PDF"},
		{"PK\x03\x04", "a ZIP archive (or a document made of one)"},
		{"\x1f\x8b", "a gzip file"},
		{"\x7fELF", "an ELF program"},
		{"MZ\x90\x00", "a Windows program"},
		{"SQLite format 3\x00", "an SQLite database"},
	} {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return k.name
		}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return "a binary file"
	}
	// Text in any 8-bit or multi-byte encoding has hardly any control
	// characters; of random bytes one in ten is one.
	controls := 0
	for _, c := range head {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\b' && c != 0x1b {
			controls++
		}
	}
	if controls > 2 && controls*20 > len(head) {
		return "a binary file"
	}
	return ""
}

func otherMeans(what, path string) string {
	if what == "a PDF" {
		return "Take its text out with bash, for instance: pdftotext -layout " + quoteShell(path) + " -"
	}
	return "To see bytes of it use bash, for instance: head -c 256 " + quoteShell(path) + " | od -A d -t x1z"
}

// quoteShell quotes a word for sh.
func quoteShell(s string) string {
	safe := func(r rune) bool {
		return r == '/' || r == '.' || r == '_' || r == '-' || r == '+' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
