package responses

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"strconv"

	"tau/ai"
	"tau/ai/internal/toolargs"
	"tau/ai/openjson"
)

type inputMessage struct {
	Type    string `json:"type,omitempty"`
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// outputMessage is what the model said. The API gives each an id, and newer
// models a phase, which tell its remarks between calls from its last word.
type outputMessage struct {
	Type    string       `json:"type"`
	ID      string       `json:"id"`
	Role    string       `json:"role"`
	Status  string       `json:"status"`
	Content []outputText `json:"content"`
	Phase   string       `json:"phase,omitempty"`
}

type outputText struct {
	Type        string   `json:"type"`
	Text        string   `json:"text"`
	Annotations []string `json:"annotations"` // none: they are no part of what was said
}

// textSignature is kept with a text of the model, in the form in which pi
// keeps it too.
type textSignature struct {
	Version int    `json:"v"`
	ID      string `json:"id"`
	Phase   string `json:"phase,omitempty"`
}

type inputPart struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
	Detail   string `json:"detail,omitempty"`
}

type inputCall struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// inputText is the call of a tool that is called with text.
type inputText struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Name   string `json:"name"`
	Input  string `json:"input"`
}

// inputTools are tools that are there from here on.
type inputTools struct {
	Type  string `json:"type"`
	Role  string `json:"role"`
	Tools []tool `json:"tools"`
}

// inputSearch and inputFound are a search for tools and what it found. Where
// tools cannot simply be added, the search is one that nobody made.
type inputSearch struct {
	Type      string         `json:"type"`
	Execution string         `json:"execution"`
	CallID    string         `json:"call_id"`
	Status    string         `json:"status"`
	Arguments map[string]any `json:"arguments"`
}

type inputFound struct {
	Type      string `json:"type"`
	Execution string `json:"execution"`
	CallID    string `json:"call_id"`
	Status    string `json:"status"`
	Tools     []tool `json:"tools"`
}

// inputUpdate changes the settings of what follows.
type inputUpdate struct {
	Type      string    `json:"type"`
	Reasoning reasoning `json:"reasoning"`
}

type inputResult struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output any    `json:"output"` // a string or parts
}

// converter writes a prepared conversation as items.
type converter struct {
	model *ai.Model
	p     *ai.Prepared
	flags compat
	plain toolargs.Plain
	texts map[string]bool // calls that were made with text
	said  int             // texts of the model so far
	out   [][]byte
}

func input(model *ai.Model, p *ai.Prepared, flags compat, plain toolargs.Plain) ([][]byte, error) {
	c := converter{model: model, p: p, flags: flags, plain: plain, texts: map[string]bool{}, out: make([][]byte, 0, len(p.Messages)+1)}
	if p.System != "" && !flags.instructions {
		if err := c.add(inputMessage{Role: c.systemRole(), Content: p.System}); err != nil {
			return nil, err
		}
	}
	for _, m := range p.Messages {
		if err := c.message(m); err != nil {
			return nil, err
		}
	}
	return c.out, nil
}

func (c *converter) systemRole() string {
	if c.model.Reasoning && on(c.flags.DeveloperRole) {
		return "developer"
	}
	return "system"
}

func (c *converter) add(items ...any) error {
	for _, item := range items {
		wire, err := openjson.Encode(item)
		if err != nil {
			return err
		}
		c.out = append(c.out, wire)
	}
	return nil
}

func (c *converter) message(m ai.Message) error {
	switch m := m.(type) {
	case *ai.UserMessage:
		return c.known(m, 0, func() []any { return []any{inputMessage{Role: "user", Content: parts(m.Content)}} })
	case *ai.AssistantMessage:
		before := c.said
		for _, b := range m.Content {
			switch b := b.(type) {
			case *ai.Text:
				if b.Text != "" {
					c.said++
				}
			case *ai.ToolCall:
				if _, ok := c.plain.Text(b.Name, b.Arguments); ok {
					c.texts[b.ID] = true
				}
			}
		}
		return c.known(m, before, func() []any { return answered(m, before, c.plain) })
	case *ai.ToolResultMessage:
		kind, state := "function_call_output", 0
		if c.texts[m.ToolCallID] {
			kind, state = "custom_tool_call_output", 1
		}
		return c.known(m, state, func() []any { return []any{result(m, kind)} })
	case *ai.Change:
		return c.change(m)
	}
	return nil
}

// known adds the items of m, or the bytes that they were before. state is what
// they depend on beside m and the tools.
func (c *converter) known(m ai.Message, state int, items func() []any) error {
	wire, err := c.p.Encoded(m, c.plain.State()<<20+state, func() ([]byte, error) {
		one := converter{}
		if err := one.add(items()...); err != nil {
			return nil, err
		}
		return bytes.Join(one.out, []byte(",")), nil
	})
	if err == nil && len(wire) > 0 {
		c.out = append(c.out, wire)
	}
	return err
}

func (c *converter) change(m *ai.Change) error {
	if len(m.Add) > 0 {
		tools := toolsOf(m.Add, c.flags)
		items := []any{inputTools{"additional_tools", "developer", tools}}
		if !c.flags.AdditionalTools {
			id := loadID(m.Add)
			items = []any{
				inputSearch{"tool_search_call", "client", id, "completed", map[string]any{}},
				inputFound{"tool_search_output", "client", id, "completed", tools},
			}
		}
		if err := c.add(items...); err != nil {
			return err
		}
	}
	if m.Text != "" {
		if err := c.add(inputMessage{Role: c.systemRole(), Content: m.Text}); err != nil {
			return err
		}
	}
	if m.Effort != "" {
		return c.add(inputUpdate{"configuration_update", reasoning{Effort: effort(c.model, m.Effort)}})
	}
	return nil
}

// loadID names the loading of tools by what is loaded, so that it has the same
// name in each request.
func loadID(tools []ai.ToolDef) string {
	h := fnv.New64a()
	for _, t := range tools {
		h.Write([]byte(t.Name + "\n"))
	}
	return "call_load_" + hex.EncodeToString(h.Sum(nil))
}

// answered converts an answer; said is how many texts there were before it.
func answered(m *ai.AssistantMessage, said int, plain toolargs.Plain) []any {
	var items []any
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Thinking:
			if raw := json.RawMessage(b.Signature); len(raw) > 0 && raw[0] == '{' && json.Valid(raw) {
				items = append(items, raw)
			}
		case *ai.Text:
			if b.Text != "" {
				said++
				items = append(items, output(b, said))
			}
		case *ai.ToolCall:
			args := string(b.Arguments)
			if args == "" {
				args = "{}"
			}
			if text, ok := plain.Text(b.Name, b.Arguments); ok {
				items = append(items, inputText{"custom_tool_call", b.ID, b.Name, text})
			} else {
				items = append(items, inputCall{Type: "function_call", CallID: b.ID, Name: b.Name, Arguments: args})
			}
		}
	}
	return items
}

func result(m *ai.ToolResultMessage, kind string) inputResult {
	var output any = ai.ContentText(m.Content)
	for _, b := range m.Content {
		if _, ok := b.(*ai.Image); ok {
			output = parts(m.Content)
		}
	}
	return inputResult{Type: kind, CallID: m.ToolCallID, Output: output}
}

// output is the nth text of the model, with the id that it came with, or one
// made up for a text of another model.
func output(b *ai.Text, n int) outputMessage {
	m := outputMessage{Type: "message", Role: "assistant", Status: "completed", Content: []outputText{{"output_text", b.Text, []string{}}}}
	var sig textSignature
	if json.Unmarshal([]byte(b.Signature), &sig) == nil {
		m.ID, m.Phase = sig.ID, sig.Phase
	}
	if m.ID == "" {
		m.ID = "msg_" + strconv.Itoa(n)
	}
	return m
}

func parts(blocks []ai.Block) []inputPart {
	out := make([]inputPart, 0, len(blocks))
	for _, b := range blocks {
		switch b := b.(type) {
		case *ai.Text:
			out = append(out, inputPart{Type: "input_text", Text: b.Text})
		case *ai.Image:
			out = append(out, inputPart{Type: "input_image", ImageURL: "data:" + b.MimeType + ";base64," + b.Data, Detail: "auto"})
		}
	}
	return out
}
