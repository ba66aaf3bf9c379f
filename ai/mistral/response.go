package mistral

import (
	"encoding/json"
	"fmt"

	"tau/ai"
	"tau/ai/internal/answer"
	"tau/ai/internal/lookalike"
	"tau/ai/internal/toolcalls"
)

type chunk struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Model   string `json:"model"`
	Choices []struct {
		Delta struct {
			Content   json.RawMessage      `json:"content"`
			ToolCalls []toolcalls.Fragment `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		Total      int64 `json:"total_tokens"`
		Cached     int64 `json:"num_cached_tokens"`
		Details    *struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// piece is a part of the content: text, or a list of thoughts.
type piece struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Thinking []struct {
		Text string `json:"text"`
	} `json:"thinking"`
}

type state struct {
	b      *answer.Builder
	form   lookalike.Form
	add    func(*answer.Builder, string)
	calls  toolcalls.List
	finish string
}

// chunk takes the data of one event and reports whether the answer has ended.
func (s *state) chunk(data []byte) bool {
	bare := lookalike.Unpadded(data)
	if quoted, ok := s.form.Match(bare); ok && s.calls.Len() == 0 {
		if text, ok := lookalike.Unquote(quoted); ok {
			s.add(s.b, text)
			return false
		}
	}
	if string(data) == "[DONE]" {
		if s.finish == "" {
			s.fail(&ai.Failure{Class: ai.FailRetry, Message: "the provider ended the stream without a finish_reason."})
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
		s.fail(ai.StreamFailure(0, words, detail))
		return true
	}
	m := &s.b.Message
	if c.ID != "" {
		m.ResponseID = c.ID
	}
	if c.Model != "" && c.Model != m.Model {
		m.ResponseModel = c.Model
	}
	s.usage(&c)
	if len(c.Choices) == 0 {
		return false
	}
	s.b.Start()
	ch := &c.Choices[0]
	s.content(bare, &c)
	for i := range ch.Delta.ToolCalls {
		f := &ch.Delta.ToolCalls[i]
		if f.ID == "null" { // what the API sends for none
			f.ID = ""
		}
		s.calls.Add(s.b, f)
	}
	if ch.FinishReason != "" {
		s.finish = ch.FinishReason
		m.RawStopReason = s.finish
	}
	return false
}

func (s *state) content(data []byte, c *chunk) {
	raw := c.Choices[0].Delta.Content
	if len(raw) == 0 || string(raw) == "null" {
		return
	}
	alone := c.Usage == nil && c.Choices[0].FinishReason == "" && len(c.Choices[0].Delta.ToolCalls) == 0
	if raw[0] == '"' {
		var text string
		_ = json.Unmarshal(raw, &text) // it is valid, the chunk was
		s.say(text, (*answer.Builder).Text)
		if alone && text != "" && s.form.Learn(data, "content", text) {
			s.add = (*answer.Builder).Text
		}
		return
	}
	var pieces []piece
	if json.Unmarshal(raw, &pieces) != nil {
		return // a kind of content that is not known
	}
	for _, p := range pieces {
		switch p.Type {
		case "text":
			s.say(p.Text, (*answer.Builder).Text)
		case "thinking":
			for _, t := range p.Thinking {
				s.say(t.Text, (*answer.Builder).Thinking)
				if alone && len(pieces) == 1 && len(p.Thinking) == 1 && s.form.Learn(data, "text", t.Text) {
					s.add = (*answer.Builder).Thinking
				}
			}
		}
	}
}

// say adds text or thoughts, after the calls that are unfinished: blocks come
// one after the other.
func (s *state) say(text string, add func(*answer.Builder, string)) {
	if text != "" {
		s.calls.Close(s.b, true)
		add(s.b, text)
	}
}

func (s *state) usage(c *chunk) {
	from := c.Usage
	if from == nil {
		return
	}
	u := &s.b.Message.Usage
	u.CacheRead = from.Cached
	if from.Details != nil {
		u.CacheRead = max(u.CacheRead, from.Details.Cached)
	}
	u.Input = max(0, from.Prompt-u.CacheRead)
	u.Output, u.TotalTokens = from.Completion, from.Total
}

func (s *state) end() {
	cut := s.finish == "length" || s.finish == "model_length"
	if cut {
		s.calls.LeaveLast(s.b)
	} else {
		s.calls.Close(s.b, true)
	}
	if s.calls.Changed() {
		s.b.End()
		s.b.AmendCalls(s.calls.Amend)
	}
	switch {
	case cut:
		s.b.Done(ai.StopLength)
	case s.finish == "error":
		s.b.Fail(&ai.Failure{Class: ai.FailRetry, Message: "the provider stopped the answer because of an error of its own (error)."})
	case s.finish == "content_filter":
		s.b.Fail(&ai.Failure{Class: ai.FailFatal, Message: "the provider's content filter stopped the answer (content_filter)."})
	case s.calls.Len() > 0:
		s.b.Done(ai.StopToolUse)
	default:
		s.b.Done(ai.StopEnd)
	}
}

func (s *state) fail(f *ai.Failure) {
	s.calls.LeaveLast(s.b)
	s.b.Fail(f)
}
