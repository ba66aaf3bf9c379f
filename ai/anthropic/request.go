package anthropic

import (
	"encoding/json"

	"tau/ai"
	"tau/ai/openjson"
)

// The request, in the order in which it is written. What changes from one
// request to the next comes last.
type request struct {
	Model        string        `json:"model"`
	System       []block       `json:"system,omitempty"`
	Tools        []tool        `json:"tools,omitempty"`
	Messages     []message     `json:"messages"`
	Thinking     *thinking     `json:"thinking,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
	Temperature  *float64      `json:"temperature,omitempty"`
	MaxTokens    int64         `json:"max_tokens"`
	Stream       bool          `json:"stream"`
}

type tool struct {
	Name                string          `json:"name"`
	Description         string          `json:"description,omitempty"`
	InputSchema         json.RawMessage `json:"input_schema"`
	EagerInputStreaming bool            `json:"eager_input_streaming,omitempty"`
	CacheControl        *cacheControl   `json:"cache_control,omitempty"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is any content block; the type says which members are there.
type block struct {
	Type         string          `json:"type"`
	Text         string          `json:"text,omitempty"`
	Thinking     *string         `json:"thinking,omitempty"`
	Signature    *string         `json:"signature,omitempty"`
	Data         string          `json:"data,omitempty"`
	Source       *source         `json:"source,omitempty"`
	ID           string          `json:"id,omitempty"`
	Name         string          `json:"name,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	Content      []block         `json:"content,omitempty"`
	IsError      bool            `json:"is_error,omitempty"`
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl,omitempty"`
}

type thinking struct {
	Type         string `json:"type"`
	BudgetTokens int64  `json:"budget_tokens,omitempty"`
	Display      string `json:"display,omitempty"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

func encode(model *ai.Model, req *ai.Request, opts *ai.Options, flags compat) ([]byte, error) {
	prepared := *req
	prepared.Messages = ai.Replay(model, req.Messages)
	r := request{Model: model.ID, Messages: messages(prepared.Messages, flags), Stream: true}
	if req.System != "" {
		r.System = []block{{Type: "text", Text: req.System}}
	}
	for _, t := range req.Tools {
		schema := t.Parameters
		if len(schema) == 0 || string(schema) == "null" {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		r.Tools = append(r.Tools, tool{
			Name: t.Name, Description: t.Description, InputSchema: schema,
			EagerInputStreaming: on(flags.EagerToolInputStreaming, true),
		})
	}
	mark(&r, opts, flags)
	limits(&r, model, &prepared, opts, flags)
	if on(flags.Temperature, true) && (r.Thinking == nil || r.Thinking.Type == "disabled") {
		r.Temperature = opts.Temperature // thinking allows no other than the default
	}
	return openjson.Encode(r)
}

// mark puts the cache markers where the longest prefix can be found again.
func mark(r *request, opts *ai.Options, flags compat) {
	if opts.Cache == ai.CacheNone {
		return
	}
	c := &cacheControl{Type: "ephemeral"}
	if opts.Cache == ai.CacheLong && on(flags.LongCacheRetention, true) {
		c.TTL = "1h"
	}
	if n := len(r.System); n > 0 {
		r.System[n-1].CacheControl = c
	}
	if n := len(r.Tools); n > 0 && on(flags.CacheControlOnTools, true) {
		r.Tools[n-1].CacheControl = c
	}
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == "user" {
		content := r.Messages[n-1].Content
		content[len(content)-1].CacheControl = c
	}
}

// limits sets how much the model may think and write.
func limits(r *request, model *ai.Model, prepared *ai.Request, opts *ai.Options, flags compat) {
	fit := model.FitMaxTokens(prepared)
	r.MaxTokens = fit
	if opts.MaxTokens > 0 {
		r.MaxTokens = min(opts.MaxTokens, fit)
	}
	if !model.Reasoning {
		return
	}
	level := opts.Thinking
	if level == "" || level == ai.ThinkingOff {
		if model.Thinks(ai.ThinkingOff) {
			r.Thinking = &thinking{Type: "disabled"}
		}
		return
	}
	if flags.ForceAdaptiveThinking {
		// Without display the newest models send signatures but no text.
		r.Thinking = &thinking{Type: "adaptive", Display: "summarized"}
		r.OutputConfig = &outputConfig{Effort: effort(model, level)}
		return
	}
	budget := budgetOf(opts, level)
	const least = 1024 // the API's of thinking, and ours of the answer
	rest := int64(least)
	if opts.MaxTokens > 0 {
		r.MaxTokens = min(opts.MaxTokens+budget, fit)
		rest = min(rest, opts.MaxTokens)
	}
	budget = min(budget, r.MaxTokens-rest)
	if budget < least || !thoughtful(r.Messages) {
		r.Thinking = &thinking{Type: "disabled"}
		return
	}
	r.Thinking = &thinking{Type: "enabled", BudgetTokens: budget}
}

// thoughtful reports whether thinking with a budget can go on from the last
// message. In the middle of a turn, after results, the API wants the answer
// that made the calls to begin with its thoughts; one of another model, or of
// a time when thinking was off, has none.
func thoughtful(msgs []message) bool {
	n := len(msgs)
	if n < 2 || msgs[n-2].Role != "assistant" || len(msgs[n-1].Content) == 0 || msgs[n-1].Content[0].Type != "tool_result" {
		return true
	}
	first := msgs[n-2].Content[0].Type
	return first == "thinking" || first == "redacted_thinking"
}

func effort(model *ai.Model, level ai.ThinkingLevel) string {
	if name := model.ThinkingLevelMap[level]; name != nil && *name != "" {
		return *name
	}
	if level == ai.ThinkingMinimal {
		return "low"
	}
	return string(level)
}

func budgetOf(opts *ai.Options, level ai.ThinkingLevel) int64 {
	if n := opts.Budgets[level]; n > 0 {
		return n
	}
	switch level {
	case ai.ThinkingMinimal:
		return 1024
	case ai.ThinkingLow:
		return 2048
	case ai.ThinkingMedium:
		return 8192
	}
	return 16384
}
