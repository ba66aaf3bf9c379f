package store

import (
	"bytes"
	"encoding/json"

	"tau/ai"
)

// State returns the model and thinking level that hold at the leaf. Unlike
// Context it reads only as many entries as it needs, from the end.
func (s *Store) State() (Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stateLocked(s.pathLocked(""))
}

func (s *Store) stateLocked(path []int32) (Context, error) {
	c := Context{Thinking: ai.ThinkingOff}
	thinking := false
	for i := len(path) - 1; i >= 0 && !(thinking && c.ModelID != ""); i-- {
		switch s.nodes[path[i]].typ {
		case "thinking_level_change":
			if thinking {
				continue
			}
		case "model_change":
			if c.ModelID != "" {
				continue
			}
		case "message":
			if c.ModelID != "" || s.nodes[path[i]].role != roleAssistant {
				continue
			}
		default:
			continue
		}
		e, err := s.entryLocked(path[i])
		if err != nil {
			return c, err
		}
		switch e := e.(type) {
		case *ThinkingEntry:
			c.Thinking, thinking = e.ThinkingLevel, true
		case *ModelEntry:
			c.Provider, c.ModelID = e.Provider, e.ModelID
		case *MessageEntry:
			if m, ok := e.Message.(*ai.AssistantMessage); ok && m.Model != "" {
				c.Provider, c.ModelID = m.Provider, m.Model
			}
		}
	}
	return c, nil
}

// UsageOf returns what the entry cost, or nothing.
func (s *Store) UsageOf(id string) (ai.Usage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.byID[id]
	if !ok {
		return ai.Usage{}, nil
	}
	switch s.nodes[i].typ {
	case "message":
		if r := s.nodes[i].role; r != roleAssistant && r != roleToolResult {
			return ai.Usage{}, nil
		}
	case "usage", "compaction", "branch_summary":
	default:
		return ai.Usage{}, nil
	}
	if s.nodes[i].off != unsaved {
		// Who adds up a whole session must not decode it.
		line, err := s.lineLocked(i)
		if err != nil {
			return ai.Usage{}, err
		}
		if u, ok := quickUsage(line, s.nodes[i].role); ok {
			return u, nil
		}
		if s.nodes[i].typ == "message" {
			var u ai.Usage
			if raw := member(member(line, "message"), "usage"); raw != nil && json.Unmarshal(raw, &u) == nil {
				return u, nil
			}
		}
	}
	e, err := s.entryLocked(i)
	if err != nil {
		return ai.Usage{}, err
	}
	return entryUsage(e), nil
}

// quickUsage reads the usage out of a line. In answers it comes after the
// content and before the stop reason.
func quickUsage(line []byte, r role) (u ai.Usage, ok bool) {
	const mark = `"usage":{`
	at := bytes.LastIndex(line, []byte(mark))
	if at < 0 {
		return u, !bytes.Contains(line, []byte(`"usage"`))
	}
	rest := line[at+len(mark)-1:]
	if r != roleAssistant || len(rest) > 4096 || !bytes.Contains(rest, []byte(`"stopReason":`)) || bytes.Contains(rest, []byte(`"content":`)) || bytes.Contains(rest, []byte(`"deferred":`)) {
		return u, false
	}
	return u, json.NewDecoder(bytes.NewReader(rest)).Decode(&u) == nil
}

func entryUsage(e Entry) ai.Usage {
	var u *ai.Usage
	switch e := e.(type) {
	case *MessageEntry:
		switch m := e.Message.(type) {
		case *ai.AssistantMessage:
			u = &m.Usage
		case *ai.ToolResultMessage:
			u = m.Usage
		}
	case *UsageEntry:
		u = &e.Usage
	case *CompactionEntry:
		u = e.Usage
	case *BranchSummaryEntry:
		u = e.Usage
	}
	if u == nil {
		return ai.Usage{}
	}
	return *u
}
