package ai

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"os"
	"time"

	"tau/ai/openjson"
)

// StreamFunc asks a model and yields its answer as events.
//
// The sequence is: at most one [EventStart]; then, for each content block in
// turn, a start, any number of deltas and an end event, balanced (a [RawBlock]
// has none of them); then exactly
// one [EventDone] or [EventError], which carries the final message and is the
// last event. It never panics and has no other way to report an error: a
// failure before the first byte is an EventError by itself; one in mid-stream
// keeps what had arrived. A cancelled context gives EventError with reason
// [StopAborted].
//
// The caller may stop early by breaking out of the loop; the request is then
// cancelled.
type StreamFunc func(ctx context.Context, model *Model, req Request, opts Options) iter.Seq[Event]

// Request is what a model is asked.
type Request struct {
	System string
	// Messages are those of roles user, assistant and toolResult, in order. System
	// messages may be among them: where a model lets its prompt and tools change
	// on the way ([Midway]), they say when System and Tools came to be what they
	// are. Others are ignored.
	Messages []Message
	Tools    []ToolDef
}

// ToolDef declares a tool to a model.
type ToolDef struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of an object
	// Strict asks the provider to let only arguments through that fit the
	// schema. It is asked for where the model can; the schema must then keep to
	// what the provider allows, such as additionalProperties false throughout.
	Strict bool `json:"strict,omitempty"`
	// Grammar, if not nil, is what the only argument of the tool has to follow,
	// where the model can be held to it.
	Grammar *Grammar        `json:"grammar,omitempty"`
	Rest    openjson.Fields `json:"-"`
}

// Grammar describes the text of a tool's only argument. Models that take
// grammars get the tool as one that is called with plain text; it is put into
// the argument, so that the tool is called in the same way by every model.
type Grammar struct {
	Syntax     string `json:"syntax"` // "lark" or "regex"
	Definition string `json:"definition"`
	Argument   string `json:"argument"` // the member of the parameters that takes the text
}

// UnmarshalJSON reads the declaration and keeps unknown members.
func (d *ToolDef) UnmarshalJSON(data []byte) (err error) {
	type plain ToolDef
	d.Rest, err = openjson.Unmarshal(data, (*plain)(d))
	return err
}

// MarshalJSON writes the declaration with the members it was read with.
func (d ToolDef) MarshalJSON() ([]byte, error) {
	type plain ToolDef
	return openjson.Marshal(plain(d), d.Rest)
}

// Options are the parts of a request that are not conversation.
type Options struct {
	APIKey    string
	Headers   map[string]string // win over the model's own
	Env       map[string]string // go before the environment, see Getenv
	Thinking  ThinkingLevel     // already clamped to what the model has
	Budgets   map[ThinkingLevel]int64
	MaxTokens int64 // 0: the model's limit, fitted to the window
	// Temperature is sent only if set.
	Temperature *float64
	SessionID   string         // for cache affinity
	Cache       CacheRetention // "" means short
	// Memo makes the further requests of a conversation cheaper; it may be nil.
	Memo *Memo
	// Client is used for HTTP; nil means a client of the protocol's own that
	// honours the proxy variables of the environment.
	Client *http.Client
	// IdleTimeout is how long the server may send nothing; 0 means 300 s, less
	// than 0 no limit.
	IdleTimeout time.Duration
	// FirstByteTimeout is how long the answer may take to begin, which is long
	// where a local server first has to read the prompt; 0 means as IdleTimeout,
	// less than 0 no limit.
	FirstByteTimeout time.Duration
	// OnPayload sees each request body and may return another.
	OnPayload func(body []byte) []byte
	// OnHeader sees the headers of each request before it is signed, and may
	// change them.
	OnHeader func(header http.Header)
	// OnResponse sees the head of each response.
	OnResponse func(status int, header http.Header)
	// OnStreamEvent sees each event of an answer as the provider sent it, before
	// anything is made of it. The data is JSON, and valid until it returns.
	OnStreamEvent func(data []byte)
}

// Getenv returns the value of an environment variable as the request sees it.
// Protocols of clouds use it for region, project and the cloud's own ways of
// signing in.
func (o *Options) Getenv(name string) string {
	if v := o.Env[name]; v != "" {
		return v
	}
	return os.Getenv(name)
}

// CacheRetention says how long a provider should keep the prompt's prefix.
type CacheRetention string

// The cache retentions.
const (
	CacheShort CacheRetention = "short"
	CacheLong  CacheRetention = "long"
	CacheNone  CacheRetention = "none"
)

// EventType is the kind of an [Event].
type EventType string

// The kinds of stream events.
const (
	EventStart         EventType = "start"
	EventTextStart     EventType = "text_start"
	EventTextDelta     EventType = "text_delta"
	EventTextEnd       EventType = "text_end"
	EventThinkingStart EventType = "thinking_start"
	EventThinkingDelta EventType = "thinking_delta"
	EventThinkingEnd   EventType = "thinking_end"
	EventToolCallStart EventType = "toolcall_start"
	EventToolCallDelta EventType = "toolcall_delta"
	EventToolCallEnd   EventType = "toolcall_end"
	EventDone          EventType = "done"
	EventError         EventType = "error"
)

// Event is one step of an answer.
type Event struct {
	Type         EventType
	ContentIndex int // of the block, for block events
	// Delta is the new text of a delta event.
	Delta string
	// Content is the whole text of a text_end or thinking_end event.
	Content string
	// ToolCall is the whole call of a toolcall_end event; of a toolcall_start
	// event it has id and name only.
	ToolCall *ToolCall
	// Partial is the answer so far, for all but done and error. It is cheap:
	// its texts share the buffers that the stream appends to.
	Partial *AssistantMessage
	// Reason and Message are those of a done or error event.
	Reason  StopReason
	Message *AssistantMessage
}

// Final reports whether e is the last event of its stream.
func (e Event) Final() bool { return e.Type == EventDone || e.Type == EventError }

// Registry finds the protocol of a model. The zero value is empty. It is built
// once and then only read, so that it needs no lock.
type Registry struct {
	protocols map[string]func() StreamFunc
}

// Register names the wire protocol api. open is called for each request, and
// is where a protocol that costs anything at start does its work.
func (r *Registry) Register(api string, open func() StreamFunc) {
	if r.protocols == nil {
		r.protocols = map[string]func() StreamFunc{}
	}
	r.protocols[api] = open
}

// Stream is a [StreamFunc] that hands the request to the model's protocol.
func (r *Registry) Stream(ctx context.Context, model *Model, req Request, opts Options) iter.Seq[Event] {
	if open, ok := r.protocols[model.API]; ok {
		return open()(ctx, model, req, opts)
	}
	return Fail(model, &Failure{Class: FailFatal, Message: "tau does not speak the protocol " + quote(model.API) + " of model " + model.Ref()})
}

// Fail is the stream of a request that could not be made.
func Fail(model *Model, failure *Failure) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		m := &AssistantMessage{
			API: model.API, Provider: model.Provider, Model: model.ID,
			StopReason: StopError, ErrorMessage: failure.Message, Failure: failure, Timestamp: time.Now().UnixMilli(),
		}
		if failure.Class == FailAborted {
			m.StopReason = StopAborted
		}
		yield(Event{Type: EventError, Reason: m.StopReason, Message: m})
	}
}

func quote(s string) string { b, _ := openjson.Encode(s); return string(b) }
