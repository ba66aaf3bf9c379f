package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// provider is a small stand-in for a model behind both protocols. What it
// answers depends on the newest user text alone:
//
//	calls N: asks for N shell calls, four at a time, then ends
//	hang: begins an answer and never ends it
//	anything else: is repeated
type provider struct {
	*httptest.Server
	mu       sync.Mutex
	requests []request
}

// request is what a conversation looked like when it was sent, in either
// protocol: "user:text", "assistant:n calls", "results:n".
type request struct {
	api   string
	turns []string
}

func newProvider(t *testing.T) *provider {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

// config returns a models.json with one model for each protocol.
func (p *provider) config() string {
	return fmt.Sprintf(`{"providers":{
"a":{"baseUrl":%q,"api":"anthropic-messages","apiKey":"k","models":[{"id":"m","contextWindow":1000000}]},
"o":{"baseUrl":%q,"api":"openai-completions","apiKey":"k","models":[{"id":"m","contextWindow":1000000}]}}}`, p.URL, p.URL+"/v1")
}

func (p *provider) sent() []request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]request(nil), p.requests...)
}

type wireMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []any           `json:"tool_calls"`
}

func (m wireMessage) parts() (text string, calls, results int) {
	if json.Unmarshal(m.Content, &text) == nil {
		return text, len(m.ToolCalls), 0
	}
	var blocks []struct {
		Type, Text string
	}
	_ = json.Unmarshal(m.Content, &blocks)
	for _, b := range blocks {
		switch b.Type {
		case "text":
			text = strings.TrimSpace(text + " " + b.Text)
		case "tool_use":
			calls++
		case "tool_result":
			results++
		}
	}
	return text, calls + len(m.ToolCalls), results
}

func (p *provider) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var req struct {
		Messages []wireMessage `json:"messages"`
	}
	_ = json.Unmarshal(body, &req)
	rec := request{api: "openai"}
	if strings.HasSuffix(r.URL.Path, "/messages") {
		rec.api = "anthropic"
	}
	newest, done := "", 0
	for _, m := range req.Messages {
		text, calls, results := m.parts()
		switch {
		case m.Role == "tool":
			done++
			rec.turns = append(rec.turns, "results:1")
		case results > 0:
			done += results
			rec.turns = append(rec.turns, fmt.Sprintf("results:%d", results))
		case m.Role == "assistant" && calls > 0:
			rec.turns = append(rec.turns, fmt.Sprintf("assistant:%d calls", calls))
		case m.Role == "assistant":
			rec.turns = append(rec.turns, "assistant:"+text)
		case m.Role != "user":
			continue
		}
		// A steering message may share its message with the results before it.
		if m.Role == "user" && text != "" {
			rec.turns = append(rec.turns, "user:"+text)
			if strings.HasPrefix(text, "calls ") || newest == "" || !strings.HasPrefix(newest, "calls ") {
				newest, done = text, 0
			}
		}
	}
	p.mu.Lock()
	p.requests = append(p.requests, rec)
	p.mu.Unlock()

	w.Header().Set("Content-Type", "text/event-stream")
	var total int
	if n, _ := fmt.Sscanf(newest, "calls %d", &total); n == 1 && done < total {
		var cmds []string
		for i := done; i < min(total, done+4); i++ {
			cmds = append(cmds, fmt.Sprintf("sleep 0.1; echo call-%d", i))
		}
		stream(w, rec.api, "", cmds)
		return
	}
	last := rec.turns[len(rec.turns)-1]
	if strings.HasSuffix(last, "hang") {
		stream(w, rec.api, "half an answer", nil, "hang")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	}
	if strings.HasPrefix(last, "results:") {
		last = "done: " + newest
	}
	stream(w, rec.api, strings.Replace(last, "user:", "heard: ", 1), nil)
}

// stream writes an answer in the form of the protocol.
func stream(w io.Writer, api, text string, cmds []string, open ...string) {
	send := func(event string, v any) {
		b, _ := json.Marshal(v)
		if api == "anthropic" {
			fmt.Fprintf(w, "event: %s\n", event)
		}
		fmt.Fprintf(w, "data: %s\n\n", b)
	}
	type m = map[string]any
	if api == "openai" {
		chunk := func(delta m, finish any) {
			send("", m{"id": "x", "model": "m", "choices": []m{{"index": 0, "delta": delta, "finish_reason": finish}}})
		}
		if text != "" {
			chunk(m{"content": text}, nil)
		}
		if len(open) > 0 {
			return
		}
		for i, c := range cmds {
			args, _ := json.Marshal(m{"command": c})
			chunk(m{"tool_calls": []m{{"index": i, "id": "call_" + c[len(c)-2:] + fmt.Sprint(i), "function": m{"name": "bash", "arguments": string(args)}}}}, nil)
		}
		finish := "stop"
		if len(cmds) > 0 {
			finish = "tool_calls"
		}
		chunk(m{}, finish)
		fmt.Fprint(w, "data: [DONE]\n\n")
		return
	}
	send("message_start", m{"type": "message_start", "message": m{"id": "x", "model": "m", "usage": m{"input_tokens": 10, "output_tokens": 1}}})
	i := 0
	if text != "" {
		send("content_block_start", m{"type": "content_block_start", "index": i, "content_block": m{"type": "text", "text": ""}})
		send("content_block_delta", m{"type": "content_block_delta", "index": i, "delta": m{"type": "text_delta", "text": text}})
		if len(open) > 0 {
			return
		}
		send("content_block_stop", m{"type": "content_block_stop", "index": i})
		i++
	}
	for _, c := range cmds {
		args, _ := json.Marshal(m{"command": c})
		send("content_block_start", m{"type": "content_block_start", "index": i, "content_block": m{"type": "tool_use", "id": fmt.Sprintf("toolu_%s_%d", c[len(c)-2:], i), "name": "bash", "input": m{}}})
		send("content_block_delta", m{"type": "content_block_delta", "index": i, "delta": m{"type": "input_json_delta", "partial_json": string(args)}})
		send("content_block_stop", m{"type": "content_block_stop", "index": i})
		i++
	}
	stop := "end_turn"
	if len(cmds) > 0 {
		stop = "tool_use"
	}
	send("message_delta", m{"type": "message_delta", "delta": m{"stop_reason": stop}, "usage": m{"output_tokens": 5}})
	send("message_stop", m{"type": "message_stop"})
}
