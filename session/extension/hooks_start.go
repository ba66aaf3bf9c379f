package extension

import (
	"context"
	"encoding/json"

	"tau/ai"
	"tau/session"
	"tau/session/message"
	"tau/session/prompt"
)

// promptOptions are what the prompt is made of, as handlers see and change it.
type promptOptions struct {
	CWD           string             `json:"cwd"`
	SelectedTools []string           `json:"selectedTools"`
	Skills        []skillInfo        `json:"skills"`
	Sections      map[string]*string `json:"sections"`
}

type skillInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	FilePath    string `json:"filePath"`
}

func (r *Runner) promptOptions(sections ai.Sections) promptOptions {
	o := promptOptions{CWD: r.o.CWD, SelectedTools: r.activeTools(), Sections: map[string]*string{}, Skills: []skillInfo{}}
	for _, s := range sections {
		o.Sections[s.Name] = s.Text
	}
	if f := r.o.Program.Resources; f != nil {
		for _, s := range f().Skills {
			o.Skills = append(o.Skills, skillInfo{s.Name, s.Description, s.Path})
		}
	}
	return o
}

type startEvent struct {
	Type        string          `json:"type"`
	MessageType string          `json:"messageType"`
	Prompt      *string         `json:"prompt,omitempty"`
	Images      []ai.Block      `json:"images,omitempty"`
	Message     *message.Custom `json:"message,omitempty"`
	System      string          `json:"systemPrompt"`
	Options     promptOptions   `json:"systemPromptOptions"`
}

// BeforeStart implements session.Hooks.
func (r *Runner) BeforeStart(ctx context.Context, in session.Start) session.StartChange {
	var change session.StartChange
	ev := startEvent{Type: "before_agent_start", MessageType: "user", System: in.System, Options: r.promptOptions(in.Sections)}
	switch m := in.Message.(type) {
	case *ai.UserMessage:
		text := ai.ContentText(m.Content)
		ev.Prompt = &text
		for _, b := range m.Content {
			if _, ok := b.(*ai.Image); ok {
				ev.Images = append(ev.Images, b)
			}
		}
	case *message.Custom:
		ev.MessageType, ev.Message = "custom", m
	default:
		return change
	}
	sections := in.Sections
	for _, s := range (*r.subs.Load())["before_agent_start"] {
		raw, err := json.Marshal(ev)
		if err != nil {
			return change
		}
		out, err := r.call(ctx, s.ext, MethodEvent, EventCall{ev.Type, s.handler, raw})
		var a eventAnswer
		var result struct {
			Message *customMessage `json:"message"`
			System  *string        `json:"systemPrompt"`
		}
		if err == nil && len(out) > 0 {
			err = json.Unmarshal(out, &a)
		}
		if err == nil && len(a.Result) > 0 {
			err = json.Unmarshal(a.Result, &result)
		}
		if err != nil {
			if ctx.Err() == nil {
				r.report(s.ext, ev.Type, err)
			}
			continue
		}
		var changed startEvent
		if len(a.Payload) > 0 && json.Unmarshal(a.Payload, &changed) == nil && changed.Options.Sections != nil {
			if next, ok := merge(sections, changed.Options.Sections); ok {
				sections, change.Sections = next, next
				ev.Options.Sections = changed.Options.Sections
				if change.System == "" {
					ev.System = prompt.Render(sections)
				}
			}
		}
		if result.Message != nil {
			change.Messages = append(change.Messages, result.Message.custom())
		}
		if result.System != nil {
			change.System, ev.System = *result.System, *result.System
		}
	}
	return change
}

// merge brings the sections to what a handler made of them; new ones go to the
// end. ok is false if nothing changed.
func merge(old ai.Sections, now map[string]*string) (next ai.Sections, ok bool) {
	seen := map[string]bool{}
	for _, s := range old {
		seen[s.Name] = true
		text, there := now[s.Name]
		if !there || text == nil {
			ok = true
			continue
		}
		if *text != *s.Text {
			ok = true
		}
		next = append(next, ai.Section{Name: s.Name, Text: text})
	}
	for _, name := range sortedKeys(now) {
		if text := now[name]; !seen[name] && text != nil {
			next, ok = append(next, ai.Section{Name: name, Text: text}), true
		}
	}
	return next, ok
}

// customMessage is a message as extensions hand it over.
type customMessage struct {
	CustomType string          `json:"customType"`
	Content    json.RawMessage `json:"content"`
	Display    bool            `json:"display"`
	Details    json.RawMessage `json:"details"`
}

func (c *customMessage) custom() *message.Custom {
	content := c.Content
	if len(content) == 0 {
		content = json.RawMessage(`""`)
	}
	return &message.Custom{CustomType: c.CustomType, Content: content, Display: c.Display, Details: c.Details, Timestamp: now()}
}
