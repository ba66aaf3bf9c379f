package openai

import (
	"bytes"
	"encoding/json"
	"fmt"

	"tau/ai"
	"tau/ai/internal/answer"
	"tau/ai/internal/toolcalls"
)

type chunk struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"`
}

type choice struct {
	Delta        *deltaPart `json:"delta"`
	FinishReason string     `json:"finish_reason"`
	Usage        *usage     `json:"usage"` // Moonshot's place for it
}

type deltaPart struct {
	Content          json.RawMessage      `json:"content"`
	ReasoningContent *string              `json:"reasoning_content"`
	Reasoning        *string              `json:"reasoning"`
	ReasoningText    *string              `json:"reasoning_text"`
	ReasoningDetails []json.RawMessage    `json:"reasoning_details"`
	Refusal          string               `json:"refusal"`
	ToolCalls        []toolcalls.Fragment `json:"tool_calls"`
}

type usage struct {
	Prompt        int64 `json:"prompt_tokens"`
	Completion    int64 `json:"completion_tokens"`
	Total         int64 `json:"total_tokens"`
	CacheHit      int64 `json:"prompt_cache_hit_tokens"` // DeepSeek
	PromptDetails *struct {
		Cached     int64 `json:"cached_tokens"`
		CacheWrite int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails *struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	Cost *float64 `json:"cost"` // OpenRouter, in dollars
}

// state is what has to be kept between chunks.
type state struct {
	b       *answer.Builder
	last    repeated
	halves  halves
	calls   toolcalls.List
	held    []piece // text that came while a call was unfinished
	field   string  // of the reasoning
	details map[string]string
	finish  string
}

type piece struct {
	thinking bool
	text     string
}

// chunk takes the data of one event and reports whether the answer has ended.
func (s *state) chunk(data []byte) bool {
	if s.halves.high == "" {
		if text, ok := s.last.match(data); ok {
			s.text(piece{s.last.thinking, text})
			return false
		}
	}
	data = bytes.TrimSpace(data)
	if string(data) == "[DONE]" {
		if s.finish == "" && s.b.Empty() {
			s.fail(&ai.Failure{Class: ai.FailRetry, Message: "the provider ended the stream without an answer."})
			return true
		}
		s.end()
		return true
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		words, _ := ai.ErrorWords(data)
		s.fail(&ai.Failure{Class: ai.FailRetry, Message: fmt.Sprintf("the provider sent a chunk that is not JSON (%v): %s", err, words)})
		return true
	}
	if len(c.Error) > 0 && string(c.Error) != "null" || c.Object == "error" {
		words, detail := ai.ErrorWords(data)
		s.fail(ai.StreamFailure(errorStatus(c.Error), words, detail))
		return true
	}
	m := &s.b.Message
	if c.ID != "" && m.ResponseID == "" {
		m.ResponseID = c.ID
	}
	if c.Model != "" && c.Model != m.Model {
		m.ResponseModel = c.Model
	}
	s.count(c.Usage)
	if len(c.Choices) == 0 {
		return false
	}
	s.b.Start()
	ch := &c.Choices[0]
	s.count(ch.Usage)
	if ch.Delta != nil {
		s.delta(ch.Delta)
		s.last.learn(data, &c)
	}
	if ch.FinishReason != "" {
		s.finish = ch.FinishReason
		m.RawStopReason = s.finish
	}
	return false
}

func (s *state) delta(d *deltaPart) {
	for _, r := range [...]struct {
		field string
		text  *string
	}{{"reasoning_content", d.ReasoningContent}, {"reasoning", d.Reasoning}, {"reasoning_text", d.ReasoningText}} {
		// Some servers send the same text in two fields.
		if r.text != nil && *r.text != "" && (s.field == "" || s.field == r.field) {
			s.field = r.field
			s.text(piece{true, *r.text})
		}
	}
	s.text(piece{false, contentText(s.halves.mend(d.Content)) + d.Refusal})
	for i := range d.ToolCalls {
		s.calls.Add(s.b, &d.ToolCalls[i])
	}
	for _, raw := range d.ReasoningDetails {
		var detail struct {
			Type, ID, Data string
		}
		if json.Unmarshal(raw, &detail) == nil && detail.Type == "reasoning.encrypted" && detail.ID != "" && detail.Data != "" {
			if s.details == nil {
				s.details = make(map[string]string)
			}
			s.details[detail.ID] = string(raw)
		}
	}
}

// text adds to the text or the thinking. While a call is unfinished it waits,
// since blocks come one after the other.
func (s *state) text(p piece) {
	if p.text == "" {
		return
	}
	if !s.calls.Close(s.b, false) {
		s.held = append(s.held, p)
		return
	}
	s.release()
	s.add(p)
}

func (s *state) release() {
	for _, p := range s.held {
		s.add(p)
	}
	s.held = nil
}

func (s *state) add(p piece) {
	if !p.thinking {
		s.b.Text(p.text)
		return
	}
	s.b.Thinking(p.text)
	// The field is where the text has to go when it is sent back.
	s.b.SetSignature(s.field)
}

// contentText reads content as a string or as a list of parts.
func contentText(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var text string
	if raw[0] == '"' {
		_ = json.Unmarshal(raw, &text) // it is valid, the chunk was
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) == nil {
		for _, p := range parts {
			text += p.Text
		}
	}
	return text
}

// end finishes an answer that is complete.
func (s *state) end() {
	cut := s.finish == "length" || s.finish == "max_tokens"
	if cut && len(s.held) == 0 {
		s.calls.LeaveLast(s.b)
	} else {
		s.calls.Close(s.b, true)
		s.release()
	}
	if s.details != nil || s.calls.Changed() {
		s.b.End()
		s.b.AmendCalls(s.amend)
	}
	switch {
	case cut:
		s.b.Done(ai.StopLength)
	case s.finish == "content_filter":
		s.b.Fail(&ai.Failure{Class: ai.FailFatal, Message: "the provider's content filter stopped the answer (content_filter)."})
	case s.finish == "network_error" || s.finish == "error":
		s.b.Fail(&ai.Failure{Class: ai.FailRetry, Message: "the provider stopped the answer because of an error of its own (" + s.finish + ")."})
	case s.calls.Len() > 0:
		s.b.Done(ai.StopToolUse)
	default:
		s.b.Done(ai.StopEnd)
	}
}

func (s *state) amend(n int, c *ai.ToolCall) {
	if raw := s.details[c.ID]; raw != "" {
		c.ThoughtSignature = raw
	}
	s.calls.Amend(n, c)
}

func (s *state) fail(f *ai.Failure) {
	s.calls.LeaveLast(s.b)
	s.b.Fail(f)
}

func (s *state) count(from *usage) {
	if from == nil {
		return
	}
	u := &s.b.Message.Usage
	u.CacheRead, u.CacheWrite = from.CacheHit, 0
	if d := from.PromptDetails; d != nil {
		u.CacheRead = max(u.CacheRead, d.Cached)
		u.CacheWrite = d.CacheWrite
	}
	u.Input = max(0, from.Prompt-u.CacheRead-u.CacheWrite)
	u.Output = from.Completion
	if d := from.CompletionDetails; d != nil {
		u.Reasoning = d.Reasoning
	}
	u.TotalTokens = from.Total
	if s.b.Message.Provider == "openrouter" && from.Cost != nil {
		u.Cost.Total, u.Cost.TotalFromProvider = *from.Cost, true
	}
}

func errorStatus(raw json.RawMessage) int {
	var e struct {
		Code json.RawMessage `json:"code"`
	}
	status := 0
	if json.Unmarshal(raw, &e) == nil && json.Unmarshal(e.Code, &status) == nil && status >= 400 && status < 600 {
		return status
	}
	return 0
}
