package fakellm

import (
	"encoding/json"
	"strings"
)

type responsesRequest struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions"`
	Input        json.RawMessage `json:"input"`
	Tools        []responsesTool `json:"tools"`
	Reasoning    *struct {
		Effort  string `json:"effort"`
		Summary string `json:"summary"`
	} `json:"reasoning"`
	Include              []string `json:"include"`
	PromptCacheKey       string   `json:"prompt_cache_key"`
	PromptCacheRetention string   `json:"prompt_cache_retention"`
	PromptCacheOptions   *struct {
		Mode string `json:"mode"`
		TTL  string `json:"ttl"`
	} `json:"prompt_cache_options"`
	Temperature       *float64 `json:"temperature"`
	MaxOutputTokens   *int     `json:"max_output_tokens"`
	Store             *bool    `json:"store"`
	Stream            bool     `json:"stream"`
	ParallelToolCalls *bool    `json:"parallel_tool_calls"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
	Format      json.RawMessage `json:"format"`
}

type responsesItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Status    string          `json:"status"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Phase     string          `json:"phase"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // a string, but for tool searches
	Input     string          `json:"input"`
	Execution string          `json:"execution"`
	Tools     []responsesTool `json:"tools"`
	Reasoning *struct {
		Effort string `json:"effort"`
	} `json:"reasoning"`
	Output           json.RawMessage `json:"output"`
	EncryptedContent string          `json:"encrypted_content"`
	Summary          []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"summary"`
}

func parseResponses(body []byte) (*prompt, string) {
	var r responsesRequest
	problem := decode(body, &r)
	if json.Unmarshal(body, &r) != nil {
		return nil, problem
	}
	p := &prompt{model: r.Model}
	for _, t := range r.Tools {
		p.tools = append(p.tools, tool{t.Name, t.Parameters})
		raw, _ := json.Marshal(t) // of what was JSON
		p.add(raw)
	}
	var list []json.RawMessage
	var plain string
	if json.Unmarshal(r.Input, &plain) == nil {
		p.turns = append(p.turns, turn{role: "user", text: plain})
	} else if json.Unmarshal(r.Input, &list) != nil && problem == "" {
		problem = "input is required"
	}
	for _, raw := range list {
		p.add(raw)
		var it responsesItem
		if why := decode(raw, &it); why != "" && problem == "" {
			problem = "input: " + why
		}
		if why := p.addItem(&it); why != "" && problem == "" {
			problem = "input: " + why
		}
	}
	switch {
	case problem != "":
	case r.Model == "":
		problem = "Missing required parameter: 'model'."
	case !r.Stream:
		problem = "stream: only streamed answers are simulated"
	case r.MaxOutputTokens != nil && *r.MaxOutputTokens < 16:
		problem = "Invalid 'max_output_tokens': integer below minimum value."
	case r.Store != nil && !*r.Store && r.Reasoning != nil && r.Reasoning.Effort != "none" && !strings.Contains(strings.Join(r.Include, " "), "reasoning.encrypted_content"):
		problem = "reasoning without storage needs include reasoning.encrypted_content"
	}
	return p, problem
}

// addItem adds an item. Items of an answer are a turn together.
func (p *prompt) addItem(it *responsesItem) string {
	last := func(role string) *turn {
		if n := len(p.turns); n == 0 || p.turns[n-1].role != role {
			p.turns = append(p.turns, turn{role: role})
		}
		return &p.turns[len(p.turns)-1]
	}
	switch it.Type {
	case "message", "":
		role := it.Role
		if role == "developer" {
			role = "system"
		}
		text := strings.Join(texts(it.Content), "\n")
		if role == "assistant" {
			last(role).text += text
			return ""
		}
		if role != "user" && role != "system" {
			return "unknown role " + role
		}
		p.turns = append(p.turns, turn{role: role, text: text, blank: text == "" && !strings.Contains(string(it.Content), "input_image")})
	case "reasoning":
		if it.ID == "" || it.Summary == nil {
			return "reasoning: id and summary are required"
		}
		text := ""
		for _, s := range it.Summary {
			text += s.Text
		}
		t := last("assistant")
		t.thoughts = append(t.thoughts, thought{text, it.EncryptedContent})
	case "function_call":
		t := last("assistant")
		var args string
		if json.Unmarshal(it.Arguments, &args) != nil {
			return "function_call: arguments must be a string"
		}
		t.calls = append(t.calls, call{id: it.CallID, name: it.Name, args: args})
	case "custom_tool_call":
		t := last("assistant")
		t.calls = append(t.calls, call{id: it.CallID, name: it.Name, args: "{}"})
	case "additional_tools":
		if it.Role != "developer" || len(it.Tools) == 0 {
			return "additional_tools: role must be developer, and tools are required"
		}
	case "tool_search_call", "tool_search_output":
		if it.Execution != "client" || it.CallID == "" || it.Type == "tool_search_output" && len(it.Tools) == 0 {
			return it.Type + ": call_id, execution and tools are required"
		}
	case "configuration_update":
		if it.Reasoning == nil || it.Reasoning.Effort == "" {
			return "configuration_update: reasoning.effort is required"
		}
	case "function_call_output", "custom_tool_call_output":
		if len(it.Output) == 0 {
			return "function_call_output: output is required"
		}
		t := last("tool")
		t.results = append(t.results, result{id: it.CallID})
	default:
		return "unknown item type " + it.Type
	}
	return ""
}

type responsesWire struct {
	a      *answer
	index  int
	number int
}

func newResponsesWire(a *answer) wire { return &responsesWire{a: a} }

func (w *responsesWire) send(kind string, v obj) {
	v["type"], v["sequence_number"] = kind, w.number
	w.number++
	w.a.event(kind, v)
}

func (w *responsesWire) response(status string) obj {
	return obj{"id": "resp_fake", "object": "response", "created_at": 1764000000, "status": status, "model": w.a.prompt.model, "output": []any{}}
}

func (w *responsesWire) start() {
	w.send("response.created", obj{"response": w.response("in_progress")})
	w.send("response.in_progress", obj{"response": w.response("in_progress")})
}

func (w *responsesWire) item(kind string, it obj) {
	w.send("response.output_item."+kind, obj{"output_index": w.index, "item": it})
	if kind == "done" {
		w.index++
	}
}

func (w *responsesWire) think(delta string, first bool) {
	if first {
		w.item("added", obj{"id": "rs_fake", "type": "reasoning", "summary": []any{}})
		w.send("response.reasoning_summary_part.added", obj{"item_id": "rs_fake", "output_index": w.index, "summary_index": 0, "part": obj{"type": "summary_text", "text": ""}})
	}
	w.send("response.reasoning_summary_text.delta", obj{"item_id": "rs_fake", "output_index": w.index, "summary_index": 0, "delta": delta})
}

func (w *responsesWire) thought(whole string) {
	w.send("response.reasoning_summary_text.done", obj{"item_id": "rs_fake", "output_index": w.index, "summary_index": 0, "text": whole})
	w.item("done", obj{"id": "rs_fake", "type": "reasoning", "summary": []any{obj{"type": "summary_text", "text": whole}}, "encrypted_content": sign(w.a.proto.api, whole)})
}

func (w *responsesWire) text(delta string, first bool) {
	if first {
		w.item("added", obj{"id": "msg_fake", "type": "message", "role": "assistant", "status": "in_progress", "content": []any{}})
		w.send("response.content_part.added", obj{"item_id": "msg_fake", "output_index": w.index, "content_index": 0, "part": obj{"type": "output_text", "text": ""}})
	}
	w.send("response.output_text.delta", obj{"item_id": "msg_fake", "output_index": w.index, "content_index": 0, "delta": delta})
}

func (w *responsesWire) said(whole string) {
	w.send("response.output_text.done", obj{"item_id": "msg_fake", "output_index": w.index, "content_index": 0, "text": whole})
	w.item("done", obj{"id": "msg_fake", "type": "message", "role": "assistant", "status": "completed", "content": []any{obj{"type": "output_text", "text": whole}}})
}

func (w *responsesWire) call(c call, _ bool) {
	it := obj{"id": "fc_" + c.id, "type": "function_call", "status": "in_progress", "call_id": c.id, "name": c.name, "arguments": ""}
	w.item("added", it)
	for _, piece := range pieces(c.args) {
		w.send("response.function_call_arguments.delta", obj{"item_id": it["id"], "output_index": w.index, "delta": piece})
	}
	w.send("response.function_call_arguments.done", obj{"item_id": it["id"], "output_index": w.index, "arguments": c.args})
	it["status"], it["arguments"] = "completed", c.args
	w.item("done", it)
}

func (w *responsesWire) finish() {
	kind, r := "response.completed", w.response("completed")
	if w.a.plan.cut {
		kind, r = "response.incomplete", w.response("incomplete")
		r["incomplete_details"] = obj{"reason": "max_output_tokens"}
	}
	r["usage"] = obj{"input_tokens": w.a.input, "output_tokens": w.a.out, "total_tokens": w.a.input + w.a.out,
		"input_tokens_details": obj{"cached_tokens": w.a.cached}, "output_tokens_details": obj{"reasoning_tokens": len(w.a.plan.thoughts)}}
	w.send(kind, obj{"response": r})
}

func (w *responsesWire) fail(f *failure) {
	r := w.response("failed")
	code := "server_error"
	if f.status == 429 {
		code = "rate_limit_exceeded"
	}
	r["error"] = obj{"code": code, "message": f.message}
	w.send("response.failed", obj{"response": r})
}
