package google

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"tau/ai"
	"tau/ai/internal/answer"
	"tau/ai/internal/lookalike"
)

// chunk is one event: a piece of the answer, or an error.
type chunk struct {
	Candidates []struct {
		Content struct {
			Parts []struct {
				Text             *string `json:"text"`
				Thought          bool    `json:"thought"`
				ThoughtSignature string  `json:"thoughtSignature"`
				FunctionCall     *struct {
					ID   string          `json:"id"`
					Name string          `json:"name"`
					Args json.RawMessage `json:"args"`
				} `json:"functionCall"`
			} `json:"parts"`
		} `json:"content"`
		FinishReason  string `json:"finishReason"`
		FinishMessage string `json:"finishMessage"`
	} `json:"candidates"`
	PromptFeedback *struct {
		BlockReason        string `json:"blockReason"`
		BlockReasonMessage string `json:"blockReasonMessage"`
	} `json:"promptFeedback"`
	Usage *struct {
		Prompt     int64 `json:"promptTokenCount"`
		Cached     int64 `json:"cachedContentTokenCount"`
		Candidates int64 `json:"candidatesTokenCount"`
		Thoughts   int64 `json:"thoughtsTokenCount"`
		ToolUse    int64 `json:"toolUsePromptTokenCount"`
		Total      int64 `json:"totalTokenCount"`
	} `json:"usageMetadata"`
	ModelVersion string          `json:"modelVersion"`
	ResponseID   string          `json:"responseId"`
	Error        json.RawMessage `json:"error"`
}

type state struct {
	b      *answer.Builder
	form   lookalike.Form
	add    func(*answer.Builder, string)
	last   []byte // the last event that was not decoded: its counts are the newest
	finish string // the finish reason, once it has come
	why    string // its explanation
	calls  int
}

// chunk takes the next event. It returns true when the answer has ended.
func (s *state) chunk(data []byte) bool {
	if quoted, ok := s.form.MatchLoose(data); ok {
		if text, ok := lookalike.Unquote(quoted); ok {
			s.last = append(s.last[:0], data...)
			s.add(s.b, text)
			return false
		}
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		if string(data) == "[DONE]" {
			return false // of servers that mix the protocols
		}
		words, _ := ai.ErrorWords(data)
		s.fail(&ai.Failure{Class: ai.FailRetry, Message: fmt.Sprintf("the provider sent an event that is not JSON (%v): %s", err, words)})
		return true
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		words, detail := ai.ErrorWords(data)
		s.fail(ai.StreamFailure(0, words, detail))
		return true
	}
	if f := c.PromptFeedback; f != nil && f.BlockReason != "" && f.BlockReason != "BLOCK_REASON_UNSPECIFIED" {
		s.b.Fail(blocked("the provider refused the request", f.BlockReason, f.BlockReasonMessage))
		return true
	}
	if c.ResponseID != "" {
		s.b.Message.ResponseID = c.ResponseID
	}
	if c.ModelVersion != "" && c.ModelVersion != s.b.Message.Model {
		s.b.Message.ResponseModel = c.ModelVersion
	}
	s.b.Start()
	s.parts(data, &c)
	s.usage(&c)
	if len(c.Candidates) > 0 && c.Candidates[0].FinishReason != "" {
		s.finish, s.why = c.Candidates[0].FinishReason, c.Candidates[0].FinishMessage
	}
	return false
}

func (s *state) parts(data []byte, c *chunk) {
	if len(c.Candidates) == 0 {
		return
	}
	list := c.Candidates[0].Content.Parts
	for i := range list {
		p := &list[i]
		switch {
		case p.FunctionCall != nil:
			call := p.FunctionCall
			args := string(call.Args)
			if args == "null" {
				args = ""
			}
			id := call.ID
			if id == "" {
				id = madeID + uuid.NewString()
			}
			s.calls++
			s.b.ToolCall(id, call.Name, args)
			s.b.SignCall(p.ThoughtSignature)
			s.b.End()
		case p.Text == nil:
		case p.Thought:
			s.b.Thinking(*p.Text)
			s.b.SetSignature(p.ThoughtSignature)
			s.learn(data, c, len(list), *p.Text, p.ThoughtSignature, (*answer.Builder).Thinking)
		default:
			s.b.Text(*p.Text)
			s.b.SignText(p.ThoughtSignature)
			s.learn(data, c, len(list), *p.Text, p.ThoughtSignature, (*answer.Builder).Text)
		}
	}
}

// learn remembers the form of an event that is nothing but a piece of text.
func (s *state) learn(data []byte, c *chunk, parts int, text, signature string, add func(*answer.Builder, string)) {
	if parts == 1 && signature == "" && c.Candidates[0].FinishReason == "" && s.form.Learn(data, "text", text) {
		s.add = add
	}
}

// usage takes over the counts, which each event repeats as far as they are
// known.
func (s *state) usage(c *chunk) {
	from := c.Usage
	if from == nil {
		return
	}
	s.last = s.last[:0]
	u := &s.b.Message.Usage
	u.CacheRead = from.Cached
	u.Input = max(0, from.Prompt-from.Cached) + from.ToolUse
	u.Output, u.Reasoning = from.Candidates+from.Thoughts, from.Thoughts
	u.TotalTokens = from.Total
}

// settle takes over the counts of the last event that was not decoded, before
// the answer ends.
func (s *state) settle() {
	var c chunk
	if len(s.last) > 0 && json.Unmarshal(s.last, &c) == nil {
		s.usage(&c)
	}
	s.last = s.last[:0]
}

func (s *state) fail(f *ai.Failure) {
	s.settle()
	s.b.Fail(f)
}

func (s *state) end() {
	s.settle()
	s.b.Message.RawStopReason = s.finish
	switch s.finish {
	case "STOP":
		if s.calls > 0 {
			s.b.Done(ai.StopToolUse)
			return
		}
		s.b.Done(ai.StopEnd)
	case "MAX_TOKENS":
		s.b.Done(ai.StopLength)
	case "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "LANGUAGE", "IMAGE_SAFETY", "MODEL_ARMOR":
		s.b.Fail(blocked("the provider stopped the answer", s.finish, s.why))
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE":
		// A slip of the model; the next try has other dice.
		s.b.Fail(&ai.Failure{Class: ai.FailRetry, Message: sentence("the model wrote a tool call that the provider could not read", s.finish, s.why)})
	case "MISSING_THOUGHT_SIGNATURE", "TOO_MANY_TOOL_CALLS":
		s.b.Fail(&ai.Failure{Class: ai.FailFatal, Message: sentence("the provider stopped the answer", s.finish, s.why)})
	default:
		s.b.Fail(&ai.Failure{Class: ai.FailRetry, Message: sentence("the provider stopped the answer without a reason", s.finish, s.why)})
	}
}

func blocked(what, reason, why string) *ai.Failure {
	said := map[string]string{
		"SAFETY": "its safety filter", "IMAGE_SAFETY": "its safety filter", "PROHIBITED_CONTENT": "prohibited content",
		"BLOCKLIST": "a word of its blocklist", "SPII": "sensitive personal data", "RECITATION": "text too close to a known source",
		"LANGUAGE": "a language that it does not support", "MODEL_ARMOR": "the filter of the Cloud project",
	}[reason]
	if said != "" {
		what += " because of " + said
	}
	return &ai.Failure{Class: ai.FailFatal, Message: sentence(what, reason, why) + " Rephrase the request or choose another model."}
}

func sentence(what, reason, why string) string {
	s := what + " (" + reason + ")"
	if why, _ = ai.ErrorWords([]byte(why)); why != "" {
		s += ": " + strings.TrimRight(why, ". ")
	}
	return s + "."
}
