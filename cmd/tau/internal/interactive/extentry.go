package interactive

import (
	"encoding/json"

	"tau/ai"
	"tau/components/chat"
	"tau/session/message"
	"tau/session/store"
)

// custom shows a message of an extension.
func (t *transcript) custom(m *message.Custom) {
	b, err := json.Marshal(m)
	if err != nil {
		return
	}
	t.add(chat.NewCustom(t.look, chat.CustomMessage{Kind: "message", Type: m.CustomType, JSON: b, Text: ai.ContentText(m.Blocks()), Origin: t.from}))
}

// entry shows state of an extension, if that draws it.
func (t *transcript) entry(e *store.CustomEntry) {
	b, err := store.EncodeEntry(e)
	if err != nil {
		return
	}
	t.add(chat.NewCustom(t.look, chat.CustomMessage{Kind: "entry", Type: e.CustomType, JSON: b}))
}
