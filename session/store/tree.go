package store

import (
	"strings"
	"time"
	"unicode/utf8"

	"tau/ai"
	"tau/session/message"
)

// TreeNode is an entry of a [Tree]. Numbers are places in Tree.Nodes; -1 is
// none.
type TreeNode struct {
	ID, Type string
	Role     ai.Role // of a message
	Label    string
	Parent   int32
	First    int32 // first child, in the order of the file
	Next     int32 // next sibling
	Active   bool  // on the path to the leaf
}

// Tree is the shape of a conversation, without its texts: see [Store.Preview].
type Tree struct {
	Nodes []TreeNode // in the order of the file: parents before children, but for damaged files
	Roots []int32
	Leaf  int32
}

// Tree returns the shape of the whole conversation. It reads no entry, so that
// 100,000 of them cost milliseconds.
func (s *Store) Tree() Tree {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := Tree{Nodes: make([]TreeNode, len(s.nodes)), Leaf: s.leaf}
	last := make([]int32, len(s.nodes)) // last child so far
	for i := range s.nodes {
		n := &s.nodes[i]
		t.Nodes[i] = TreeNode{ID: n.id, Type: n.typ, Role: n.role.name(), Parent: n.parent, First: -1, Next: -1}
		if len(s.labels) > 0 {
			t.Nodes[i].Label = s.labels[n.id]
		}
		last[i] = -1
	}
	for i := range s.nodes {
		at, parent := int32(i), s.nodes[i].parent
		switch {
		case parent == noParent:
			t.Roots = append(t.Roots, at)
		case last[parent] < 0:
			t.Nodes[parent].First, last[parent] = at, at
		default:
			t.Nodes[last[parent]].Next, last[parent] = at, at
		}
	}
	for _, i := range s.pathLocked("") {
		t.Nodes[i].Active = true
	}
	return t
}

// Preview is what a list shows of an entry.
type Preview struct {
	Text  string // one line, of at most 200 characters
	Tools []string
	Time  time.Time
	Error bool // a failed answer or tool
}

const previewRunes = 200

// Preview reads an entry and returns what a list shows of it.
func (s *Store) Preview(id string) (Preview, error) {
	e, err := s.Entry(id)
	if err != nil {
		return Preview{}, err
	}
	return PreviewOf(e), nil
}

// PreviewOf returns what a list shows of an entry.
func PreviewOf(e Entry) Preview {
	p := Preview{Time: e.base().Time()}
	text := ""
	switch e := e.(type) {
	case *MessageEntry:
		switch m := e.Message.(type) {
		case *ai.UserMessage:
			text = ai.ContentText(m.Content)
		case *ai.AssistantMessage:
			text = ai.ContentText(m.Content)
			for _, c := range m.ToolCalls() {
				p.Tools = append(p.Tools, c.Name)
			}
			if m.ErrorMessage != "" {
				p.Error = true
				text = strings.TrimSpace(text + " " + m.ErrorMessage)
			}
		case *ai.ToolResultMessage:
			text, p.Error = ai.ContentText(m.Content), m.IsError
			p.Tools = []string{m.ToolName}
		case *ai.SystemMessage:
			text = ai.ContentText(m.Content)
		case *message.Bash:
			text = m.Command
		}
	case *CompactionEntry:
		text = e.Summary
	case *BranchSummaryEntry:
		text = e.Summary
	case *CustomMessageEntry:
		text = ai.ContentText((&message.Custom{Content: e.Content}).Blocks())
	case *ModelEntry:
		text = e.Provider + "/" + e.ModelID
	case *ThinkingEntry:
		text = string(e.ThinkingLevel)
	case *LabelEntry:
		text = e.Label
	case *InfoEntry:
		text = e.Name
	case *CustomEntry:
		text = e.CustomType
	case *ContextEditEntry:
		text = e.TargetID
	}
	p.Text = OneLine(text, previewRunes)
	return p
}

// OneLine joins the words of a text, up to n characters of it.
func OneLine(text string, n int) string {
	// A long text is not split into words as a whole.
	if most := n * 8; len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text = text[:most]
	}
	words := strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(words) <= n {
		return words
	}
	return string([]rune(words)[:n-1]) + "…"
}

// Parent returns the id of an entry's parent, or "".
func (s *Store) Parent(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, ok := s.byID[id]; ok && s.nodes[i].parent != noParent {
		return s.nodes[s.nodes[i].parent].id
	}
	return ""
}

// Ancestor returns the deepest entry that is on the paths to both a and b, or
// "".
func (s *Store) Ancestor(a, b string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a == "" || b == "" {
		return ""
	}
	pa, pb := s.pathLocked(a), s.pathLocked(b)
	common := ""
	for i := 0; i < min(len(pa), len(pb)) && pa[i] == pb[i]; i++ {
		common = s.nodes[pa[i]].id
	}
	return common
}
