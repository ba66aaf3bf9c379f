package fakellm

import (
	"encoding/json"
	"net/http"
	"strings"
)

// chatRequest has the members of Chat Completions and of the dialect that
// Mistral made of it.
type chatRequest struct {
	Model    string        `json:"model"`
	Tools    []chatTool    `json:"tools"`
	Messages []chatMessage `json:"messages"`
	Stream   bool          `json:"stream"`

	Temperature          *float64        `json:"temperature"`
	MaxTokens            *int            `json:"max_tokens"`
	MaxCompletionTokens  *int            `json:"max_completion_tokens"`
	ReasoningEffort      string          `json:"reasoning_effort"`
	StreamOptions        json.RawMessage `json:"stream_options"`
	Store                *bool           `json:"store"`
	PromptCacheKey       string          `json:"prompt_cache_key"`
	PromptCacheRetention string          `json:"prompt_cache_retention"`
	ParallelToolCalls    *bool           `json:"parallel_tool_calls"`
}

type mistralRequest struct {
	Model    string        `json:"model"`
	Tools    []chatTool    `json:"tools"`
	Messages []chatMessage `json:"messages"`
	Stream   bool          `json:"stream"`

	Temperature       *float64 `json:"temperature"`
	MaxTokens         *int     `json:"max_tokens"`
	PromptMode        string   `json:"prompt_mode"`
	ReasoningEffort   string   `json:"reasoning_effort"`
	ParallelToolCalls *bool    `json:"parallel_tool_calls"`
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"function"`
}

type chatMessage struct {
	Role             string          `json:"role"`
	Content          json.RawMessage `json:"content"`
	Name             string          `json:"name"`
	ToolCallID       string          `json:"tool_call_id"`
	ReasoningContent string          `json:"reasoning_content"` // of many dialects
	Tools            []chatTool      `json:"tools"`             // of system messages of Kimi's
	ToolCalls        []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func parseChat(body []byte) (*prompt, string) {
	var r chatRequest
	problem := decode(body, &r)
	if json.Unmarshal(body, &r) != nil {
		return nil, problem
	}
	p, why := chatPrompt(r.Model, r.Tools, r.Messages, r.Stream)
	if problem == "" {
		problem = why
	}
	return p, problem
}

func parseMistral(body []byte) (*prompt, string) {
	var r mistralRequest
	problem := decode(body, &r)
	if json.Unmarshal(body, &r) != nil {
		return nil, problem
	}
	p, why := chatPrompt(r.Model, r.Tools, r.Messages, r.Stream)
	if problem == "" {
		problem = why
	}
	return p, problem
}

func chatPrompt(model string, tools []chatTool, messages []chatMessage, stream bool) (p *prompt, problem string) {
	p = &prompt{model: model}
	for _, t := range tools {
		if t.Type != "function" {
			problem = "tools: type must be function"
		}
		p.tools = append(p.tools, tool{t.Function.Name, t.Function.Parameters})
		raw, _ := json.Marshal(t) // of what was JSON
		p.add(raw)
	}
	for _, m := range messages {
		raw, _ := json.Marshal(m)
		p.add(raw)
		t := turn{role: m.Role}
		switch m.Role {
		case "developer":
			t.role = "system"
		case "system", "user", "assistant":
		case "tool":
			r := result{m.ToolCallID, m.Name}
			if n := len(p.turns); n > 0 && p.turns[n-1].role == "tool" {
				p.turns[n-1].results = append(p.turns[n-1].results, r)
				continue
			}
			p.turns = append(p.turns, turn{role: "tool", results: []result{r}})
			continue
		default:
			problem = "messages: unknown role " + m.Role
		}
		if t.role == "assistant" && len(m.ToolCalls) == 0 && (len(m.Content) == 0 || string(m.Content) == "null") {
			problem = "messages: an assistant message needs content or tool_calls"
		}
		if t.role == "system" && len(m.Tools) > 0 && len(m.Content) == 0 {
			continue
		}
		if t.role != "assistant" && len(m.Content) == 0 {
			problem = "messages: content is required"
		}
		for _, s := range texts(m.Content) {
			t.text += s + "\n"
		}
		if t.role == "user" && strings.TrimSpace(t.text) == "" && !strings.Contains(string(m.Content), "image_url") {
			t.blank = true
		}
		for _, c := range m.ToolCalls {
			if c.Type != "function" {
				problem = "messages: tool_calls.type must be function"
			}
			t.calls = append(t.calls, call{id: c.ID, name: c.Function.Name, args: c.Function.Arguments})
		}
		p.turns = append(p.turns, t)
	}
	switch {
	case problem != "":
	case model == "":
		problem = "model is required"
	case len(messages) == 0:
		problem = "messages is required"
	case !stream:
		problem = "stream: only streamed answers are simulated"
	}
	return p, problem
}

func refuseOpenAI(w http.ResponseWriter, f *failure) { refuse(w, f, openAIError(f)) }

func openAIError(f *failure) obj {
	kind, code, message := "invalid_request_error", any(nil), f.message
	switch {
	case f.overflow:
		code, message = "context_length_exceeded", "This model's maximum context length is 200000 tokens. However, your messages resulted in 210000 tokens."
	case f.status == 401:
		code = "invalid_api_key"
	case f.status == 429:
		kind, code = "requests", "rate_limit_exceeded"
	case f.status >= 500:
		kind = "server_error"
	}
	return obj{"error": obj{"message": message, "type": kind, "param": nil, "code": code}}
}

func refuseMistral(w http.ResponseWriter, f *failure) { refuse(w, f, mistralError(f)) }

func mistralError(f *failure) obj {
	kind, message := "invalid_request_error", f.message
	switch {
	case f.overflow:
		message = "Prompt contains 210000 tokens and 0 draft tokens, too large for model with 200000 maximum context length"
	case f.status == 429:
		kind, message = "rate_limited", "Rate limit exceeded"
	case f.status >= 500:
		kind, message = "unreachable_backend", "Service unavailable."
	}
	return obj{"object": "error", "message": message, "type": kind, "param": nil, "code": "1000"}
}

type chatWire struct {
	a       *answer
	mistral bool
	calls   int
}

func newChatWire(a *answer) wire {
	return &chatWire{a: a, mistral: a.proto.api == "mistral-conversations"}
}

func (w *chatWire) chunk(delta obj, finish any, more obj) {
	c := obj{"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 1764000000, "model": w.a.prompt.model,
		"choices": []any{obj{"index": 0, "delta": delta, "finish_reason": finish}}}
	for k, v := range more {
		c[k] = v
	}
	w.a.event("", c)
}

func (w *chatWire) start() { w.chunk(obj{"role": "assistant", "content": ""}, nil, nil) }

func (w *chatWire) think(delta string, _ bool) {
	if w.mistral {
		w.chunk(obj{"content": []any{obj{"type": "thinking", "thinking": []any{obj{"type": "text", "text": delta}}}}}, nil, nil)
		return
	}
	w.chunk(obj{"reasoning_content": delta}, nil, nil)
}

func (w *chatWire) thought(string) {}

func (w *chatWire) text(delta string, _ bool) { w.chunk(obj{"content": delta}, nil, nil) }

func (w *chatWire) said(string) {}

func (w *chatWire) call(c call, _ bool) {
	at := w.calls
	w.calls++
	parts := pieces(c.args)
	if w.mistral {
		parts = []string{c.args} // it sends calls whole
	}
	for n, piece := range parts {
		f := obj{"index": at, "function": obj{"arguments": piece}}
		if n == 0 {
			f["id"], f["type"], f["function"] = c.id, "function", obj{"name": c.name, "arguments": piece}
		}
		w.chunk(obj{"tool_calls": []any{f}}, nil, nil)
	}
}

func (w *chatWire) finish() {
	reason := "stop"
	if w.calls > 0 {
		reason = "tool_calls"
	} else if w.a.plan.cut {
		reason = "length"
	}
	usage := obj{"prompt_tokens": w.a.input, "completion_tokens": w.a.out, "total_tokens": w.a.input + w.a.out, "prompt_tokens_details": obj{"cached_tokens": w.a.cached}}
	if w.mistral {
		w.chunk(obj{"content": ""}, reason, obj{"usage": usage})
	} else {
		w.chunk(obj{}, reason, nil)
		w.a.event("", obj{"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 1764000000, "model": w.a.prompt.model, "choices": []any{}, "usage": usage})
	}
	_, _ = w.a.w.Write([]byte("data: [DONE]\n\n")) // the client may be gone
}

func (w *chatWire) fail(f *failure) {
	if w.mistral {
		w.a.event("", mistralError(f))
		return
	}
	w.a.event("", openAIError(f))
}
