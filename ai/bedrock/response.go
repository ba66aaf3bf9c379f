package bedrock

import (
	"encoding/json"
	"fmt"

	"tau/ai"
	"tau/ai/internal/answer"
	"tau/ai/internal/lookalike"
)

// event is the payload of any frame; the frame's type says which members are
// there.
type event struct {
	Start struct {
		ToolUse *struct {
			ID   string `json:"toolUseId"`
			Name string `json:"name"`
		} `json:"toolUse"`
	} `json:"start"`
	Delta struct {
		Text    string `json:"text"`
		ToolUse *struct {
			Input string `json:"input"`
		} `json:"toolUse"`
		Reasoning *struct {
			Text      string `json:"text"`
			Signature string `json:"signature"`
			Redacted  string `json:"redactedContent"` // base64
		} `json:"reasoningContent"`
	} `json:"delta"`
	StopReason string `json:"stopReason"`
	Usage      *struct {
		Input      int64 `json:"inputTokens"`
		Output     int64 `json:"outputTokens"`
		Total      int64 `json:"totalTokens"`
		CacheRead  int64 `json:"cacheReadInputTokens"`
		CacheWrite int64 `json:"cacheWriteInputTokens"`
		Details    []struct {
			TTL    string `json:"ttl"`
			Tokens int64  `json:"inputTokens"`
		} `json:"cacheDetails"`
	} `json:"usage"`
}

type state struct {
	b       *answer.Builder
	form    lookalike.Form
	add     func(*answer.Builder, string)
	stopped bool // messageStop has come
	calls   int
}

// frame takes the next frame. It returns true when the answer has ended.
func (s *state) frame(f frame) bool {
	switch f.message {
	case "exception":
		words, _ := ai.ErrorWords(f.payload)
		s.b.Fail(exception(f.exception, words))
		return true
	case "error":
		s.b.Fail(exception(f.exception, f.words))
		return true
	}
	payload := lookalike.Unpadded(f.payload)
	if f.event == "contentBlockDelta" {
		if quoted, ok := s.form.Match(payload); ok {
			if text, ok := lookalike.Unquote(quoted); ok {
				s.add(s.b, text)
				return false
			}
		}
	}
	var ev event
	if err := json.Unmarshal(f.payload, &ev); err != nil {
		words, _ := ai.ErrorWords(f.payload)
		s.b.Fail(&ai.Failure{Class: ai.FailRetry, Message: fmt.Sprintf("the provider sent an event that is not JSON (%v): %s", err, words)})
		return true
	}
	switch f.event {
	case "messageStart":
		s.b.Start()
	case "contentBlockStart":
		s.b.End()
		if call := ev.Start.ToolUse; call != nil {
			s.calls++
			s.b.ToolCall(call.ID, call.Name, "")
		}
	case "contentBlockDelta":
		s.delta(payload, &ev)
	case "contentBlockStop":
		s.b.End()
	case "messageStop":
		s.stopped = true
		s.b.Message.RawStopReason = ev.StopReason
	case "metadata":
		s.usage(&ev)
	}
	return false
}

func (s *state) delta(payload []byte, ev *event) {
	learn := func(text string, add func(*answer.Builder, string)) {
		if s.form.Learn(payload, "text", text) {
			s.add = add
		}
	}
	d := &ev.Delta
	switch {
	case d.ToolUse != nil:
		s.b.Arguments(d.ToolUse.Input)
		if s.form.Learn(payload, "input", d.ToolUse.Input) {
			s.add = (*answer.Builder).Arguments
		}
	case d.Reasoning != nil:
		r := d.Reasoning
		if r.Redacted != "" {
			s.b.Redacted(r.Redacted)
			return
		}
		s.b.Thinking(r.Text)
		s.b.Sign(r.Signature)
		if r.Signature == "" {
			learn(r.Text, (*answer.Builder).Thinking)
		}
	default:
		s.b.Text(d.Text)
		learn(d.Text, (*answer.Builder).Text)
	}
}

func (s *state) usage(ev *event) {
	from := ev.Usage
	if from == nil {
		return
	}
	u := &s.b.Message.Usage
	u.Input, u.Output, u.TotalTokens = from.Input, from.Output, from.Total
	u.CacheRead, u.CacheWrite = from.CacheRead, from.CacheWrite
	for _, d := range from.Details {
		if d.TTL == "1h" {
			u.CacheWrite1h += d.Tokens
		}
	}
}

// exception types a failure by the name that AWS gives it.
func exception(name, words string) *ai.Failure {
	f := ai.StreamFailure(0, words, name)
	switch name {
	case "throttlingException", "serviceUnavailableException", "internalServerException", "modelStreamErrorException", "modelTimeoutException":
		if f.Class == ai.FailFatal {
			f.Class = ai.FailRetry
		}
	}
	return f
}

func (s *state) end() {
	reason := s.b.Message.RawStopReason
	switch reason {
	case "max_tokens":
		s.b.Done(ai.StopLength)
	case "model_context_window_exceeded":
		s.b.Fail(&ai.Failure{Class: ai.FailOverflow, Message: "the answer filled the model's context window (model_context_window_exceeded)."})
	case "guardrail_intervened", "content_filtered", "refusal":
		s.b.Fail(&ai.Failure{Class: ai.FailFatal, Message: "the provider refused to answer (" + reason + "). Rephrase the request or choose another model."})
	case "malformed_tool_use", "malformed_model_output":
		// A slip of the model; the next try has other dice.
		s.b.Fail(&ai.Failure{Class: ai.FailRetry, Message: "the model wrote an answer that the provider could not read (" + reason + ")."})
	default:
		if s.calls > 0 {
			s.b.Done(ai.StopToolUse)
			return
		}
		s.b.Done(ai.StopEnd)
	}
}
