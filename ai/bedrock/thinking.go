package bedrock

import (
	"encoding/json"
	"strings"

	"tau/ai"
	"tau/ai/openjson"
)

// Converse has no member for how much a model should think. Each maker's own
// goes into additionalModelRequestFields.

type claudeFields struct {
	Thinking *claudeThinking `json:"thinking,omitempty"`
	Output   *claudeOutput   `json:"output_config,omitempty"`
	Beta     []string        `json:"anthropic_beta,omitempty"`
}

type claudeThinking struct {
	Type    string `json:"type"`
	Budget  int64  `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

type claudeOutput struct {
	Effort string `json:"effort"`
}

type novaFields struct {
	Reasoning struct {
		Type   string `json:"type"`
		Effort string `json:"maxReasoningEffort"`
	} `json:"reasoningConfig"`
}

type openAIFields struct {
	Effort string `json:"reasoning_effort"`
}

// think returns the fields for the model, nil for none, and adapts limits. fit
// is the most that may be written, goesOn as thoughtful says.
func think(model *ai.Model, opts *ai.Options, limits *inference, fit int64, goesOn bool) (json.RawMessage, error) {
	level := opts.Thinking
	off := level == "" || level == ai.ThinkingOff
	switch {
	case isClaude(model):
		f := thinkClaude(model, opts, limits, fit, goesOn)
		if f == nil {
			return nil, nil
		}
		return openjson.Encode(f)
	case strings.Contains(model.ID, "amazon.nova-2"):
		if off {
			return nil, nil
		}
		var f novaFields
		f.Reasoning.Type, f.Reasoning.Effort = "enabled", effort(model, level)
		if f.Reasoning.Effort == "high" {
			*limits = inference{} // the API refuses both beside it
		}
		return openjson.Encode(f)
	case strings.Contains(model.ID, "openai.gpt-oss"):
		if off {
			level = ai.ThinkingLow // the least it has
		}
		return openjson.Encode(openAIFields{effort(model, level)})
	case strings.Contains(model.ID, "openai."):
		if off {
			return openjson.Encode(openAIFields{"none"})
		}
		return openjson.Encode(openAIFields{effort(model, level)})
	}
	return nil, nil // the maker decides
}

func thinkClaude(model *ai.Model, opts *ai.Options, limits *inference, fit int64, goesOn bool) *claudeFields {
	level := opts.Thinking
	if level == "" || level == ai.ThinkingOff {
		if adaptive(model) && model.Thinks(ai.ThinkingOff) {
			return &claudeFields{Thinking: &claudeThinking{Type: "disabled"}}
		}
		return nil
	}
	if adaptive(model) {
		limits.Temperature = nil // thinking allows no other than the default
		// Without display the newest models send signatures but no text.
		return &claudeFields{Thinking: &claudeThinking{Type: "adaptive", Display: "summarized"}, Output: &claudeOutput{effort(model, level)}}
	}
	budget := budgetOf(opts, level)
	const least = 1024 // the API's of thinking, and ours of the answer
	rest := int64(least)
	if opts.MaxTokens > 0 {
		limits.MaxTokens = min(opts.MaxTokens+budget, fit)
		rest = min(rest, opts.MaxTokens)
	}
	budget = min(budget, limits.MaxTokens-rest)
	if budget < least || !goesOn {
		return nil
	}
	limits.Temperature = nil
	return &claudeFields{Thinking: &claudeThinking{Type: "enabled", Budget: budget}, Beta: []string{"interleaved-thinking-2025-05-14"}}
}

// thoughtful reports whether Claude can go on thinking with a budget from the
// last message. In the middle of a turn, after results, it wants the answer
// that made the calls to begin with its thoughts; one of another model has none.
func thoughtful(model *ai.Model, msgs []ai.Message) bool {
	results := false
	for i := len(msgs) - 1; i >= 0; i-- {
		switch m := msgs[i].(type) {
		case *ai.ToolResultMessage:
			results = true
		case *ai.UserMessage:
			results = false // what counts is what comes first after the answer
		case *ai.AssistantMessage:
			blocks := assistantBlocks(model, m.Content)
			return !results || len(blocks) > 0 && blocks[0].Reasoning != nil
		}
	}
	return true
}

// adaptive reports whether a Claude model decides itself how much to think, as
// those do that have the levels above high.
func adaptive(model *ai.Model) bool {
	return model.ThinkingLevelMap[ai.ThinkingMax] != nil || model.ThinkingLevelMap[ai.ThinkingXHigh] != nil
}

func effort(model *ai.Model, level ai.ThinkingLevel) string {
	if name := model.ThinkingLevelMap[level]; name != nil && *name != "" {
		return *name
	}
	if level == ai.ThinkingMinimal {
		return "low"
	}
	return string(level)
}

func budgetOf(opts *ai.Options, level ai.ThinkingLevel) int64 {
	if n := opts.Budgets[level]; n > 0 {
		return n
	}
	switch level {
	case ai.ThinkingMinimal:
		return 1024
	case ai.ThinkingLow:
		return 2048
	case ai.ThinkingMedium:
		return 8192
	}
	return 16384
}
