package store

import (
	"encoding/json"
	"fmt"

	"tau/ai"
	"tau/ai/openjson"
	"tau/session/message"
)

// Context is what the path to an entry means: the messages a model is asked
// with, and the state of the conversation.
type Context struct {
	Messages []ai.Message
	// IDs has the entry behind each message.
	IDs []string
	// Provider and ModelID are those of the last model change or answer; empty
	// if there was none.
	Provider, ModelID string
	// Thinking is off if it was never changed.
	Thinking ai.ThinkingLevel
}

// Context projects the path to the leaf.
//
// If there are compactions on the path, the latest counts: its system message
// and its summary come first, then the entries it kept, then everything after
// it. Context edits replace or leave out what they point at.
func (s *Store) Context() (Context, error) { return s.ContextAt("") }

// ContextAt projects the path to the entry id; "" means the leaf. It reads only
// what counts: with a compaction on the path, not what was before.
func (s *Store) ContextAt(id string) (Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.pathLocked(id)
	start, err := s.startLocked(path)
	if err != nil {
		return Context{}, err
	}
	entries := make([]Entry, 0, len(path)-start)
	for _, i := range path[start:] {
		e, err := s.entryLocked(i)
		if err != nil {
			return Context{}, err
		}
		entries = append(entries, e)
	}
	c := project(entries)
	if c.ModelID == "" || c.Thinking == "" {
		before, err := s.stateLocked(path[:start])
		if err != nil {
			return Context{}, err
		}
		if c.ModelID == "" {
			c.Provider, c.ModelID = before.Provider, before.ModelID
		}
		if c.Thinking == "" {
			c.Thinking = before.Thinking
		}
	}
	return c, nil
}

// TooLong reports whether the context at the leaf is made of more than most
// bytes of the file. If it is, first is the earliest prompt from which on there
// are no more than keep, and skipped is the number of entries before it.
func (s *Store) TooLong(most, keep int64) (first string, skipped int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.pathLocked("")
	start, err := s.startLocked(path)
	if err != nil {
		return "", 0, err
	}
	var total int64
	at := -1
	for i := len(path) - 1; i >= start; i-- {
		n := s.nodes[path[i]]
		if total += int64(n.size); total <= keep && n.role == roleUser {
			at = i
		}
	}
	if total <= most || at <= start {
		return "", 0, nil
	}
	return s.nodes[path[at]].id, at - start, nil
}

// startLocked returns from where on the path's entries can be messages: the
// first that the latest compaction kept, or that compaction.
func (s *Store) startLocked(path []int32) (int, error) {
	for at := len(path) - 1; at >= 0; at-- {
		if s.nodes[path[at]].typ != "compaction" {
			continue
		}
		e, err := s.entryLocked(path[at])
		if err != nil {
			return 0, err
		}
		c, ok := e.(*CompactionEntry)
		if !ok {
			continue
		}
		if first, ok := s.byID[c.FirstKeptEntryID]; ok {
			for i := at - 1; i >= 0; i-- {
				if path[i] == first {
					return i, nil
				}
			}
		}
		return at, nil
	}
	return 0, nil
}

// project is the projection as a pure function. Model and thinking level are
// empty if the entries do not say.
func project(path []Entry) Context {
	var c Context
	compaction := -1
	edits := map[string]json.RawMessage{}
	for i, e := range path {
		switch e := e.(type) {
		case *CompactionEntry:
			compaction = i
		case *ContextEditEntry:
			edits[e.TargetID] = e.Replacement
		case *ModelEntry:
			c.Provider, c.ModelID = e.Provider, e.ModelID
		case *ThinkingEntry:
			c.Thinking = e.ThinkingLevel
		case *MessageEntry:
			if m, ok := e.Message.(*ai.AssistantMessage); ok && m.Model != "" {
				c.Provider, c.ModelID = m.Provider, m.Model
			}
		}
	}
	add := func(e Entry, system bool) {
		m := AsMessage(e)
		if m == nil || !system && m.MessageRole() == ai.RoleSystem {
			return
		}
		id := e.base().ID
		if r, ok := edits[id]; ok {
			if m = edited(m, r); m == nil {
				return
			}
		}
		c.Messages, c.IDs = append(c.Messages, m), append(c.IDs, id)
	}
	if compaction < 0 {
		for _, e := range path {
			add(e, true)
		}
		return c
	}
	cut := path[compaction].(*CompactionEntry)
	if len(cut.SystemMessage) > 0 {
		if m, err := ai.UnmarshalMessage(cut.SystemMessage); err == nil {
			c.Messages, c.IDs = append(c.Messages, m), append(c.IDs, cut.ID)
		}
	}
	c.Messages = append(c.Messages, &message.CompactionSummary{
		Summary: cut.Summary, TokensBefore: cut.TokensBefore, Timestamp: cut.Time().UnixMilli(),
	})
	c.IDs = append(c.IDs, cut.ID)
	kept := false
	for _, e := range path[:compaction] {
		if kept = kept || e.base().ID == cut.FirstKeptEntryID; kept {
			add(e, false)
		}
	}
	for _, e := range path[compaction+1:] {
		add(e, true)
	}
	return c
}

// AsMessage returns the message an entry stands for, or nil.
func AsMessage(e Entry) ai.Message {
	switch e := e.(type) {
	case *MessageEntry:
		if _, unknown := e.Message.(*ai.RawMessage); unknown {
			return nil
		}
		return e.Message
	case *CustomMessageEntry:
		return &message.Custom{
			CustomType: e.CustomType, Content: e.Content, Display: e.Display, Details: e.Details, Timestamp: e.Time().UnixMilli(),
		}
	case *BranchSummaryEntry:
		return &message.BranchSummary{Summary: e.Summary, FromID: e.FromID, Timestamp: e.Time().UnixMilli()}
	}
	return nil
}

// edited applies a context edit. Null omits the message. A replacement that
// cannot be read leaves it as it is.
func edited(m ai.Message, replacement json.RawMessage) ai.Message {
	if len(replacement) == 0 || string(replacement) == "null" {
		return nil
	}
	var r struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(replacement, &r) != nil || len(r.Content) == 0 {
		return m
	}
	old, err := openjson.Encode(m)
	if err != nil {
		return m
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(old, &fields) != nil {
		return m
	}
	if m.MessageRole() == ai.RoleAssistant || m.MessageRole() == ai.RoleToolResult {
		if r.Content[0] == '"' {
			r.Content = json.RawMessage(fmt.Sprintf(`[{"type":"text","text":%s}]`, r.Content))
		}
	}
	fields["content"] = r.Content
	b, err := openjson.Encode(fields)
	if err != nil {
		return m
	}
	n, err := message.Unmarshal(b)
	if err != nil {
		return m
	}
	return n
}
