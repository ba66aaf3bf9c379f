package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	"tau/ai"
	"tau/ai/internal/answer"
	"tau/ai/internal/sse"
)

// event is any event of the stream; the type says which members are there.
type event struct {
	Type    string `json:"type"`
	Message *struct {
		ID    string `json:"id"`
		Model string `json:"model"`
		Usage *usage `json:"usage"`
	} `json:"message"`
	ContentBlock *struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		Data      string          `json:"data"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		To        *modelName      `json:"to"` // of a fallback
	} `json:"content_block"`
	Delta *struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage *usage          `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type usage struct {
	Input         *int64 `json:"input_tokens"`
	Output        *int64 `json:"output_tokens"`
	CacheRead     *int64 `json:"cache_read_input_tokens"`
	CacheWrite    *int64 `json:"cache_creation_input_tokens"`
	CacheCreation *struct {
		Hour *int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// state is what has to be kept between events.
type state struct {
	flags      compat
	deltas     deltas
	stopReason string
	calls      bool
}

// event takes one event and reports whether the answer has ended.
func (s *state) event(b *answer.Builder, raw sse.Event) bool {
	if string(raw.Data) == "[DONE]" {
		return false // of servers that mix the protocols
	}
	if s.deltas.take(b, raw.Data) {
		return false
	}
	var ev event
	if err := json.Unmarshal(raw.Data, &ev); err != nil {
		words, _ := ai.ErrorWords(raw.Data)
		b.Fail(&ai.Failure{Class: ai.FailRetry, Message: fmt.Sprintf("the provider sent an event that is not JSON (%v): %s", err, words)})
		return true
	}
	if ev.Type == "" {
		ev.Type = raw.Type
	}
	switch ev.Type {
	case "message_start":
		if m := ev.Message; m != nil {
			b.Message.ResponseID = m.ID
			if m.Model != b.Message.Model {
				b.Message.ResponseModel = m.Model
			}
			count(&b.Message.Usage, m.Usage)
		}
		b.Start()
	case "content_block_start":
		s.begin(b, &ev, raw.Data)
	case "content_block_delta":
		if d := ev.Delta; d != nil {
			switch d.Type {
			case "text_delta":
				b.Text(d.Text)
				s.deltas.learn(raw.Data, "text", d.Text, (*answer.Builder).Text)
			case "thinking_delta":
				b.Thinking(d.Thinking)
				s.deltas.learn(raw.Data, "thinking", d.Thinking, (*answer.Builder).Thinking)
			case "signature_delta":
				b.Sign(d.Signature)
			case "input_json_delta":
				b.Arguments(d.PartialJSON)
				s.deltas.learn(raw.Data, "partial_json", d.PartialJSON, (*answer.Builder).Arguments)
			}
		}
	case "content_block_stop":
		b.End()
	case "message_delta":
		if ev.Delta != nil && ev.Delta.StopReason != "" {
			s.stopReason = ev.Delta.StopReason
			b.Message.RawStopReason = s.stopReason
		}
		count(&b.Message.Usage, ev.Usage)
	case "message_stop":
		s.finish(b)
		return true
	case "error":
		words, detail := ai.ErrorWords(raw.Data)
		b.Fail(ai.StreamFailure(0, words, detail))
		return true
	}
	return false
}

func (s *state) begin(b *answer.Builder, ev *event, data []byte) {
	b.End()
	c := ev.ContentBlock
	if c == nil {
		return
	}
	switch c.Type {
	case "text":
		b.Text(c.Text)
	case "thinking":
		b.Thinking(c.Thinking)
		b.Sign(c.Signature)
	case "redacted_thinking":
		b.Redacted(c.Data)
	case "tool_use":
		s.calls = true
		given := string(c.Input)
		if given == "null" {
			given = ""
		}
		b.ToolCall(c.ID, c.Name, given)
	case "fallback":
		s.fallBack(b, c.To, data)
	}
}

// fallBack notes that another model answers from here on, at its own price.
// The block is kept, since the API wants it back in its place.
func (s *state) fallBack(b *answer.Builder, to *modelName, data []byte) {
	var whole struct {
		Block json.RawMessage `json:"content_block"`
	}
	if json.Unmarshal(data, &whole) != nil || to == nil {
		return
	}
	b.Raw("fallback", whole.Block)
	b.Message.ResponseModel = to.Model
	for _, f := range s.flags.AllowedFallbackModels {
		if f.Cost != nil && strings.HasPrefix(to.Model, f.Model) {
			b.SetRates(*f.Cost)
		}
	}
}

func (s *state) finish(b *answer.Builder) {
	switch s.stopReason {
	case "max_tokens":
		b.Done(ai.StopLength)
	case "model_context_window_exceeded":
		b.Fail(&ai.Failure{Class: ai.FailOverflow, Message: "the answer filled the model's context window (model_context_window_exceeded)."})
	case "refusal", "sensitive":
		b.Fail(&ai.Failure{Class: ai.FailFatal, Message: "the provider refused to answer (" + s.stopReason + "). Rephrase the request or choose another model."})
	default:
		if s.calls {
			b.Done(ai.StopToolUse)
			return
		}
		b.Done(ai.StopEnd)
	}
}

// count takes over the numbers that are there. A zero does not replace an
// earlier number: some servers repeat the input counts as zeros at the end.
func count(u *ai.Usage, from *usage) {
	if from == nil {
		return
	}
	set := func(to *int64, n *int64) {
		if n != nil && *n > 0 {
			*to = *n
		}
	}
	set(&u.Input, from.Input)
	set(&u.Output, from.Output)
	set(&u.CacheRead, from.CacheRead)
	set(&u.CacheWrite, from.CacheWrite)
	if from.CacheCreation != nil {
		set(&u.CacheWrite1h, from.CacheCreation.Hour)
	}
}
