package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"

	"tau/ai/openjson"
	"tau/session/store"
)

type entryList struct {
	Entries []json.RawMessage `json:"entries"`
	LeafID  *string           `json:"leafId"`
}

func leaf(st *store.Store) *string {
	if id := st.Leaf(); id != "" {
		return &id
	}
	return nil
}

// getEntries returns the entries in the order of the file, or those after the
// one that the client has seen last.
func getEntries(c *conn, cmd command) (any, error) {
	var a struct {
		Since *string `json:"since"`
	}
	if err := cmd.args(&a); err != nil {
		return nil, err
	}
	st := c.session.Store()
	nodes := st.Nodes()
	if a.Since != nil {
		found := false
		for i, n := range nodes {
			if n.ID == *a.Since {
				nodes, found = nodes[i+1:], true
				break
			}
		}
		if !found {
			return nil, fmt.Errorf("entry not found: %s", *a.Since)
		}
	}
	out := entryList{Entries: make([]json.RawMessage, 0, len(nodes)), LeafID: leaf(st)}
	for _, n := range nodes {
		line, err := entry(st, n.ID)
		if err != nil {
			return nil, err
		}
		out.Entries = append(out.Entries, line)
	}
	return out, nil
}

func entry(st *store.Store, id string) (json.RawMessage, error) {
	e, err := st.Entry(id)
	if err != nil {
		return nil, err
	}
	line, err := store.EncodeEntry(e)
	if err != nil {
		return nil, fmt.Errorf("encode entry %s: %w", id, err)
	}
	return line, nil
}

type treeData struct {
	Tree   json.RawMessage `json:"tree"`
	LeafID *string         `json:"leafId"`
}

// getTree returns all entries as they hang together: {entry, children, label?,
// labelTimestamp?}. A conversation without branches is as deep as it is long,
// so the text is written without recursion.
func getTree(c *conn, _ command) (any, error) {
	st := c.session.Store()
	t := st.Tree()
	stamps, err := labelStamps(st, t)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	open := func(i int32) error {
		line, err := entry(st, t.Nodes[i].ID)
		if err != nil {
			return err
		}
		b.WriteString(`{"entry":`)
		b.Write(line)
		b.WriteString(`,"children":[`)
		return nil
	}
	closing := func(i int32) {
		b.WriteByte(']')
		if label := t.Nodes[i].Label; label != "" {
			text, _ := openjson.Encode(label) // a string always encodes
			fmt.Fprintf(&b, `,"label":%s`, text)
			if at := stamps[t.Nodes[i].ID]; at != "" {
				fmt.Fprintf(&b, `,"labelTimestamp":%q`, at)
			}
		}
		b.WriteByte('}')
	}
	b.WriteByte('[')
	for n, root := range t.Roots {
		if n > 0 {
			b.WriteByte(',')
		}
		if err := open(root); err != nil {
			return nil, err
		}
		for at := root; ; {
			if first := t.Nodes[at].First; first >= 0 {
				at = first
			} else {
				for at != root && t.Nodes[at].Next < 0 {
					closing(at)
					at = t.Nodes[at].Parent
				}
				if closing(at); at == root {
					break
				}
				b.WriteByte(',')
				at = t.Nodes[at].Next
			}
			if err := open(at); err != nil {
				return nil, err
			}
		}
	}
	b.WriteByte(']')
	return treeData{Tree: b.Bytes(), LeafID: leaf(st)}, nil
}

// labelStamps returns when each entry was given its label.
func labelStamps(st *store.Store, t store.Tree) (map[string]string, error) {
	out := map[string]string{}
	for _, n := range t.Nodes {
		if n.Type != "label" {
			continue
		}
		e, err := st.Entry(n.ID)
		if err != nil {
			return nil, err
		}
		if l, ok := e.(*store.LabelEntry); ok {
			out[l.TargetID] = l.Timestamp
		}
	}
	return out, nil
}
