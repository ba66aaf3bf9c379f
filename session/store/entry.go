package store

import (
	"encoding/json"
	"fmt"
	"time"

	"tau/ai"
	"tau/ai/openjson"
	"tau/session/message"
)

// Header is the first line of a session file.
type Header struct {
	Type          string          `json:"type"`
	Version       int             `json:"version"`
	ID            string          `json:"id"`
	Timestamp     string          `json:"timestamp"`
	CWD           string          `json:"cwd"`
	ParentSession string          `json:"parentSession,omitempty"` // path of the file this one was forked from
	Rest          openjson.Fields `json:"-"`
}

// Base is what all entries have. Append fills it in.
type Base struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	ParentID  *string `json:"parentId"` // nil: a root
	Timestamp string  `json:"timestamp"`
}

func (b *Base) base() *Base { return b }

// Time returns the entry's time, or the zero time if it cannot be read.
func (b *Base) Time() time.Time {
	t, _ := time.Parse(time.RFC3339Nano, b.Timestamp)
	return t
}

// Entry is one of the entry types below.
type Entry interface {
	base() *Base
	entryType() string
}

// EntryBase returns the id, parent and time of e. They must not be changed.
func EntryBase(e Entry) *Base { return e.base() }

// MessageEntry is a message of the conversation.
type MessageEntry struct {
	Base
	Message ai.Message
	Rest    openjson.Fields
}

// ThinkingEntry records a change of the thinking level.
type ThinkingEntry struct {
	Base
	ThinkingLevel ai.ThinkingLevel `json:"thinkingLevel"`
	Rest          openjson.Fields  `json:"-"`
}

// ModelEntry records a change of the model.
type ModelEntry struct {
	Base
	Provider string          `json:"provider"`
	ModelID  string          `json:"modelId"`
	Rest     openjson.Fields `json:"-"`
}

// UsageEntry counts a request that left no message.
type UsageEntry struct {
	Base
	Kind     string          `json:"kind"`
	Provider string          `json:"provider"`
	Model    string          `json:"model"`
	Usage    ai.Usage        `json:"usage"`
	Note     string          `json:"note,omitempty"`
	Rest     openjson.Fields `json:"-"`
}

// CompactionEntry replaces what is before FirstKeptEntryID with a summary.
type CompactionEntry struct {
	Base
	Summary          string          `json:"summary"`
	FirstKeptEntryID string          `json:"firstKeptEntryId"` // the entry's own id: nothing is kept
	TokensBefore     int64           `json:"tokensBefore"`
	Details          json.RawMessage `json:"details,omitempty"`
	Usage            *ai.Usage       `json:"usage,omitempty"`
	FromHook         bool            `json:"fromHook"`
	SystemMessage    json.RawMessage `json:"systemMessage,omitempty"`
	Rest             openjson.Fields `json:"-"`
}

// BranchSummaryEntry says what the branch that ended at FromID had taught.
type BranchSummaryEntry struct {
	Base
	FromID   string          `json:"fromId"` // "root" if there was no leaf
	Summary  string          `json:"summary"`
	Details  json.RawMessage `json:"details,omitempty"`
	Usage    *ai.Usage       `json:"usage,omitempty"`
	FromHook bool            `json:"fromHook"`
	Rest     openjson.Fields `json:"-"`
}

// CustomEntry is state of an extension; models never see it.
type CustomEntry struct {
	Base
	CustomType string          `json:"customType"`
	Data       json.RawMessage `json:"data,omitempty"`
	Rest       openjson.Fields `json:"-"`
}

// CustomMessageEntry is a message of an extension; models see it as the
// user's.
type CustomMessageEntry struct {
	Base
	CustomType string          `json:"customType"`
	Content    json.RawMessage `json:"content"`
	Display    bool            `json:"display"`
	Details    json.RawMessage `json:"details,omitempty"`
	Rest       openjson.Fields `json:"-"`
}

// ContextEditEntry changes what models see of another entry. The entry itself
// stays as it is.
type ContextEditEntry struct {
	Base
	TargetID    string          `json:"targetId"`
	Replacement json.RawMessage `json:"replacement"` // null omits it, else {"content": …}
	Rest        openjson.Fields `json:"-"`
}

// LabelEntry names another entry; an empty label takes the name away.
type LabelEntry struct {
	Base
	TargetID string          `json:"targetId"`
	Label    string          `json:"label,omitempty"`
	Rest     openjson.Fields `json:"-"`
}

// InfoEntry names the session.
type InfoEntry struct {
	Base
	Name string          `json:"name"`
	Rest openjson.Fields `json:"-"`
}

// RawEntry is an entry of a type this version does not know.
type RawEntry struct {
	Base
	JSON json.RawMessage
}

func (*MessageEntry) entryType() string       { return "message" }
func (*ThinkingEntry) entryType() string      { return "thinking_level_change" }
func (*ModelEntry) entryType() string         { return "model_change" }
func (*UsageEntry) entryType() string         { return "usage" }
func (*CompactionEntry) entryType() string    { return "compaction" }
func (*BranchSummaryEntry) entryType() string { return "branch_summary" }
func (*CustomEntry) entryType() string        { return "custom" }
func (*CustomMessageEntry) entryType() string { return "custom_message" }
func (*ContextEditEntry) entryType() string   { return "context_edit" }
func (*LabelEntry) entryType() string         { return "label" }
func (*InfoEntry) entryType() string          { return "session_info" }
func (e *RawEntry) entryType() string         { return e.Type }

// decodeEntry reads one line. Entries that cannot be read as what they say
// they are become raw ones: they stay in the tree and are not sent.
func decodeEntry(line []byte) (Entry, error) {
	if e, ok := quickMessage(line); ok {
		return e, nil
	}
	var b Base
	if err := json.Unmarshal(line, &b); err != nil {
		return nil, fmt.Errorf("decode entry: %w", err)
	}
	raw := func() (Entry, error) {
		return &RawEntry{Base: b, JSON: append(json.RawMessage(nil), line...)}, nil
	}
	var e Entry
	var err error
	switch b.Type {
	case "message":
		return decodeMessage(line, raw)
	case "thinking_level_change":
		x := &ThinkingEntry{}
		x.Rest, err = openjson.Unmarshal(line, x)
		e = x
	case "model_change":
		x := &ModelEntry{}
		x.Rest, err = openjson.Unmarshal(line, x)
		e = x
	case "usage":
		x := &UsageEntry{}
		x.Rest, err = openjson.Unmarshal(line, x)
		e = x
	case "compaction":
		x := &CompactionEntry{}
		x.Rest, err = openjson.Unmarshal(line, x)
		e = x
	case "branch_summary":
		x := &BranchSummaryEntry{}
		x.Rest, err = openjson.Unmarshal(line, x)
		e = x
	case "custom":
		x := &CustomEntry{}
		x.Rest, err = openjson.Unmarshal(line, x)
		e = x
	case "custom_message":
		x := &CustomMessageEntry{}
		x.Rest, err = openjson.Unmarshal(line, x)
		e = x
	case "context_edit":
		x := &ContextEditEntry{}
		x.Rest, err = openjson.Unmarshal(line, x)
		e = x
	case "label":
		x := &LabelEntry{}
		x.Rest, err = openjson.Unmarshal(line, x)
		e = x
	case "session_info":
		x := &InfoEntry{}
		x.Rest, err = openjson.Unmarshal(line, x)
		e = x
	default:
		return raw()
	}
	if err != nil {
		return raw()
	}
	return e, nil
}

// messageJSON is the form of a MessageEntry on disk.
type messageJSON struct {
	Base
	Message json.RawMessage `json:"message"`
}

func decodeMessage(line []byte, raw func() (Entry, error)) (Entry, error) {
	var j messageJSON
	rest, err := openjson.Unmarshal(line, &j)
	if err != nil || len(j.Message) == 0 {
		return raw()
	}
	m, err := message.Unmarshal(j.Message)
	if err != nil {
		return raw()
	}
	return &MessageEntry{Base: j.Base, Message: m, Rest: rest}, nil
}

// encodeEntry returns the entry's line without the newline.
func encodeEntry(e Entry) ([]byte, error) {
	switch e := e.(type) {
	case *MessageEntry:
		m, err := openjson.Encode(e.Message)
		if err != nil {
			return nil, err
		}
		return openjson.Marshal(messageJSON{e.Base, m}, e.Rest)
	case *ThinkingEntry:
		return openjson.Marshal(*e, e.Rest)
	case *ModelEntry:
		return openjson.Marshal(*e, e.Rest)
	case *UsageEntry:
		return openjson.Marshal(*e, e.Rest)
	case *CompactionEntry:
		return openjson.Marshal(*e, e.Rest)
	case *BranchSummaryEntry:
		return openjson.Marshal(*e, e.Rest)
	case *CustomEntry:
		return openjson.Marshal(*e, e.Rest)
	case *CustomMessageEntry:
		return openjson.Marshal(*e, e.Rest)
	case *ContextEditEntry:
		return openjson.Marshal(*e, e.Rest)
	case *LabelEntry:
		return openjson.Marshal(*e, e.Rest)
	case *InfoEntry:
		return openjson.Marshal(*e, e.Rest)
	case *RawEntry:
		return e.JSON, nil
	}
	return nil, fmt.Errorf("encode entry: unknown type %T", e)
}

// EncodeEntry returns the JSON form of an entry.
func EncodeEntry(e Entry) (json.RawMessage, error) { return encodeEntry(e) }

// DecodeEntry reads a line of a session file that is no header.
func DecodeEntry(line []byte) (Entry, error) { return decodeEntry(validUTF8(line)) }
