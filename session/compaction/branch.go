package compaction

import (
	"context"
	"strings"

	"tau/ai"
	"tau/session/message"
)

// Branch summarises a branch that is being left, given its messages from the
// common ancestor (excluded) to its end. Tool results are left out. If it is
// too long, its beginning is left out too.
func (s *Summarizer) Branch(ctx context.Context, msgs []ai.Message, before Files) (Summary, Files, error) {
	set := newFileSet(before)
	var kept []ai.Message
	room := s.room()
	for i := len(msgs) - 1; i >= 0; i-- {
		set.add(msgs[i])
		switch m := msgs[i].(type) {
		case *ai.SystemMessage, *ai.ToolResultMessage:
			continue
		case *message.CompactionSummary:
			set.takeFiles(m.Summary)
		}
		if n := len(serialize(msgs[i])); room >= 0 {
			if room -= n; room >= 0 || len(kept) == 0 {
				kept = append(kept, msgs[i])
			}
		}
	}
	for i, j := 0, len(kept)-1; i < j; i, j = i+1, j-1 {
		kept[i], kept[j] = kept[j], kept[i]
	}
	files := set.files()
	var out Summary
	if len(kept) == 0 {
		return out, files, ErrNothing
	}
	text, err := s.pieces(ctx, &out, kept, "", func(c, prev string) string { return branchPrompt(c, prev, s.Focus) })
	if err != nil {
		return out, files, err
	}
	out.Text = strings.Join(append([]string{branchNote + text}, files.blocks(DefaultReserve)...), "\n\n")
	return out, files, nil
}
