package fakellm

import (
	"encoding/json"
	"net/http"
	"strings"
)

type googleRequest struct {
	System *googleContent `json:"systemInstruction"`
	Tools  []struct {
		Declarations []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parametersJsonSchema"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
	Contents   []googleContent `json:"contents"`
	Generation *struct {
		Temperature     *float64 `json:"temperature"`
		MaxOutputTokens int      `json:"maxOutputTokens"`
		Thinking        *struct {
			IncludeThoughts bool   `json:"includeThoughts"`
			Budget          *int   `json:"thinkingBudget"`
			Level           string `json:"thinkingLevel"`
		} `json:"thinkingConfig"`
	} `json:"generationConfig"`
}

type googleContent struct {
	Role  string       `json:"role"`
	Parts []googlePart `json:"parts"`
}

type googlePart struct {
	Text       *string `json:"text"`
	InlineData *struct {
		MimeType string `json:"mimeType"`
		Data     string `json:"data"`
	} `json:"inlineData"`
	FunctionCall *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	FunctionResponse *struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
		Parts    []googlePart    `json:"parts"`
	} `json:"functionResponse"`
	Thought          bool   `json:"thought"`
	ThoughtSignature string `json:"thoughtSignature"`
}

func parseGoogle(body []byte) (*prompt, string) {
	var r googleRequest
	problem := decode(body, &r)
	if json.Unmarshal(body, &r) != nil {
		return nil, problem
	}
	p := &prompt{}
	if r.System != nil {
		raw, _ := json.Marshal(r.System) // of what was JSON
		p.add(raw)
	}
	for _, t := range r.Tools {
		for _, d := range t.Declarations {
			p.tools = append(p.tools, tool{d.Name, d.Parameters})
			raw, _ := json.Marshal(d)
			p.add(raw)
		}
	}
	for _, c := range r.Contents {
		raw, _ := json.Marshal(c)
		p.add(raw)
		t, results := turn{role: "user"}, turn{role: "tool"}
		switch c.Role {
		case "user":
		case "model":
			t.role = "assistant"
		default:
			problem = "Please use a valid role: user, model."
		}
		if len(c.Parts) == 0 {
			problem = "contents.parts must not be empty."
		}
		for _, part := range c.Parts {
			set := 0
			if part.Text != nil {
				set++
				if part.Thought {
					t.thoughts = append(t.thoughts, thought{*part.Text, part.ThoughtSignature})
				} else {
					t.text += *part.Text + "\n"
					t.blank = t.blank || *part.Text == ""
				}
			}
			if part.InlineData != nil {
				set++
				t.images++
			}
			if f := part.FunctionCall; f != nil {
				set++
				t.calls = append(t.calls, call{id: f.ID, name: f.Name, args: string(f.Args), signature: part.ThoughtSignature})
			}
			if f := part.FunctionResponse; f != nil {
				set++
				if len(f.Response) == 0 || f.Response[0] != '{' {
					problem = "function_response.response must be an object."
				}
				results.results = append(results.results, result{f.ID, f.Name})
			}
			if set != 1 {
				problem = "part: exactly one of its data members must be set."
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
	if g := r.Generation; problem == "" && g != nil && g.Thinking != nil && g.Thinking.Budget != nil && g.Thinking.Level != "" {
		problem = "thinking_budget and thinking_level cannot both be set."
	}
	return p, problem
}

func refuseGoogle(w http.ResponseWriter, f *failure) { refuse(w, f, googleError(f)) }

func googleError(f *failure) obj {
	status, message := "INVALID_ARGUMENT", f.message
	switch {
	case f.overflow:
		message = "The input token count (210000) exceeds the maximum number of tokens allowed (200000)."
	case f.status == 401:
		status = "UNAUTHENTICATED"
	case f.status == 403:
		status = "PERMISSION_DENIED"
	case f.status == 404:
		status = "NOT_FOUND"
	case f.status == 429:
		status = "RESOURCE_EXHAUSTED"
	case f.status == 503:
		status = "UNAVAILABLE"
	case f.status >= 500:
		status = "INTERNAL"
	}
	e := obj{"code": f.status, "message": message, "status": status}
	if f.retryAfter != "" {
		e["details"] = []any{obj{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f.retryAfter + "s"}}
	}
	return obj{"error": e}
}

type googleWire struct{ a *answer }

func newGoogleWire(a *answer) wire { return &googleWire{a} }

func (w *googleWire) chunk(finish string, parts ...obj) {
	candidate := obj{"index": 0}
	if len(parts) > 0 {
		candidate["content"] = obj{"role": "model", "parts": parts}
	}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	thoughts := min(w.a.out, len(w.a.plan.thoughts))
	w.a.event("", obj{"candidates": []any{candidate}, "modelVersion": "fake", "responseId": "fake", "usageMetadata": obj{
		"promptTokenCount": w.a.input, "cachedContentTokenCount": w.a.cached, "candidatesTokenCount": w.a.out - thoughts,
		"thoughtsTokenCount": thoughts, "totalTokenCount": w.a.input + w.a.out}})
}

func (w *googleWire) start() {}

func (w *googleWire) think(delta string, _ bool) { w.chunk("", obj{"text": delta, "thought": true}) }

func (w *googleWire) thought(string) {}

func (w *googleWire) text(delta string, _ bool) { w.chunk("", obj{"text": delta}) }

func (w *googleWire) said(whole string) {
	if len(w.a.plan.calls) == 0 {
		w.chunk("", obj{"text": "", "thoughtSignature": sign(w.a.proto.api, strings.TrimSpace(whole))})
	}
}

func (w *googleWire) call(c call, _ bool) {
	part := obj{"functionCall": obj{"name": c.name, "args": json.RawMessage(c.args)}}
	if c.name == w.a.plan.calls[0].name { // of a batch only the first is signed
		part["thoughtSignature"] = sign(w.a.proto.api, c.name)
	}
	w.chunk("", part)
}

func (w *googleWire) finish() {
	if w.a.plan.cut {
		w.chunk("MAX_TOKENS")
		return
	}
	w.chunk("STOP")
}

func (w *googleWire) fail(f *failure) { w.a.event("", googleError(f)) }
