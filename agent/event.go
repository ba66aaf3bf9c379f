package agent

import (
	"encoding/json"
	"time"

	"tau/ai"
)

// EventType is the kind of an [Event].
type EventType string

// The kinds of agent events, in the order they come.
const (
	AgentStart          EventType = "agent_start"
	TurnStart           EventType = "turn_start"
	MessageStart        EventType = "message_start"
	MessageUpdate       EventType = "message_update"
	MessageEnd          EventType = "message_end"
	ToolExecutionStart  EventType = "tool_execution_start"
	ToolExecutionUpdate EventType = "tool_execution_update"
	ToolExecutionEnd    EventType = "tool_execution_end"
	TurnEnd             EventType = "turn_end"
	AgentEnd            EventType = "agent_end"
)

// Event tells what the loop does. Events are notifications: they are emitted
// in order and cannot change what happens.
type Event struct {
	Type EventType

	// Message is that of message events and turn_end (the assistant's).
	Message ai.Message
	// Stream is the step of the answer behind a message_update.
	Stream *ai.Event

	// The tool events' call. Args are as the model sent them.
	ToolCallID string
	ToolName   string
	Args       json.RawMessage
	// Result is partial in an update, final in an end event.
	Result *Result
	// Duration is how long Execute took; HasDuration is false if it never ran.
	Duration    time.Duration
	HasDuration bool

	// ToolResults are those of a turn_end.
	ToolResults []*ai.ToolResultMessage
	// Messages are all new messages of the run, in agent_end.
	Messages []ai.Message
}
