package headless

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"tau/ai"
	"tau/tools"
)

// maxStdin bounds what is read from a pipe; no model could take more.
const maxStdin = 64 << 20

// Prompts puts together what is asked: piped text, files and the first message
// make one prompt, with nothing between them; further messages are one each.
// attach reads the files.
func Prompts(stdin io.Reader, files, messages []string, attach func(name string) (tools.Attachment, error)) ([][]ai.Block, error) {
	var text strings.Builder
	var images []ai.Block
	if stdin != nil {
		b, err := io.ReadAll(io.LimitReader(stdin, maxStdin+1))
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		if len(b) > maxStdin {
			return nil, fmt.Errorf("standard input has more than %d MiB", maxStdin>>20)
		}
		text.WriteString(strings.TrimSpace(string(bytes.ToValidUTF8(b, []byte("\ufffd")))))
	}
	for _, name := range files {
		a, err := attach(name)
		if err != nil {
			return nil, fmt.Errorf("@%s: %w", name, err)
		}
		switch {
		case a.Image != nil:
			fmt.Fprintf(&text, "<file name=\"%s\">%s</file>\n", a.Path, a.Text)
			images = append(images, a.Image)
		case a.Text != "":
			fmt.Fprintf(&text, "<file name=\"%s\">\n%s\n</file>\n", a.Path, a.Text)
		}
	}
	var rest []string
	if len(messages) > 0 {
		text.WriteString(messages[0])
		rest = messages[1:]
	}
	var out [][]ai.Block
	if text.Len() > 0 || len(images) > 0 {
		out = append(out, append(ai.TextBlocks(text.String()), images...))
	}
	for _, m := range rest {
		if strings.TrimSpace(m) != "" {
			out = append(out, ai.TextBlocks(m))
		}
	}
	return out, nil
}
