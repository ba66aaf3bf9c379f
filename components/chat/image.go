package chat

import (
	"encoding/base64"
	"os"

	"tau/ai"
	"tau/components"
	"tau/themes"
)

// images returns the pictures in a content.
func (l *Look) images(content []ai.Block, path string) []*components.Image {
	var out []*components.Image
	for _, b := range content {
		img, ok := b.(*ai.Image)
		if !ok {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(img.Data)
		if err != nil {
			data = nil // it will say that it is not readable
		}
		home, _ := os.UserHomeDir()
		out = append(out, components.NewImage(data, components.ImageOptions{
			Pictures: l.Pictures, MaxCols: l.ImageCols, Path: path, Home: home, Hyperlinks: l.Hyperlinks,
			Style: func(s string) string { return l.fg(themes.Muted, s) },
		}))
	}
	return out
}
