package openai

import (
	"encoding/json"

	"tau/ai"
	"tau/ai/internal/toolargs"
	"tau/ai/openjson"
)

// The request, in the order in which it is written: head, messages, tail. What
// changes from one request to the next comes last.
type head struct {
	Model string  `json:"model"`
	Tools *[]tool `json:"tools,omitempty"`
}

type request struct {
	ToolStream           bool            `json:"tool_stream,omitempty"`
	Store                *bool           `json:"store,omitempty"`
	ReasoningEffort      string          `json:"reasoning_effort,omitempty"`
	Reasoning            *reasoning      `json:"reasoning,omitempty"`
	Thinking             any             `json:"thinking,omitempty"`
	EnableThinking       *bool           `json:"enable_thinking,omitempty"`
	ChatTemplateKwargs   json.RawMessage `json:"chat_template_kwargs,omitempty"`
	ChatTemplateArgs     json.RawMessage `json:"chat_template_args,omitempty"`
	ThinkingTokenBudget  int64           `json:"thinking_token_budget,omitempty"`
	ThinkingBudget       int64           `json:"thinking_budget,omitempty"`
	ThinkingBudgetTokens int64           `json:"thinking_budget_tokens,omitempty"`
	Provider             json.RawMessage `json:"provider,omitempty"`
	ProviderOptions      *gateway        `json:"providerOptions,omitempty"`
	Priority             *int64          `json:"priority,omitempty"`
	PromptCacheKey       string          `json:"prompt_cache_key,omitempty"`
	PromptCacheRetention string          `json:"prompt_cache_retention,omitempty"`
	Temperature          *float64        `json:"temperature,omitempty"`
	MaxTokens            int64           `json:"max_tokens,omitempty"`
	MaxCompletionTokens  int64           `json:"max_completion_tokens,omitempty"`
	Stream               bool            `json:"stream"`
	StreamOptions        *streamOptions  `json:"stream_options,omitempty"`
}

type gateway struct {
	Gateway json.RawMessage `json:"gateway"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type tool struct {
	Type         string        `json:"type"`
	Function     *function     `json:"function,omitempty"`
	Custom       *customTool   `json:"custom,omitempty"`
	CacheControl *cacheControl `json:"cache_control,omitempty"`
}

// customTool is a tool that is called with text that follows a grammar.
type customTool struct {
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"`
	Format      customFormat `json:"format"`
}

type customFormat struct {
	Type    string  `json:"type"`
	Grammar grammar `json:"grammar"`
}

type grammar struct {
	Syntax     string `json:"syntax"`
	Definition string `json:"definition"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict,omitempty"`
}

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl,omitempty"`
}

func encode(model *ai.Model, req *ai.Request, opts *ai.Options, flags compat) ([]byte, error) {
	p := ai.Prepare(model, req, opts)
	messages, err := lines(model, p, flags, plainTools(req, flags))
	if err != nil {
		return nil, err
	}
	h, r := head{Model: model.ID}, request{Stream: true, Temperature: opts.Temperature}
	if tools := tools(p.Tools, flags); len(tools) > 0 || flags.ToolsWithToolHistory && hasCalls(p.Messages) {
		h.Tools = &tools
		r.ToolStream = flags.ZaiToolStream && len(tools) > 0
	}
	if on(flags.UsageInStreaming, true) {
		r.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if on(flags.Store, true) && flags.openAI {
		no := false
		r.Store = &no
	}
	limit := p.FitMaxTokens(model)
	if opts.MaxTokens > 0 {
		limit = min(opts.MaxTokens, limit)
	}
	if flags.MaxTokensField == "max_tokens" {
		r.MaxTokens = limit
	} else {
		r.MaxCompletionTokens = limit
	}
	if model.Reasoning {
		think(&r, model, opts, flags)
	}
	if err := cache(&h, messages, &r, opts, flags); err != nil {
		return nil, err
	}
	if flags.ThinkingFormat == "openrouter" {
		r.Provider = flags.OpenRouterRouting
	}
	if len(flags.VercelGatewayRouting) > 0 {
		r.ProviderOptions = &gateway{flags.VercelGatewayRouting}
	}
	r.Priority = flags.VLLMPriority
	items := make([][]byte, len(messages))
	for i, l := range messages {
		items[i] = l.wire
	}
	// The messages, which are most of it, were encoded one by one.
	return openjson.Splice(&h, "messages", openjson.List(items), &r, sampling(model, opts))
}

// plainTools are the tools that the model calls with text.
func plainTools(req *ai.Request, flags compat) toolargs.Plain {
	if !flags.OpenAIGrammarTools {
		return nil
	}
	return toolargs.PlainOf(req.Tools)
}

// sampling are the parameters that a user's model description adds.
func sampling(model *ai.Model, opts *ai.Options) openjson.Fields {
	fields := model.Sampling(opts.Thinking, "model", "messages", "tools", "stream", "stream_options")
	if opts.Temperature != nil {
		delete(fields, "temperature")
	}
	return fields
}

func tools(defs []ai.ToolDef, flags compat) []tool {
	out := make([]tool, 0, len(defs))
	for _, t := range defs {
		schema := t.Parameters
		if len(schema) == 0 || string(schema) == "null" {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		if g := t.Grammar; g != nil && flags.OpenAIGrammarTools {
			out = append(out, tool{Type: "custom", Custom: &customTool{t.Name, t.Description, customFormat{"grammar", grammar{g.Syntax, g.Definition}}}})
			continue
		}
		out = append(out, tool{Type: "function", Function: &function{
			Name: t.Name, Description: t.Description, Parameters: schema, Strict: t.Strict && on(flags.StrictMode, true),
		}})
	}
	return out
}

func hasCalls(msgs []ai.Message) bool {
	for _, m := range msgs {
		if _, ok := m.(*ai.ToolResultMessage); ok {
			return true
		}
	}
	return false
}

// cache helps the server to find the conversation's prefix again.
func cache(h *head, messages []line, r *request, opts *ai.Options, flags compat) error {
	if opts.Cache == ai.CacheNone {
		return nil
	}
	long := opts.Cache == ai.CacheLong && on(flags.LongCacheRetention, flags.openAI)
	if flags.CacheControlFormat == "anthropic" {
		c := &cacheControl{Type: "ephemeral"}
		if opts.Cache == ai.CacheLong && on(flags.LongCacheRetention, true) {
			c.TTL = "1h"
		}
		if h.Tools != nil && len(*h.Tools) > 0 {
			(*h.Tools)[len(*h.Tools)-1].CacheControl = c
		}
		return markLines(messages, c)
	}
	switch flags.PromptCacheKeyMode {
	case "disabled":
	case "enabled":
		r.PromptCacheKey = clampKey(opts.SessionID)
	default:
		if flags.openAI || long {
			r.PromptCacheKey = clampKey(opts.SessionID)
		}
	}
	if long {
		r.PromptCacheRetention = "24h"
	}
	return nil
}

// clampKey cuts a session id to the 64 characters that are allowed.
func clampKey(id string) string { return id[:min(len(id), 64)] }
