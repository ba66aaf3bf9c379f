package compaction

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tau/ai"
)

// Files are the files that the summarised part of a conversation had to do
// with. It is what the details of compaction and branch summary entries hold.
type Files struct {
	Read     []string `json:"readFiles"`     // only read; sorted
	Modified []string `json:"modifiedFiles"` // edited or written; sorted
}

// ParseFiles reads the details of an entry; others give no files.
func ParseFiles(details json.RawMessage) Files {
	var f Files
	if len(details) > 0 {
		_ = json.Unmarshal(details, &f)
	}
	return f
}

// fileSet collects file names from tool calls.
type fileSet struct{ read, modified map[string]bool }

func newFileSet(before Files) *fileSet {
	s := &fileSet{map[string]bool{}, map[string]bool{}}
	for _, p := range before.Read {
		s.read[p] = true
	}
	for _, p := range before.Modified {
		s.modified[p] = true
	}
	return s
}

func (s *fileSet) add(m ai.Message) {
	switch m := m.(type) {
	case *ai.AssistantMessage:
		for _, c := range m.ToolCalls() {
			s.call(c.Name, c.Arguments)
		}
	case *ai.ToolResultMessage:
		if len(m.NestedCalls) == 0 {
			return
		}
		var nested struct {
			Calls []struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"calls"`
		}
		if json.Unmarshal(m.NestedCalls, &nested) == nil {
			for _, c := range nested.Calls {
				s.call(c.Name, c.Arguments)
			}
		}
	}
}

func (s *fileSet) call(tool string, args json.RawMessage) {
	to := s.read
	switch tool {
	case "read":
	case "edit", "write":
		to = s.modified
	default:
		return
	}
	var a struct {
		Path     string `json:"path"`
		FilePath string `json:"file_path"` // what some models call it
	}
	if json.Unmarshal(args, &a) != nil {
		return
	}
	if a.Path == "" {
		a.Path = a.FilePath
	}
	if a.Path != "" {
		to[a.Path] = true
	}
}

func (s *fileSet) files() Files {
	f := Files{Read: []string{}, Modified: slices.Sorted(maps.Keys(s.modified))}
	for _, p := range slices.Sorted(maps.Keys(s.read)) {
		if !s.modified[p] {
			f.Read = append(f.Read, p)
		}
	}
	if f.Modified == nil {
		f.Modified = []string{}
	}
	return f
}

// The blocks that follow the model's text in a summary.
const (
	readTag     = "read-files"
	modifiedTag = "modified-files"
	wordsTag    = "user-messages"
	originalTag = "original-conversation"
)

// tagged puts a body between tags. An end tag in the body would end it early.
func tagged(tag, body string) string {
	end := "</" + tag + ">"
	return "<" + tag + ">\n" + strings.ReplaceAll(body, end, "< /"+tag+">") + "\n" + end
}

// cutTag removes the block from text and returns its body.
func cutTag(text, tag string) (rest, body string) {
	from := strings.Index(text, "<"+tag+">")
	if from < 0 {
		return text, ""
	}
	end := "</" + tag + ">"
	to := strings.Index(text[from:], end)
	if to < 0 {
		return text, ""
	}
	body = text[from+len(tag)+2 : from+to]
	return strings.TrimSpace(text[:from]) + "\n\n" + strings.TrimSpace(text[from+to+len(end):]), strings.TrimSpace(body)
}

// takeFiles moves the file lists of an earlier summary into the set.
func (s *fileSet) takeFiles(summary string) string {
	for tag, set := range map[string]map[string]bool{readTag: s.read, modifiedTag: s.modified} {
		var body string
		summary, body = cutTag(summary, tag)
		for _, p := range strings.Split(body, "\n") {
			if p = strings.TrimSpace(p); p != "" && !strings.HasPrefix(p, "(") {
				set[p] = true
			}
		}
	}
	summary, _ = cutTag(summary, originalTag)
	return strings.TrimSpace(summary)
}

// blocks returns the lists as they stand in a summary, each of at most n
// characters; the entry's details have all of them.
func (f Files) blocks(n int) []string {
	var out []string
	add := func(tag string, files []string) {
		if len(files) == 0 {
			return
		}
		size := 0
		for i, path := range files {
			if size += len(path) + 1; size > n && i > 0 {
				files = append(slices.Clone(files[:i]), fmt.Sprintf("(%d more)", len(files)-i))
				break
			}
		}
		out = append(out, tagged(tag, strings.Join(files, "\n")))
	}
	add(readTag, f.Read)
	add(modifiedTag, f.Modified)
	return out
}
