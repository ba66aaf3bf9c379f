package compaction

import (
	"tau/ai"
	"tau/session/message"
)

const (
	charsPerToken = 4    // the usual rough measure for English text and code
	imageTokens   = 1200 // what an image is reckoned at
)

// EstimateTokens reckons the size of a message in tokens.
func EstimateTokens(m ai.Message) int64 {
	var chars, images int
	count := func(blocks []ai.Block) {
		for _, b := range blocks {
			switch b := b.(type) {
			case *ai.Text:
				chars += len(b.Text)
			case *ai.Thinking:
				chars += len(b.Thinking)
			case *ai.ToolCall:
				chars += len(b.Name) + len(b.Arguments)
			case *ai.Image:
				images++
			}
		}
	}
	switch m := m.(type) {
	case *ai.UserMessage:
		count(m.Content)
	case *ai.AssistantMessage:
		count(m.Content)
	case *ai.ToolResultMessage:
		count(m.Content)
	case *message.Bash:
		if !m.ExcludeFromContext {
			chars = len(m.Command) + len(m.Output)
		}
	case *message.Custom:
		count(m.Blocks())
	case *message.BranchSummary:
		chars = len(m.Summary)
	case *message.CompactionSummary:
		chars = len(m.Summary)
	}
	return tokens(chars) + int64(images)*imageTokens
}

func tokens(chars int) int64 { return int64((chars + charsPerToken - 1) / charsPerToken) }

// EstimateText reckons the size of a text in tokens.
func EstimateText(s string) int64 { return tokens(len(s)) }

// EstimateAll reckons the size of messages in tokens.
func EstimateAll(msgs []ai.Message) (n int64) {
	for _, m := range msgs {
		n += EstimateTokens(m)
	}
	return n
}
