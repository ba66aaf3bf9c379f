package ai

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestImageLimits(t *testing.T) {
	image := func(n int) Block { return &Image{Data: strings.Repeat("A", n), MimeType: "image/png"} }
	for _, tt := range []struct {
		name, limits string
		images       []int // bytes of each user message's image; 0: an answer in between
		want         string
	}{
		{"no limits", `{}`, []int{1, 1, 1}, "iii"},
		{"unreadable", `{"images":5}`, []int{1, 1}, "ii"},
		{"few enough", `{"images":{"maxPerRequest":3}}`, []int{1, 0, 1, 0, 1}, "i.i.i"},
		{"too many", `{"images":{"maxPerRequest":8}}`, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "----iiiiii"},
		{"in a message", `{"images":{"maxPerMessage":2}}`, []int{1, 1, 1, 0, 1, 1}, "-ii.ii"},
		{"bytes", `{"maxRequestBytes":4000}`, []int{1000, 1, 1, 1, 1000, 1000, 1000}, "----iii"},
		{"one that is too large", `{"maxRequestBytes":400}`, []int{1000}, "-"},
	} {
		m := &Model{Input: []string{"text", "image"}, InputLimits: json.RawMessage(tt.limits)}
		var msgs []Message
		for _, n := range tt.images {
			if n == 0 {
				msgs = append(msgs, answer(StopEnd, &Text{Text: "x"}))
			} else {
				msgs = append(msgs, &UserMessage{Content: []Block{image(n)}})
			}
		}
		before := fmt.Sprint(msgs)
		got := ""
		for _, m := range Prepare(m, &Request{Messages: msgs}, &Options{}).Messages {
			switch m := m.(type) {
			case *AssistantMessage:
				got += "."
			case *UserMessage:
				got += map[string]string{"image": "i", "text": "-"}[m.Content[0].BlockType()]
			}
		}
		if got != tt.want || fmt.Sprint(msgs) != before {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
