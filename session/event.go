package session

import (
	"time"

	"tau/agent"
	"tau/ai"
)

// EventType is the kind of an [Event]: one of the agent's, or one of these.
type EventType string

// The kinds that the session adds to those of the agent.
const (
	// Settled: nothing automatic is left to do.
	Settled EventType = "agent_settled"
	// QueueUpdate carries the queues as they are now.
	QueueUpdate EventType = "queue_update"
	// RetryStart: a failed request will be repeated after Retry.Delay.
	RetryStart EventType = "auto_retry_start"
	// RetryEnd: the repetition worked, or was given up.
	RetryEnd EventType = "auto_retry_end"
	// InfoChanged: the session's name has changed.
	InfoChanged EventType = "session_info_changed"
	// ModelChanged: the model or what can be done with it has changed.
	ModelChanged EventType = "model_changed"
	// ThinkingChanged: the thinking level has changed.
	ThinkingChanged EventType = "thinking_level_changed"
	// SaveFailed: the session file could not be written; Err says why. What is
	// not saved stays in memory.
	SaveFailed EventType = "save_failed"
	// Saved: what could not be saved before is on disk now.
	Saved EventType = "saved"
)

// Event is something that happened in a session.
type Event struct {
	Type EventType
	// Agent is the agent's event, for its kinds.
	Agent agent.Event
	// WillRetry: for agent_end, the run goes on after a wait.
	WillRetry bool
	// Aborted: for agent_settled.
	Aborted bool
	// Steering and FollowUp are the texts of a queue_update.
	Steering, FollowUp []string
	Retry              Retry
	Model              *ai.Model
	Thinking           ai.ThinkingLevel
	Name               string
	Err                error
	// EntryID is the entry that a message_end was stored as.
	EntryID string
}

// Retry is one repetition of a failed request.
type Retry struct {
	Attempt, Max int // from 1
	Delay        time.Duration
	Reason       string // the error that led to it
	Success      bool   // of a RetryEnd
	Final        string // why it was given up
}
