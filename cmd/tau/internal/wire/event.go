package wire

import (
	"encoding/json"
	"fmt"

	"tau/agent"
	"tau/ai"
	"tau/ai/openjson"
	"tau/session"
	"tau/session/store"
)

// written reports whether an event goes on the wire.
func written(ev session.Event) bool {
	switch ev.Type {
	case session.ModelChanged, session.Navigated, session.CacheLost, session.ShellEnd, session.SaveFailed, session.Saved:
		return false
	case session.EntryAppended:
		// Messages, compactions, names and labels have events of their own.
		switch ev.Entry.(type) {
		case *store.ContextEditEntry, *store.CustomEntry, *store.UsageEntry:
			return true
		}
		return false
	}
	return true
}

// record has the members of all events; each has a few of them.
type record struct {
	Type         session.EventType `json:"type"`
	Message      ai.Message        `json:"message,omitempty"`
	Usage        *ai.Usage         `json:"usage,omitempty"`
	Stream       *stream           `json:"assistantMessageEvent,omitempty"`
	ToolCallID   string            `json:"toolCallId,omitempty"`
	ToolName     string            `json:"toolName,omitempty"`
	Args         json.RawMessage   `json:"args,omitempty"`
	Partial      *result           `json:"partialResult,omitempty"`
	Result       any               `json:"result,omitempty"`
	IsError      *bool             `json:"isError,omitempty"`
	DurationMs   *int64            `json:"durationMs,omitempty"`
	ToolResults  any               `json:"toolResults,omitempty"`
	Messages     any               `json:"messages,omitempty"`
	Entry        json.RawMessage   `json:"entry,omitempty"`
	Reason       string            `json:"reason,omitempty"`
	Source       string            `json:"source,omitempty"`
	Success      *bool             `json:"success,omitempty"`
	Attempt      int               `json:"attempt,omitempty"`
	MaxAttempts  int               `json:"maxAttempts,omitempty"`
	DelayMs      *int64            `json:"delayMs,omitempty"`
	FinalError   string            `json:"finalError,omitempty"`
	Aborted      *bool             `json:"aborted,omitempty"`
	WillRetry    *bool             `json:"willRetry,omitempty"`
	ErrorMessage string            `json:"errorMessage,omitempty"`
	Steering     *[]string         `json:"steering,omitempty"`
	FollowUp     *[]string         `json:"followUp,omitempty"`
	Name         *string           `json:"name,omitempty"`
	Level        ai.ThinkingLevel  `json:"level,omitempty"`
	ID           string            `json:"id,omitempty"`
	Delta        *string           `json:"delta,omitempty"`
}

// stream is a step of an answer, without the answer so far: who reads a stream
// puts it together by contentIndex, and trusts message_end.
type stream struct {
	Type         ai.EventType `json:"type"`
	ContentIndex int          `json:"contentIndex"`
	Delta        *string      `json:"delta,omitempty"`
	Content      *string      `json:"content,omitempty"`
	ToolCall     *ai.ToolCall `json:"toolCall,omitempty"`
	ID           string       `json:"id,omitempty"`
	ToolName     string       `json:"toolName,omitempty"`
}

// result is what a tool gave back.
type result struct {
	Content           []ai.Block      `json:"content"`
	Details           json.RawMessage `json:"details,omitempty"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	Usage             *ai.Usage       `json:"usage,omitempty"`
	IsError           bool            `json:"isError,omitempty"`
	Terminate         bool            `json:"terminate,omitempty"`
}

// Encode returns the record of an event, without a newline.
func Encode(ev session.Event) ([]byte, error) {
	r := record{Type: ev.Type}
	switch a := ev.Agent; ev.Type {
	case session.EventType(agent.MessageStart), session.EventType(agent.MessageEnd):
		r.Message = a.Message
	case session.EventType(agent.MessageUpdate):
		if m, ok := a.Message.(*ai.AssistantMessage); ok {
			r.Usage = &m.Usage
		}
		r.Stream = step(a.Stream)
	case session.EventType(agent.ToolExecutionStart):
		r.ToolCallID, r.ToolName, r.Args = a.ToolCallID, a.ToolName, object(a.Args)
	case session.EventType(agent.ToolExecutionUpdate):
		r.ToolCallID, r.ToolName, r.Args = a.ToolCallID, a.ToolName, object(a.Args)
		r.Partial = toolResult(a.Result)
	case session.EventType(agent.ToolExecutionEnd):
		r.ToolCallID, r.ToolName = a.ToolCallID, a.ToolName
		out := toolResult(a.Result)
		r.Result, r.IsError = out, &out.IsError
		if a.HasDuration {
			ms := a.Duration.Milliseconds()
			r.DurationMs = &ms
		}
	case session.EventType(agent.TurnEnd):
		r.Message, r.ToolResults = a.Message, some(a.ToolResults)
	case session.EventType(agent.AgentEnd):
		r.Messages, r.WillRetry = some(a.Messages), &ev.WillRetry
	case session.Settled:
		r.Aborted = &ev.Aborted
	case session.QueueUpdate:
		steering, followUp := some(ev.Steering), some(ev.FollowUp)
		r.Steering, r.FollowUp = &steering, &followUp
	case session.CompactionStart:
		r.Reason = string(ev.Compaction.Reason)
	case session.CompactionEnd:
		c := ev.Compaction
		r.Reason, r.Aborted, r.WillRetry, r.ErrorMessage = string(c.Reason), &c.Aborted, &c.WillRetry, c.Error
		if c.Result != nil {
			r.Result = c.Result
		}
	case session.EntryAppended:
		entry, err := store.EncodeEntry(ev.Entry)
		if err != nil {
			return nil, fmt.Errorf("encode entry: %w", err)
		}
		r.Entry = entry
	case session.InfoChanged:
		if ev.Name != "" {
			r.Name = &ev.Name
		}
	case session.ThinkingChanged:
		r.Level = ev.Thinking
	case session.RetryStart, session.SummaryRetryScheduled:
		ms := ev.Retry.Delay.Milliseconds()
		r.Attempt, r.MaxAttempts, r.DelayMs, r.ErrorMessage = ev.Retry.Attempt, ev.Retry.Max, &ms, ev.Retry.Reason
	case session.RetryEnd:
		r.Success, r.Attempt, r.FinalError = &ev.Retry.Success, ev.Retry.Attempt, ev.Retry.Final
	case session.SummaryRetryStart:
		r.Source = ev.Source
		if ev.Compaction.Reason != "" {
			r.Reason = string(ev.Compaction.Reason)
		}
	case session.ShellUpdate:
		r.ID, r.Delta = ev.ShellID, &ev.Delta
	}
	return openjson.Encode(r)
}

func step(ev *ai.Event) *stream {
	if ev == nil {
		return nil
	}
	s := &stream{Type: ev.Type, ContentIndex: ev.ContentIndex}
	switch ev.Type {
	case ai.EventTextDelta, ai.EventThinkingDelta, ai.EventToolCallDelta:
		s.Delta = &ev.Delta
	case ai.EventTextEnd, ai.EventThinkingEnd:
		s.Content = &ev.Content
	case ai.EventToolCallStart:
		if ev.ToolCall != nil {
			s.ID, s.ToolName = ev.ToolCall.ID, ev.ToolCall.Name
		}
	case ai.EventToolCallEnd:
		s.ToolCall = ev.ToolCall
	}
	return s
}

func toolResult(r *agent.Result) *result {
	if r == nil {
		return &result{Content: []ai.Block{}}
	}
	return &result{
		Content: some(r.Content), Details: r.Details, StructuredContent: r.StructuredContent, Usage: r.Usage,
		IsError: r.IsError, Terminate: r.Terminate,
	}
}

// object is the arguments of a call, which are an object on the wire whatever
// the model sent.
func object(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	return args
}

// some makes a list that is nil an empty one, which JSON tells from null.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
