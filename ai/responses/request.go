package responses

import (
	"encoding/json"

	"tau/ai"
	"tau/ai/internal/toolargs"
	"tau/ai/openjson"
)

// compat are the flags of this protocol. A nil pointer means true. What may
// change in mid-conversation is read by [ai.Model.Midway].
type compat struct {
	DeveloperRole           *bool  `json:"supportsDeveloperRole"`
	SessionAffinityFormat   string `json:"sessionAffinityFormat"`
	PromptCacheKeyMode      string `json:"promptCacheKeyMode"`
	LongCacheRetention      *bool  `json:"supportsLongCacheRetention"`
	ReasoningEffort         *bool  `json:"supportsReasoningEffort"`
	MaxOutputTokens         *bool  `json:"supportsMaxOutputTokens"`
	StrictMode              *bool  `json:"supportsStrictMode"`
	OpenAIGrammarTools      bool   `json:"supportsOpenAIGrammarTools"`
	AdditionalTools         bool   `json:"supportsAdditionalTools"`
	ExplicitPromptCacheMode bool   `json:"supportsExplicitPromptCacheMode"`

	instructions bool // the system prompt is a member of its own
}

func readCompat(model *ai.Model) compat {
	var c compat
	if len(model.Compat) > 0 {
		_ = json.Unmarshal(model.Compat, &c) // the catalogue checks what users write
	}
	return c
}

func on(flag *bool) bool { return flag == nil || *flag }

// The request, in the order in which it is written: head, input, tail. What
// changes from one request to the next comes last.
type head struct {
	Model        string `json:"model"`
	Instructions string `json:"instructions,omitempty"`
	Tools        []tool `json:"tools,omitempty"`
}

type tail struct {
	Reasoning            *reasoning    `json:"reasoning,omitempty"`
	Include              []string      `json:"include,omitempty"`
	PromptCacheKey       string        `json:"prompt_cache_key,omitempty"`
	PromptCacheRetention string        `json:"prompt_cache_retention,omitempty"`
	PromptCacheOptions   *cacheOptions `json:"prompt_cache_options,omitempty"`
	Temperature          *float64      `json:"temperature,omitempty"`
	MaxOutputTokens      int64         `json:"max_output_tokens,omitempty"`
	Store                bool          `json:"store"`
	Stream               bool          `json:"stream"`
}

// cacheOptions are what took the place of prompt_cache_retention. Mode explicit
// without any breakpoint means no cache, which otherwise costs extra to write.
type cacheOptions struct {
	Mode string `json:"mode,omitempty"`
	TTL  string `json:"ttl,omitempty"`
}

// tool is a function, or a custom tool, which is called with text.
type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
	Format      *grammar        `json:"format,omitempty"`
}

type grammar struct {
	Type       string `json:"type"`
	Syntax     string `json:"syntax"`
	Definition string `json:"definition"`
}

type reasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

// encode writes the request to model, which the server knows as name.
func encode(model *ai.Model, name string, req *ai.Request, opts *ai.Options, flags compat) ([]byte, error) {
	p := ai.Prepare(model, req, opts)
	items, err := input(model, p, flags, plainTools(req, flags))
	if err != nil {
		return nil, err
	}
	h := head{Model: name, Tools: toolsOf(p.Tools, flags)}
	if flags.instructions {
		h.Instructions = p.System
		if h.Instructions == "" {
			h.Instructions = "You are a coding agent." // the server wants some
		}
	}
	r := tail{Stream: true, Temperature: opts.Temperature}
	if on(flags.MaxOutputTokens) {
		r.MaxOutputTokens = p.FitMaxTokens(model)
		if opts.MaxTokens > 0 {
			r.MaxOutputTokens = min(opts.MaxTokens, r.MaxOutputTokens)
		}
		// The API refuses less.
		r.MaxOutputTokens = max(r.MaxOutputTokens, 16)
	}
	if model.Reasoning {
		think(&r, model, p.Effort, flags)
	}
	cache(&r, opts, flags)
	more := model.Sampling(opts.Thinking, "model", "instructions", "input", "tools", "stream", "store", "reasoning", "include", "max_output_tokens")
	if opts.Temperature != nil {
		delete(more, "temperature")
	}
	// The items, which are most of it, were encoded one by one.
	return openjson.Splice(&h, "input", openjson.List(items), &r, more)
}

func cache(r *tail, opts *ai.Options, flags compat) {
	if opts.Cache == ai.CacheNone {
		if flags.ExplicitPromptCacheMode {
			r.PromptCacheOptions = &cacheOptions{Mode: "explicit"}
		}
		return
	}
	if flags.PromptCacheKeyMode == "disabled" {
		return
	}
	r.PromptCacheKey = opts.SessionID[:min(len(opts.SessionID), 64)]
	switch {
	case opts.Cache != ai.CacheLong || !on(flags.LongCacheRetention):
	case flags.ExplicitPromptCacheMode:
		r.PromptCacheOptions = &cacheOptions{TTL: "12h"}
	default:
		r.PromptCacheRetention = "24h"
	}
}

// think says how much the model should think, and asks for its thoughts in the
// form in which they can be sent back.
func think(r *tail, model *ai.Model, level ai.ThinkingLevel, flags compat) {
	r.Include = []string{"reasoning.encrypted_content"}
	if level == "" {
		level = ai.ThinkingOff
	}
	word, mapped := model.ThinkingLevelMap[level]
	switch {
	case mapped && word == nil:
		return // the model does not have the level; its default holds
	case !on(flags.ReasoningEffort):
		r.Reasoning = &reasoning{Summary: "auto"}
		return
	default:
		r.Reasoning = &reasoning{Effort: effort(model, level)}
	}
	if level != ai.ThinkingOff {
		r.Reasoning.Summary = "auto"
	}
}

// effort is the model's word for a level.
func effort(model *ai.Model, level ai.ThinkingLevel) string {
	if word := model.ThinkingLevelMap[level]; word != nil {
		return *word
	}
	if level == ai.ThinkingOff {
		return "none"
	}
	return string(level)
}

// plainTools are the tools that the model calls with text.
func plainTools(req *ai.Request, flags compat) toolargs.Plain {
	if !flags.OpenAIGrammarTools {
		return nil
	}
	return toolargs.PlainOf(req.Tools)
}

func toolsOf(defs []ai.ToolDef, flags compat) []tool {
	out := make([]tool, 0, len(defs))
	for _, t := range defs {
		if g := t.Grammar; g != nil && flags.OpenAIGrammarTools {
			out = append(out, tool{Type: "custom", Name: t.Name, Description: t.Description, Format: &grammar{"grammar", g.Syntax, g.Definition}})
			continue
		}
		schema := t.Parameters
		if len(schema) == 0 || string(schema) == "null" {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		strict := t.Strict && on(flags.StrictMode)
		out = append(out, tool{Type: "function", Name: t.Name, Description: t.Description, Parameters: schema, Strict: &strict})
	}
	return out
}
