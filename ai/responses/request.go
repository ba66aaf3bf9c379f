package responses

import (
	"encoding/json"
	"strconv"

	"tau/ai"
	"tau/ai/openjson"
)

// compat are the flags of this protocol. A nil pointer means true.
type compat struct {
	DeveloperRole         *bool  `json:"supportsDeveloperRole"`
	SessionAffinityFormat string `json:"sessionAffinityFormat"`
	PromptCacheKeyMode    string `json:"promptCacheKeyMode"`
	LongCacheRetention    *bool  `json:"supportsLongCacheRetention"`
	ReasoningEffort       *bool  `json:"supportsReasoningEffort"`
	MaxOutputTokens       *bool  `json:"supportsMaxOutputTokens"`
}

func readCompat(model *ai.Model) compat {
	var c compat
	if len(model.Compat) > 0 {
		_ = json.Unmarshal(model.Compat, &c)
	}
	return c
}

func on(flag *bool) bool { return flag == nil || *flag }

// The request, in the order in which it is written. What changes from one
// request to the next comes last.
type request struct {
	Model                string            `json:"model"`
	Tools                []tool            `json:"tools,omitempty"`
	Input                []json.RawMessage `json:"input"`
	Reasoning            *reasoning        `json:"reasoning,omitempty"`
	Include              []string          `json:"include,omitempty"`
	PromptCacheKey       string            `json:"prompt_cache_key,omitempty"`
	PromptCacheRetention string            `json:"prompt_cache_retention,omitempty"`
	Temperature          *float64          `json:"temperature,omitempty"`
	MaxOutputTokens      int64             `json:"max_output_tokens,omitempty"`
	Store                bool              `json:"store"`
	Stream               bool              `json:"stream"`
}

type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

type reasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

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

type inputResult struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output any    `json:"output"` // a string or parts
}

// encode writes the request to model, which the server knows as name.
func encode(model *ai.Model, name string, req *ai.Request, opts *ai.Options, flags compat) ([]byte, error) {
	prepared := *req
	prepared.Messages = ai.Replay(model, req.Messages)
	r := request{Model: name, Stream: true, Temperature: opts.Temperature}
	var err error
	if r.Input, err = input(model, &prepared, flags); err != nil {
		return nil, err
	}
	for _, t := range req.Tools {
		schema := t.Parameters
		if len(schema) == 0 || string(schema) == "null" {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		r.Tools = append(r.Tools, tool{Type: "function", Name: t.Name, Description: t.Description, Parameters: schema})
	}
	if on(flags.MaxOutputTokens) {
		r.MaxOutputTokens = model.FitMaxTokens(&prepared)
		if opts.MaxTokens > 0 {
			r.MaxOutputTokens = min(opts.MaxTokens, r.MaxOutputTokens)
		}
		// The API refuses less.
		r.MaxOutputTokens = max(r.MaxOutputTokens, 16)
	}
	if model.Reasoning {
		think(&r, model, opts, flags)
	}
	if opts.Cache != ai.CacheNone && flags.PromptCacheKeyMode != "disabled" {
		r.PromptCacheKey = opts.SessionID[:min(len(opts.SessionID), 64)]
		if opts.Cache == ai.CacheLong && on(flags.LongCacheRetention) {
			r.PromptCacheRetention = "24h"
		}
	}
	return openjson.Encode(r)
}

// think says how much the model should think, and asks for its thoughts in the
// form in which they can be sent back.
func think(r *request, model *ai.Model, opts *ai.Options, flags compat) {
	r.Include = []string{"reasoning.encrypted_content"}
	level := opts.Thinking
	if level == "" {
		level = ai.ThinkingOff
	}
	word, mapped := model.ThinkingLevelMap[level]
	switch {
	case mapped && word == nil:
		return // the model does not have the level; its default holds
	case !on(flags.ReasoningEffort):
		r.Reasoning = &reasoning{Summary: "auto"}
		return
	case mapped:
		r.Reasoning = &reasoning{Effort: *word}
	case level == ai.ThinkingOff:
		r.Reasoning = &reasoning{Effort: "none"}
	default:
		r.Reasoning = &reasoning{Effort: string(level)}
	}
	if level != ai.ThinkingOff {
		r.Reasoning.Summary = "auto"
	}
}

func input(model *ai.Model, req *ai.Request, flags compat) ([]json.RawMessage, error) {
	var out []json.RawMessage
	var failed error
	add := func(v any) {
		b, err := openjson.Encode(v)
		if err != nil {
			failed = err
			return
		}
		out = append(out, b)
	}
	if req.System != "" {
		role := "system"
		if model.Reasoning && on(flags.DeveloperRole) {
			role = "developer"
		}
		add(inputMessage{Role: role, Content: req.System})
	}
	said := 0
	for _, m := range req.Messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			add(inputMessage{Role: "user", Content: parts(m.Content)})
		case *ai.AssistantMessage:
			for _, b := range m.Content {
				switch b := b.(type) {
				case *ai.Thinking:
					if raw := json.RawMessage(b.Signature); len(raw) > 0 && raw[0] == '{' && json.Valid(raw) {
						out = append(out, raw)
					}
				case *ai.Text:
					if b.Text != "" {
						said++
						add(output(b, said))
					}
				case *ai.ToolCall:
					args := string(b.Arguments)
					if args == "" {
						args = "{}"
					}
					add(inputCall{Type: "function_call", CallID: b.ID, Name: b.Name, Arguments: args})
				}
			}
		case *ai.ToolResultMessage:
			var output any = ai.ContentText(m.Content)
			for _, b := range m.Content {
				if _, ok := b.(*ai.Image); ok {
					output = parts(m.Content)
				}
			}
			add(inputResult{Type: "function_call_output", CallID: m.ToolCallID, Output: output})
		}
	}
	return out, failed
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
