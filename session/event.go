package session

import (
	"encoding/json"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/session/message"
	"tau/session/store"
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
	// CompactionStart and CompactionEnd: the conversation is being summarised,
	// see Event.Compaction. An end may come without a start if nothing could be
	// tried.
	CompactionStart EventType = "compaction_start"
	CompactionEnd   EventType = "compaction_end"
	// EntryAppended: an entry that is no message was stored, see EntryID.
	EntryAppended EventType = "entry_appended"
	// Navigated: the conversation continues from another point of the tree; the
	// transcript has to be read anew.
	Navigated EventType = "navigated"
	// SummaryRetryScheduled, SummaryRetryStart and SummaryRetryEnd: a request for
	// a summary failed and is repeated, see Event.Retry and Event.Source.
	SummaryRetryScheduled EventType = "summarization_retry_scheduled"
	SummaryRetryStart     EventType = "summarization_retry_attempt_start"
	SummaryRetryEnd       EventType = "summarization_retry_finished"
	// CacheLost: the provider did not find the prompt it had kept, and charged
	// for it again; see Event.Cache.
	CacheLost EventType = "cache_lost"
	// ShellUpdate: a command of the user's own has written Delta; see RunShell.
	ShellUpdate EventType = "bash_execution_update"
	// ShellEnd: such a command is over; Shell is what came of it.
	ShellEnd EventType = "bash_execution_end"
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
	// EntryID is the entry that a message_end was stored as, or that was
	// appended; Entry is the latter.
	EntryID string
	Entry   store.Entry
	// ShellID is what RunShell was called with, Delta and Shell what the command
	// has written, or left.
	ShellID, Delta string
	Shell          *message.Bash
	// Cache is that of cache_lost.
	Cache CacheLoss
	// Compaction is that of compaction_start (only Reason) and compaction_end.
	Compaction Compaction
	// Source is what the summary of a summarization_retry_attempt_start is for:
	// "compaction" or "branchSummary".
	Source string
}

// CompactionReason says why a conversation is compacted.
type CompactionReason string

// The reasons.
const (
	CompactManual    CompactionReason = "manual"
	CompactThreshold CompactionReason = "threshold"
	CompactOverflow  CompactionReason = "overflow"
)

// Compaction is one compaction, as events tell of it.
type Compaction struct {
	Reason CompactionReason
	Result *CompactionResult // nil unless it worked
	// Aborted: the user cancelled it.
	Aborted bool
	// WillRetry: the request that did not fit is made again.
	WillRetry bool
	// Error is why there is no result, as a sentence; "" if aborted.
	Error string
	// Mechanical is why no model wrote the summary; "" if one did.
	Mechanical string
}

// CompactionResult is what a compaction did.
type CompactionResult struct {
	Summary              string          `json:"summary"`
	FirstKeptEntryID     string          `json:"firstKeptEntryId"` // the entry's own id: nothing was kept
	TokensBefore         int64           `json:"tokensBefore"`
	EstimatedTokensAfter int64           `json:"estimatedTokensAfter"`
	Usage                *ai.Usage       `json:"usage,omitempty"`
	Details              json.RawMessage `json:"details,omitempty"`
}

// Retry is one repetition of a failed request.
type Retry struct {
	Attempt, Max int // from 1
	Delay        time.Duration
	Reason       string // the error that led to it
	Success      bool   // of a RetryEnd
	Final        string // why it was given up
}
