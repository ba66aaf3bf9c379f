package anthropic

import (
	"bytes"
	"encoding/json"

	"tau/ai"
	"tau/ai/openjson"
)

// The request, in the order in which it is written: head, messages, tail. What
// changes from one request to the next comes last.
type head struct {
	Model  string  `json:"model"`
	System []block `json:"system,omitempty"`
	Tools  []tool  `json:"tools,omitempty"`
}

type tail struct {
	Thinking     *thinking     `json:"thinking,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
	Fallbacks    []modelName   `json:"fallbacks,omitempty"`
	Temperature  *float64      `json:"temperature,omitempty"`
	MaxTokens    int64         `json:"max_tokens"`
	Stream       bool          `json:"stream"`
}

type modelName struct {
	Model string `json:"model"`
}

type tool struct {
	Name                string          `json:"name"`
	Description         string          `json:"description,omitempty"`
	InputSchema         json.RawMessage `json:"input_schema"`
	EagerInputStreaming bool            `json:"eager_input_streaming,omitempty"`
	Strict              bool            `json:"strict,omitempty"`
	CacheControl        *cacheControl   `json:"cache_control,omitempty"`
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
	Tool         *toolChange     `json:"tool,omitempty"`
	CacheControl *cacheControl   `json:"cache_control,omitempty"`

	raw json.RawMessage // the whole, of a block that goes back as it came
}

// toolChange is what of a tool is added or removed in mid-conversation.
type toolChange struct {
	Type       string `json:"type"`
	Name       string `json:"name,omitempty"`
	Definition *tool  `json:"definition,omitempty"`
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
	// BlockBinding says what becomes of thoughts that were thought under another
	// effort, by another prompt.
	BlockBinding *blockBinding `json:"block_binding,omitempty"`
}

type blockBinding struct {
	PrefixMismatchBehavior string `json:"prefix_mismatch_behavior"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

// encode writes the request, and reports whether tools change on the way, which
// has to be asked for in a header.
func encode(m *ai.Model, req *ai.Request, opts *ai.Options, flags compat) (body []byte, toolChanges bool, err error) {
	p := ai.Prepare(m, req, opts)
	runs, err := messages(p, flags)
	if err != nil {
		return nil, false, err
	}
	h := head{Model: m.ID}
	if p.System != "" {
		h.System = []block{{Type: "text", Text: p.System}}
	}
	for i := range p.Tools {
		h.Tools = append(h.Tools, toolOf(&p.Tools[i], flags))
	}
	marker, err := mark(&h, opts, flags)
	if err != nil {
		return nil, false, err
	}
	t := limits(m, p, opts, flags)
	t.Stream = true
	for _, f := range flags.AllowedFallbackModels {
		t.Fallbacks = append(t.Fallbacks, modelName{f.Model})
	}
	if on(flags.Temperature, true) && (t.Thinking == nil || t.Thinking.Type == "disabled") {
		t.Temperature = opts.Temperature // thinking allows no other than the default
	}
	body, err = write(&h, runs, m, marker, &t, sampling(m, opts))
	return body, changesTools(p.Messages), err
}

func changesTools(msgs []ai.Message) bool {
	for _, m := range msgs {
		if c, ok := m.(*ai.Change); ok && len(c.Add)+len(c.Remove) > 0 {
			return true
		}
	}
	return false
}

// sampling are the members that a user's model description adds.
func sampling(m *ai.Model, opts *ai.Options) openjson.Fields {
	fields := m.Sampling(opts.Thinking, "model", "system", "messages", "tools", "stream", "max_tokens", "thinking", "output_config", "fallbacks")
	if opts.Temperature != nil {
		delete(fields, "temperature")
	}
	return fields
}

// write puts the request together. The messages, which are most of it, were
// encoded one by one.
func write(h *head, runs []run, m *ai.Model, marker []byte, t *tail, more openjson.Fields) ([]byte, error) {
	begin, err := openjson.Encode(h)
	if err != nil {
		return nil, err
	}
	end, err := openjson.Marshal(t, more)
	if err != nil {
		return nil, err
	}
	size := len(begin) + len(end) + 200
	for _, r := range runs {
		size += 40
		for _, b := range r.blocks {
			size += len(b) + 1
		}
	}
	var out bytes.Buffer
	out.Grow(size)
	out.Write(begin[:len(begin)-1])
	out.WriteString(`,"messages":`)
	if err := appendMessages(&out, runs, m, marker); err != nil {
		return nil, err
	}
	out.WriteByte(',')
	out.Write(end[1:])
	return out.Bytes(), nil
}

func toolOf(t *ai.ToolDef, flags compat) tool {
	schema := t.Parameters
	if len(schema) == 0 || string(schema) == "null" {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return tool{
		Name: t.Name, Description: t.Description, InputSchema: schema,
		EagerInputStreaming: on(flags.EagerToolInputStreaming, true), Strict: t.Strict && flags.StrictTools,
	}
}

// mark puts cache markers on the system prompt and the last tool, and returns
// the one for the messages, or nothing.
func mark(h *head, opts *ai.Options, flags compat) ([]byte, error) {
	if opts.Cache == ai.CacheNone {
		return nil, nil
	}
	c := &cacheControl{Type: "ephemeral"}
	if opts.Cache == ai.CacheLong && on(flags.LongCacheRetention, true) {
		c.TTL = "1h"
	}
	if n := len(h.System); n > 0 {
		h.System[n-1].CacheControl = c
	}
	if n := len(h.Tools); n > 0 && on(flags.CacheControlOnTools, true) {
		h.Tools[n-1].CacheControl = c
	}
	return openjson.Encode(c)
}

// limits says how much the model may think and write.
func limits(m *ai.Model, p *ai.Prepared, opts *ai.Options, flags compat) tail {
	fit := p.FitMaxTokens(m)
	t := tail{MaxTokens: fit}
	if opts.MaxTokens > 0 {
		t.MaxTokens = min(opts.MaxTokens, fit)
	}
	if !m.Reasoning {
		return t
	}
	level := opts.Thinking
	if level == "" || level == ai.ThinkingOff {
		if m.Thinks(ai.ThinkingOff) {
			t.Thinking = &thinking{Type: "disabled"}
		}
		return t
	}
	if flags.ForceAdaptiveThinking {
		// Without display the newest models send signatures but no text.
		t.Thinking = &thinking{Type: "adaptive", Display: "summarized"}
		t.OutputConfig = &outputConfig{Effort: effort(m, p.Effort)}
		if flags.MidConvoEffort {
			t.Thinking.BlockBinding = &blockBinding{"drop_block"}
		}
		return t
	}
	budget := budgetOf(opts, level)
	const least = 1024 // the API's of thinking, and ours of the answer
	rest := int64(least)
	if opts.MaxTokens > 0 {
		t.MaxTokens = min(opts.MaxTokens+budget, fit)
		rest = min(rest, opts.MaxTokens)
	}
	budget = min(budget, t.MaxTokens-rest)
	if budget < least || !thoughtful(p.Messages, flags) {
		t.Thinking = &thinking{Type: "disabled"}
		return t
	}
	t.Thinking = &thinking{Type: "enabled", BudgetTokens: budget}
	return t
}

// thoughtful reports whether thinking with a budget can go on from the last
// message. In the middle of a turn, after results, the API wants the answer
// that made the calls to begin with its thoughts; one of another model, or of
// a time when thinking was off, has none.
func thoughtful(msgs []ai.Message, flags compat) bool {
	results := 0
	for i := len(msgs) - 1; i >= 0; i-- {
		switch m := msgs[i].(type) {
		case *ai.ToolResultMessage:
			results++
		case *ai.UserMessage:
			results = 0 // what counts is what comes first after the answer
		case *ai.AssistantMessage:
			if results == 0 {
				return true
			}
			blocks := assistantBlocks(m.Content, flags)
			return len(blocks) > 0 && (blocks[0].Type == "thinking" || blocks[0].Type == "redacted_thinking")
		}
	}
	return true
}

func effort(m *ai.Model, level ai.ThinkingLevel) string {
	if name := m.ThinkingLevelMap[level]; name != nil && *name != "" {
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
