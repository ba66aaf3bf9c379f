package fakellm

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
)

type bedrockRequest struct {
	System   []bedrockBlock `json:"system"`
	Messages []struct {
		Role    string         `json:"role"`
		Content []bedrockBlock `json:"content"`
	} `json:"messages"`
	Tools *struct {
		Tools []struct {
			Spec *struct {
				Name        string `json:"name"`
				Description string `json:"description"`
				Strict      *bool  `json:"strict"`
				InputSchema struct {
					JSON json.RawMessage `json:"json"`
				} `json:"inputSchema"`
			} `json:"toolSpec"`
			CachePoint *bedrockPoint `json:"cachePoint"`
		} `json:"tools"`
	} `json:"toolConfig"`
	Inference *struct {
		MaxTokens   *int     `json:"maxTokens"`
		Temperature *float64 `json:"temperature"`
	} `json:"inferenceConfig"`
	Additional json.RawMessage `json:"additionalModelRequestFields"`
}

type bedrockPoint struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

type bedrockBlock struct {
	Text  *string `json:"text"`
	Image *struct {
		Format string `json:"format"`
		Source struct {
			Bytes string `json:"bytes"`
		} `json:"source"`
	} `json:"image"`
	ToolUse *struct {
		ID    string          `json:"toolUseId"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	} `json:"toolUse"`
	ToolResult *struct {
		ID      string         `json:"toolUseId"`
		Content []bedrockBlock `json:"content"`
		Status  string         `json:"status"`
	} `json:"toolResult"`
	Reasoning *struct {
		Text *struct {
			Text      string `json:"text"`
			Signature string `json:"signature"`
		} `json:"reasoningText"`
		Redacted string `json:"redactedContent"`
	} `json:"reasoningContent"`
	CachePoint *bedrockPoint `json:"cachePoint"`
}

func parseBedrock(body []byte) (*prompt, string) {
	var r bedrockRequest
	problem := decode(body, &r)
	if json.Unmarshal(body, &r) != nil {
		return nil, problem
	}
	p := &prompt{marks: strings.Contains(string(body), `"cachePoint"`)}
	if r.Tools != nil {
		if len(r.Tools.Tools) == 0 {
			problem = "toolConfig.tools must not be empty"
		}
		for _, t := range r.Tools.Tools {
			if t.Spec == nil {
				continue // a cache point
			}
			p.tools = append(p.tools, tool{t.Spec.Name, t.Spec.InputSchema.JSON})
			raw, _ := json.Marshal(t.Spec) // of what was JSON
			p.add(raw)
		}
	}
	for _, b := range r.System {
		if b.Text != nil {
			p.add([]byte(*b.Text))
			p.turns = append(p.turns, turn{role: "system", text: *b.Text, blank: strings.TrimSpace(*b.Text) == ""})
		}
	}
	for i, m := range r.Messages {
		if i > 0 && r.Messages[i-1].Role == m.Role {
			problem = "A conversation must alternate between user and assistant roles."
		}
		if len(m.Content) == 0 {
			problem = "The content field in the Message object is empty."
		}
		t, results := turn{role: m.Role}, turn{role: "tool"}
		for _, b := range m.Content {
			if b.CachePoint == nil {
				raw, _ := json.Marshal(b)
				p.add(raw)
			}
			switch {
			case b.Text != nil:
				t.text += *b.Text + "\n"
				t.blank = t.blank || strings.TrimSpace(*b.Text) == ""
			case b.Image != nil:
				t.images++
			case b.ToolUse != nil:
				t.calls = append(t.calls, call{id: b.ToolUse.ID, name: b.ToolUse.Name, args: string(b.ToolUse.Input)})
			case b.ToolResult != nil:
				if len(b.ToolResult.Content) == 0 {
					problem = "The content field of a toolResult is empty."
				}
				results.results = append(results.results, result{id: b.ToolResult.ID})
			case b.Reasoning != nil && b.Reasoning.Text != nil:
				t.thoughts = append(t.thoughts, thought{b.Reasoning.Text.Text, b.Reasoning.Text.Signature})
			case b.CachePoint == nil && b.Reasoning == nil:
				problem = "A content block has no member that is known."
			}
		}
		if len(results.results) > 0 {
			p.turns = append(p.turns, results)
			if t.text == "" && t.images == 0 {
				continue
			}
		}
		p.turns = append(p.turns, t)
	}
	if len(r.Messages) == 0 && problem == "" {
		problem = "messages is required"
	}
	return p, problem
}

func refuseBedrock(w http.ResponseWriter, f *failure) {
	name, message := bedrockName(f)
	w.Header().Set("X-Amzn-ErrorType", strings.ToUpper(name[:1])+name[1:])
	refuse(w, f, obj{"message": message})
}

func bedrockName(f *failure) (name, message string) {
	message = f.message
	switch {
	case f.overflow:
		return "validationException", "The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum"
	case f.status == 403:
		return "accessDeniedException", message
	case f.status == 404:
		return "resourceNotFoundException", message
	case f.status == 429:
		return "throttlingException", "Too many requests, please wait before trying again."
	case f.status == 503:
		return "serviceUnavailableException", message
	case f.status >= 500:
		return "internalServerException", message
	}
	return "validationException", message
}

type bedrockWire struct {
	a     *answer
	index int
}

func newBedrockWire(a *answer) wire {
	a.w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
	return &bedrockWire{a: a}
}

func (w *bedrockWire) frame(message, kind, name string, v obj) {
	const filling = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if message == "event" {
		v["p"] = filling[:1+w.a.sent%len(filling)]
	}
	payload, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	h := eventstream.Headers{}
	h.Set(kind, eventstream.StringValue(name))
	h.Set(":content-type", eventstream.StringValue("application/json"))
	h.Set(":message-type", eventstream.StringValue(message))
	_ = eventstream.NewEncoder().Encode(w.a.w, eventstream.Message{Headers: h, Payload: payload}) // the client may be gone
}

func (w *bedrockWire) event(name string, v obj) { w.frame("event", ":event-type", name, v) }

func (w *bedrockWire) delta(d obj) {
	w.event("contentBlockDelta", obj{"contentBlockIndex": w.index, "delta": d})
}

func (w *bedrockWire) close() {
	w.event("contentBlockStop", obj{"contentBlockIndex": w.index})
	w.index++
}

func (w *bedrockWire) start() { w.event("messageStart", obj{"role": "assistant"}) }

func (w *bedrockWire) think(delta string, _ bool) {
	w.delta(obj{"reasoningContent": obj{"text": delta}})
}

func (w *bedrockWire) thought(whole string) {
	w.delta(obj{"reasoningContent": obj{"signature": sign(w.a.proto.api, whole)}})
	w.close()
}

func (w *bedrockWire) text(delta string, _ bool) { w.delta(obj{"text": delta}) }

func (w *bedrockWire) said(string) { w.close() }

func (w *bedrockWire) call(c call, _ bool) {
	w.event("contentBlockStart", obj{"contentBlockIndex": w.index, "start": obj{"toolUse": obj{"toolUseId": c.id, "name": c.name}}})
	for _, piece := range pieces(c.args) {
		w.delta(obj{"toolUse": obj{"input": piece}})
	}
	w.close()
}

func (w *bedrockWire) finish() {
	reason := "end_turn"
	if len(w.a.plan.calls) > 0 {
		reason = "tool_use"
	} else if w.a.plan.cut {
		reason = "max_tokens"
	}
	cached, made := 0, 0
	if w.a.prompt.marks { // which is what asks for a cache
		cached, made = w.a.cached, w.a.input-w.a.cached
	}
	w.event("messageStop", obj{"stopReason": reason})
	w.event("metadata", obj{"metrics": obj{"latencyMs": 1}, "usage": obj{"inputTokens": w.a.input - cached - made, "cacheReadInputTokens": cached,
		"cacheWriteInputTokens": made, "outputTokens": w.a.out, "totalTokens": w.a.input + w.a.out}})
}

func (w *bedrockWire) fail(f *failure) {
	name, message := bedrockName(f)
	w.frame("exception", ":exception-type", name, obj{"message": message})
}
