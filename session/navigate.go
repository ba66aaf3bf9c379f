package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"tau/ai"
	"tau/session/compaction"
	"tau/session/message"
	"tau/session/store"
)

// NavigateOptions say how a branch is left.
type NavigateOptions struct {
	// Summarize has the model write down what the branch that is left taught.
	Summarize bool
	// Instructions say what the summary should look at.
	Instructions string
	// Label is given to the summary, or to the target if there is none.
	Label string
}

// Navigation is where a navigation led.
type Navigation struct {
	// Leaf is the entry that the conversation ends at now; "" is before the
	// first.
	Leaf string
	// Content is that of the message that was gone back to, for the editor; nil
	// if the target is none of the user's.
	Content []ai.Block
	// SummaryID is the entry of the branch summary, if there is one.
	SummaryID string
}

// ErrNavigationCancelled is returned if the summary was cancelled; the leaf is
// where it was.
var ErrNavigationCancelled = errors.New("navigation cancelled")

// Navigate moves the end of the conversation to the target. If that is a
// message of the user or of an extension, it moves before it and returns the
// content; target "" is the very beginning. What is sent next becomes a new
// branch; nothing is lost.
//
// It fails with [ErrBusy] during a run, a compaction or another navigation.
// Messages sent while a summary is written are queued and sent afterwards.
func (s *Session) Navigate(ctx context.Context, target string, o NavigateOptions) (Navigation, error) {
	var nav Navigation
	ctx, err := s.claim(ctx, false)
	if err != nil {
		return nav, err
	}
	defer s.release()
	nav.Leaf = target
	if target != "" {
		e, err := s.store.Entry(target)
		if err != nil {
			return nav, fmt.Errorf("navigate: %w", err)
		}
		var isPrompt bool
		if nav.Content, isPrompt = promptOf(e); isPrompt {
			nav.Leaf = s.store.Parent(target)
		}
	}
	old := s.store.Leaf()
	if nav.Leaf == old && o.Label == "" {
		return nav, nil
	}
	entry, err := s.askBeforeTree(ctx, old, target, &o)
	if err != nil {
		return nav, err
	}
	if entry == nil && o.Summarize && nav.Leaf != old {
		if entry, err = s.branchSummary(ctx, old, target, o.Instructions); err != nil {
			return nav, err
		}
	}
	if err := s.moveTo(nav.Leaf); err != nil {
		return nav, err
	}
	labelled := target
	if entry != nil {
		nav.SummaryID = s.appendEntry(entry)
		nav.Leaf, labelled = nav.SummaryID, nav.SummaryID
	}
	if o.Label != "" && labelled != "" {
		nav.Leaf = s.appendEntry(&store.LabelEntry{TargetID: labelled, Label: o.Label})
	}
	if err := s.reload(); err != nil {
		return nav, err
	}
	s.emit(Event{Type: Navigated, EntryID: nav.Leaf})
	if h := s.hooked("session_tree"); h != nil {
		h.Tree(ctx, nav.Leaf, old, entry)
	}
	return nav, nil
}

// moveTo sets the leaf and remembers the old one.
func (s *Session) moveTo(leaf string) error {
	old := s.store.Leaf()
	if err := s.store.SetLeaf(leaf); err != nil {
		return fmt.Errorf("navigate: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moves = append(s.moves, old)
	return nil
}

// ErrNothingToUndo is returned when there was no navigation.
var ErrNothingToUndo = errors.New("there is no navigation to undo")

// UndoNavigation goes back to where the conversation was before the last
// navigation. What was said since stays in the tree.
func (s *Session) UndoNavigation() (leaf string, err error) {
	if _, err := s.claim(context.Background(), false); err != nil {
		return "", err
	}
	defer s.release()
	s.mu.Lock()
	n := len(s.moves)
	if n == 0 {
		s.mu.Unlock()
		return "", ErrNothingToUndo
	}
	leaf = s.moves[n-1]
	s.moves = s.moves[:n-1]
	s.mu.Unlock()
	if err := s.store.SetLeaf(leaf); err != nil {
		return "", fmt.Errorf("undo navigation: %w", err)
	}
	if err := s.reload(); err != nil {
		return "", err
	}
	s.emit(Event{Type: Navigated, EntryID: leaf})
	return leaf, nil
}

// branchSummary asks for the summary of what is left when the conversation
// goes from the entry old to target. It is nil if there is nothing to tell.
func (s *Session) branchSummary(ctx context.Context, old, target, focus string) (*store.BranchSummaryEntry, error) {
	defer s.nowCompacting()()
	msgs, before, err := s.leaving(old, target)
	if err != nil {
		return nil, err
	}
	var spent ai.Usage
	for _, by := range s.summarizers(sourceBranch, focus) {
		if s.opts.BranchReserve > 0 {
			by.Limits.Reserve = s.opts.BranchReserve
			if w := by.Limits.Window; w > 0 {
				by.Limits.Reserve = min(by.Limits.Reserve, w/2)
			}
		}
		var sum compaction.Summary
		var files compaction.Files
		sum, files, err = by.Branch(ctx, msgs, before)
		spent = spent.Add(sum.Usage)
		if errors.Is(err, compaction.ErrNothing) {
			return nil, nil
		}
		if ctx.Err() != nil {
			s.spend(spent, "branch summary")
			return nil, ErrNavigationCancelled
		}
		if err != nil {
			continue
		}
		e := &store.BranchSummaryEntry{FromID: old, Summary: sum.Text}
		if e.Details, err = json.Marshal(files); err != nil {
			return nil, fmt.Errorf("encode branch summary: %w", err)
		}
		if spent.TotalTokens > 0 || spent.Cost.Total > 0 {
			e.Usage = &spent
			s.mu.Lock()
			s.usage.total = s.usage.total.Add(spent)
			s.mu.Unlock()
		}
		return e, nil
	}
	s.spend(spent, "branch summary")
	return nil, fmt.Errorf("summarise the branch: %w", err)
}

// leaving returns the messages between the entry old and the last one it has
// in common with target, in order, and the files that summaries among them
// name.
func (s *Session) leaving(old, target string) ([]ai.Message, compaction.Files, error) {
	var files compaction.Files
	if old == "" {
		return nil, files, nil
	}
	common := s.store.Ancestor(old, target)
	var entries []store.Entry
	for at := old; at != "" && at != common; at = s.store.Parent(at) {
		e, err := s.store.Entry(at)
		if err != nil {
			return nil, files, fmt.Errorf("read the branch: %w", err)
		}
		entries = append(entries, e)
	}
	omitted := map[string]bool{}
	for _, e := range entries {
		if edit, ok := e.(*store.ContextEditEntry); ok {
			omitted[edit.TargetID] = string(edit.Replacement) == "null"
		}
	}
	var msgs []ai.Message
	for i := len(entries) - 1; i >= 0; i-- {
		if omitted[store.EntryBase(entries[i]).ID] {
			continue
		}
		switch e := entries[i].(type) {
		case *store.CompactionEntry:
			msgs = append(msgs, &message.CompactionSummary{Summary: e.Summary, Timestamp: e.Time().UnixMilli()})
			files = merged(files, e.Details, e.FromHook)
		case *store.BranchSummaryEntry:
			msgs = append(msgs, store.AsMessage(e))
			files = merged(files, e.Details, e.FromHook)
		default:
			if m := store.AsMessage(e); m != nil {
				msgs = append(msgs, m)
			}
		}
	}
	return msgs, files, nil
}

func merged(f compaction.Files, details json.RawMessage, fromHook bool) compaction.Files {
	if fromHook {
		return f
	}
	g := compaction.ParseFiles(details)
	f.Read, f.Modified = append(f.Read, g.Read...), append(f.Modified, g.Modified...)
	return f
}

// SetLabel names an entry; an empty label takes the name away.
func (s *Session) SetLabel(id, label string) error {
	if _, err := s.store.Entry(id); err != nil {
		return fmt.Errorf("label: %w", err)
	}
	s.appendEntry(&store.LabelEntry{TargetID: id, Label: label})
	return nil
}
