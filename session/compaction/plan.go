package compaction

import (
	"encoding/json"
	"errors"

	"tau/ai"
	"tau/session/message"
)

// Reasons why there is nothing to do.
var (
	ErrCompacted = errors.New("already compacted")
	ErrNothing   = errors.New("nothing to compact: the session is too small")
)

// Input is what [Prepare] looks at: the context as the model sees it.
type Input struct {
	Messages []ai.Message
	IDs      []string // the entry behind each message
	Limits   Limits
	// Fixed is the size of the system prompt and the tools, in tokens.
	Fixed int64
	// Tokens is what the provider last counted for the context, or 0.
	Tokens int64
	// Details are those of the last compaction entry, if this program or pi
	// wrote it.
	Details json.RawMessage
	// Must is set when a request did not fit: something has to go, if need be
	// everything.
	Must bool
}

// Plan says what a compaction does.
type Plan struct {
	// Previous is the summary of the last compaction, or "".
	Previous string
	// History are whole turns to be summarised, Prefix the begun turn if the
	// cut is inside of one.
	History, Prefix []ai.Message
	// FirstKept is the entry from which on messages are kept; "" keeps none.
	FirstKept string
	// FirstID and LastID are the entries at both ends of what is summarised.
	FirstID, LastID string
	Files           Files
	// Before and Kept are estimates in tokens, without the fixed part.
	Before, Kept int64
	// Counted is Before, or what the provider counted if that is more.
	Counted int64

	limits Limits
}

// Prepare decides where to cut. The end of the conversation is kept up to
// Limits.KeepRecent tokens; less if the window is small, and nothing if not
// even the last message would fit.
//
// A cut never separates a call from its result, and never comes directly
// before a result. It may fall inside a turn, before an answer; the begun turn
// is then summarised by itself.
func Prepare(in Input) (*Plan, error) {
	p := &Plan{limits: in.Limits}
	files := newFileSet(ParseFiles(in.Details))
	var msgs []ai.Message
	var ids []string
	for i, m := range in.Messages {
		switch m := m.(type) {
		case *ai.SystemMessage:
		case *message.CompactionSummary:
			p.Previous = files.takeFiles(m.Summary)
			p.Before += EstimateTokens(m)
		default:
			msgs, ids = append(msgs, m), append(ids, in.IDs[i])
		}
	}
	if len(msgs) == 0 {
		if p.Previous != "" {
			return nil, ErrCompacted
		}
		return nil, ErrNothing
	}
	sizes := make([]int64, len(msgs))
	for i, m := range msgs {
		sizes[i] = EstimateTokens(m)
		p.Before += sizes[i]
	}
	valid := cutPoints(msgs)
	cut := findCut(valid, sizes, in, p.Before, startsTurn(msgs[len(msgs)-1]))
	if cut == 0 {
		return nil, ErrNothing
	}
	for _, n := range sizes[cut:] {
		p.Kept += n
	}
	p.Counted = max(p.Before, in.Tokens-in.Fixed)
	if cut < len(msgs) {
		p.FirstKept = ids[cut]
	}
	p.FirstID, p.LastID = ids[0], ids[cut-1]
	turn := turnStart(msgs, valid, cut)
	p.History, p.Prefix = msgs[:turn], msgs[turn:cut]
	for _, m := range msgs[:cut] {
		files.add(m)
	}
	p.Files = files.files()
	return p, nil
}

// findCut returns the index of the first message to keep: 0 if nothing can be
// cut, len(valid) to keep nothing. prompt says that the last message waits for
// an answer.
func findCut(valid []bool, sizes []int64, in Input, total int64, prompt bool) int {
	n := len(valid)
	// Estimates may be well below what the provider counts.
	scale := 1.0
	if in.Tokens > 0 && in.Fixed+total > 0 {
		scale = min(max(float64(in.Tokens)/float64(in.Fixed+total), 1), 4)
	}
	size := func(i int) int64 { return int64(float64(sizes[i]) * scale) }
	keep, most := in.Limits.KeepRecent, int64(1)<<62
	if w := in.Limits.Window; w > 0 {
		// The summary needs room too; it is reckoned at half of the reserve.
		most = max(w-in.Limits.Reserve-in.Limits.Reserve/2-int64(float64(in.Fixed)*scale), 0)
		keep = min(keep, most/2)
	}
	next := func(from int) int {
		for from < n && !valid[from] {
			from++
		}
		return from
	}
	at, kept := n, int64(0)
	for at > 0 && kept < keep {
		at--
		kept += size(at)
	}
	if kept < keep || at == 0 {
		// All of it is recent.
		at = 0
		if !in.Must && (in.Limits.Window == 0 || kept <= most) {
			return 0
		}
		at = 1
	}
	cut := next(at)
	if cut == n && at < n {
		// The last call and its results are larger than what should be kept. Better
		// keep them than summarise what the model is working on, if they fit.
		for cut = at; cut > 0 && !valid[cut]; cut-- {
		}
		if cut == 0 {
			cut = n
		}
	}
	rest := int64(0)
	for i := cut; i < n; i++ {
		rest += size(i)
	}
	for cut < n && rest > most {
		to := next(cut + 1)
		if to == n && !in.Must && prompt {
			break
		}
		for ; cut < to; cut++ {
			rest -= size(cut)
		}
	}
	return cut
}

// cutPoints tells before which messages a cut may be: not before results, and
// not between a call and its result, whatever stands between them.
func cutPoints(msgs []ai.Message) []bool {
	valid := make([]bool, len(msgs))
	waiting := map[string]int{} // calls without a result yet, by id
	reach := make([]int, len(msgs))
	last := map[string]int{} // the answer with the latest call of an id
	for i, m := range msgs {
		reach[i] = i
		switch m := m.(type) {
		case *ai.AssistantMessage:
			for _, c := range m.ToolCalls() {
				waiting[c.ID]++
				last[c.ID] = i
			}
		case *ai.ToolResultMessage:
			if waiting[m.ToolCallID] > 0 {
				waiting[m.ToolCallID]--
				reach[last[m.ToolCallID]] = i
			}
		}
	}
	until := -1 // the last result of the calls so far
	for i, m := range msgs {
		valid[i] = m.MessageRole() != ai.RoleToolResult && i > until
		until = max(until, reach[i])
	}
	return valid
}

// startsTurn reports whether the message is one that the model answers.
func startsTurn(m ai.Message) bool {
	switch m.MessageRole() {
	case ai.RoleAssistant, ai.RoleToolResult:
		return false
	}
	return true
}

// turnStart returns where the turn begins that is cut in two, or cut.
func turnStart(msgs []ai.Message, valid []bool, cut int) int {
	if cut < len(msgs) && startsTurn(msgs[cut]) {
		return cut
	}
	if cut == len(msgs) {
		if m, ok := msgs[cut-1].(*ai.AssistantMessage); ok && len(m.ToolCalls()) == 0 {
			return cut
		}
	}
	for i := cut - 1; i >= 0; i-- {
		if valid[i] && startsTurn(msgs[i]) {
			return i
		}
	}
	return cut
}
