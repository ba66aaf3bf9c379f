package interactive

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tau/components/chat"
	"tau/session"
	"tau/tui/text"
)

// contextUse is the command /context: who uses how much of the window. It
// reads the whole conversation, on a goroutine of its own.
func (p *program) contextUse(string) {
	s := p.session
	go func() {
		parts, err := s.Breakdown()
		p.ui.Post(func() {
			if err != nil {
				p.script.notice(chat.Failure, err.Error())
			} else if s == p.session {
				width, _ := p.ui.Size()
				p.remark(contextTable(parts, s, width))
			}
			p.ui.RequestRender()
		})
	}()
}

func contextTable(parts []session.Share, s *session.Session, width int) string {
	slices.SortStableFunc(parts, func(a, b session.Share) int { return cmp.Compare(b.Tokens, a.Tokens) })
	var sum, most int64
	for _, part := range parts {
		sum += part.Tokens
		most = max(most, part.Tokens)
	}
	var b strings.Builder
	used, known := s.ContextUsage()
	window := s.Model().ContextWindow
	fmt.Fprintf(&b, "**Context** %s", tokens(used))
	if !known {
		b.WriteString(" (estimated)")
	}
	if window > 0 {
		fmt.Fprintf(&b, " of %s, %.0f %%", tokens(window), 100*float64(used)/float64(window))
	}
	b.WriteString("\n\n| part | tokens | | share |\n|---|---:|---|---:|\n")
	bar := int64(20)
	if width < 80 {
		bar = 8
	}
	for _, part := range parts {
		name := part.Name
		if part.Count > 1 {
			name += fmt.Sprintf(" (%d)", part.Count)
		}
		n := bar * part.Tokens / max(most, 1)
		fmt.Fprintf(&b, "| %s | %s | `%s` | %.0f %% |\n", name, tokens(part.Tokens), strings.Repeat("█", int(n))+strings.Repeat("░", int(bar-n)), 100*float64(part.Tokens)/float64(max(sum, 1)))
	}
	b.WriteString("\nThe parts are estimates; the number above is the provider's, and decides when the conversation is compacted.\n")
	return b.String()
}

// ledgerRows is how many turns /cost lists.
const ledgerRows = 30

// cost is the command /cost: what each turn has cost.
func (p *program) cost(string) {
	s := p.session
	go func() {
		turns, err := s.Ledger()
		p.ui.Post(func() {
			if err != nil {
				p.script.notice(chat.Failure, err.Error())
			} else if s == p.session {
				p.remark(costTable(turns, s))
			}
			p.ui.RequestRender()
		})
	}()
}

func costTable(turns []session.Spent, s *session.Session) string {
	var b strings.Builder
	total := s.Usage()
	fmt.Fprintf(&b, "**Cost** $%.4f in all, with other branches and summaries\n\n", total.Cost.Total)
	if len(turns) == 0 {
		return b.String() + "No turn has been paid for yet.\n"
	}
	b.WriteString("| turn | | calls | in | out | cached | stored | cost |\n|---:|---|---:|---:|---:|---:|---:|---:|\n")
	first := max(0, len(turns)-ledgerRows)
	if first > 0 {
		var before float64
		for _, t := range turns[:first] {
			before += t.Usage.Cost.Total
		}
		fmt.Fprintf(&b, "| 1–%d | earlier | | | | | | $%.4f |\n", first, before)
	}
	for i, t := range turns[first:] {
		u := t.Usage
		prompt := strings.ReplaceAll(text.Truncate(oneLine(t.Prompt), 26, "…"), "|", "\\|")
		fmt.Fprintf(&b, "| %d | %s | %d | %s | %s | %s | %s | $%.4f |\n", first+i+1, prompt, t.Answers, tokens(u.Input), tokens(u.Output), tokens(u.CacheRead), tokens(u.CacheWrite), u.Cost.Total)
	}
	return b.String()
}
