package store

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"tau/ai"
	"tau/session/message"
)

// quickMessage decodes a message entry whose members are in the order in which
// all writers write them, with the message last. It parses the text once where
// the general way has to look at it four times.
func quickMessage(line []byte) (*MessageEntry, bool) {
	line = bytes.TrimSpace(line)
	quick, ok := quickHead(line)
	if !ok || string(quick.typ) != "message" || line[len(line)-1] != '}' {
		return nil, false
	}
	const mark = `,"message":`
	at := bytes.Index(line[:min(len(line), 400)], []byte(mark))
	if at < 0 {
		return nil, false
	}
	head := quick.base()
	if head.Timestamp, ok = stampOnly(line[:at]); !ok {
		return nil, false
	}
	// If something follows the message, this is no JSON and fails.
	raw := line[at+len(mark) : len(line)-1]
	m, err := decodeRole(raw)
	if err != nil {
		return nil, false
	}
	return &MessageEntry{Base: head, Message: m}, true
}

// stampOnly reads the end of an entry's head: a timestamp after the parent's
// id, and nothing else.
func stampOnly(head []byte) (string, bool) {
	const mark = `,"timestamp":"`
	at := bytes.Index(head, []byte(mark))
	if at < 0 || at+len(mark) >= len(head) || head[len(head)-1] != '"' {
		return "", false
	}
	before := head[:at]
	if !bytes.HasSuffix(before, []byte(`"parentId":null`)) {
		// The last string before it has to be the parent's id.
		if i := bytes.LastIndex(before, []byte(`"parentId":"`)); i < 0 || bytes.Count(before[i:], []byte(`"`)) != 4 {
			return "", false
		}
	}
	stamp := head[at+len(mark) : len(head)-1]
	// What decoding would change or refuse is left to it.
	if !utf8.Valid(stamp) || bytes.ContainsFunc(stamp, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) {
		return "", false
	}
	return string(stamp), true
}

// decodeRole is message.Unmarshal for messages that begin with their role.
func decodeRole(raw []byte) (ai.Message, error) {
	var m interface {
		ai.Message
		json.Unmarshaler
	}
	switch {
	case bytes.HasPrefix(raw, []byte(`{"role":"user",`)):
		m = &ai.UserMessage{}
	case bytes.HasPrefix(raw, []byte(`{"role":"assistant",`)):
		m = &ai.AssistantMessage{}
	case bytes.HasPrefix(raw, []byte(`{"role":"toolResult",`)):
		m = &ai.ToolResultMessage{}
	default:
		return message.Unmarshal(raw)
	}
	return m, m.UnmarshalJSON(raw)
}
