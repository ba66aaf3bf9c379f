package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tau/ai"
	"tau/session/compaction"
	"tau/session/prompt"
	"tau/session/store"
)

// Errors of compaction.
var (
	ErrCompactionCancelled = errors.New("compaction cancelled")
	errFreesNothing        = errors.New("compaction would free nothing: the summary is as long as what it stands for")
)

// Compact summarises the conversation up to its recent part, whatever the
// settings say. A run that is under way is aborted first. Messages that are
// sent meanwhile are queued, and sent when it is over. instructions may say
// what the summary should look at.
//
// It fails with [compaction.ErrNothing], [compaction.ErrCompacted],
// [ErrCompactionCancelled], or what the request for the summary said; nothing
// is stored then.
func (s *Session) Compact(ctx context.Context, instructions string) (*CompactionResult, error) {
	ctx, err := s.claim(ctx, true)
	if err != nil {
		return nil, err
	}
	s.load()
	end := Compaction{Reason: CompactManual}
	plan, err := s.plan(false)
	if err == nil {
		end, err = s.compact(ctx, CompactManual, plan, instructions, false)
	} else {
		s.emit(Event{Type: CompactionStart, Compaction: Compaction{Reason: CompactManual}})
		end.Error = err.Error()
	}
	s.release(Event{Type: CompactionEnd, Compaction: end})
	return end.Result, err
}

// SetAutoCompaction turns automatic compaction on or off.
func (s *Session) SetAutoCompaction(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts.Compaction.Disabled = !on
}

// AutoCompaction reports whether the conversation is compacted by itself.
func (s *Session) AutoCompaction() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.opts.Compaction.Disabled
}

// Compacting reports whether a compaction or a branch summary is being made.
func (s *Session) Compacting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.compacting > 0
}

func (s *Session) nowCompacting() (over func()) {
	add := func(n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.compacting += n
	}
	add(1)
	return func() { add(-1) }
}

// beforeRequest is the agent's last look at the messages of a request. The
// check is made here, and not when the run is prepared, because everything the
// request holds is on disk by now: whoever waits for a summary has not lost
// the prompt if the power goes.
func (s *Session) beforeRequest(ctx context.Context, _ []ai.Message) ([]ai.Message, error) {
	s.autoCompact(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// Not those of the loop, which does not know of the compaction yet.
	return s.agent.State().Context.Messages, nil
}

// autoCompact compacts if the context is over the threshold.
func (s *Session) autoCompact(ctx context.Context) {
	s.mu.Lock()
	wanted := !s.opts.Compaction.Disabled && !s.compactionOff && !s.usage.unknown &&
		s.opts.Compaction.For(s.model).Exceeded(s.usage.counted+s.usage.trailing)
	s.mu.Unlock()
	if !wanted || ctx.Err() != nil {
		return
	}
	plan, err := s.plan(false)
	if err == nil {
		var end Compaction
		end, err = s.compact(ctx, CompactThreshold, plan, "", false)
		s.emit(Event{Type: CompactionEnd, Compaction: end})
	}
	if err != nil {
		// It would fail again before every request. If the window does overflow, that
		// is dealt with then.
		s.mu.Lock()
		s.compactionOff = true
		s.mu.Unlock()
	}
}

// plan decides what would be compacted now.
func (s *Session) plan(must bool) (*compaction.Plan, error) {
	c, err := s.store.Context()
	if err != nil {
		return nil, fmt.Errorf("read the conversation: %w", err)
	}
	in := compaction.Input{
		Messages: c.Messages, IDs: c.IDs, Must: must, Fixed: s.fixedTokens(c.Messages), Details: s.lastDetails(),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	in.Limits = s.opts.Compaction.For(s.model)
	if !s.usage.unknown {
		in.Tokens = s.usage.counted + s.usage.trailing
	}
	if must {
		// The provider has just said that it is more than the window.
		in.Tokens = max(in.Tokens, in.Limits.Window)
	}
	return compaction.Prepare(in)
}

// fixedTokens reckons what each request holds beside messages.
func (s *Session) fixedTokens(msgs []ai.Message) int64 {
	chars := len(prompt.Replay(msgs).Prompt())
	if chars == 0 {
		chars = len(prompt.Render(s.opts.Prompt(s.Tools())))
	}
	for _, t := range s.Tools() {
		chars += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return int64(chars / 4)
}

// lastDetails returns the file lists of the last compaction, unless an
// extension made it: those have a form of their own.
func (s *Session) lastDetails() json.RawMessage {
	for n := range s.store.Back() {
		if n.Type != "compaction" {
			continue
		}
		if e, err := s.store.Entry(n.ID); err == nil {
			if c, ok := e.(*store.CompactionEntry); ok && !c.FromHook {
				return c.Details
			}
		}
		break
	}
	return nil
}

// compact carries a plan out. It tells the subscribers that it begins; the
// caller tells them how it ended.
func (s *Session) compact(ctx context.Context, reason CompactionReason, plan *compaction.Plan, focus string, willRetry bool) (end Compaction, err error) {
	defer s.nowCompacting()()
	s.emit(Event{Type: CompactionStart, Compaction: Compaction{Reason: reason}})
	end.Reason = reason
	summary, err := s.summarize(ctx, plan, focus)
	if err != nil && reason == CompactOverflow && ctx.Err() == nil {
		if !hopeless(err) {
			// There is no going on without a cut.
			end.Mechanical = err.Error()
			path := ""
			if s.store.Saved() {
				path = s.store.Path()
			}
			summary.Text, err = plan.Mechanical(err.Error(), path), nil
			if compaction.EstimateText(summary.Text)+plan.Kept >= plan.Counted {
				err = errFreesNothing
			}
		}
	}
	if err == nil {
		end.Result, err = s.storeSummary(plan, summary)
	} else {
		s.spend(summary.Usage, reason)
	}
	switch {
	case err == nil:
		end.WillRetry = willRetry
	case ctx.Err() != nil:
		end.Aborted, err = true, ErrCompactionCancelled
	default:
		end.Error = err.Error()
	}
	return end, err
}

// hopeless reports whether the repeated request would fail as the request for
// the summary did.
func hopeless(err error) bool {
	var f *ai.Failure
	return errors.As(err, &f) && (f.Class == ai.FailAuth || f.Class == ai.FailQuota)
}

// summarize asks for the summary of a plan.
func (s *Session) summarize(ctx context.Context, plan *compaction.Plan, focus string) (compaction.Summary, error) {
	var spent ai.Usage
	var errs []error
	for _, by := range s.summarizers(sourceCompaction, focus) {
		sum, err := by.Compact(ctx, plan)
		spent = spent.Add(sum.Usage)
		sum.Usage = spent
		if err == nil && compaction.EstimateText(sum.Text)+plan.Kept >= plan.Counted {
			err = errFreesNothing
		}
		if err == nil {
			return sum, nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return compaction.Summary{Usage: spent}, errs[len(errs)-1]
}

// spend counts what was paid for nothing.
func (s *Session) spend(u ai.Usage, reason CompactionReason) {
	if u.TotalTokens == 0 && u.Cost.Total == 0 {
		return
	}
	s.mu.Lock()
	m := s.model
	s.usage.total = s.usage.total.Add(u)
	s.mu.Unlock()
	s.appendEntry(&store.UsageEntry{Kind: "compaction", Provider: m.Provider, Model: m.ID, Usage: u, Note: string(reason) + " compaction that came to nothing"})
}

// storeSummary appends the compaction and lets the agent go on from it.
func (s *Session) storeSummary(plan *compaction.Plan, sum compaction.Summary) (*CompactionResult, error) {
	details, err := json.Marshal(plan.Files)
	if err != nil {
		return nil, fmt.Errorf("encode compaction: %w", err)
	}
	before := s.agent.State().Context.Messages
	e := &store.CompactionEntry{Summary: sum.Text, FirstKeptEntryID: plan.FirstKept, Details: details}
	e.ID = s.store.NewID()
	if e.FirstKeptEntryID == "" {
		e.FirstKeptEntryID = e.ID
	}
	if e.SystemMessage, err = checkpoint(before); err != nil {
		return nil, err
	}
	s.mu.Lock()
	if e.TokensBefore = s.usage.counted + s.usage.trailing; s.usage.unknown || e.TokensBefore == 0 {
		e.TokensBefore = plan.Before
	}
	if sum.Usage.TotalTokens > 0 || sum.Usage.Cost.Total > 0 {
		e.Usage = &sum.Usage
		s.usage.total = s.usage.total.Add(sum.Usage)
	}
	s.mu.Unlock()
	s.appendEntry(e)
	if err := s.reload(); err != nil {
		return nil, err
	}
	after := s.ContextTokens()
	return &CompactionResult{
		Summary: e.Summary, FirstKeptEntryID: e.FirstKeptEntryID, TokensBefore: e.TokensBefore,
		EstimatedTokensAfter: after, Usage: e.Usage, Details: details,
	}, nil
}

// checkpoint returns the system message that stands for all those so far.
func checkpoint(msgs []ai.Message) (json.RawMessage, error) {
	st := prompt.Replay(msgs)
	if !st.Declared {
		return nil, nil
	}
	m := &ai.SystemMessage{
		Content: ai.TextBlocks(st.Text), Plain: true, Sections: st.Sections, ToolsAdded: st.Tools, Timestamp: time.Now().UnixMilli(),
	}
	b, err := m.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encode system message: %w", err)
	}
	return b, nil
}

// appendEntry stores an entry that is no message and tells the subscribers.
func (s *Session) appendEntry(e store.Entry) string {
	id := s.append(e)
	s.emit(Event{Type: EntryAppended, EntryID: id, Entry: e})
	return id
}
