package ai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Instructions are the system prompt and the tools that the system messages of
// a conversation have declared, replayed in order with [Instructions.Apply].
// The zero value is that of a conversation without any.
type Instructions struct {
	Sections Sections // none is nil
	Tools    []ToolDef
	// Declared reports whether there was a system message at all.
	Declared bool
	// Text is the content of the last system message that had any, for
	// conversations whose prompt has no sections.
	Text string
}

// Apply adds what m sets, changes and removes. It does not keep m's slices.
func (in *Instructions) Apply(m *SystemMessage) {
	in.Declared = true
	if text := ContentText(m.Content); text != "" {
		in.Text = text
	}
	for _, sec := range m.Sections {
		in.setSection(sec)
	}
	for _, gone := range m.ToolsRemoved {
		in.removeTool(gone.Name)
	}
	for _, t := range m.ToolsAdded {
		in.removeTool(t.Name)
		in.Tools = append(in.Tools, t)
	}
}

// Prompt returns the system prompt as one text.
func (in Instructions) Prompt() string {
	if len(in.Sections) > 0 {
		return in.Sections.Render()
	}
	return in.Text
}

func (in *Instructions) setSection(sec Section) {
	for i, have := range in.Sections {
		if have.Name != sec.Name {
			continue
		}
		if sec.Text == nil {
			in.Sections = append(in.Sections[:i:i], in.Sections[i+1:]...)
		} else {
			in.Sections[i].Text = sec.Text
		}
		return
	}
	if sec.Text != nil {
		in.Sections = append(in.Sections, sec)
	}
}

func (in *Instructions) removeTool(name string) {
	for i := range in.Tools {
		if in.Tools[i].Name == name {
			in.Tools = append(in.Tools[:i:i], in.Tools[i+1:]...)
			return
		}
	}
}

// Render returns the sections as one text: the preamble as it is, each other
// section in tags of its name, those without text not at all.
func (s Sections) Render() string {
	var parts []string
	for _, sec := range s {
		switch {
		case sec.Text == nil:
		case sec.Name == "preamble":
			parts = append(parts, *sec.Text)
		default:
			parts = append(parts, tagged(sec))
		}
	}
	return strings.Join(parts, "\n\n")
}

func tagged(sec Section) string { return fmt.Sprintf("<%s>\n%s\n</%s>", sec.Name, *sec.Text, sec.Name) }

// SameTool reports whether two declarations say the same to a model.
func SameTool(a, b *ToolDef) bool {
	return a.Name == b.Name && a.Description == b.Description && sameJSON(a.Parameters, b.Parameters)
}

func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
