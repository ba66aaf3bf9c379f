package ai

import (
	"encoding/json"
	"strings"
)

// Midway says what a model lets a conversation change on its way. Such a
// change is sent where it happened, so that the beginning of the request stays
// as it was and the provider's prompt cache is kept. What a model does not take
// midway is folded into the beginning.
type Midway struct {
	System      bool // the system prompt
	AddTools    bool
	RemoveTools bool
	Effort      bool // the thinking level
}

// Midway reads the model's compat flags (features of the protocols differ: no
// flag means no).
func (m *Model) Midway() Midway {
	var f struct {
		System    bool `json:"supportsMidConvoSystemMessages"`
		Tools     bool `json:"supportsMidConvoToolChanges"`   // Anthropic
		Additions bool `json:"supportsMidConvoToolAdditions"` // Chat Completions
		MoreTools bool `json:"supportsAdditionalTools"`       // Responses
		Search    bool `json:"supportsToolSearch"`            // Responses
		Effort    bool `json:"supportsMidConvoEffort"`
	}
	if len(m.Compat) == 0 {
		return Midway{}
	}
	// A flag of a wrong type is as good as absent: the catalogue checks what
	// users write.
	_ = json.Unmarshal(m.Compat, &f)
	switch {
	case m.API == "anthropic-messages":
		return Midway{f.System, f.Tools, f.Tools, f.Effort}
	case m.API == "openai-completions":
		return Midway{System: f.System, AddTools: f.System && f.Additions}
	case strings.HasSuffix(m.API, "-responses"):
		return Midway{System: f.System, AddTools: f.MoreTools || f.Search, Effort: f.Effort}
	case m.API == "mistral-conversations":
		return Midway{System: f.System}
	}
	return Midway{}
}

// Change is what changes at one place of a prepared conversation. It takes the
// place of the [SystemMessage] that caused it.
type Change struct {
	Text   string // for the model; "" is nothing to say
	Add    []ToolDef
	Remove []string
	Effort ThinkingLevel // from here on; "" is as before
}

// MessageRole returns the role of the message.
func (*Change) MessageRole() Role { return RoleSystem }

func (c *Change) empty() bool {
	return c.Text == "" && len(c.Add) == 0 && len(c.Remove) == 0 && c.Effort == ""
}

// unfold returns req with the beginning that its first system messages
// declared, and with a [*Change] in the place of each later one that model
// takes midway. Changes are sent midway only if the beginning and all changes
// together say what the request says: the caller has the last word.
func unfold(model *Model, req *Request) Request {
	out := *req
	head, later := split(req.Messages)
	if later == 0 {
		return out
	}
	can := model.Midway()
	begin := Instructions{}
	for _, m := range req.Messages[:head] {
		if m, ok := m.(*SystemMessage); ok {
			begin.Apply(m)
		}
	}
	now := Instructions{Text: begin.Text, Tools: append([]ToolDef(nil), begin.Tools...), Sections: append(Sections(nil), begin.Sections...)}
	tools := can.AddTools
	for _, m := range req.Messages[head:] {
		if m, ok := m.(*SystemMessage); ok {
			tools = tools && can.takes(&now, m)
			now.Apply(m)
		}
	}
	system := can.System && begin.Declared && now.Prompt() == req.System
	tools = tools && begin.Declared && sameToolSet(now.Tools, req.Tools)
	if system {
		out.System = begin.Prompt()
	}
	if tools {
		out.Tools = current(begin.Tools, req.Tools)
	}
	if !system && !tools {
		return out
	}
	out.Messages = make([]Message, len(req.Messages))
	copy(out.Messages, req.Messages)
	for i, m := range req.Messages[head:] {
		m, ok := m.(*SystemMessage)
		if !ok {
			continue
		}
		c := &Change{}
		if system {
			c.Text = update(m)
		}
		if tools {
			c.Add = current(m.ToolsAdded, req.Tools)
			for _, gone := range m.ToolsRemoved {
				c.Remove = append(c.Remove, gone.Name)
			}
		}
		if !c.empty() {
			out.Messages[head+i] = c
		}
	}
	return out
}

// split returns the index of the first message that is no system message, and
// how many system messages there are from there on.
func split(msgs []Message) (head, later int) {
	for head < len(msgs) && msgs[head].MessageRole() == RoleSystem {
		head++
	}
	for _, m := range msgs[head:] {
		if _, ok := m.(*SystemMessage); ok {
			later++
		}
	}
	return head, later
}

// takes reports whether the tool changes of m can be sent midway. A tool that
// is declared anew is not among them: providers take a name once.
func (can Midway) takes(now *Instructions, m *SystemMessage) bool {
	if len(m.ToolsRemoved) > 0 && !can.RemoveTools {
		return false
	}
	for _, t := range m.ToolsAdded {
		for _, have := range now.Tools {
			if have.Name == t.Name {
				return false
			}
		}
	}
	return true
}

func sameToolSet(a, b []ToolDef) bool {
	if len(a) != len(b) {
		return false
	}
	byName := make(map[string]*ToolDef, len(a))
	for i := range a {
		byName[a[i].Name] = &a[i]
	}
	for i := range b {
		if t := byName[b[i].Name]; t == nil || !SameTool(t, &b[i]) {
			return false
		}
	}
	return true
}

// current returns the stored declarations as the request has them, which may
// know more about a tool than was stored.
func current(stored, request []ToolDef) []ToolDef {
	out := append([]ToolDef(nil), stored...)
	for i := range out {
		for j := range request {
			if SameTool(&out[i], &request[j]) {
				out[i] = request[j]
			}
		}
	}
	return out
}

// update says to the model what m changes in the system prompt.
func update(m *SystemMessage) string {
	if len(m.Sections) == 0 {
		if text := ContentText(m.Content); text != "" {
			return "The system prompt is from now on:\n\n" + text
		}
		return ""
	}
	var parts, gone []string
	for _, sec := range m.Sections {
		if sec.Text == nil {
			gone = append(gone, "<"+sec.Name+">")
		} else {
			parts = append(parts, tagged(sec))
		}
	}
	if len(parts) > 0 {
		parts = append([]string{"The system prompt has changed. Each part below is new or takes the place of the part of the same name:"}, parts...)
	}
	if len(gone) > 0 {
		parts = append(parts, "No longer part of the system prompt: "+strings.Join(gone, ", "))
	}
	return strings.Join(parts, "\n\n")
}

// efforts puts a [Change] where the thinking level of a replayed conversation
// changes, and returns the level that the conversation begins with. The levels
// are those that the answers were asked for with, so that a conversation which
// has grown has the same changes in the same places.
func efforts(model *Model, msgs []Message, now ThinkingLevel) ([]Message, ThinkingLevel) {
	if now == "" || now == ThinkingOff || !model.Midway().Effort {
		return msgs, now
	}
	levelOf := func(m Message) ThinkingLevel {
		if m, ok := m.(*AssistantMessage); ok && m.ThinkingLevel != "" && m.ThinkingLevel != ThinkingOff {
			return model.ClampThinking(m.ThinkingLevel)
		}
		return ""
	}
	first, differ := now, false
	for _, m := range msgs {
		if l := levelOf(m); l != "" {
			first = l
			break
		}
	}
	for _, m := range msgs {
		if l := levelOf(m); l != "" && l != first {
			differ = true
		}
	}
	if !differ && first == now {
		return msgs, first
	}
	out := make([]Message, 0, len(msgs)+4)
	level := first
	for _, m := range msgs {
		if l := levelOf(m); l != "" && l != level {
			level = l
			out = append(out, &Change{Effort: l})
		}
		out = append(out, m)
	}
	if level != now {
		out = append(out, &Change{Effort: now})
	}
	return out, first
}
