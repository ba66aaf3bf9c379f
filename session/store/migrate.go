package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tau/ai"
)

// readOld reads the entries of a version 1 or 2 file into memory. Version 1
// had no ids: its entries form a chain. The file itself is replaced by the
// first write, as one step.
func (s *Store) readOld(r *reader) error {
	old := s.header.Version
	var lines []map[string]json.RawMessage
	broken := 0
	for {
		line, _, _, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		if line = bytes.TrimSpace(validUTF8(line)); len(line) == 0 {
			continue
		}
		var m map[string]json.RawMessage
		if json.Unmarshal(line, &m) != nil || m["type"] == nil {
			broken++
			continue
		}
		lines = append(lines, m)
	}
	if old < 2 {
		s.giveIDs(lines)
	}
	for _, m := range lines {
		line, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("migrate entry: %w", err)
		}
		e, err := decodeEntry(line)
		if err != nil || e.base().ID == "" {
			broken++
			continue
		}
		if raw, ok := e.(*MessageEntry); ok {
			if unknown, ok := raw.Message.(*ai.RawMessage); ok && unknown.Role == "" {
				broken++
				continue
			}
		}
		i := int32(len(s.nodes))
		b := e.base()
		n := node{id: b.ID, typ: b.Type, parent: noParent, off: unsaved, role: roleOf(e)}
		if b.ParentID != nil {
			if p, ok := s.byID[*b.ParentID]; ok {
				n.parent = p
			}
		}
		s.nodes = append(s.nodes, n)
		s.byID[b.ID] = i
		s.cache.put(i, e, len(line), true)
		s.waiting = append(s.waiting, i)
		s.noteLocked(e)
	}
	s.leaf = int32(len(s.nodes)) - 1
	s.header.Version = 3
	s.begun, s.rewrite = true, true
	if broken > 0 {
		s.problems = append(s.problems, fmt.Sprintf("%s of the session file could not be read and %s skipped", count(broken, "line"), was(broken)))
	}
	return nil
}

// giveIDs chains version 1 entries in the order of the file.
func (s *Store) giveIDs(lines []map[string]json.RawMessage) {
	ids := make([]string, len(lines))
	taken := map[string]int32{}
	for i := range lines {
		ids[i] = newEntryID(taken)
		taken[ids[i]] = int32(i)
	}
	quoted := func(s string) json.RawMessage { return json.RawMessage(`"` + s + `"`) }
	for i, m := range lines {
		m["id"], m["parentId"] = quoted(ids[i]), json.RawMessage("null")
		if i > 0 {
			m["parentId"] = quoted(ids[i-1])
		}
		var at int
		if json.Unmarshal(m["firstKeptEntryIndex"], &at) == nil && m["firstKeptEntryIndex"] != nil {
			// The index counted the header as line 0.
			if at > 0 && at <= len(ids) {
				m["firstKeptEntryId"] = quoted(ids[at-1])
			}
			delete(m, "firstKeptEntryIndex")
		}
	}
}
