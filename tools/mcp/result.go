package mcp

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tau/agent"
	"tau/ai"
	"tau/ai/openjson"
)

// What of a long result is shown to the model: the beginning and the end.
const (
	maxText  = 20 << 10
	headText = 12 << 10
	tailText = 8 << 10
)

// maxImages is how many pictures one result may bring, and maxImage how long
// each may be.
const (
	maxImages = 8
	maxImage  = 5 << 20
)

// result is what a call brought, as the model gets it.
func (s *server) result(r *sdk.CallToolResult) agent.Result {
	var c contents
	for _, part := range r.Content {
		c.add(part)
	}
	out := agent.Result{IsError: r.IsError}
	if r.StructuredContent != nil {
		if b, err := openjson.Encode(r.StructuredContent); err == nil {
			// Long ones are in the text, which is cut.
			if len(b) <= maxText {
				out.StructuredContent = b
			}
			if c.text.Len() == 0 {
				c.line(string(b))
			}
		}
	}
	out.Content = c.blocks()
	return out
}

// contents gathers the parts of a result.
type contents struct {
	text   strings.Builder
	images []ai.Block
}

func (c *contents) line(text string) {
	if c.text.Len() > 0 {
		c.text.WriteByte('\n')
	}
	c.text.WriteString(strings.ToValidUTF8(text, "\ufffd"))
}

func (c *contents) add(part sdk.Content) {
	switch part := part.(type) {
	case *sdk.TextContent:
		c.line(part.Text)
	case *sdk.ImageContent:
		c.image(part.MIMEType, part.Data)
	case *sdk.AudioContent:
		c.line(fmt.Sprintf("[audio, %s, %d bytes: it cannot be heard here]", part.MIMEType, len(part.Data)))
	case *sdk.ResourceLink:
		name := part.Name
		if part.Title != "" {
			name = part.Title
		}
		c.line(strings.TrimSpace(fmt.Sprintf("[resource %s: %s] %s", name, part.URI, part.Description)))
	case *sdk.EmbeddedResource:
		if part.Resource != nil {
			c.resource(part.Resource)
		}
	default:
		c.line(fmt.Sprintf("[content of a kind that is not known: %T]", part))
	}
}

func (c *contents) resource(r *sdk.ResourceContents) {
	kind, _, _ := mime.ParseMediaType(r.MIMEType)
	switch {
	case len(r.Blob) == 0:
		c.line(r.Text)
	case strings.HasPrefix(kind, "image/"):
		c.image(kind, r.Blob)
	case strings.HasPrefix(kind, "text/") && utf8.Valid(r.Blob):
		c.line(string(r.Blob))
	default:
		c.line(fmt.Sprintf("[%s: %d bytes of %s]", r.URI, len(r.Blob), r.MIMEType))
	}
}

func (c *contents) image(kind string, data []byte) {
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		c.line(fmt.Sprintf("[picture of the kind %s, %d bytes, which models do not take]", kind, len(data)))
		return
	}
	if len(data) > maxImage || len(c.images) >= maxImages {
		c.line(fmt.Sprintf("[picture left out: %s, %d bytes]", kind, len(data)))
		return
	}
	c.images = append(c.images, &ai.Image{Data: base64.StdEncoding.EncodeToString(data), MimeType: kind})
}

// blocks returns the content; a long text is kept whole in a file.
func (c *contents) blocks() []ai.Block {
	text := c.text.String()
	if len(text) > maxText {
		text = shorten(text)
	}
	if text == "" && len(c.images) == 0 {
		text = "(no output)"
	}
	var out []ai.Block
	if text != "" {
		out = append(out, &ai.Text{Text: text})
	}
	return append(out, c.images...)
}

// shorten keeps the beginning and the end of a text, and all of it in a file.
func shorten(text string) string {
	head, tail := headText, len(text)-tailText
	// At the ends of lines, if there are any near, else of characters.
	if i := strings.LastIndexByte(text[:head], '\n'); i > headText/2 {
		head = i + 1
	}
	if i := strings.IndexByte(text[tail:], '\n'); i >= 0 && i < tailText/2 {
		tail += i + 1
	}
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	where := "the rest could not be kept"
	if path, err := spill(text); err == nil {
		where = "all of it: " + path
	}
	return fmt.Sprintf("%s\n[… %d of %d bytes are left out here; %s]\n%s", strings.TrimSuffix(text[:head], "\n"), tail-head, len(text), where, text[tail:])
}

// spill writes a text to a file that only its owner can read.
func spill(text string) (string, error) {
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return "", err
	}
	path := filepath.Join(os.TempDir(), "tau-mcp-"+hex.EncodeToString(id[:])+".txt")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("keep a long result: %w", err)
	}
	_, err = f.WriteString(text)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = os.Remove(path)
		return "", fmt.Errorf("keep a long result: %w", err)
	}
	return path, nil
}
