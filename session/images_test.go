package session

import (
	"testing"

	"tau/ai"
)

func TestWithoutImages(t *testing.T) {
	pic := &ai.Image{Data: "aGk=", MimeType: "image/png"}
	plain := &ai.UserMessage{Content: ai.TextBlocks("plain")}
	user := &ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "look"}, pic, pic}}
	result := &ai.ToolResultMessage{Content: []ai.Block{pic}}
	out := withoutImages([]ai.Message{plain, user, result})
	if out[0] != ai.Message(plain) {
		t.Error("a message without pictures was copied")
	}
	if got := ai.ContentText(out[1].(*ai.UserMessage).Content); got != "look\nImage reading is disabled." && got != "lookImage reading is disabled." {
		t.Errorf("user: %q", got)
	}
	if got := ai.ContentText(out[2].(*ai.ToolResultMessage).Content); got != "Image reading is disabled." {
		t.Errorf("result: %q", got)
	}
	if len(user.Content) != 3 {
		t.Error("the message itself was changed")
	}
}
