package mistral

import (
	"encoding/json"

	"tau/ai"
	"tau/ai/openjson"
)

// The request, in the order in which it is written: head, messages, tail. What
// changes from one request to the next comes last.
type head struct {
	Model string `json:"model"`
	Tools []tool `json:"tools,omitempty"`
}

type request struct {
	PromptMode      string   `json:"prompt_mode,omitempty"`
	ReasoningEffort string   `json:"reasoning_effort,omitempty"`
	Temperature     *float64 `json:"temperature,omitempty"`
	MaxTokens       int64    `json:"max_tokens,omitempty"`
	Stream          bool     `json:"stream"`
}

type tool struct {
	Type     string       `json:"type"`
	Function toolFunction `json:"function"`
}

type toolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict,omitempty"`
}

type message struct {
	Role       string  `json:"role"`
	Content    content `json:"content"`
	ToolCalls  []call  `json:"tool_calls,omitempty"`
	ToolCallID string  `json:"tool_call_id,omitempty"`
	Name       string  `json:"name,omitempty"`
}

// content is written as a string, or as a list of parts if there are any.
type content struct {
	text  string
	parts []part
}

// MarshalJSON writes the content in the simpler of its two forms.
func (c content) MarshalJSON() ([]byte, error) {
	if c.parts != nil {
		return openjson.Encode(c.parts)
	}
	return openjson.Encode(c.text)
}

type part struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
	Thinking []part `json:"thinking,omitempty"`
}

type call struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function callFunction `json:"function"`
}

type callFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func encode(model *ai.Model, req *ai.Request, opts *ai.Options) ([]byte, error) {
	p := ai.Prepare(model, req, opts)
	lines, err := messages(p)
	if err != nil {
		return nil, err
	}
	h := head{Model: model.ID}
	r := request{Temperature: opts.Temperature, MaxTokens: p.FitMaxTokens(model), Stream: true}
	flags := struct {
		StrictMode *bool `json:"supportsStrictMode"` // true
	}{}
	if len(model.Compat) > 0 {
		_ = json.Unmarshal(model.Compat, &flags) // the catalogue checks what users write
	}
	for _, t := range p.Tools {
		schema := t.Parameters
		if len(schema) == 0 || string(schema) == "null" {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		h.Tools = append(h.Tools, tool{Type: "function", Function: toolFunction{Name: t.Name, Description: t.Description, Parameters: schema, Strict: t.Strict && (flags.StrictMode == nil || *flags.StrictMode)}})
	}
	if opts.MaxTokens > 0 {
		r.MaxTokens = min(opts.MaxTokens, r.MaxTokens)
	}
	if model.Reasoning {
		think(&r, model, opts)
	}
	more := model.Sampling(opts.Thinking, "model", "messages", "tools", "stream", "max_tokens", "prompt_mode", "reasoning_effort")
	if opts.Temperature != nil {
		delete(more, "temperature")
	}
	// The messages, which are most of it, were encoded one by one.
	return openjson.Splice(&h, "messages", openjson.List(lines), &r, more)
}

// think says how much the model should think: by effort where the catalogue
// has words for it, otherwise in the way of the first Magistral models, which
// only know on and off.
func think(r *request, model *ai.Model, opts *ai.Options) {
	level := opts.Thinking
	if level == "" {
		level = ai.ThinkingOff
	}
	if len(model.ThinkingLevelMap) > 0 {
		if word := model.ThinkingLevelMap[level]; word != nil {
			r.ReasoningEffort = *word
		} else if level != ai.ThinkingOff && model.Thinks(level) {
			r.ReasoningEffort = string(level)
		}
		return
	}
	if level != ai.ThinkingOff {
		r.PromptMode = "reasoning"
	}
}

// messages converts the system prompt and a prepared conversation, one encoded
// message after the other.
func messages(p *ai.Prepared) ([][]byte, error) {
	out := make([][]byte, 0, len(p.Messages)+1)
	last := ""
	add := func(role string, key ai.Message, build func() message) error {
		// The API refuses another's message directly after a tool's.
		if last == "tool" && (role == "user" || role == "system") {
			out = append(out, []byte(`{"role":"assistant","content":"I have the results of the tools."}`))
		}
		encode := func() ([]byte, error) { return openjson.Encode(build()) }
		wire, err := []byte(nil), error(nil)
		if key == nil {
			wire, err = encode()
		} else {
			wire, err = p.Encoded(key, 0, encode)
		}
		out, last = append(out, wire), role
		return err
	}
	system := func(text string) error {
		return add("system", nil, func() message { return message{Role: "system", Content: content{text: text}} })
	}
	var err error
	if p.System != "" {
		err = system(p.System)
	}
	for _, m := range p.Messages {
		switch m := m.(type) {
		case *ai.Change:
			if m.Text != "" {
				err = system(m.Text)
			}
		case *ai.UserMessage:
			err = add("user", m, func() message { return message{Role: "user", Content: partsOf(m.Content)} })
		case *ai.AssistantMessage:
			err = add("assistant", m, func() message { return assistant(m) })
		case *ai.ToolResultMessage:
			err = add("tool", m, func() message { return result(m) })
		}
		if err != nil {
			return nil, err
		}
	}
	return out, err
}

func result(m *ai.ToolResultMessage) message {
	c := partsOf(m.Content)
	if m.IsError && c.parts == nil {
		c.text = "[tool error] " + c.text
	}
	return message{Role: "tool", Content: c, ToolCallID: m.ToolCallID, Name: m.ToolName}
}

func partsOf(blocks []ai.Block) content {
	if len(blocks) == 1 {
		if t, ok := blocks[0].(*ai.Text); ok {
			return content{text: t.Text}
		}
	}
	c := content{}
	for _, b := range blocks {
		switch b := b.(type) {
		case *ai.Text:
			c.parts = append(c.parts, part{Type: "text", Text: b.Text})
		case *ai.Image:
			c.parts = append(c.parts, part{Type: "image_url", ImageURL: "data:" + b.MimeType + ";base64," + b.Data})
		}
	}
	return c
}

func assistant(m *ai.AssistantMessage) message {
	msg := message{Role: "assistant"}
	var parts []part
	thoughts := false
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			parts = append(parts, part{Type: "text", Text: b.Text})
		case *ai.Thinking:
			if b.Thinking != "" {
				thoughts = true
				parts = append(parts, part{Type: "thinking", Thinking: []part{{Type: "text", Text: b.Thinking}}})
			}
		case *ai.ToolCall:
			args := string(b.Arguments)
			if args == "" {
				args = "{}"
			}
			msg.ToolCalls = append(msg.ToolCalls, call{ID: b.ID, Type: "function", Function: callFunction{b.Name, args}})
		}
	}
	if thoughts || len(parts) > 1 {
		msg.Content.parts = parts
	} else if len(parts) == 1 {
		msg.Content.text = parts[0].Text
	}
	return msg
}
