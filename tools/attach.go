package tools

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"tau/ai"
)

// Attachment is a file that goes along with a prompt.
type Attachment struct {
	Path string // absolute
	// Text is what is in a text file; of a picture that was changed, how it differs
	// from the file.
	Text  string
	Image *ai.Image // nil for a text file
}

// maxAttachment is how long a text file may be that goes into a prompt whole.
const maxAttachment = 16 << 20

// Attach reads a file named in a prompt or on the command line, with the same
// care for names, encodings and sizes of pictures as the read tool. An empty
// file has neither text nor image.
func (s *Set) Attach(ctx context.Context, name string) (Attachment, error) {
	a := Attachment{Path: s.existing(name)}
	f, st, err := s.openRegular(a.Path, name)
	if err != nil {
		return a, err
	}
	defer f.Close()
	head := make([]byte, sniffed)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return a, fmt.Errorf("could not read %s: %s", name, cause(err))
	}
	head = head[:n]
	if kind := imageKind(head); kind != "" {
		r, err := readImage(ctx, io.MultiReader(bytes.NewReader(head), f), st.Size(), kind, name)
		if err != nil {
			return a, err
		}
		for _, b := range r.Content {
			switch b := b.(type) {
			case *ai.Text:
				a.Text = b.Text
			case *ai.Image:
				a.Image = b
			}
		}
		if base64.StdEncoding.DecodedLen(len(a.Image.Data))-strings.Count(a.Image.Data[max(0, len(a.Image.Data)-2):], "=") == int(st.Size()) {
			a.Text = "" // it goes along as it is
		}
		return a, nil
	}
	text, enc := textReader(head, f)
	if what := binaryKind(head); what != "" && (enc == utf8Plain || enc == utf8BOM) {
		return a, fmt.Errorf("%s is %s, neither text nor a picture", name, what)
	}
	b, err := io.ReadAll(io.LimitReader(text, maxAttachment+1))
	if err != nil {
		return a, fmt.Errorf("could not read %s: %s", name, cause(err))
	}
	if len(b) > maxAttachment {
		return a, fmt.Errorf("%s is longer than %s; name it in the prompt and let it be read in parts", name, size(maxAttachment))
	}
	a.Text = string(bytes.ToValidUTF8(b, []byte("\ufffd")))
	s.seen.note(a.Path)
	return a, nil
}
