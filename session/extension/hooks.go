package extension

import (
	"context"
	"encoding/json"
	"fmt"

	"tau/agent"
	"tau/ai"
	"tau/session"
	"tau/session/message"
)

var _ session.Hooks = (*Runner)(nil)

// agentEvent has the members of all events of the agent; each has a few.
type agentEvent struct {
	Type       string          `json:"type"`
	Message    ai.Message      `json:"message,omitempty"`
	Stream     *streamStep     `json:"assistantMessageEvent,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	Args       json.RawMessage `json:"args,omitempty"`
	Partial    *toolResult     `json:"partialResult,omitempty"`
	Result     *toolResult     `json:"result,omitempty"`
	IsError    *bool           `json:"isError,omitempty"`
	DurationMs *int64          `json:"durationMs,omitempty"`
	TurnIndex  *int            `json:"turnIndex,omitempty"`
	Timestamp  int64           `json:"timestamp,omitempty"`
	Messages   *[]ai.Message   `json:"messages,omitempty"`
}

type streamStep struct {
	Type         ai.EventType         `json:"type"`
	ContentIndex int                  `json:"contentIndex"`
	Delta        *string              `json:"delta,omitempty"`
	Content      *string              `json:"content,omitempty"`
	ToolCall     *ai.ToolCall         `json:"toolCall,omitempty"`
	Partial      *ai.AssistantMessage `json:"partial,omitempty"`
}

// toolResult is what a tool gives back.
type toolResult struct {
	Content           []ai.Block      `json:"content"`
	Details           json.RawMessage `json:"details,omitempty"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	Usage             *ai.Usage       `json:"usage,omitempty"`
	IsError           bool            `json:"isError,omitempty"`
	Terminate         bool            `json:"terminate,omitempty"`
}

func resultOf(r *agent.Result) *toolResult {
	if r == nil {
		return &toolResult{Content: []ai.Block{}}
	}
	out := &toolResult{r.Content, r.Details, r.StructuredContent, r.Usage, r.IsError, r.Terminate}
	if out.Content == nil {
		out.Content = []ai.Block{}
	}
	return out
}

// UnmarshalJSON reads a result. Text in place of content is one block.
func (t *toolResult) UnmarshalJSON(data []byte) error {
	type plain toolResult
	in := struct {
		*plain
		Content json.RawMessage `json:"content"`
	}{plain: (*plain)(t)}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	var err error
	t.Content, err = blocks(in.Content)
	return err
}

// blocks reads content: blocks, or a text.
func blocks(raw json.RawMessage) ([]ai.Block, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var u ai.UserMessage
	doc, err := json.Marshal(map[string]any{"role": "user", "content": raw})
	if err != nil {
		return nil, err
	}
	if err := u.UnmarshalJSON(doc); err != nil {
		return nil, fmt.Errorf("read the content: %w", err)
	}
	return u.Content, nil
}

func (t *toolResult) result() agent.Result {
	return agent.Result{
		Content: t.Content, Details: t.Details, StructuredContent: t.StructuredContent, Usage: t.Usage, IsError: t.IsError, Terminate: t.Terminate,
	}
}

// Agent implements session.Hooks.
func (r *Runner) Agent(ctx context.Context, ev agent.Event, turn int) ai.Message {
	out := agentEvent{Type: string(ev.Type)}
	switch ev.Type {
	case agent.TurnStart:
		out.TurnIndex, out.Timestamp = &turn, now()
	case agent.MessageStart, agent.MessageEnd:
		out.Message = ev.Message
	case agent.MessageUpdate:
		out.Message = ev.Message
		if s := ev.Stream; s != nil {
			step := &streamStep{Type: s.Type, ContentIndex: s.ContentIndex, ToolCall: s.ToolCall, Partial: s.Partial}
			switch s.Type {
			case ai.EventTextDelta, ai.EventThinkingDelta, ai.EventToolCallDelta:
				step.Delta = &s.Delta
			case ai.EventTextEnd, ai.EventThinkingEnd:
				step.Content = &s.Content
			}
			out.Stream = step
		}
	case agent.ToolExecutionStart:
		out.ToolCallID, out.ToolName, out.Args = ev.ToolCallID, ev.ToolName, object(ev.Args)
	case agent.ToolExecutionUpdate:
		out.ToolCallID, out.ToolName, out.Args, out.Partial = ev.ToolCallID, ev.ToolName, object(ev.Args), resultOf(ev.Result)
	case agent.ToolExecutionEnd:
		out.ToolCallID, out.ToolName, out.Result = ev.ToolCallID, ev.ToolName, resultOf(ev.Result)
		failed := ev.Result != nil && ev.Result.IsError
		out.IsError = &failed
		if ev.HasDuration {
			ms := ev.Duration.Milliseconds()
			out.DurationMs = &ms
		}
	case agent.AgentEnd:
		msgs := ev.Messages
		if msgs == nil {
			msgs = []ai.Message{}
		}
		out.Messages = &msgs
	}
	var changed ai.Message
	r.emitTyped(ctx, out, func(raw json.RawMessage) {
		if ev.Type != agent.MessageEnd {
			return
		}
		var a struct {
			Message json.RawMessage `json:"message"`
		}
		if json.Unmarshal(raw, &a) != nil || len(a.Message) == 0 {
			return
		}
		m, err := message.Unmarshal(a.Message)
		if err != nil || m.MessageRole() != ev.Message.MessageRole() {
			r.o.OnError(Failure{Event: "message_end", Err: "the message a handler returned has another role, or none"})
			return
		}
		changed = m
		out.Message = m
	})
	return changed
}

// emitTyped emits out as often as take changes it: the next handler sees what
// the one before made of it.
func (r *Runner) emitTyped(ctx context.Context, out agentEvent, take func(json.RawMessage)) {
	r.emit(ctx, out.Type, out, func(raw json.RawMessage, err error) bool {
		if err == nil {
			take(raw)
		}
		return true
	})
}

func object(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	return args
}

type toolCallEvent struct {
	Type       string          `json:"type"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Parent     string          `json:"parentToolCallId,omitempty"`
	Input      json.RawMessage `json:"input"`
}

// ToolCall implements session.Hooks. A handler that fails blocks the call.
func (r *Runner) ToolCall(ctx context.Context, c agent.ToolContext) (*agent.Block, error) {
	var block *agent.Block
	var failure error
	in := toolCallEvent{Type: "tool_call", ToolCallID: c.Call.ID, ToolName: c.Call.Name, Input: object(c.Args)}
	raw := r.emit(ctx, "tool_call", in, func(result json.RawMessage, err error) bool {
		var a struct {
			Block     bool   `json:"block"`
			Reason    string `json:"reason"`
			Terminate bool   `json:"terminate"`
		}
		if err == nil {
			err = json.Unmarshal(result, &a)
		}
		if err != nil {
			failure = fmt.Errorf("an extension failed, so the call was not made: %w", err)
			return false
		}
		if a.Block {
			block = &agent.Block{Reason: a.Reason, Terminate: a.Terminate}
			if block.Reason == "" {
				block.Reason = "Tool execution was blocked by an extension"
			}
		}
		return !a.Block
	})
	if failure != nil || block != nil {
		return block, failure
	}
	var after toolCallEvent
	if len(raw) > 0 && json.Unmarshal(raw, &after) == nil && len(after.Input) > 0 && c.SetArgs != nil {
		c.SetArgs(after.Input)
	}
	return nil, nil
}

// ToolResult implements session.Hooks.
func (r *Runner) ToolResult(ctx context.Context, c agent.ToolContext, res agent.Result) (*agent.Result, error) {
	changed := false
	now := *resultOf(&res)
	for _, s := range (*r.subs.Load())["tool_result"] {
		type payload struct {
			Type              string          `json:"type"`
			ToolCallID        string          `json:"toolCallId"`
			ToolName          string          `json:"toolName"`
			Input             json.RawMessage `json:"input"`
			Content           []ai.Block      `json:"content"`
			Details           json.RawMessage `json:"details,omitempty"`
			StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
			IsError           bool            `json:"isError"`
			Usage             *ai.Usage       `json:"usage,omitempty"`
		}
		raw, err := json.Marshal(payload{"tool_result", c.Call.ID, c.Call.Name, object(c.Args), now.Content, now.Details, now.StructuredContent, now.IsError, now.Usage})
		if err != nil {
			return nil, fmt.Errorf("encode the result: %w", err)
		}
		out, err := r.call(ctx, s.ext, MethodEvent, EventCall{"tool_result", s.handler, raw})
		var a eventAnswer
		var patch struct {
			Content           json.RawMessage `json:"content"`
			Details           json.RawMessage `json:"details"`
			StructuredContent json.RawMessage `json:"structuredContent"`
			IsError           *bool           `json:"isError"`
			Usage             *ai.Usage       `json:"usage"`
		}
		if err == nil && len(out) > 0 {
			err = json.Unmarshal(out, &a)
		}
		if err == nil && len(a.Result) > 0 {
			err = json.Unmarshal(a.Result, &patch)
		}
		var content []ai.Block
		if err == nil {
			content, err = blocks(patch.Content)
		}
		if err != nil {
			if ctx.Err() == nil {
				r.report(s.ext, "tool_result", err)
			}
			continue
		}
		if patch.Content != nil {
			now.Content, now.StructuredContent, changed = content, nil, true
		}
		if patch.StructuredContent != nil {
			now.StructuredContent, changed = patch.StructuredContent, true
		}
		if patch.Details != nil {
			now.Details, changed = patch.Details, true
		}
		if patch.IsError != nil {
			now.IsError, changed = *patch.IsError, true
		}
		if patch.Usage != nil {
			now.Usage, changed = patch.Usage, true
		}
	}
	if !changed {
		return nil, nil
	}
	out := now.result()
	return &out, nil
}
