package openai

import (
	"bytes"
	"encoding/json"
	"sort"

	"tau/ai"
	"tau/ai/openjson"
)

type reasoning struct {
	Effort  string `json:"effort,omitempty"`
	Enabled *bool  `json:"enabled,omitempty"`
}

type thinkingSwitch struct {
	Type string `json:"type"`
}

// think says in the server's dialect how much the model should think.
func think(r *request, model *ai.Model, opts *ai.Options, flags compat) {
	level := opts.Thinking
	thinks := level != "" && level != ai.ThinkingOff
	if !thinks {
		level = ai.ThinkingOff
	}
	canStop := model.Thinks(ai.ThinkingOff)
	name := effortName(model, level)
	if flags.ThinkingTokenBudget && thinks {
		setBudget(r, flags, budgetOf(opts, level))
	}
	kind := thinkingSwitch{"enabled"}
	if !thinks {
		kind.Type = "disabled"
	}
	switch flags.ThinkingFormat {
	case "openrouter":
		switch {
		case thinks:
			r.Reasoning = &reasoning{Effort: name}
		case canStop:
			if name == "" {
				name = "none"
			}
			r.Reasoning = &reasoning{Effort: name}
		}
		return
	case "ant-ling":
		if thinks && model.ThinkingLevelMap[level] != nil {
			r.Reasoning = &reasoning{Effort: name}
		}
		return
	case "together":
		if thinks || canStop {
			r.Reasoning = &reasoning{Enabled: &thinks}
		}
	case "deepseek", "zai":
		if thinks || canStop {
			r.Thinking = kind
		}
	case "qwen":
		if thinks || canStop {
			r.EnableThinking = &thinks
		}
	case "qwen-chat-template":
		r.ChatTemplateKwargs = json.RawMessage(`{"enable_thinking":false,"preserve_thinking":true}`)
		if thinks {
			r.ChatTemplateKwargs = json.RawMessage(`{"enable_thinking":true,"preserve_thinking":true}`)
		}
		return
	case "chat-template":
		r.ChatTemplateKwargs = template(flags.ChatTemplateKwargs, thinks, name, budgetOf(opts, level))
		return
	case "baseten":
		r.ChatTemplateArgs = template(flags.ChatTemplateArgs, thinks, name, budgetOf(opts, level))
	case "string-thinking":
		if name == "" {
			name = "none"
		}
		r.Thinking = name
		return
	}
	if !on(flags.ReasoningEffort, true) {
		return
	}
	// Off is said only where the model has a word for it.
	r.ReasoningEffort = name
}

// effortName is the model's word for level: by its map, else the level's own
// name, and nothing for off.
func effortName(model *ai.Model, level ai.ThinkingLevel) string {
	if name := model.ThinkingLevelMap[level]; name != nil && *name != "" {
		return *name
	}
	if level == ai.ThinkingOff {
		return ""
	}
	return string(level)
}

func setBudget(r *request, flags compat, n int64) {
	switch flags.ThinkingTokenBudgetField {
	case "thinking_budget":
		r.ThinkingBudget = n
	case "thinking_budget_tokens":
		r.ThinkingBudgetTokens = n
	default:
		r.ThinkingTokenBudget = n
	}
}

func budgetOf(opts *ai.Options, level ai.ThinkingLevel) int64 {
	if n := opts.Budgets[level]; n > 0 {
		return n
	}
	switch level {
	case ai.ThinkingOff:
		return 0
	case ai.ThinkingMinimal:
		return 1024
	case ai.ThinkingLow:
		return 2048
	case ai.ThinkingMedium:
		return 8192
	}
	return 16384
}

// template fills in the members of a chat template's arguments whose value is
// {"$var": name}. One with "omitWhenOff" is left out when the model does not
// think. Members are written in order of name.
func template(args json.RawMessage, thinks bool, effort string, budget int64) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil || len(members) == 0 {
		return nil
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	sort.Strings(names)
	var out bytes.Buffer
	for _, name := range names {
		var value any = members[name]
		var ref struct {
			Var         string `json:"$var"`
			OmitWhenOff bool   `json:"omitWhenOff"`
		}
		if json.Unmarshal(members[name], &ref) == nil && ref.Var != "" {
			if ref.OmitWhenOff && !thinks {
				continue
			}
			switch ref.Var {
			case "thinking.enabled":
				value = thinks
			case "thinking.effort":
				value = effort
			case "thinking.budget":
				value = budget
			default:
				continue
			}
		}
		key, _ := openjson.Encode(name)
		text, err := openjson.Encode(value)
		if err != nil {
			continue
		}
		if out.Len() > 0 {
			out.WriteByte(',')
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(text)
	}
	return json.RawMessage("{" + out.String() + "}")
}
