package anthropic

import (
	"encoding/json"
	"testing"

	"tau/ai"
	"tau/ai/catalog"
)

// Every model of the catalogue has flags that can be read, and gives a request
// at every level it has.
func TestCatalogue(t *testing.T) {
	c, err := catalog.Open(catalog.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	req := ai.Request{System: "s", Messages: []ai.Message{&ai.UserMessage{Content: ai.TextBlocks("hi")}}}
	count := 0
	for _, m := range c.List("") {
		if m.API != API {
			continue
		}
		count++
		var flags compat
		if len(m.Compat) > 0 {
			if err := json.Unmarshal(m.Compat, &flags); err != nil {
				t.Errorf("%s: %v", m.Ref(), err)
			}
		}
		for _, level := range ai.ThinkingLevels() {
			if !m.Thinks(level) {
				continue
			}
			body, _, err := encode(m, &req, &ai.Options{Thinking: level}, readCompat(m))
			if err != nil || !json.Valid(body) {
				t.Errorf("%s %s: %v", m.Ref(), level, err)
			}
		}
	}
	if count < 300 {
		t.Errorf("%d models", count)
	}
}
