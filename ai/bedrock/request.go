package bedrock

import (
	"encoding/json"
	"strings"

	"tau/ai"
	"tau/ai/internal/sides"
	"tau/ai/openjson"
)

// The request, in the order in which it is written: head, messages, tail. What
// changes from one request to the next comes last.
type head struct {
	System []block     `json:"system,omitempty"`
	Tools  *toolConfig `json:"toolConfig,omitempty"`
}

type request struct {
	Inference  json.RawMessage `json:"inferenceConfig,omitempty"`
	Additional json.RawMessage `json:"additionalModelRequestFields,omitempty"`
}

// block is any content block; exactly one member is set.
type block struct {
	Text       string      `json:"text,omitempty"`
	Image      *image      `json:"image,omitempty"`
	ToolUse    *toolUse    `json:"toolUse,omitempty"`
	ToolResult *toolResult `json:"toolResult,omitempty"`
	Reasoning  *reasoning  `json:"reasoningContent,omitempty"`
	CachePoint *cachePoint `json:"cachePoint,omitempty"`
}

type image struct {
	Format string `json:"format"`
	Source struct {
		Bytes string `json:"bytes"` // base64
	} `json:"source"`
}

type toolUse struct {
	ID    string          `json:"toolUseId"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type toolResult struct {
	ID      string  `json:"toolUseId"`
	Content []block `json:"content"`
	Status  string  `json:"status,omitempty"`
}

type reasoning struct {
	Text     *reasoningText `json:"reasoningText,omitempty"`
	Redacted string         `json:"redactedContent,omitempty"` // base64
}

type reasoningText struct {
	Text      string `json:"text"`
	Signature string `json:"signature,omitempty"`
}

type cachePoint struct {
	Type string `json:"type"`
	TTL  string `json:"ttl,omitempty"`
}

type toolConfig struct {
	Tools []tool `json:"tools"`
}

type tool struct {
	Spec       *toolSpec   `json:"toolSpec,omitempty"`
	CachePoint *cachePoint `json:"cachePoint,omitempty"`
}

type toolSpec struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	InputSchema struct {
		JSON json.RawMessage `json:"json"`
	} `json:"inputSchema"`
	Strict bool `json:"strict,omitempty"`
}

type inference struct {
	MaxTokens   int64    `json:"maxTokens,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
}

func encode(model *ai.Model, req *ai.Request, opts *ai.Options) ([]byte, error) {
	p := ai.Prepare(model, req, opts)
	content, err := messages(model, p)
	if err != nil {
		return nil, err
	}
	h, r := head{Tools: toolsOf(model, p)}, request{}
	if p.System != "" {
		h.System = []block{{Text: p.System}}
	}
	if err := mark(&h, content, model, opts); err != nil {
		return nil, err
	}
	fit := p.FitMaxTokens(model)
	limits := &inference{MaxTokens: fit, Temperature: opts.Temperature}
	if opts.MaxTokens > 0 {
		limits.MaxTokens = min(opts.MaxTokens, limits.MaxTokens)
	}
	if model.Reasoning {
		fields, err := think(model, opts, limits, fit, thoughtful(model, p.Messages))
		if err != nil {
			return nil, err
		}
		r.Additional = fields
	}
	more := model.Sampling(opts.Thinking, "maxTokens")
	if limits.Temperature != nil {
		delete(more, "temperature")
	}
	if *limits != (inference{}) || len(more) > 0 {
		if r.Inference, err = openjson.Marshal(limits, more); err != nil {
			return nil, err
		}
	}
	// The messages, which are most of it, were encoded one by one.
	return openjson.Splice(&h, "messages", content.Pieces("content"), &r, nil)
}

// toolsOf declares the tools. A conversation with calls in it is refused
// without any declaration, so that what it calls is then declared by name.
func toolsOf(model *ai.Model, req *ai.Prepared) *toolConfig {
	var flags struct {
		StrictMode bool `json:"supportsStrictMode"`
	}
	if len(model.Compat) > 0 {
		_ = json.Unmarshal(model.Compat, &flags) // the catalogue checks what users write
	}
	tools := req.Tools
	if len(tools) == 0 {
		seen := map[string]bool{}
		for _, m := range req.Messages {
			if m, ok := m.(*ai.AssistantMessage); ok {
				for _, c := range m.ToolCalls() {
					if !seen[c.Name] {
						seen[c.Name] = true
						tools = append(tools, ai.ToolDef{Name: c.Name, Description: "No longer available."})
					}
				}
			}
		}
	}
	if len(tools) == 0 {
		return nil
	}
	c := &toolConfig{}
	for _, t := range tools {
		spec := &toolSpec{Name: t.Name, Description: t.Description, Strict: t.Strict && flags.StrictMode}
		spec.InputSchema.JSON = t.Parameters
		if len(t.Parameters) == 0 || string(t.Parameters) == "null" {
			spec.InputSchema.JSON = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		c.Tools = append(c.Tools, tool{Spec: spec})
	}
	return c
}

// mark puts cache points where the longest prefix can be found again. Only some
// makers' models take them, and only Claude among the tools.
func mark(h *head, content *sides.List, model *ai.Model, opts *ai.Options) error {
	claude, nova := isClaude(model), strings.Contains(model.ID, "amazon.nova")
	if opts.Cache == ai.CacheNone || !claude && !nova {
		return nil
	}
	point := &cachePoint{Type: "default"}
	if opts.Cache == ai.CacheLong && claude && keepsAnHour(model.ID) {
		point.TTL = "1h"
	}
	if len(h.System) > 0 {
		h.System = append(h.System, block{CachePoint: point})
	}
	if h.Tools != nil && claude {
		h.Tools.Tools = append(h.Tools.Tools, tool{CachePoint: point})
	}
	if content.Last() != "user" {
		return nil
	}
	wire, err := sides.Encode([]block{{CachePoint: point}})
	content.Add("user", wire)
	return err
}

func isClaude(model *ai.Model) bool { return strings.Contains(model.ID, "anthropic.claude") }

// keepsAnHour reports whether a Claude model takes the longer cache, which all
// do since 4.5.
func keepsAnHour(id string) bool {
	for _, old := range []string{"claude-3", "claude-opus-4-1", "claude-opus-4-2025", "claude-sonnet-4-2025"} {
		if strings.Contains(id, old) {
			return false
		}
	}
	return true
}
