package session

import (
	"context"
	"encoding/json"

	"tau/agent"
	"tau/ai"
	"tau/session/compaction"
	"tau/session/message"
	"tau/session/store"
)

// Hooks are asked and told while the session works, and waited for. They are
// what extensions are plugged into; see package tau/session/extension. No lock
// is held during a call, so that a hook may use the session, except that it
// must not wait for the run it is called in.
type Hooks interface {
	// Wants reports whether anybody listens to the event of this name, so that
	// nothing is prepared for nobody.
	Wants(event string) bool
	// Agent is told of an event of the agent before subscribers are. The message
	// it returns takes the place of that of a message_end; nil changes nothing.
	Agent(ctx context.Context, ev agent.Event, turn int) ai.Message
	// BeforeStart is asked before a run that a message begins.
	BeforeStart(ctx context.Context, in Start) StartChange
	// Context may change what is sent, not what is kept.
	Context(ctx context.Context, msgs []ai.Message) []ai.Message
	ToolCall(ctx context.Context, c agent.ToolContext) (*agent.Block, error)
	ToolResult(ctx context.Context, c agent.ToolContext, r agent.Result) (*agent.Result, error)
	// Request lays hooks of the provider's traffic on the options of a request.
	Request(ctx context.Context, m *ai.Model, o *ai.Options)
	// TurnEnd is asked after each turn, BeforeSettle when the agent would stop.
	TurnEnd(ctx context.Context, in Boundary) BoundaryChange
	BeforeSettle(ctx context.Context, in Boundary) BoundaryChange
	// Settled is told when nothing is left to do. The function it returns, which
	// may be nil, is called when subscribers know.
	Settled(aborted bool) (after func())
	BeforeCompact(ctx context.Context, in Compacting) CompactChange
	Compacted(ctx context.Context, e *store.CompactionEntry, reason CompactionReason, willRetry bool)
	CompactFailed(ctx context.Context, c Compaction, fromHook bool)
	BeforeTree(ctx context.Context, in Leaving) LeavingChange
	Tree(ctx context.Context, newLeaf, oldLeaf string, summary *store.BranchSummaryEntry)
	// Shell may run a command of the user's in another way; nil has it run as
	// usual, an error refuses it.
	Shell(ctx context.Context, command string, exclude bool, delta func(string)) (*ShellResult, error)
	// Changed is told of a new model, thinking level or name. It does not block.
	Changed(Change)
}

// Start is a run that is about to begin.
type Start struct {
	Message  ai.Message // of the user, or a *message.Custom
	System   string
	Sections ai.Sections
}

// StartChange is what hooks want of a run.
type StartChange struct {
	// Messages go in after the one that begins the run.
	Messages []*message.Custom
	// Sections replace those of the prompt in this run, if set.
	Sections ai.Sections
	// System replaces the whole prompt in this run, if not empty.
	System string
}

// Boundary is a place between two requests.
type Boundary struct {
	Turn            int
	Message         *ai.AssistantMessage
	Results         []*ai.ToolResultMessage
	MessageEntryID  string
	ResultEntryIDs  []string
	Continue        bool // the model will be asked once more
	Outcome         string
	ContextMessages []ai.Message
}

// BoundaryChange is what hooks want there: entries to be stored, and one more
// request.
type BoundaryChange struct {
	Entries  []store.Entry
	Continue bool
}

// Compacting is a compaction that is about to begin.
type Compacting struct {
	Plan         *compaction.Plan
	Settings     compaction.Settings
	TokensBefore int64
	Instructions string
	Reason       CompactionReason
	WillRetry    bool
}

// CompactChange is what hooks want of it: no compaction, or one of their own.
type CompactChange struct {
	Cancel  bool
	Summary *HookSummary
}

// HookSummary is a summary that a hook made.
type HookSummary struct {
	Text      string
	FirstKept string // as planned if empty
	Details   json.RawMessage
	Usage     *ai.Usage
}

// Leaving is a branch that is about to be left.
type Leaving struct {
	Target, OldLeaf, Common string
	Entries                 []string // ids, from the root on, of what would be summarised
	Options                 NavigateOptions
}

// LeavingChange is what hooks want of it.
type LeavingChange struct {
	Cancel       bool
	Summary      *HookSummary
	Instructions *string
	Label        *string
}

// Change is a setting of the session that has changed. One of the members is
// set.
type Change struct {
	Model, OldModel *ai.Model
	Source          string // of the model: set, cycle or restore
	Level, OldLevel ai.ThinkingLevel
	Named           bool
	Name            string
}

// hooked returns the hooks if they listen to the event.
func (s *Session) hooked(event string) Hooks {
	if h := s.hooks(); h != nil && h.Wants(event) {
		return h
	}
	return nil
}

func (s *Session) hooks() Hooks {
	if h := s.hook.Load(); h != nil {
		return *h
	}
	return nil
}

// SetHooks changes the hooks, from the next event on.
func (s *Session) SetHooks(h Hooks) {
	if h == nil {
		s.hook.Store(nil)
		return
	}
	s.hook.Store(&h)
}

func (s *Session) tellChange(c Change) {
	if h := s.hooks(); h != nil {
		h.Changed(c)
	}
}
