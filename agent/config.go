package agent

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"tau/ai"
)

// Context is what a run starts from. The loop does not change its slices.
type Context struct {
	System   string
	Messages []ai.Message
	Tools    []*Tool
}

// Config holds the ports of the loop. Only Model and Stream are required.
//
// Every hook is called on the loop's goroutine, one at a time. A hook that
// returns an error ends the run with an assistant message of stop reason
// error, except BeforeToolCall, whose error blocks the call.
type Config struct {
	Model    *ai.Model
	Thinking ai.ThinkingLevel
	Stream   ai.StreamFunc
	// Options is the template of each request's options.
	Options ai.Options
	// ToolExecution is Parallel if empty.
	ToolExecution ExecutionMode

	// TransformContext prunes or injects messages before each request. It
	// changes what is sent, not the transcript.
	TransformContext func(ctx context.Context, msgs []ai.Message) ([]ai.Message, error)
	// ConvertToLLM turns the application's messages into those a model knows.
	// The default keeps system, user, assistant and toolResult messages.
	ConvertToLLM func(msgs []ai.Message) []ai.Message
	// APIKey finds the credentials for each request; keys may expire in mid-run.
	APIKey func(ctx context.Context, model *ai.Model) (Auth, error)

	// PrepareNextTurn runs before each further turn: compaction and changes of
	// model belong here. A nil result changes nothing.
	PrepareNextTurn func(ctx context.Context, turn Turn) (*NextTurn, error)
	// FinishTurn is called after a turn's last tool result and before its
	// turn_end. It may end the run, or ask for one more request.
	FinishTurn func(ctx context.Context, turn Turn) (Decision, error)
	// ShouldStopAfterTurn ends the run after the turn if it returns true. It is
	// the short form of FinishTurn for callers that only stop.
	ShouldStopAfterTurn func(ctx context.Context, turn Turn) bool

	// BeforeToolCall may block a call that passed validation.
	BeforeToolCall func(ctx context.Context, c ToolContext) (*Block, error)
	// AfterToolCall may replace the result of a call that was executed.
	AfterToolCall func(ctx context.Context, c ToolContext, r Result) (*Result, error)

	// SteeringMessages takes the messages that go in after the current turn's
	// tools and before the next request.
	SteeringMessages func() []ai.Message
	// FollowUpMessages takes the messages that go in when the agent would stop.
	FollowUpMessages func() []ai.Message

	// AbortGrace is how long a cancelled tool may take to return before its
	// call is answered without it. Zero means two seconds.
	AbortGrace time.Duration
	// Now is the clock of message timestamps; time.Now if nil.
	Now func() time.Time
}

// Auth is what a provider wants to see.
type Auth struct {
	Key     string
	Headers map[string]string
	// Env holds what the user keeps in place of environment variables.
	Env map[string]string
}

// Apply returns the options with the credentials; headers and variables that
// are set win.
func (a Auth) Apply(o ai.Options) ai.Options {
	if a.Key != "" {
		o.APIKey = a.Key
	}
	o.Headers = over(a.Headers, o.Headers)
	o.Env = over(a.Env, o.Env)
	return o
}

func over(base, top map[string]string) map[string]string {
	if len(base) == 0 {
		return top
	}
	all := maps.Clone(base)
	maps.Copy(all, top)
	return all
}

// Turn is one request and the tool results it led to.
type Turn struct {
	Message     *ai.AssistantMessage
	ToolResults []*ai.ToolResultMessage
	Context     Context      // with this turn's messages
	New         []ai.Message // all messages of the run so far
}

// NextTurn replaces parts of the run before its next request. Nil and zero
// fields change nothing.
type NextTurn struct {
	Context  *Context
	Messages []ai.Message // added before queued messages
	Model    *ai.Model
	Thinking ai.ThinkingLevel
}

// Decision is what FinishTurn wants.
type Decision uint8

// The decisions.
const (
	Proceed      Decision = iota // as tool calls and queues say
	ContinueTurn                 // ask the model once more even if nothing is pending
	EndRun                       // stop here
)

// ToolContext is one call with the state around it.
type ToolContext struct {
	Assistant *ai.AssistantMessage
	Call      *ai.ToolCall
	Tool      *Tool
	Args      json.RawMessage // validated
	Context   Context
	// SetArgs gives the call other arguments, which are not checked again. It is
	// set for BeforeToolCall only.
	SetArgs func(args json.RawMessage)
}

// Block refuses a call.
type Block struct {
	Reason    string // for the model; a fixed text if empty
	Terminate bool
}

func (c *Config) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

// KeepLLM is the default of ConvertToLLM.
func KeepLLM(msgs []ai.Message) []ai.Message {
	out := make([]ai.Message, 0, len(msgs))
	for _, m := range msgs {
		switch m.MessageRole() {
		case ai.RoleSystem, ai.RoleUser, ai.RoleAssistant, ai.RoleToolResult:
			out = append(out, m)
		}
	}
	return out
}
