package fakellm

import (
	"encoding/json"
	"net/http"
	"strings"
)

type anthropicRequest struct {
	Model  string          `json:"model"`
	System json.RawMessage `json:"system"`
	Tools  []struct {
		Name                string          `json:"name"`
		Description         string          `json:"description"`
		InputSchema         json.RawMessage `json:"input_schema"`
		EagerInputStreaming bool            `json:"eager_input_streaming"`
		Strict              bool            `json:"strict"`
		CacheControl        json.RawMessage `json:"cache_control"`
	} `json:"tools"`
	Messages []struct {
		Role         string          `json:"role"`
		Content      json.RawMessage `json:"content"`
		OutputConfig json.RawMessage `json:"output_config"`
	} `json:"messages"`
	Thinking *struct {
		Type         string `json:"type"`
		BudgetTokens int    `json:"budget_tokens"`
		Display      string `json:"display"`
		BlockBinding struct {
			PrefixMismatchBehavior string `json:"prefix_mismatch_behavior"`
		} `json:"block_binding"`
	} `json:"thinking"`
	OutputConfig *struct {
		Effort string `json:"effort"`
	} `json:"output_config"`
	Temperature *float64 `json:"temperature"`
	MaxTokens   int      `json:"max_tokens"`
	Stream      bool     `json:"stream"`
}

type anthropicBlock struct {
	Type         string          `json:"type"`
	Text         *string         `json:"text"`
	Thinking     *string         `json:"thinking"`
	Signature    string          `json:"signature"`
	Data         string          `json:"data"`
	Source       json.RawMessage `json:"source"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      json.RawMessage `json:"content"`
	IsError      bool            `json:"is_error"`
	CacheControl json.RawMessage `json:"cache_control"`
	Tool         *struct {
		Type       string          `json:"type"`
		Name       string          `json:"name"`
		Definition json.RawMessage `json:"definition"`
	} `json:"tool"`
}

func parseAnthropic(body []byte) (*prompt, string) {
	var r anthropicRequest
	problem := decode(body, &r)
	if json.Unmarshal(body, &r) != nil {
		return nil, problem
	}
	p := &prompt{model: r.Model, marks: strings.Contains(string(body), `"cache_control"`)}
	for _, t := range r.Tools {
		p.tools = append(p.tools, tool{t.Name, t.InputSchema})
		raw, _ := json.Marshal([]any{t.Name, t.Description, t.InputSchema})
		p.add(raw)
	}
	if len(r.System) > 0 {
		p.add(r.System)
		p.turns = append(p.turns, turn{role: "system", text: strings.Join(texts(r.System), "\n")})
	}
	for i, m := range r.Messages {
		p.add(m.Content)
		var blocks []anthropicBlock
		var plain string
		if json.Unmarshal(m.Content, &plain) == nil {
			blocks = []anthropicBlock{{Type: "text", Text: &plain}}
		} else if why := decode(m.Content, &blocks); why != "" {
			problem = why
		}
		if problem == "" && i > 0 && r.Messages[i-1].Role == m.Role {
			problem = "messages: roles must alternate between user and assistant"
		}
		if m.Role == "system" {
			// Directly after the user's turn, before an answer or at the end.
			after := i > 0 && r.Messages[i-1].Role == "user"
			before := i+1 == len(r.Messages) || r.Messages[i+1].Role == "assistant"
			if why := midway(blocks, len(m.OutputConfig) > 0, after && before); why != "" && problem == "" {
				problem = why
			}
			continue
		}
		if problem == "" && len(blocks) == 0 {
			problem = "messages: content must not be empty"
		}
		if problem == "" && len(m.OutputConfig) > 0 {
			problem = "messages: output_config is for system messages"
		}
		why := p.addBlocks(m.Role, blocks)
		if problem == "" {
			problem = why
		}
	}
	switch {
	case problem != "":
	case r.Model == "":
		problem = "model: Field required"
	case r.MaxTokens <= 0:
		problem = "max_tokens: Field required"
	case !r.Stream:
		problem = "stream: only streamed answers are simulated"
	case r.Thinking != nil && r.Thinking.Type == "enabled":
		problem = r.checkBudget(p)
	}
	return p, problem
}

// midway checks a system message among the others.
func midway(blocks []anthropicBlock, configured, placed bool) string {
	if !placed {
		return "messages: a system message must follow a user turn and come before an answer or last"
	}
	if len(blocks) == 0 && !configured {
		return "messages: a system message needs content or output_config"
	}
	for _, b := range blocks {
		switch {
		case b.Type == "text" && b.Text != nil && *b.Text != "":
		case b.Type == "tool_removal" && b.Tool != nil && b.Tool.Type == "tool_reference" && b.Tool.Name != "":
		case b.Type == "tool_addition" && b.Tool != nil && b.Tool.Type == "tool_definition" && json.Valid(b.Tool.Definition):
		default:
			return "messages: a system message cannot have a block of type " + b.Type + " as it is"
		}
	}
	return ""
}

// checkBudget holds the rules of thinking with a budget of tokens.
func (r *anthropicRequest) checkBudget(p *prompt) string {
	switch {
	case r.Thinking.BudgetTokens < 1024 || r.Thinking.BudgetTokens >= r.MaxTokens:
		return "thinking.budget_tokens must be at least 1024 and less than max_tokens"
	case r.Temperature != nil && *r.Temperature != 1:
		return "`temperature` may only be set to 1 when thinking is enabled."
	}
	if n := len(p.turns); n > 1 && p.turns[n-1].role == "tool" && p.turns[n-2].role == "assistant" && len(p.turns[n-2].thoughts) == 0 {
		return "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block."
	}
	return ""
}

func (p *prompt) addBlocks(role string, blocks []anthropicBlock) (problem string) {
	t, results := turn{role: role}, turn{role: "tool"}
	for n, b := range blocks {
		switch b.Type {
		case "text":
			if b.Text == nil || strings.TrimSpace(*b.Text) == "" {
				t.blank = true
				continue
			}
			t.text += *b.Text + "\n"
		case "image":
			t.images++
		case "thinking":
			if b.Thinking == nil {
				return "thinking: Field required"
			}
			t.thoughts = append(t.thoughts, thought{*b.Thinking, b.Signature})
		case "redacted_thinking":
		case "tool_use":
			t.calls = append(t.calls, call{id: b.ID, name: b.Name, args: string(b.Input)})
		case "tool_result":
			if role != "user" || t.text != "" || n > len(results.results) {
				return "messages: tool_result blocks must come first in a user message"
			}
			results.results = append(results.results, result{id: b.ToolUseID})
		default:
			return "messages: unknown block type " + b.Type
		}
	}
	if len(results.results) > 0 {
		p.turns = append(p.turns, results)
		if t.text == "" && t.images == 0 {
			return ""
		}
	}
	p.turns = append(p.turns, t)
	return ""
}

func refuseAnthropic(w http.ResponseWriter, f *failure) { refuse(w, f, anthropicError(f)) }

func anthropicError(f *failure) obj {
	kind, message := "invalid_request_error", f.message
	switch f.status {
	case 401:
		kind = "authentication_error"
	case 403:
		kind = "permission_error"
	case 404:
		kind = "not_found_error"
	case 429:
		kind = "rate_limit_error"
	case 529:
		kind, message = "overloaded_error", "Overloaded"
	case 500, 502, 503, 504:
		kind = "api_error"
	}
	if f.overflow {
		message = "prompt is too long: 210000 tokens > 200000 maximum"
	}
	return obj{"type": "error", "error": obj{"type": kind, "message": message}, "request_id": "req_fake"}
}

type anthropicWire struct {
	a     *answer
	index int
}

func newAnthropicWire(a *answer) wire { return &anthropicWire{a: a} }

func (w *anthropicWire) usage(out int) obj {
	cached, made := 0, 0
	if w.a.prompt.marks { // which is what asks for a cache
		cached, made = w.a.cached, w.a.input-w.a.cached
	}
	return obj{"input_tokens": w.a.input - cached - made, "cache_read_input_tokens": cached, "cache_creation_input_tokens": made, "output_tokens": out}
}

func (w *anthropicWire) start() {
	w.a.event("message_start", obj{"type": "message_start", "message": obj{"id": "msg_fake", "type": "message", "role": "assistant",
		"model": w.a.prompt.model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": w.usage(1)}})
	w.a.event("ping", obj{"type": "ping"})
}

func (w *anthropicWire) open(block obj) {
	w.a.event("content_block_start", obj{"type": "content_block_start", "index": w.index, "content_block": block})
}

func (w *anthropicWire) delta(d obj) {
	w.a.event("content_block_delta", obj{"type": "content_block_delta", "index": w.index, "delta": d})
}

func (w *anthropicWire) close() {
	w.a.event("content_block_stop", obj{"type": "content_block_stop", "index": w.index})
	w.index++
}

func (w *anthropicWire) think(delta string, first bool) {
	if first {
		w.open(obj{"type": "thinking", "thinking": "", "signature": ""})
	}
	w.delta(obj{"type": "thinking_delta", "thinking": delta})
}

func (w *anthropicWire) thought(whole string) {
	w.delta(obj{"type": "signature_delta", "signature": sign(w.a.proto.api, whole)})
	w.close()
}

func (w *anthropicWire) text(delta string, first bool) {
	if first {
		w.open(obj{"type": "text", "text": ""})
	}
	w.delta(obj{"type": "text_delta", "text": delta})
}

func (w *anthropicWire) said(string) { w.close() }

func (w *anthropicWire) call(c call, _ bool) {
	w.open(obj{"type": "tool_use", "id": c.id, "name": c.name, "input": obj{}})
	for _, piece := range pieces(c.args) {
		w.delta(obj{"type": "input_json_delta", "partial_json": piece})
	}
	w.close()
}

func (w *anthropicWire) finish() {
	reason := "end_turn"
	if len(w.a.plan.calls) > 0 {
		reason = "tool_use"
	} else if w.a.plan.cut {
		reason = "max_tokens"
	}
	w.a.event("message_delta", obj{"type": "message_delta", "delta": obj{"stop_reason": reason, "stop_sequence": nil}, "usage": w.usage(w.a.out)})
	w.a.event("message_stop", obj{"type": "message_stop"})
}

func (w *anthropicWire) fail(f *failure) { w.a.event("error", anthropicError(f)) }

// pieces cuts arguments as models stream them.
func pieces(s string) []string {
	const size = 12
	var out []string
	for len(s) > size {
		at := size
		for at < len(s) && s[at]&0xc0 == 0x80 {
			at++ // not within a character
		}
		out, s = append(out, s[:at]), s[at:]
	}
	return append(out, s)
}
