package session

import (
	"tau/ai"
	"tau/session/compaction"
	"tau/session/message"
	"tau/session/prompt"
	"tau/session/store"
)

// Share is a part of what the next request holds.
type Share struct {
	Name   string
	Tokens int64 // estimate
	Count  int   // messages, tools or sections
}

// Breakdown estimates what fills the model's window: the sections of the
// system prompt, the tools, and the messages by kind. The parts are estimates
// that need not add up to ContextUsage.
func (s *Session) Breakdown() ([]Share, error) {
	c, err := s.store.Context()
	if err != nil {
		return nil, err
	}
	var out []Share
	add := func(name string, tokens int64) {
		if tokens == 0 {
			return
		}
		for i := range out {
			if out[i].Name == name {
				out[i].Tokens += tokens
				out[i].Count++
				return
			}
		}
		out = append(out, Share{name, tokens, 1})
	}
	have := prompt.Replay(c.Messages)
	for _, sec := range have.Sections {
		if sec.Text != nil {
			add("system prompt: "+sec.Name, compaction.EstimateText(*sec.Text))
		}
	}
	for _, t := range have.Tools {
		add("tools", compaction.EstimateText(t.Name+t.Description+string(t.Parameters)))
	}
	for _, m := range c.Messages {
		n := compaction.EstimateTokens(m)
		switch m := m.(type) {
		case *ai.SystemMessage:
		case *ai.UserMessage:
			add("your messages", n)
		case *ai.AssistantMessage:
			for _, b := range m.Content {
				part := compaction.EstimateTokens(&ai.AssistantMessage{Content: []ai.Block{b}})
				switch b.(type) {
				case *ai.Thinking:
					add("thoughts", part)
				case *ai.ToolCall:
					add("tool calls", part)
				default:
					add("answers", part)
				}
			}
		case *ai.ToolResultMessage:
			add("results of "+m.ToolName, n)
		case *message.Bash:
			if !m.ExcludeFromContext {
				add("your own commands", n)
			}
		case *message.CompactionSummary, *message.BranchSummary:
			add("summaries", n)
		default:
			add("other messages", n)
		}
	}
	return out, nil
}

// Spent is what one turn has cost: from a message of the user to the next.
type Spent struct {
	Prompt  string // its text
	Answers int
	Usage   ai.Usage
}

// Ledger lists what each turn of the active path has cost, oldest first. What
// was spent on other branches is in Usage only.
func (s *Session) Ledger() ([]Spent, error) {
	var out []Spent
	for _, n := range s.store.PathTo("") {
		if n.Type == "message" && n.Role == ai.RoleUser {
			e, err := s.store.Entry(n.ID)
			if err != nil {
				return nil, err
			}
			if u, ok := store.AsMessage(e).(*ai.UserMessage); ok {
				out = append(out, Spent{Prompt: ai.ContentText(u.Content)})
			}
		}
		u, err := s.store.UsageOf(n.ID)
		if err != nil {
			return nil, err
		}
		if len(out) == 0 || u.TotalTokens == 0 && u.Cost.Total == 0 {
			continue
		}
		last := &out[len(out)-1]
		last.Answers++
		last.Usage = last.Usage.Add(u)
	}
	return out, nil
}
