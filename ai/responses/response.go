package responses

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"tau/ai"
	"tau/ai/internal/answer"
	"tau/ai/internal/lookalike"
	"tau/ai/internal/toolargs"
	"tau/ai/openjson"
)

// event is the union of the stream events that matter here.
type event struct {
	Type        string          `json:"type"`
	OutputIndex int             `json:"output_index"`
	Delta       string          `json:"delta"`
	Item        *item           `json:"item"`
	Response    *response       `json:"response"`
	Code        string          `json:"code"`
	Message     string          `json:"message"`
	Error       json.RawMessage `json:"error"`
}

type item struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	CallID    string `json:"call_id"`
	Phase     string `json:"phase"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Input     string `json:"input"` // of a custom tool's call
	Encrypted string `json:"encrypted_content"`
	Summary   []struct {
		Text string `json:"text"`
	} `json:"summary"`
	Content []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
	raw json.RawMessage
}

// UnmarshalJSON keeps the item as it came: reasoning goes back unchanged.
func (i *item) UnmarshalJSON(data []byte) error {
	type plain item
	i.raw = append(json.RawMessage(nil), data...)
	return json.Unmarshal(data, (*plain)(i))
}

type response struct {
	ID         string `json:"id"`
	Model      string `json:"model"`
	Status     string `json:"status"`
	Error      *struct{ Code, Message string }
	Incomplete *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *struct {
		Input        int64 `json:"input_tokens"`
		Output       int64 `json:"output_tokens"`
		Total        int64 `json:"total_tokens"`
		InputDetails struct {
			Cached int64 `json:"cached_tokens"`
			Write  int64 `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
		OutputDetails struct {
			Reasoning int64 `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	} `json:"usage"`
}

// pending are the arguments of a call that is not the open block. Items come
// one after the other as a rule, but nothing promises it.
type pending struct{ text strings.Builder }

// deltas recognizes the commonest event, one more piece of the same item. Its
// numbers differ from event to event; the one that counts is the index.
type deltas struct {
	form  lookalike.Form
	add   func(*answer.Builder, string)
	index []byte
}

// take adds the text of an event that looks like the last one.
func (d *deltas) take(b *answer.Builder, data []byte) bool {
	quoted, ok := d.form.MatchLoose(lookalike.Unpadded(data))
	if !ok || !bytes.Contains(data, d.index) {
		return false
	}
	text, ok := lookalike.Unquote(quoted)
	if ok {
		d.add(b, text)
	}
	return ok
}

// learn remembers the form of a decoded delta.
func (d *deltas) learn(data []byte, ev *event, add func(*answer.Builder, string)) {
	index := []byte(`"output_index":` + strconv.Itoa(ev.OutputIndex) + ",")
	if bytes.Contains(data, index) && d.form.Learn(lookalike.Unpadded(data), "delta", ev.Delta) {
		d.add, d.index = add, index
	}
}

type state struct {
	b     *answer.Builder
	last  deltas
	open  int // output index of the block that takes deltas, -1 for none
	fed   bool
	said  bool // the open item has had text
	plain toolargs.Plain
	args  map[int]*pending
	calls int
}

// event takes the next event. It returns true at the end of the answer.
func (s *state) event(data []byte) (end bool) {
	if s.last.take(s.b, data) {
		return false
	}
	s.last = deltas{}
	var ev event
	if json.Unmarshal(data, &ev) != nil {
		return false // not ours, such as a foreign [DONE]
	}
	switch ev.Type {
	case "response.created", "response.in_progress":
		s.meta(ev.Response)
		s.b.Start()
	case "response.output_item.added":
		s.added(ev.OutputIndex, ev.Item)
	case "response.reasoning_summary_part.added":
		if s.said {
			s.b.Thinking("\n\n")
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		s.said = true
		s.b.Thinking(ev.Delta)
		s.last.learn(data, &ev, (*answer.Builder).Thinking)
	case "response.output_text.delta", "response.refusal.delta":
		s.said = true
		s.b.Text(ev.Delta)
		s.last.learn(data, &ev, (*answer.Builder).Text)
	case "response.function_call_arguments.delta":
		if s.arguments(&ev) {
			s.last.learn(data, &ev, (*answer.Builder).Arguments)
		}
	case "response.custom_tool_call_input.delta":
		ev.Delta = toolargs.Escape(ev.Delta)
		s.arguments(&ev)
	case "response.output_item.done":
		s.done(ev.OutputIndex, ev.Item)
	case "response.completed", "response.incomplete", "response.failed":
		s.end(ev.Response)
		return true
	case "error":
		words, detail := ai.ErrorWords(data)
		if ev.Message != "" {
			words, detail = ev.Message, ev.Code
		}
		s.b.Fail(ai.StreamFailure(0, words, detail))
		return true
	}
	return false
}

// arguments takes a piece of a call's arguments, and reports whether the call
// is the open one.
func (s *state) arguments(ev *event) bool {
	if ev.OutputIndex == s.open {
		s.fed = true
		s.b.Arguments(ev.Delta)
		return true
	}
	if p := s.args[ev.OutputIndex]; p != nil {
		p.text.WriteString(ev.Delta)
	}
	return false
}

func (s *state) meta(r *response) {
	if r == nil {
		return
	}
	s.b.Message.ResponseID = r.ID
	if r.Model != "" && r.Model != s.b.Message.Model {
		s.b.Message.ResponseModel = r.Model
	}
}

func (s *state) added(at int, it *item) {
	if it == nil {
		return
	}
	s.said = false
	custom := it.Type == "custom_tool_call"
	if it.Type != "function_call" && !custom {
		return
	}
	s.calls++
	begin := ""
	if custom {
		begin = s.plain.Open(it.Name) + toolargs.Escape(it.Input)
	}
	if s.open >= 0 {
		// Another call is still open: this one waits until it is whole.
		s.args[at] = &pending{}
		s.args[at].text.WriteString(begin)
		return
	}
	s.b.ToolCall(it.CallID, it.Name, it.Arguments)
	s.b.Arguments(begin)
	s.open, s.fed = at, false
}

func (s *state) done(at int, it *item) {
	if it == nil {
		return
	}
	switch it.Type {
	case "custom_tool_call":
		if at == s.open {
			if !s.fed {
				s.b.Arguments(toolargs.Escape(it.Input))
			}
			s.b.Arguments(toolargs.Shut)
			s.b.End()
			s.open = -1
			return
		}
		if s.args[at] == nil {
			s.calls++ // it was never announced
		}
		delete(s.args, at)
		s.b.ToolCall(it.CallID, it.Name, s.plain.Open(it.Name)+toolargs.Escape(it.Input)+toolargs.Shut)
		s.b.End()
	case "function_call":
		if at == s.open {
			if !s.fed {
				s.b.Arguments(it.Arguments)
			}
			s.b.End()
			s.open = -1
			return
		}
		args := it.Arguments
		if p := s.args[at]; p != nil {
			if args == "" {
				args = p.text.String()
			}
			delete(s.args, at)
		} else {
			s.calls++ // it was never announced
		}
		s.b.ToolCall(it.CallID, it.Name, args)
		s.b.End()
	case "reasoning":
		if !s.said {
			var parts []string
			for _, p := range it.Summary {
				parts = append(parts, p.Text)
			}
			s.b.Thinking(strings.Join(parts, "\n\n"))
		}
		// The item itself is the signature: only it lets the model go on from here.
		s.b.Sign(string(it.raw))
		s.b.End()
	case "message":
		if !s.said {
			for _, p := range it.Content {
				s.b.Text(p.Text + p.Refusal)
			}
		}
		if it.ID != "" {
			sig, err := openjson.Encode(textSignature{1, it.ID, it.Phase})
			if err == nil {
				s.b.SignText(string(sig))
			}
		}
		s.b.End()
	}
	s.said = false
}

func (s *state) end(r *response) {
	if r == nil {
		s.b.Fail(ai.StreamFailure(0, "the provider ended the answer without saying how", ""))
		return
	}
	s.meta(r)
	if u := r.Usage; u != nil {
		to := &s.b.Message.Usage
		to.CacheRead, to.CacheWrite = u.InputDetails.Cached, u.InputDetails.Write
		to.Input = max(0, u.Input-to.CacheRead-to.CacheWrite)
		to.Output, to.Reasoning, to.TotalTokens = u.Output, u.OutputDetails.Reasoning, u.Total
	}
	s.b.Message.RawStopReason = r.Status
	switch {
	case r.Status == "failed" || r.Error != nil:
		words, code := "the provider reported a failure without a reason", ""
		if r.Error != nil {
			words, code = r.Error.Message, r.Error.Code
		}
		s.b.Fail(ai.StreamFailure(0, words, code))
	case r.Status == "incomplete" && r.Incomplete != nil && r.Incomplete.Reason == "content_filter":
		s.b.Fail(&ai.Failure{Class: ai.FailFatal, Message: "the provider's content filter stopped the answer (content_filter)."})
	case r.Status == "incomplete":
		s.b.Done(ai.StopLength)
	case s.calls > 0:
		s.b.Done(ai.StopToolUse)
	default:
		s.b.Done(ai.StopEnd)
	}
}
