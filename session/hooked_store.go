package session

import (
	"context"

	"tau/session/compaction"
	"tau/session/store"
)

func (s *Session) askBeforeCompact(ctx context.Context, reason CompactionReason, plan *compaction.Plan, focus string, willRetry bool) CompactChange {
	h := s.hooked("session_before_compact")
	if h == nil {
		return CompactChange{}
	}
	s.mu.Lock()
	in := Compacting{
		Plan: plan, Settings: s.opts.Compaction, TokensBefore: s.usage.counted + s.usage.trailing,
		Instructions: focus, Reason: reason, WillRetry: willRetry,
	}
	if s.usage.unknown || in.TokensBefore == 0 {
		in.TokensBefore = plan.Before
	}
	s.mu.Unlock()
	return h.BeforeCompact(ctx, in)
}

// tellCompacted tells hooks how a compaction ended.
func (s *Session) tellCompacted(ctx context.Context, end Compaction, willRetry, fromHook bool) {
	if end.Result == nil {
		if h := s.hooked("session_compact_failed"); h != nil {
			end.WillRetry = willRetry
			h.CompactFailed(ctx, end, fromHook)
		}
		return
	}
	h := s.hooked("session_compact")
	if h == nil {
		return
	}
	for n := range s.store.Back() {
		if n.Type != "compaction" {
			continue
		}
		if e, err := s.store.Entry(n.ID); err == nil {
			if c, ok := e.(*store.CompactionEntry); ok {
				h.Compacted(ctx, c, end.Reason, willRetry)
			}
		}
		return
	}
}

// askBeforeTree asks hooks before a branch is left, and applies to the options
// what they want. The entry is a summary that one of them made, or nil.
func (s *Session) askBeforeTree(ctx context.Context, old, target string, o *NavigateOptions) (*store.BranchSummaryEntry, error) {
	h := s.hooked("session_before_tree")
	if h == nil {
		return nil, nil
	}
	in := Leaving{Target: target, OldLeaf: old, Common: s.store.Ancestor(old, target), Options: *o}
	var ids []string
	for at := old; at != "" && at != in.Common; at = s.store.Parent(at) {
		ids = append(ids, at)
	}
	for i := len(ids) - 1; i >= 0; i-- {
		in.Entries = append(in.Entries, ids[i])
	}
	change := h.BeforeTree(ctx, in)
	if change.Cancel {
		return nil, ErrNavigationCancelled
	}
	if change.Instructions != nil {
		o.Instructions = *change.Instructions
	}
	if change.Label != nil {
		o.Label = *change.Label
	}
	if change.Summary == nil || !o.Summarize {
		return nil, nil
	}
	from := old
	if from == "" {
		from = "root"
	}
	return &store.BranchSummaryEntry{
		FromID: from, Summary: change.Summary.Text, Details: change.Summary.Details, Usage: change.Summary.Usage, FromHook: true,
	}, nil
}

func (s *Session) hookedShell(ctx context.Context, command string, exclude bool, delta func(string)) (ShellResult, error) {
	if h := s.hooked("user_bash"); h != nil {
		r, err := h.Shell(ctx, command, exclude, delta)
		if err != nil {
			return ShellResult{}, err
		}
		if r != nil {
			return *r, nil
		}
	}
	return s.opts.Shell(ctx, command, delta)
}
