package session

import (
	"slices"

	"tau/ai"
)

// withoutImages puts a remark in the place of pictures. Messages that have none
// are shared.
func withoutImages(msgs []ai.Message) []ai.Message {
	out := slices.Clone(msgs)
	for i, m := range msgs {
		switch m := m.(type) {
		case *ai.UserMessage:
			if c, ok := blocksWithoutImages(m.Content); ok {
				other := *m
				other.Content = c
				out[i] = &other
			}
		case *ai.ToolResultMessage:
			if c, ok := blocksWithoutImages(m.Content); ok {
				other := *m
				other.Content = c
				out[i] = &other
			}
		}
	}
	return out
}

func blocksWithoutImages(content []ai.Block) ([]ai.Block, bool) {
	isImage := func(b ai.Block) bool { _, ok := b.(*ai.Image); return ok }
	if !slices.ContainsFunc(content, isImage) {
		return content, false
	}
	var out []ai.Block
	for i, b := range content {
		if !isImage(b) {
			out = append(out, b)
		} else if i == 0 || !isImage(content[i-1]) {
			out = append(out, &ai.Text{Text: "Image reading is disabled."})
		}
	}
	return out, true
}
