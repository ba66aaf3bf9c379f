package google

import (
	"encoding/json"
	"strings"

	"tau/ai"
	"tau/ai/openjson"
)

// The request, in the order in which it is written: head, contents, tail. What
// changes from one request to the next comes last.
type head struct {
	System *content `json:"systemInstruction,omitempty"`
	Tools  []tools  `json:"tools,omitempty"`
}

type request struct {
	Generation json.RawMessage `json:"generationConfig,omitempty"`
}

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

// part is any part of a content; exactly one of the data members is set.
type part struct {
	Text             *string           `json:"text,omitempty"`
	InlineData       *blob             `json:"inlineData,omitempty"`
	FunctionCall     *functionCall     `json:"functionCall,omitempty"`
	FunctionResponse *functionResponse `json:"functionResponse,omitempty"`
	Thought          bool              `json:"thought,omitempty"`
	ThoughtSignature string            `json:"thoughtSignature,omitempty"`
}

type blob struct {
	MimeType string `json:"mimeType"`
	Data     string `json:"data"`
}

type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type functionResponse struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
	Parts    []part            `json:"parts,omitempty"`
}

type tools struct {
	Declarations []declaration `json:"functionDeclarations"`
}

type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

type generation struct {
	Temperature     *float64  `json:"temperature,omitempty"`
	MaxOutputTokens int64     `json:"maxOutputTokens,omitempty"`
	Thinking        *thinking `json:"thinkingConfig,omitempty"`
}

type thinking struct {
	IncludeThoughts bool   `json:"includeThoughts,omitempty"`
	Budget          *int64 `json:"thinkingBudget,omitempty"`
	Level           string `json:"thinkingLevel,omitempty"`
}

func encode(model *ai.Model, req *ai.Request, opts *ai.Options) ([]byte, error) {
	p := ai.Prepare(model, req, opts)
	list, err := contents(model, p)
	if err != nil {
		return nil, err
	}
	h, r := head{}, request{}
	if p.System != "" {
		h.System = &content{Parts: []part{textPart(p.System)}}
	}
	if len(p.Tools) > 0 {
		declared := make([]declaration, len(p.Tools))
		for i, t := range p.Tools {
			declared[i] = declaration{Name: t.Name, Description: t.Description, Parameters: schema(t.Parameters)}
		}
		h.Tools = []tools{{declared}}
	}
	g := &generation{Temperature: opts.Temperature, MaxOutputTokens: p.FitMaxTokens(model)}
	if opts.MaxTokens > 0 {
		g.MaxOutputTokens = min(opts.MaxTokens, g.MaxOutputTokens)
	}
	if model.Reasoning {
		g.Thinking = think(model, opts, g.MaxOutputTokens)
	}
	more := model.Sampling(opts.Thinking, "maxOutputTokens", "thinkingConfig")
	if opts.Temperature != nil {
		delete(more, "temperature")
	}
	if r.Generation, err = openjson.Marshal(g, more); err != nil {
		return nil, err
	}
	// The contents, which are most of it, were encoded one by one.
	return openjson.Splice(&h, "contents", list.Pieces("parts"), &r, nil)
}

// schema leaves out a schema of an object without members, which the API
// refuses.
func schema(s json.RawMessage) json.RawMessage {
	if len(s) == 0 || string(s) == "null" {
		return nil
	}
	var obj struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Type       string                     `json:"type"`
	}
	if json.Unmarshal(s, &obj) == nil && obj.Type == "object" && len(obj.Properties) == 0 {
		return nil
	}
	return s
}

// leveled reports whether the model takes thinking as a level, which all do
// since Gemini 3; older ones take a number of tokens.
func leveled(model *ai.Model) bool {
	for _, word := range model.ThinkingLevelMap {
		if word != nil && *word != "" {
			return true
		}
	}
	return false
}

// signs reports whether the model refuses calls without a thought signature.
func signs(model *ai.Model) bool {
	return leveled(model) && !strings.Contains(model.ID, "gemma")
}

func think(model *ai.Model, opts *ai.Options, limit int64) *thinking {
	level := opts.Thinking
	off := level == "" || level == ai.ThinkingOff
	if leveled(model) {
		if off {
			// Levels cannot be switched off: the lowest, and not shown.
			return &thinking{Level: levelWord(model, model.ClampThinking(ai.ThinkingMinimal))}
		}
		return &thinking{IncludeThoughts: true, Level: levelWord(model, level)}
	}
	var budget int64
	if off {
		if strings.Contains(model.ID, "2.5-pro") {
			budget = 128 // the least it takes
		}
		return &thinking{Budget: &budget}
	}
	budget = budgetOf(opts, level)
	const least = 1024 // left for the answer
	if budget > limit-least {
		budget = max(limit-least, 0)
	}
	return &thinking{IncludeThoughts: budget > 0, Budget: &budget}
}

// levelWord is the level in the spelling of the API's enumeration.
func levelWord(model *ai.Model, level ai.ThinkingLevel) string {
	word := string(level)
	if mapped := model.ThinkingLevelMap[level]; mapped != nil && *mapped != "" {
		word = *mapped
	}
	return strings.ToUpper(word)
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
