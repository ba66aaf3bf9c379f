// Package prompt builds the system prompt as named sections.
//
// The prompt is stable within a session: it holds nothing that changes by
// itself (no date, no state of the repository), because every change would
// throw the provider's prompt cache away. Sections are stored with the
// conversation; [Diff] says what a later start has to patch.
package prompt

import (
	"fmt"
	"strings"

	"tau/agent"
	"tau/ai"
)

// Input is what the prompt is made from.
type Input struct {
	// Custom replaces the preamble, tools and rules (SYSTEM.md, --system-prompt).
	Custom string
	// Append goes to the end of the instructions (APPEND_SYSTEM.md,
	// --append-system-prompt).
	Append []string
	Tools  []*agent.Tool
	Files  []ContextFile
	Skills string // says which skills there are
	// Servers says which servers bring further tools.
	Servers string
	CWD     string
}

// Build returns the sections in their fixed order: preamble, tools, rules,
// addendum, project_context, skills, mcp_servers, cwd.
func Build(in Input) ai.Sections {
	var s ai.Sections
	add := func(name, text string) {
		if text = strings.TrimSpace(text); text != "" {
			s = append(s, ai.Section{Name: name, Text: &text})
		}
	}
	if in.Custom != "" {
		add("preamble", in.Custom)
	} else {
		add("preamble", preamble)
		add("tools", toolList(in.Tools))
		add("rules", rules(in.Tools))
	}
	add("addendum", strings.Join(in.Append, "\n\n"))
	add("project_context", projectContext(in.Files))
	add("skills", in.Skills)
	add("mcp_servers", in.Servers)
	add("cwd", in.CWD)
	return s
}

const preamble = `You are tau, a coding agent that works in the user's terminal. You read, run and change what is in front of you with the tools below, and you answer in Markdown that is shown in a terminal.`

func toolList(tools []*agent.Tool) string {
	var b strings.Builder
	for _, t := range tools {
		if t.Snippet != "" {
			fmt.Fprintf(&b, "- %s: %s\n", t.Name, t.Snippet)
		}
	}
	return b.String()
}

func rules(tools []*agent.Tool) string {
	has := map[string]bool{}
	var lines []string
	seen := map[string]bool{}
	add := func(line string) {
		if !seen[line] {
			seen[line] = true
			lines = append(lines, "- "+line)
		}
	}
	for _, t := range tools {
		has[t.Name] = true
	}
	if has["bash"] && !has["grep"] && !has["find"] && !has["ls"] {
		add("List and search files with bash (ls, rg, find).")
	}
	for _, t := range tools {
		for _, g := range t.Guidelines {
			add(g)
		}
	}
	add("Keep answers short; say what you did and what you found.")
	add("Name files by their path.")
	return strings.Join(lines, "\n")
}

func projectContext(files []ContextFile) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "<project_instructions path=%q>\n%s\n</project_instructions>\n", f.Path, strings.TrimSpace(f.Text))
	}
	return b.String()
}

// Render returns the prompt as one text: the preamble as it is, each other
// section in tags of its name.
func Render(s ai.Sections) string { return s.Render() }

// State is the prompt and the tools that a conversation's system messages have
// declared.
type State = ai.Instructions

// Replay applies the system messages of a conversation in order.
func Replay(msgs []ai.Message) State {
	var st State
	for _, m := range msgs {
		if sys, ok := m.(*ai.SystemMessage); ok {
			st.Apply(sys)
		}
	}
	return st
}

// Diff returns the system message that turns the state into the wanted
// sections and tools, or nil if there is nothing to change.
func Diff(st State, want ai.Sections, tools []ai.ToolDef) *ai.SystemMessage {
	m := &ai.SystemMessage{Content: ai.TextBlocks(""), Plain: true}
	have := map[string]string{}
	for _, s := range st.Sections {
		have[s.Name] = *s.Text
	}
	wanted := map[string]bool{}
	for _, s := range want {
		wanted[s.Name] = true
		if text, ok := have[s.Name]; !ok || text != *s.Text {
			m.Sections = append(m.Sections, s)
		}
	}
	for _, s := range st.Sections {
		if !wanted[s.Name] {
			m.Sections = append(m.Sections, ai.Section{Name: s.Name})
		}
	}
	for _, t := range tools {
		if !declares(st.Tools, t) {
			m.ToolsAdded = append(m.ToolsAdded, t)
		}
	}
	for _, old := range st.Tools {
		if !named(tools, old.Name) {
			m.ToolsRemoved = append(m.ToolsRemoved, ai.ToolName{Name: old.Name})
		}
	}
	if len(m.Sections) == 0 && len(m.ToolsAdded) == 0 && len(m.ToolsRemoved) == 0 {
		return nil
	}
	return m
}

func named(tools []ai.ToolDef, name string) bool {
	for _, t := range tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

func declares(tools []ai.ToolDef, want ai.ToolDef) bool {
	for _, t := range tools {
		if ai.SameTool(&t, &want) {
			return true
		}
	}
	return false
}
